"""What a process uses of memory and processor. Linux only: all raise OSError when the process is gone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

TICK: Final = 1 / os.sysconf("SC_CLK_TCK")
"""The resolution of processor times in seconds."""


def _file(process: int | str, name: str) -> str:
    return Path(f"/proc/{process}/{name}").read_text(encoding="ascii", errors="replace")


def resident_megabytes(process: int | str = "self") -> float:
    """Megabytes of a process (its id, or this one) in memory."""
    return int(_file(process, "statm").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def peak_megabytes(process: int) -> float:
    """The peak memory of a process so far."""
    lines = _file(process, "status").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024 / 1e6


def processor_seconds(process: int) -> float:
    """Processor time of a process so far, all its threads together."""
    # The program's name comes first, and may contain spaces and brackets.
    fields = _file(process, "stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK
