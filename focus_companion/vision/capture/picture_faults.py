"""What is wrong with a picture that no board could be read from: dark, covered, grey, damaged; and pictures
that never change.

The thresholds are far from what a playable picture shows: a board in poor light keeps edges and bright spots.
"""

from __future__ import annotations

from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from .frames import Image, Picture
from .planes import Planes
from .sampling import sampled

PictureFault = Literal["", "dark", "covered", "grey", "damaged"]
"""``""`` is a picture that may be looked at."""

_ACROSS: Final = 64
"""Cells across the picture that it is judged by; each is a mean, so that noise hardly counts."""

_DARK: Final = 26.0
"""Grey level that the brightest cells of a picture without light stay below."""

_BRIGHTEST: Final = 99.0
"""Per cent of the cells that may stay below: a lamp of the camera itself shines in few."""

_SMOOTH: Final = 0.07
"""Difference of neighbouring cells that a covered lens stays below, for all that is near it is blurred: a
share of the brightness. A board has edges of a quarter of it and more.
"""

_GRAIN: Final = 3.0
"""Grey levels that noise alone makes between cells."""

_EDGES: Final = 98.0
"""Per cent of the neighbours that may stay below."""

_GREY: Final = 8.0
"""Grey levels between the channels of a cell that a picture without colours stays below: a video tints grey
by four. Pieces are ten times as colourful, in little light still five times."""

_COLOURFUL: Final = 99.7
"""Per cent of the cells that may stay below: a few pieces on a board far away fill no more than the rest."""

_MISSING: Final = 0.06
"""Share of the picture's height, at its foot, in one flat grey that a broken-off picture has at least."""

_FLAT: Final = (6, 249)
"""Grey levels between which a flat foot of the picture is neither shadow nor glare."""


def picture_fault(picture: Picture) -> PictureFault:
    """Judge one picture; some tenths of a millisecond."""
    # Before all else: the part that did arrive may well be dark or smooth.
    if _foot_missing(picture):
        return "damaged"
    cells, colour = _cells(picture)
    brightness = _above(cells, _BRIGHTEST)
    if brightness < _DARK:
        return "dark"
    steps = np.concatenate([np.abs(np.diff(cells, axis=0)).ravel(), np.abs(np.diff(cells, axis=1)).ravel()])
    if steps.size and _above(steps, _EDGES) < _GRAIN + _SMOOTH * brightness:
        return "covered"
    if _above(colour, _COLOURFUL) < _GREY:
        return "grey"
    return ""


def _cells(picture: Picture) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Mean of the brightest channel, cell by cell, from a part of the pixels; and by how much it is brighter
    than the darkest.
    """
    rows = max(1, round(_ACROSS * picture.shape[0] / picture.shape[1]))
    small = cv2.resize(sampled(picture), (_ACROSS, rows), interpolation=cv2.INTER_AREA)
    blue, green, red = cv2.split(small)
    brightest = np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)
    darkest = np.asarray(cv2.min(cv2.min(blue, green), red), np.float32)
    return brightest, brightest - darkest


def _above(values: NDArray[np.float32], percent: float) -> float:
    """The value that so many per cent of the values do not exceed."""
    flat = values.ravel()
    place = min(flat.size - 1, round(percent / 100 * (flat.size - 1)))
    return float(np.partition(flat, place)[place])


def _foot_missing(picture: Picture) -> bool:
    """Whether the picture breaks off: decoders fill what did not arrive with one even grey."""
    last = _foot(picture, 1)[-1]
    first = last[0]
    if not _FLAT[0] < int(first.max()) < _FLAT[1]:
        return False
    # The last row alone settles nearly every picture.
    rows = max(2, round(picture.shape[0] * _MISSING))
    return bool((last == first).all()) and bool((_foot(picture, rows) == first).all())


def _foot(picture: Picture, rows: int) -> Image:
    return picture.foot(rows) if isinstance(picture, Planes) else picture[-rows:]


class Repeats:
    """For how long a live camera has given one and the same picture, bit for bit.

    A sensor has noise: two exposures are never equal. But an encoder may send the same picture twice, and a
    camera that is asked faster than it looks answers with what it has.
    """

    def __init__(self) -> None:
        self._picture: Image | None = None
        self._since = 0.0

    def update(self, image: Image, now: float) -> float:
        """Seconds since this very picture came first; 0 for a new one. ``now``: any clock's seconds."""
        before = self._picture
        if before is not None and _equal(before, image):
            return now - self._since
        self._picture, self._since = image, now
        return 0.0


def _equal(one: Image, other: Image) -> bool:
    # Nearly always a few pixels tell them apart.
    return one.shape == other.shape and bool(
        (one[::32, ::32] == other[::32, ::32]).all() and np.array_equal(one, other)
    )
