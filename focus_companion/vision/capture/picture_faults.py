"""Detects unusable pictures (dark, covered, grey, damaged) and pictures that never change.

The thresholds are far from any usable picture: even in poor light, a board has edges and bright spots.
"""

from __future__ import annotations

from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from .frames import MAX_USABLE_LEVEL, Image, Picture
from .jpeg import JpegPicture
from .sampling import sampled

PictureFault = Literal["", "dark", "covered", "grey", "damaged"]
"""``""`` is a usable picture."""

_CELL_COLUMNS: Final = 64
"""Number of cells across the picture; averaging over a cell suppresses noise."""

_MAX_DARK_LEVEL: Final = 26.0
"""Brightness in grey levels below which a picture is without light."""

_BRIGHT_PERCENTILE: Final = 99.0
"""Percentile of the cells that is the brightness: the camera's own indicator lamp lights only a few."""

_MAX_SMOOTH_STEP: Final = 0.07
"""Maximum difference between neighbouring cells, as a fraction of the brightness, if the lens is covered by
something so near that it is blurred. A board has edges of a quarter of the brightness and more."""

_NOISE_STEP: Final = 3.0
"""Difference between neighbouring cells due to noise alone, in grey levels."""

_EDGE_PERCENTILE: Final = 98.0
"""Percentile of the differences that is compared with these two."""

_MAX_GREY_CHROMA: Final = 5.0
"""Difference in grey levels between a cell's channels below which it is grey: a video tints grey by at most
four. In dim light, the tint of the lamp on an empty black board and a black table is six and more."""

_CHROMA_PERCENTILE: Final = 99.7
"""Percentage of grey cells from which the whole picture is grey: a few pieces on a distant board fill no more
than the rest."""

_MIN_MISSING_SHARE: Final = 0.06
"""Minimum share of the height, at the bottom, that is uniformly grey in a truncated picture."""


def picture_fault(picture: Picture) -> PictureFault:
    """Classify one picture; takes some tenths of a millisecond."""
    # This comes first, because the part of the picture that did arrive may be dark or smooth.
    if _truncated(picture):
        return "damaged"
    cells, colour = _cells(picture)
    brightness = np.percentile(cells, _BRIGHT_PERCENTILE, method="nearest")
    if brightness < _MAX_DARK_LEVEL:
        return "dark"
    steps = np.concatenate([np.abs(np.diff(cells, axis=0)).ravel(), np.abs(np.diff(cells, axis=1)).ravel()])
    edge = np.percentile(steps, _EDGE_PERCENTILE, method="nearest")
    if edge < _NOISE_STEP + _MAX_SMOOTH_STEP * brightness:
        return "covered"
    if np.percentile(colour, _CHROMA_PERCENTILE, method="nearest") < _MAX_GREY_CHROMA:
        return "grey"
    return ""


def _cells(picture: Picture) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The brightest channel of each cell, averaged over a sample of its pixels, and its difference from the
    darkest channel.
    """
    rows = max(1, round(_CELL_COLUMNS * picture.shape[0] / picture.shape[1]))
    small = cv2.resize(sampled(picture), (_CELL_COLUMNS, rows), interpolation=cv2.INTER_AREA)
    blue, green, red = cv2.split(small)
    brightest = np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)
    darkest = np.asarray(cv2.min(cv2.min(blue, green), red), np.float32)
    return brightest, brightest - darkest


def _truncated(picture: Picture) -> bool:
    """Whether the picture is truncated: decoders fill the missing part, or all of it, with a uniform grey. If
    only its first rows have that colour, too, it is letterboxed.
    """
    last = _bottom_rows(picture, 1)[-1]
    first = last[0]
    if not 255 - MAX_USABLE_LEVEL < int(first.max()) < MAX_USABLE_LEVEL:
        # A uniform bottom may be in shadow, or in glare.
        return False
    # The last row alone clears nearly every picture.
    rows = max(2, round(picture.shape[0] * _MIN_MISSING_SHARE))
    if not ((last == first).all() and (_bottom_rows(picture, rows) == first).all()):
        return False
    whole = picture if isinstance(picture, np.ndarray) else picture.image
    letterboxed = (whole[0] == first).all() and (whole != first).any()
    return not letterboxed


def _bottom_rows(picture: Picture, rows: int) -> Image:
    return picture[-rows:] if isinstance(picture, np.ndarray) else picture.bottom_rows(rows)


class Repeats:
    """Measures for how long a live camera has delivered the same picture, bit for bit.

    Because of sensor noise, two exposures are never equal. But an encoder may send the same picture twice,
    and a camera polled faster than its frame rate repeats its last picture.
    """

    def __init__(self) -> None:
        self._picture: Picture | None = None
        self._since = 0.0

    def update(self, picture: Picture, now: float) -> float:
        """Seconds since this very picture first arrived; 0 for a new one. ``now`` is in seconds."""
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
