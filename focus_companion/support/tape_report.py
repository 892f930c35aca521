"""A report of a fault, from a tape or a game in progress (:mod:`live_report`): two pictures, blurred outside
the board, and the events.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import cv2
import numpy as np

from ..storage.tape.replay import Recording
from ..storage.tape.tape import TapeError
from ..vision.capture.frames import Image, read_image
from ..vision.detection.find_board import find_board
from ..vision.geometry.board_profiles import plastic_sets
from .versions import versions

FAULT_EVENTS: Final = ({"alert", "unclear"}, {"lost", "set_up"})
"""Types of events that report a fault; those of the second set count only if there is none of the first."""

GOOD_EVENTS: Final = {"ready", "move", "taken_back", "resolved"}
"""Types of events whose picture shows that all is well."""

SHARP_SCALE: Final = 1.25
"""Size of the part that stays sharp relative to the board's lattice: one more square on every side."""

BLOCKS_ACROSS: Final = 16
"""Number of blocks across the picture into which the rest is averaged: most faces are smaller than one."""

MAX_EVENTS: Final = 200
"""Number of events up to the fault that are included."""


class NoBoard(ValueError):
    """The board is not found in a picture, so it is unknown what lies outside it."""


Picture = TypeVar("Picture")
Events = tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class ShownFault(Generic[Picture]):
    """The event and the picture of a fault, and ``before``, the last picture in which all was well."""

    event: Mapping[str, Any]
    picture: Picture
    before: Picture | None
    events: Events
    """The newest events, including that of the fault."""


class FaultFinder(Generic[Picture]):
    """Receives every event with the newest picture at that time, and returns the faults."""

    def __init__(self) -> None:
        self._events: Events = ()
        self._before: Picture | None = None

    def add(self, event: Mapping[str, Any], picture: Picture | None) -> ShownFault[Picture] | None:
        """The fault that this event reports, if any; an empty event makes one of the present state."""
        self._events = (*self._events, event)[-MAX_EVENTS:] if event else self._events
        if picture is None:
            return None
        kind = event.get("type")
        if not event or any(kind in kinds for kinds in FAULT_EVENTS):
            before = self._before if self._before is not picture else None
            return ShownFault(event, picture, before, self._events)
        if kind in GOOD_EVENTS:
            self._before = picture
        return None


def fault_of(recording: Recording, at: float | None = None) -> ShownFault[Path]:
    """The last fault on a tape, or the one nearest to ``at`` seconds; the tape's end if it has none.

    Raises:
        TapeError: the tape cannot be read, or holds no picture.
    """
    finder = FaultFinder[Path]()
    faults = (finder.add(event, picture) for event, picture in recording.recorded_events())
    found = [fault for fault in faults if fault is not None]
    if not found:
        raise TapeError("the tape holds no picture; give one that play or watch recorded with --tape")
    if at is not None:
        return min(found, key=lambda fault: abs(float(fault.event.get("time", 1e12)) - at))
    for kinds in FAULT_EVENTS:
        if of_kind := [fault for fault in found if fault.event.get("type") in kinds]:
            return of_kind[-1]
    return found[-1]


def tape_parts(folder: Path, at: float | None = None, *, blurred: bool = True) -> dict[str, bytes]:
    """The files of a report by name. ``blurred``: blur everything outside the board.

    Raises:
        TapeError, FrameError: the tape or a picture cannot be read.
        NoBoard: the pictures are to be blurred, and no board is found.
    """
    recording = Recording(folder)
    fault = fault_of(recording, at)
    pictures = {"fault.png": fault.picture} | ({"before.png": fault.before} if fault.before else {})
    images = {name: read_image(path) for name, path in pictures.items()}
    if blurred:
        # The camera stands still between the two pictures; if the board is hidden in one, the other shows it.
        corners = next(filter(lambda found: found is not None, map(_corners, images.values())), None)
        if corners is None:
            raise NoBoard(f"no board is found in {fault.picture}, so that nothing beside it can be blurred")
        images = {name: blurred_outside(image, sharp_outline(corners)) for name, image in images.items()}
    header = recording.header
    facts = {
        "recorded_by": header.get("program"),
        "rules": header.get("rules"),
        "sight": header.get("sight"),
        "blurred": blurred,
    }
    return report_parts(images, fault, facts)


def report_parts(
    images: Mapping[str, Image], fault: ShownFault[Any], facts: Mapping[str, Any]
) -> dict[str, bytes]:
    """The files of a report by name: ``images`` as PNG, the events, and the ``facts``."""
    events = "".join(json.dumps(_without_names(event), ensure_ascii=False) + "\n" for event in fault.events)
    known = {"versions": versions(), **facts, "fault": _without_names(fault.event)}
    shown = {name: bytes(cv2.imencode(".png", image)[1]) for name, image in images.items()}
    return shown | {
        "events.jsonl": events.encode(),
        "facts.json": (json.dumps(known, indent=1) + "\n").encode(),
    }


def blurred_outside(image: Image, outline: Image) -> Image:
    """The picture (H, W, 3) with all but the inside of ``outline`` ((n, 2) pixels) averaged into blocks."""
    height, width = image.shape[:2]
    small = cv2.resize(
        image, (BLOCKS_ACROSS, max(1, round(BLOCKS_ACROSS * height / width))), interpolation=cv2.INTER_AREA
    )
    coarse = cv2.resize(small, (width, height), interpolation=cv2.INTER_NEAREST)
    mask = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(mask, np.round(outline).astype(np.int32), 255)
    return np.asarray(np.where(mask[..., None] > 0, image, coarse), np.uint8)


def _corners(image: Image) -> Any:
    """The corners of the board's lattice, pixels (4, 2); ``None`` where no board is found."""
    found = find_board(image, plastic_sets())
    return None if found is None else found.camera.project(found.profile.corners)


def sharp_outline(corners: Any) -> Image:
    """The convex outline of what stays sharp around the lattice's ``corners``, both in pixels (n, 2)."""
    middle = corners.mean(axis=0)
    return np.asarray(cv2.convexHull((middle + (corners - middle) * SHARP_SCALE).astype(np.float32))[:, 0])


def _without_names(event: Mapping[str, Any]) -> dict[str, Any]:
    """An event without the players' names and what they wrote."""
    return {key: value for key, value in event.items() if key not in ("players", "note")}
