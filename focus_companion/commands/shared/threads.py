"""How the program's threads share the processor and the interpreter.

The picture libraries release the global interpreter lock at every call and must reacquire it. By default that
may take 5 ms each time while another thread is busy, and judging a picture has dozens of such calls.

The libraries' own threads gain little here, and wait actively for the next job: a twelfth of the processor
time of a whole game.
"""

from __future__ import annotations

import os
import sys
from typing import Final

TURN: Final = 0.0005
"""Seconds for which a thread may hold the lock while another one waits."""

LIBRARIES: Final = ("OPENCV_FOR_THREADS_NUM", "OPENBLAS_NUM_THREADS")
"""Variables of the environment with the libraries' number of threads."""


def keep_to_ours() -> None:
    """Have the libraries start no threads, unless the environment says otherwise; before they are loaded."""
    for name in LIBRARIES:
        os.environ.setdefault(name, "1")


def take_short_turns() -> None:
    """Keep other threads from delaying the one that judges pictures."""
    sys.setswitchinterval(TURN)
