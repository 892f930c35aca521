"""How much memory this process uses."""

from __future__ import annotations

import os
from pathlib import Path


def resident_megabytes() -> float:
    """Megabytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
