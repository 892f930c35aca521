"""Pictures of a live source that wait for a reader who is busy.

A look may take a slow or busy machine seconds, in which turns are made. Were only the newest picture kept, a
board that stood still meanwhile would never be seen. So pictures wait, in their order; the more of them, the
wider apart, but never so wide that a board at rest would be missed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

FEW: Final = 4
"""Pictures that may wait however close together they are."""
APART: Final = 0.2
"""Seconds between two of them at most where some between them were left out: a rest of thrice that is seen as
one."""
LONGEST: Final = 20.0
"""Seconds by which the reader lags behind at most."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""What waits takes at most so much memory; pictures that are not decoded yet take little."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """One picture as it was read: its ``time`` in seconds of the stream, its ``size`` in bytes."""

    index: int
    time: float
    held: Any
    size: int


class Backlog:
    """What waits, the oldest first. For one thread at a time."""

    def __init__(self, *, longest: float = LONGEST, most_bytes: int = MOST_BYTES) -> None:
        self._longest, self._most_bytes = longest, most_bytes
        self._waiting: list[Waiting] = []
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, picture: Waiting) -> None:
        """The newest picture; what is too much after it is left out."""
        self._waiting.append(picture)
        self._bytes += picture.size
        if len(self) > FEW:
            self._thin()
        while len(self) > 1 and self._too_much():
            self._remove(0)

    def take(self) -> Waiting:
        """The oldest picture."""
        return self._remove(0)

    def _thin(self) -> None:
        """Leave out the picture whose neighbours are the closest."""
        times = [picture.time for picture in self._waiting]
        gap, at = min(
            (after - before, at)
            for at, (before, after) in enumerate(zip(times[:-2], times[2:], strict=True), 1)
        )
        if gap <= APART:
            self._remove(at)

    def _too_much(self) -> bool:
        lag = self._waiting[-1].time - self._waiting[0].time
        return lag > self._longest or self._bytes > self._most_bytes

    def _remove(self, at: int) -> Waiting:
        picture = self._waiting.pop(at)
        self._bytes -= picture.size
        return picture
