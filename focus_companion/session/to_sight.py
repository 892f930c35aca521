"""Passes frames and requests on to the pipeline, and decides which frames are judged and which are read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ..referee.verdict import Verdict
from .history import History
from .ports import Sight
from .requests import ReadBoard, Request, StandsRight, TurnDone

if TYPE_CHECKING:
    from ..vision.capture.frames import Frame

_HURRY_TIME: Final = 2.0
"""Seconds after a press of the button within which a picture that comes to rest is judged at once."""

_READING_TIMEOUT: Final = 30.0
"""Seconds for which a requested reading is attempted."""


class SightControl:
    """Decides what the pipeline does with the next frames."""

    def __init__(self) -> None:
        self._read_until = -math.inf

    def pass_on(self, request: Request, sight: Sight, time: float) -> None:
        """Pass on a request made at ``time``, if it concerns the pipeline."""
        if isinstance(request, ReadBoard):
            sight.read_again()
            self._read_until = time + _READING_TIMEOUT
        elif isinstance(request, StandsRight):
            sight.vouch()
        elif isinstance(request, TurnDone):
            sight.hurry(time + _HURRY_TIME)

    def verdicts(self, sight: Sight, frame: Frame, history: History, time: float) -> Iterator[Verdict]:
        """The verdicts of a frame at ``time``."""
        if history.start_from:
            yield from sight.read(frame, None)
            return
        asked = time <= self._read_until
        # Until the board is found, ``push`` would search for it and take the time that reading needs.
        if not asked or sight.camera_state == "ok":
            yield from sight.push(frame, history.positions, history.asked)
        if asked:
            for verdict in sight.read(frame, history.position):
                self._read_until = -math.inf
                yield verdict
