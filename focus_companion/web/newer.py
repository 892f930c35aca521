"""Whether a newer version than the running one is installed, which takes effect at the next start."""

from __future__ import annotations

import re
import time
from importlib import metadata
from typing import Final

from .. import __version__

CHECK_INTERVAL: Final = 30.0
"""Seconds between two checks of the disk."""


class Installed:
    """The installed version, looked up periodically. May be used from any thread."""

    def __init__(self, running: str = __version__) -> None:
        self._running = running
        self._checked_at = float("-inf")
        self._found: str | None = None

    def newer(self) -> str | None:
        """The installed version if it is newer than the running one, else ``None``."""
        now = time.monotonic()
        if now - self._checked_at > CHECK_INTERVAL:
            self._checked_at = now
            self._found = self._look_up()
        return self._found

    def _look_up(self) -> str | None:
        try:
            found = metadata.version("focus-companion")
        except metadata.PackageNotFoundError:
            # Running from a checkout, or the package is just being replaced.
            return None
        return found if _numbers(found) > _numbers(self._running) else None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])
