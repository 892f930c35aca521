"""Waiting for a condition, with a timeout long enough for a busy machine."""

from __future__ import annotations

import time
from collections.abc import Callable

PAUSE = 0.005
"""Seconds between two checks of a condition."""


def until(condition: Callable[[], object], seconds: float = 120, what: object = "timed out waiting") -> None:
    """Wait until the condition holds; AssertionError with ``what`` if it does not within ``seconds``."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(PAUSE)
