"""Makes subsampled or smoothed copies of pictures, for purposes that need no more."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from .frames import Image, Picture
from .planes import sampling_step

WHOLE_PICTURE: Final = (slice(None), slice(None))
"""The row and column slices of a whole picture."""


def thinned(image: Image, step: int) -> Image:
    """Every ``step``-th pixel of every ``step``-th row, complete steps only: like a strided slice, but in a
    quarter of the time.
    """
    height, width = image.shape[0] // step, image.shape[1] // step
    even = image[: max(1, height * step), : max(1, width * step)]
    size = max(1, width), max(1, height)
    return np.asarray(cv2.resize(even, size, interpolation=cv2.INTER_NEAREST), np.uint8)


def halved(image: Image) -> Image:
    """The picture at half its size; each pixel is the mean of four. Unlike a :func:`thinned` copy, it is not
    displaced by half a pixel when it is enlarged again.
    """
    size = max(1, image.shape[1] // 2), max(1, image.shape[0] // 2)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def blurred(image: Image) -> Image:
    """Slightly smoothed, so that the camera's noise and slightest shake are not taken for changes."""
    return np.asarray(cv2.blur(image, (5, 5)), np.uint8)


def sampled(picture: Picture, part: tuple[slice, slice] = WHOLE_PICTURE) -> Image:
    """A subsampled part of the picture (rows, columns), BGR: about 256 pixels across the whole picture."""
    step = sampling_step(picture.shape[1])
    if isinstance(picture, np.ndarray):
        return thinned(picture[part], step)
    rows, columns = (slice((side.start or 0) // step, side.stop and side.stop // step) for side in part)
    return picture.sampled[rows, columns]
