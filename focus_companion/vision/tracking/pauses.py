"""Intervals without pictures: while nothing is seen, people play on."""

from __future__ import annotations

from typing import Final

_MIN_PAUSE: Final = 4.0
"""Interval between two frames, relative to the usual one, that counts as a pause."""
_USUAL_RATE: Final = 0.1
"""Weight of each interval in the running mean of the usual ones."""


class Pauses:
    """The longest pause between the frames of a stream since a given one."""

    def __init__(self) -> None:
        self.longest = 0.0
        """In seconds of the stream; 0 without a pause."""
        self._last: float | None = None
        self._usual: float | None = None

    def see(self, time: float) -> None:
        """A frame was taken at this time."""
        interval = 0.0 if self._last is None else time - self._last
        self._last = time
        if interval <= 0.0:
            # The first frame, or a stream that began again.
            return
        if self._usual is None:
            self._usual = interval
        elif interval > _MIN_PAUSE * self._usual:
            self.longest = max(self.longest, interval)
        else:
            self._usual += _USUAL_RATE * (interval - self._usual)

    def unseen(self, seconds: float) -> None:
        """The board was out of view for so long, although there were pictures."""
        self.longest = max(self.longest, seconds)

    def forget(self) -> None:
        """Forget earlier pauses: everything that happened during them is known."""
        self.longest = 0.0
