"""Detects unusable pictures: dark, covered, grey, damaged; and pictures that never change.

The thresholds are far from any usable picture: even in poor light a board has edges and bright spots.
"""

from __future__ import annotations

from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from .frames import Image, Picture
from .jpeg import JpegPicture
from .sampling import sampled

PictureFault = Literal["", "dark", "covered", "grey", "damaged"]
"""``""`` is a usable picture."""

_ACROSS: Final = 64
"""Number of cells across the picture; each is a mean, which suppresses noise."""

_DARK: Final = 26.0
"""Upper bound of the brightest cells of a picture without light, in grey levels."""

_BRIGHTEST: Final = 99.0
"""Percentile of the cells used for that: an indicator lamp of the camera itself lights only a few."""

_SMOOTH: Final = 0.07
"""Upper bound of the difference between neighbouring cells for a covered lens, which blurs everything near
it, as a fraction of the brightness. A board has edges of a quarter of it and more.
"""

_GRAIN: Final = 3.0
"""Difference between cells due to noise alone, in grey levels."""

_EDGES: Final = 98.0
"""Percentile of the differences used for that."""

_GREY: Final = 8.0
"""Grey levels between the channels of a cell that a picture without colours stays below: a video tints grey
by four. Pieces are ten times as colourful, in little light still five times."""

_COLOURFUL: Final = 99.7
"""Per cent of the cells that may stay below: a few pieces on a board far away fill no more than the rest."""

_MISSING: Final = 0.06
"""Minimum fraction of the height, at the bottom, that is uniformly grey in a truncated picture."""

_FLAT: Final = (6, 249)
"""Grey levels between which a uniform bottom is neither shadow nor glare."""


def picture_fault(picture: Picture) -> PictureFault:
    """Classify one picture; takes some tenths of a millisecond."""
    # First, because the part that did arrive may be dark or smooth.
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
    """Mean of the brightest channel per cell, from a sample of the pixels, and how much brighter it is than
    the darkest.
    """
    rows = max(1, round(_ACROSS * picture.shape[0] / picture.shape[1]))
    small = cv2.resize(sampled(picture), (_ACROSS, rows), interpolation=cv2.INTER_AREA)
    blue, green, red = cv2.split(small)
    brightest = np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)
    darkest = np.asarray(cv2.min(cv2.min(blue, green), red), np.float32)
    return brightest, brightest - darkest


def _above(values: NDArray[np.float32], percent: float) -> float:
    """The percentile of the values."""
    flat = values.ravel()
    place = min(flat.size - 1, round(percent / 100 * (flat.size - 1)))
    return float(np.partition(flat, place)[place])


def _foot_missing(picture: Picture) -> bool:
    """Whether the picture is truncated: decoders fill the missing part with a uniform grey."""
    last = _foot(picture, 1)[-1]
    first = last[0]
    if not _FLAT[0] < int(first.max()) < _FLAT[1]:
        return False
    # The last row alone settles nearly every picture.
    rows = max(2, round(picture.shape[0] * _MISSING))
    return bool((last == first).all()) and bool((_foot(picture, rows) == first).all())


def _foot(picture: Picture, rows: int) -> Image:
    return picture[-rows:] if isinstance(picture, np.ndarray) else picture.foot(rows)


class Repeats:
    """For how long a live camera has delivered the same picture, bit for bit.

    Because of sensor noise, two exposures are never equal. But an encoder may send the same picture twice,
    and a camera polled faster than its frame rate repeats its last picture.
    """

    def __init__(self) -> None:
        self._picture: Picture | None = None
        self._since = 0.0

    def update(self, picture: Picture, now: float) -> float:
        """Seconds since this very picture first arrived; 0 for a new one. ``now``: any clock's seconds."""
        before = self._picture
        if before is not None and _equal(before, picture):
            return now - self._since
        self._picture, self._since = picture, now
        return 0.0


def _equal(before: Picture, now: Picture) -> bool:
    if isinstance(before, JpegPicture) and isinstance(now, JpegPicture):
        return before.data == now.data
    one, other = (each if isinstance(each, np.ndarray) else each.image for each in (before, now))
    # A few pixels nearly always distinguish them.
    return one.shape == other.shape and bool(
        (one[::32, ::32] == other[::32, ::32]).all() and np.array_equal(one, other)
    )
