"""Whether the camera's pictures are usable: a fault of the picture counts only when it lasts."""

from __future__ import annotations

from typing import Final

from ..vision.capture.frames import Picture
from ..vision.capture.picture_faults import picture_fault

LASTS: Final = 1.0
"""Seconds of useless pictures after which they are reported; a passing hand or a flash is not."""

EVERY: Final = 0.14
"""Seconds between two checked pictures while all is well: less than the time for which a picture must be
still before anything is read from it.
"""

EVERY_SAME: Final = 1.0
"""The same while nothing moves at the board: most faults would show as motion."""


class Usable:
    """Checks every picture of a stream."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._judged: float | None = None
        self.why = ""
        """The fault that has lasted long enough, in the words of the event ``lost``; "" for none."""

    def judge(self, picture: Picture, time: float, *, same: bool = False) -> bool:
        """Whether this picture may be processed: nothing can be read or learned from a useless one.

        ``time``: seconds of the stream; ``same``: nothing moved in the pictures before it.
        """
        every = EVERY_SAME if same else EVERY
        if self._since is None and self._judged is not None and 0 <= time - self._judged < every:
            return True
        self._judged = time
        fault = picture_fault(picture)
        if not fault:
            self._since, self.why = None, ""
            return True
        if self._since is None:
            self._since = time
        if time - self._since >= LASTS:
            self.why = fault
        return False
