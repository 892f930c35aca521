"""Makes subsampled or smoothed copies of pictures, for purposes that need no more."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from .frames import Image, Picture
from .planes import sampling_step

WHOLE_PICTURE: Final = (slice(None), slice(None))
"""The row and column slices of a whole picture."""
_BLUR_REACH: Final = 2
"""Pixels on each side of a pixel that are mixed with it when a picture is smoothed."""
STRIP_ROWS: Final = 96
"""Rows of a picture processed at a time, so that temporary arrays are small and stay in the cache."""


def subsampled(image: Image, step: int) -> Image:
    """Every ``step``-th pixel of every ``step``-th row, complete steps only: like a strided slice, but in a
    quarter of the time.
    """
    height, width = image.shape[0] // step, image.shape[1] // step
    even = image[: max(1, height * step), : max(1, width * step)]
    size = max(1, width), max(1, height)
    return np.asarray(cv2.resize(even, size, interpolation=cv2.INTER_NEAREST), np.uint8)


def halved(image: Image) -> Image:
    """The picture at half its size; each pixel is the mean of four. Unlike a :func:`subsampled` copy, it is
    not displaced by half a pixel when it is enlarged again.
    """
    size = max(1, image.shape[1] // 2), max(1, image.shape[0] // 2)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def blurred(image: Image) -> Image:
    """Slightly smoothed, so that the camera's noise and slightest shake are not taken for changes."""
    return np.asarray(cv2.blur(image, (2 * _BLUR_REACH + 1,) * 2), np.uint8)


def blurred_and_subsampled(image: Image, step: int) -> Image:
    """Every ``step``-th pixel of every ``step``-th row of the :func:`blurred` picture.

    Computed in strips, as the whole blurred picture would take as much memory as the picture.
    """
    height, width = image.shape[:2]
    found = np.empty((-(-height // step), -(-width // step), 3), np.uint8)
    for number in range(0, len(found), STRIP_ROWS):
        first, last = number * step, (number + STRIP_ROWS) * step
        top = max(0, first - _BLUR_REACH)
        part = blurred(image[top : last + _BLUR_REACH])
        found[number : number + STRIP_ROWS] = part[first - top : last - top : step, ::step]
    return found


def nearest_pixels(
    image: NDArray[np.uint8], places: NDArray[np.floating]
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """The values (…) of an image (H, W) at the pixels closest to ``places`` (…, 2), or (…, C) of one of
    several channels, and a mask (…) of the places inside it; outside, they are those at its edge.
    """
    closest = np.round(places)
    within = np.clip(closest, 0, (image.shape[1] - 1, image.shape[0] - 1))
    x, y = np.moveaxis(within.astype(np.intp), -1, 0)
    return image[y, x], np.asarray((within == closest).all(-1))


def sampled(picture: Picture, part: tuple[slice, slice] = WHOLE_PICTURE) -> Image:
    """A subsampled part of the picture (rows, columns), BGR: about 256 pixels across the whole picture."""
    step = sampling_step(picture.shape[1])
    if isinstance(picture, np.ndarray):
        return subsampled(picture[part], step)
    rows, columns = (slice((side.start or 0) // step, side.stop and side.stop // step) for side in part)
    return picture.sampled[rows, columns]
