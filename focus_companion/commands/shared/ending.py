"""Ends the program: with its files finished, and even if a camera driver or a viewer hangs."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

EXIT_TIMEOUT: Final = 2.6
"""Seconds after which the program ends, whatever hangs: every emitted event is in the journal already."""


@contextmanager
def finished_first() -> Iterator[None]:
    """Let SIGTERM and a closed terminal raise KeyboardInterrupt within the block, so that its files are
    finished, and end the program after it. On the main thread.
    """
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        received.append(number)
        if len(received) == 1:
            raise KeyboardInterrupt

    numbers = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) == signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
        if received:
            # A supervisor is to see what ended it.
            os.kill(os.getpid(), received[0])


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
