"""How the program's threads share the processor and the interpreter.

The picture libraries release the global interpreter lock at every call and must reacquire it. By default that
may take 5 ms each time while another thread is busy, and judging a picture takes dozens of such calls.

The libraries' own threads gain little here, and busily wait for the next job, which took a twelfth of the
processor time of a whole game.
"""

from __future__ import annotations

import os
import sys
from typing import Final

SWITCH_INTERVAL: Final = 0.0005
"""Seconds for which a thread may hold the lock while another one waits."""

THREAD_COUNT_VARIABLES: Final = ("OPENCV_FOR_THREADS_NUM", "OPENBLAS_NUM_THREADS")
"""Environment variables that set the libraries' number of threads."""


def disable_library_threads() -> None:
    """Keep the libraries from starting threads, unless the environment says otherwise; call before import."""
    for name in THREAD_COUNT_VARIABLES:
        os.environ.setdefault(name, "1")


def shorten_switch_interval() -> None:
    """Keep other threads from delaying the one that judges pictures, by switching between threads sooner."""
    sys.setswitchinterval(SWITCH_INTERVAL)
