"""The button at the table: single and double presses."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

DOUBLE_PRESS_SECONDS: Final = 0.4
"""Seconds within which two presses are one double press."""


class Presses:
    """Distinguishes short presses from double ones. A press is short if no other follows soon."""

    def __init__(
        self,
        short: Callable[[], None],
        double: Callable[[], None],
        within: float = DOUBLE_PRESS_SECONDS,
    ) -> None:
        """``short`` is called on a separate thread, ``double`` on that of the second press."""
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
                self._timer = threading.Timer(self._within, self._on_timeout)
                self._timer.daemon = True
                self._timer.start()
        if first is not None:
            self._double()

    def _on_timeout(self) -> None:
        with self._lock:
            # Otherwise the second press came at the moment of the timeout, and was handled as a double one.
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
