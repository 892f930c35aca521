"""How the threads of one program take turns.

The picture libraries let go of the interpreter at every call and must get it back after it. By Python's own
measure each getting back may take 5 ms while another thread works, and a look has dozens of such calls.
"""

from __future__ import annotations

import sys
from typing import Final

TURN: Final = 0.0005
"""Seconds for which a thread may keep another one waiting."""


def take_short_turns() -> None:
    """Let no thread keep the one that judges the picture waiting for long."""
    sys.setswitchinterval(TURN)
