"""Reads a position from a still picture without knowing the game, as its start or to check the board."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ..referee.verdict import BoardRead
from ..vision.capture.frames import Frame, Image
from ..vision.detection.manual_corners import corners_of
from ..vision.geometry.lens_profiles import LensProfile
from ..vision.geometry.orientation import turned_stacks
from ..vision.geometry.pose import turned
from ..vision.geometry.scene import BoardProfile, Camera
from ..vision.tracking.stillness import Small, Stillness

if TYPE_CHECKING:
    from ..vision.single_image.read_still import StillReading

_SETTLE_TIME: Final = 0.6
"""Seconds for which a picture must be still before it is read."""

_RETRY_INTERVAL: Final = 2.0
"""Seconds before an unchanged picture in which no board was found is read again."""

_MIN_SURE_PROBABILITY: Final = 0.985
"""Minimum probability of the stack read on a square; below it, the square is doubtful. Players check such
squares, and begin in a wrong position if a misread one is not marked. On 18 simulated boards, 13 squares each
are marked and no misread one is missed; at 0.97, 11 are marked and one is missed."""

log = logging.getLogger(__name__)


class Reader:
    """Reads still pictures one at a time.

    ``players`` are the letters of the colours in play, ``rank1`` the side of the picture at which rank 1 lies
    if the orientation is unknown. ``threaded``: reading, which takes seconds, happens in a separate thread
    instead of in :meth:`see`.
    """

    def __init__(
        self,
        profiles: Sequence[BoardProfile],
        players: str,
        rank1: str,
        lens: LensProfile | None,
        *,
        threaded: bool,
    ) -> None:
        self._profiles, self._players, self._rank1, self._lens = profiles, players, rank1, lens
        self._threaded = threaded
        self._stillness = Stillness()
        self._running: Future[StillReading | None] | None = None
        self._read: tuple[float, Small] | None = None
        self.last: StillReading | None = None

    @property
    def corners(self) -> dict[str, tuple[float, float]] | None:
        """The corners of the lattice in the last reading."""
        return None if self.last is None else corners_of(self.last.camera, self.last.profile)

    def forget(self) -> None:
        """Read the next still picture even if it looks like the last one read."""
        self._read = None

    def see(self, frame: Frame, standing: Sequence[str] | None, held: Camera | None) -> BoardRead | None:
        """The position in a still picture, as soon as one has been read; ``None`` until then.

        The orientation of the board is that of the pose ``held``, else the one in which most squares agree
        with ``standing``, else that of ``rank1``.
        """
        still, small = self._stillness.update(frame.time, self._stillness.small_copy(frame.picture))
        if self._running is None and still >= _SETTLE_TIME and self._due(frame.time, small):
            self._read = frame.time, small
            self._running = self._start(frame.image)
        if self._running is None or not self._running.done():
            return None
        found, self._running = self._running.result(), None
        self.last = found and upright_as(found, standing, held)
        if self.last is None:
            return BoardRead((), (), 0.0)
        whole = self.last.whole
        doubtful = [square for square, sure in enumerate(whole) if sure < _MIN_SURE_PROBABILITY]
        doubtful.sort(key=whole.__getitem__)
        return BoardRead(self.last.stacks, tuple(doubtful), self.last.confidence)

    def _due(self, time: float, small: Small) -> bool:
        if self._read is None:
            return True
        read_at, before = self._read
        if self.last is None and time - read_at >= _RETRY_INTERVAL:
            return True
        return self._stillness.differ(small, before)

    def _start(self, image: Image) -> Future[StillReading | None]:
        # Imported here because it is slow to import, and few games are read.
        from ..vision.single_image.read_still import read_still

        done: Future[StillReading | None] = Future()

        def read() -> None:
            try:
                done.set_result(read_still(image, self._profiles, self._players, self._rank1, self._lens))
            except Exception as error:  # raised again in the game thread, by ``result``
                done.set_exception(error)

        if self._threaded:
            threading.Thread(target=read, name="reading", daemon=True).start()
        else:
            read()
        return done


def upright_as(reading: StillReading, standing: Sequence[str] | None, held: Camera | None) -> StillReading:
    """The same reading in the orientation of the pose ``held``, else in the one closest to ``standing``."""
    turns = [
        replace(
            reading,
            stacks=turned_stacks(reading.stacks, quarters),
            whole=turned_stacks(reading.whole, quarters),
            camera=turned(reading.camera, quarters),
        )
        for quarters in range(4)
    ]
    if held is not None:
        corner = held.project(reading.profile.corners[:1])[0]

        def apart(turn: StillReading) -> float:
            return float(abs(turn.camera.project(turn.profile.corners[:1])[0] - corner).sum())

        return min(turns, key=apart)
    if standing is not None:
        return max(turns, key=lambda turn: sum(map(str.__eq__, turn.stacks, standing)))
    return reading
