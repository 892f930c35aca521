"""A bounded queue of pictures from a live source, for a reader that is busy.

On a slow or busy machine, judging a picture may take seconds, in which turns are made. If only the newest
picture were kept, the still board between two turns would never be seen. So pictures are queued. The longer
the queue, the farther apart in time they are, but never so far that a still board would be missed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

MIN_KEPT: Final = 4
"""Number of queued pictures up to which none is dropped, however close together in time they are."""
MAX_GAP: Final = 0.2
"""Maximum seconds between two queued pictures between which others were dropped: a board that is still for
three times as long is recognized as such."""
MAX_LAG: Final = 20.0
"""Maximum seconds by which the reader may lag behind."""
MAX_BYTES: Final = 64 * 1024 * 1024
"""Maximum bytes of the queue; pictures that are not decoded yet are small."""


@dataclass(frozen=True, slots=True)
class QueuedPicture:
    """One picture: ``time`` in seconds of the stream, ``raw`` as it was read, ``size`` in bytes."""

    index: int
    time: float
    raw: Any
    size: int


class Backlog:
    """The queue, oldest first. Not thread-safe."""

    def __init__(self) -> None:
        self._queue: list[QueuedPicture] = []
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._queue)

    def add(self, picture: QueuedPicture) -> None:
        """Append the newest picture, and drop others to stay within the limits."""
        self._queue.append(picture)
        self._bytes += picture.size
        if len(self) > MIN_KEPT:
            self._thin()
        while len(self) > 1 and self._over_limits():
            self._remove(0)

    def take(self) -> QueuedPicture:
        """Take the oldest picture."""
        return self._remove(0)

    def _thin(self) -> None:
        """Drop the picture whose neighbours are closest together in time."""
        times = [picture.time for picture in self._queue]
        gap, at = min(
            (after - before, at)
            for at, (before, after) in enumerate(zip(times[:-2], times[2:], strict=True), 1)
        )
        if gap <= MAX_GAP:
            self._remove(at)

    def _over_limits(self) -> bool:
        lag = self._queue[-1].time - self._queue[0].time
        return lag > MAX_LAG or self._bytes > MAX_BYTES

    def _remove(self, at: int) -> QueuedPicture:
        picture = self._queue.pop(at)
        self._bytes -= picture.size
        return picture
