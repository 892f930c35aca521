"""The button at the table: whether it was pressed once or twice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

TWICE: Final = 0.4
"""Seconds within which two presses are one double press."""


class Presses:
    """Tells short presses from double ones. A short one is known only when no other follows in time."""

    def __init__(self, short: Callable[[], None], double: Callable[[], None], within: float = TWICE) -> None:
        """Both are called on a thread beside, one at a time."""
        self._short, self._double, self._within = short, double, within
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def pressed(self) -> None:
        """The button was pressed; from any thread."""
        with self._lock:
            if (first := self._timer) is not None:
                first.cancel()
                self._timer = None
            else:
                self._timer = threading.Timer(self._within, self._alone)
                self._timer.daemon = True
                self._timer.start()
        if first is not None:
            self._double()

    def _alone(self) -> None:
        with self._lock:
            # Pressed again in the moment in which the time was up: that press has it.
            if self._timer is None or self._timer is not threading.current_thread():
                return
            self._timer = None
        self._short()

    def close(self) -> None:
        """A press that waits is forgotten."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
