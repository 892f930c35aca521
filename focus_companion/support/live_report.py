"""A report of the last fault of the game in progress, without a tape: its two pictures are kept in memory."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .. import __version__
from ..game.rules import Rules
from ..session.events import Event
from ..vision.capture.frames import Frame, Image
from .report import pack
from .tape_report import (
    FAULT_EVENTS,
    FaultFinder,
    NoBoard,
    ShownFault,
    blurred_outside,
    report_parts,
    sharp_outline,
)


class WatchedGame(Protocol):
    """The running game; a :class:`~focus_companion.session.session.Session` is one."""

    @property
    def frame(self) -> Frame | None:
        """The newest frame, ``None`` before the first; its picture must not change any more."""
        ...

    @property
    def corners(self) -> Mapping[str, Sequence[float]] | None:
        """Where the lattice's corners are seen, as fractions of the picture's width and height."""
        ...

    @property
    def rules(self) -> Rules: ...


@dataclass(frozen=True)
class _Shot:
    """A frame, and where the lattice's corners were seen then, as fractions of its width and height."""

    frame: Frame
    """Most cameras send JPEG, which is not decoded until the report is made."""
    corners: Mapping[str, Sequence[float]] | None


class LiveReport:
    """Keeps the pictures of the game's last fault. Call ``on_event`` on the game thread, the rest on any."""

    def __init__(self, game: WatchedGame) -> None:
        self._game = game
        self._finder = FaultFinder[_Shot]()
        self._last: list[ShownFault[_Shot] | None] = [None] * len(FAULT_EVENTS)

    def on_event(self, event: Event) -> None:
        """Take note of an event, which was derived from the newest picture."""
        if event.type == "game":
            # The pictures of another game show nothing of this one.
            self._finder, self._last = FaultFinder[_Shot](), [None] * len(FAULT_EVENTS)
        if (fault := self._finder.add(event.to_json(), self._shot())) is None:
            return
        at = next(number for number, kinds in enumerate(FAULT_EVENTS) if event.type in kinds)
        self._last[at] = fault

    def parts(self) -> dict[str, bytes]:
        """The files of the report of the last fault by name, or of the present state if there was no fault.
        Everything outside the board is blurred.

        Raises:
            NoBoard: there is no picture yet, or the board has not been seen.
        """
        fault = next(filter(None, self._last), None) or self._finder.add({}, self._shot())
        if fault is None:
            raise NoBoard("the camera has given no picture yet")
        shots = {"before.png": fault.before, "fault.png": fault.picture}
        taken = {name: shot for name, shot in shots.items() if shot is not None}
        places = [shot.corners for shot in (fault.picture, fault.before) if shot is not None and shot.corners]
        if not places:
            raise NoBoard("the board was not seen, so that nothing beside it can be blurred")
        images = {name: _blurred(shot.frame.image, places[0]) for name, shot in taken.items()}
        facts = {"recorded_by": __version__, "rules": self._game.rules.to_json(), "blurred": True}
        return report_parts(images, fault, facts)

    def packed(self, parts: Mapping[str, bytes]) -> bytes:
        """The parts as one ZIP file."""
        out = io.BytesIO()
        pack(out, parts)
        return out.getvalue()

    def _shot(self) -> _Shot | None:
        frame = self._game.frame
        return None if frame is None else _Shot(frame, self._game.corners)


def _blurred(image: Image, corners: Mapping[str, Sequence[float]]) -> Image:
    height, width = image.shape[:2]
    return blurred_outside(image, sharp_outline(np.array(list(corners.values()), float) * (width, height)))
