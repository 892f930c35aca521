"""A bounded queue of pictures from a live source, for a reader that is busy.

On a slow or busy machine, judging a picture may take seconds, in which turns are made. If only the newest
picture were kept, a board that was still in the meantime would never be seen. So pictures are queued; the
more of them, the farther apart in time, but never so far that a still board would be missed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

FEW: Final = 4
"""Number of pictures up to which none is dropped, however close together they are."""
APART: Final = 0.2
"""Maximum seconds between two queued pictures when some between them were dropped: stillness of three times
that is recognized."""
LONGEST: Final = 20.0
"""Maximum seconds by which the reader lags behind."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""Maximum bytes of the queue; pictures that are not decoded yet are small."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """One picture as read: its ``time`` in seconds of the stream, its ``size`` in bytes."""

    index: int
    time: float
    held: Any
    size: int


class Backlog:
    """The queue, oldest first. Not thread-safe."""

    def __init__(self, *, longest: float = LONGEST, most_bytes: int = MOST_BYTES) -> None:
        self._longest, self._most_bytes = longest, most_bytes
        self._waiting: list[Waiting] = []
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, picture: Waiting) -> None:
        """Append the newest picture, and drop others to stay within the limits."""
        self._waiting.append(picture)
        self._bytes += picture.size
        if len(self) > FEW:
            self._thin()
        while len(self) > 1 and self._too_much():
            self._remove(0)

    def take(self) -> Waiting:
        """Take the oldest picture."""
        return self._remove(0)

    def _thin(self) -> None:
        """Drop the picture whose neighbours are closest together in time."""
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
