"""Decides whether the camera's pictures are usable: a fault of the picture counts only if it lasts."""

from __future__ import annotations

from typing import Final

from ..vision.capture.frames import Picture
from ..vision.capture.picture_faults import picture_fault

_MIN_FAULT_TIME: Final = 1.0
"""Seconds of useless pictures after which they are reported; a passing hand or a flash does not last so
long."""

_CHECK_INTERVAL: Final = 0.14
"""Seconds between two checked pictures while there is no fault: less than the time for which a picture must
be still before anything is read from it."""

_CHECK_INTERVAL_AT_REST: Final = 1.0
"""The same while nothing moves at the board: most faults would appear as motion."""


class PictureCheck:
    """Checks the pictures of a stream."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._judged: float | None = None
        self.why = ""
        """The fault that has lasted long enough, as in ``why`` of the event ``lost``; "" for none."""

    def judge(self, picture: Picture, time: float, *, same: bool = False) -> bool:
        """Whether this picture may be processed; nothing can be learned from a useless one.

        ``time``: seconds of the stream; ``same``: nothing moved in the previous pictures.
        """
        every = _CHECK_INTERVAL_AT_REST if same else _CHECK_INTERVAL
        if self._since is None and self._judged is not None and 0 <= time - self._judged < every:
            return True
        self._judged = time
        fault = picture_fault(picture)
        if not fault:
            self._since, self.why = None, ""
            return True
        if self._since is None:
            self._since = time
        if time - self._since >= _MIN_FAULT_TIME:
            self.why = fault
        return False
