"""The button at the table: single and double presses."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

TWICE: Final = 0.4
"""Seconds within which two presses are one double press."""


class Presses:
    """Distinguishes short presses from double ones. A short one is certain only when no other follows."""

    def __init__(self, short: Callable[[], None], double: Callable[[], None], within: float = TWICE) -> None:
        """Both are called on a separate thread, one at a time."""
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
            # The second press came at the moment of the timeout, and handles it.
            if self._timer is None or self._timer is not threading.current_thread():
                return
            self._timer = None
        self._short()

    def close(self) -> None:
        """Discard a pending press."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
