"""Ends the program even if a camera driver or a viewer hangs."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import Final

EXIT_TIMEOUT: Final = 2.6
"""Seconds after which the program ends, whatever hangs: every emitted event is in the journal already."""


def end_in_time() -> None:
    """Exit even if a camera driver or a viewer hangs."""
    timer = threading.Timer(EXIT_TIMEOUT, leave)
    timer.daemon = True
    timer.start()


def leave() -> None:
    """Exit at once, after everything that matters has been closed.

    A thread that is still inside a picture library while the interpreter is being finalized would abort the
    process.
    """
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(0)
