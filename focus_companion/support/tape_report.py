"""The part of a tape that shows a fault: two pictures, blurred beside the board, and the events."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import cv2
import numpy as np

from ..storage.tape.replay import Recording
from ..storage.tape.tape import TapeError
from ..vision.capture.frames import Image, read_image
from ..vision.detection.find_board import find_board
from ..vision.geometry.board_profiles import plastic_sets
from .machine import versions

FAULTS: Final = ({"alert", "unclear"}, {"lost", "set_up"})
"""Types of events that tell of a fault; the second only where there is none of the first."""

WELL: Final = {"ready", "move", "taken_back", "resolved"}

MARGIN: Final = 1.25
"""The part that stays sharp, as a multiple of the board's lattice: one more square on every side."""

BLOCKS: Final = 16
"""Blocks across the picture to which the rest is averaged: a face is less than one block in most pictures."""

EVENTS: Final = 200
"""Newest events up to the fault that go with it."""


class NoBoard(ValueError):
    """The board is not found in a picture, so that nobody can say what lies beside it."""


@dataclass(frozen=True)
class TapedFault:
    """Where something went wrong, and the last picture before it in which all was well."""

    event: Mapping[str, Any]
    picture: Path
    before: Path | None
    events: tuple[Mapping[str, Any], ...]
    """The newest events, including that of the fault."""


def fault_of(recording: Recording, at: float | None = None) -> TapedFault:
    """The last fault on a tape, or the one nearest to ``at`` seconds; without a fault the tape's end.

    Raises:
        TapeError: the tape cannot be read, or holds no picture.
    """
    found: list[TapedFault] = []
    events: tuple[Mapping[str, Any], ...] = ()
    before = picture = None
    for event, picture in recording.recorded_events():
        events = (*events, event)[-EVENTS:] if event else events
        if picture is None:
            continue
        if not event or any(event.get("type") in kinds for kinds in FAULTS):
            found.append(TapedFault(event, picture, before if before != picture else None, events))
        elif event.get("type") in WELL:
            before = picture
    if not found:
        raise TapeError("the tape holds no picture; give one that play or watch recorded with --tape")
    if at is not None:
        return min(found, key=lambda fault: abs(float(fault.event.get("time", 1e12)) - at))
    for kinds in FAULTS:
        if of_kind := [fault for fault in found if fault.event.get("type") in kinds]:
            return of_kind[-1]
    return found[-1]


def tape_parts(folder: Path, at: float | None = None, *, blurred: bool = True) -> dict[str, bytes]:
    """The files of a report by name. ``blurred``: everything beside the board.

    Raises:
        TapeError, FrameError: the tape or a picture cannot be read.
        NoBoard: it is to be blurred, and no board is found.
    """
    recording = Recording(folder)
    fault = fault_of(recording, at)
    pictures = {"fault.png": fault.picture} | ({"before.png": fault.before} if fault.before else {})
    images = {name: read_image(path) for name, path in pictures.items()}
    if blurred:
        # The camera stands still between the two; where one hides the board, the other shows it.
        outline = next(filter(lambda found: found is not None, map(_outline, images.values())), None)
        if outline is None:
            raise NoBoard(f"no board is found in {fault.picture}, so that nothing beside it can be blurred")
        images = {name: beside_blurred(image, outline) for name, image in images.items()}
    header = recording.header
    facts = {
        "versions": versions(),
        "recorded_by": header.get("program"),
        "rules": header.get("rules"),
        "sight": header.get("sight"),
        "fault": _nameless(fault.event),
        "blurred": blurred,
    }
    events = "".join(json.dumps(_nameless(event), ensure_ascii=False) + "\n" for event in fault.events)
    shown = {name: bytes(cv2.imencode(".png", image)[1]) for name, image in images.items()}
    return shown | {
        "told.jsonl": events.encode(),
        "facts.json": (json.dumps(facts, indent=1) + "\n").encode(),
    }


def beside_blurred(image: Image, outline: Image) -> Image:
    """The picture (H, W, 3) with all but the inside of ``outline`` ((n, 2) pixels) averaged into blocks."""
    height, width = image.shape[:2]
    small = cv2.resize(image, (BLOCKS, max(1, round(BLOCKS * height / width))), interpolation=cv2.INTER_AREA)
    coarse = cv2.resize(small, (width, height), interpolation=cv2.INTER_NEAREST)
    mask = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(mask, np.round(outline).astype(np.int32), 255)
    return np.asarray(np.where(mask[..., None] > 0, image, coarse), np.uint8)


def pack(out: BinaryIO, parts: Mapping[str, bytes]) -> None:
    """Write the parts as a ZIP file."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in parts.items():
            packed.writestr(name, data)


def _outline(image: Image) -> Any:
    """What stays sharp, as pixels (n, 2) of a convex outline; ``None`` where no board is found."""
    found = find_board(image, plastic_sets())
    if found is None:
        return None
    corners = found.camera.project(found.profile.corners)
    middle = corners.mean(axis=0)
    return cv2.convexHull((middle + (corners - middle) * MARGIN).astype(np.float32))[:, 0]


def _nameless(event: Mapping[str, Any]) -> dict[str, Any]:
    """An event without the players' names and what they wrote."""
    return {key: value for key, value in event.items() if key not in ("players", "note")}
