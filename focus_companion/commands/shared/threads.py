"""How the program's threads share the interpreter.

The picture libraries release the global interpreter lock at every call and must reacquire it. By default that
may take 5 ms each time while another thread is busy, and judging a picture has dozens of such calls.
"""

from __future__ import annotations

import sys
from typing import Final

TURN: Final = 0.0005
"""Seconds for which a thread may hold the lock while another one waits."""


def take_short_turns() -> None:
    """Keep other threads from delaying the one that judges pictures."""
    sys.setswitchinterval(TURN)
