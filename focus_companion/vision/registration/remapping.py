"""Remaps a picture by a smooth function of the place, computed on a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np

from ..arrays import Floats
from ..capture.frames import Image
from .enlarging import enlarged

_GRID_STEP: Final = 16
"""Sampling step of the remapping in pixels, with linear interpolation in between."""


def remap(image: Image, places: Callable[[Floats], Floats], shown: Image) -> Image | None:
    """Remap the image to ``shown``, in place; ``places`` maps points (N, 2) of that to those in the image.

    Returns a mask (255 or 0) of the pixels that the image does not show, if any.
    """
    size = shown.shape[1], shown.shape[0]
    # Sampled at the centres of cells, with a border of one cell, so that resizing interpolates at every
    # pixel.
    columns, rows = (-(-side // _GRID_STEP) + 2 for side in size)
    x, y = np.meshgrid(
        (np.arange(columns) - 0.5) * _GRID_STEP - 0.5, (np.arange(rows) - 0.5) * _GRID_STEP - 0.5
    )
    grid = places(np.column_stack([x.ravel(), y.ravel()])).reshape(rows, columns, 2).astype(np.float32)
    last = image.shape[1] - 1, image.shape[0] - 1
    # Interpolated positions lie between those of the grid.
    inside = (grid >= 0).all() and (grid <= last).all()
    unseen = None if inside else np.empty((size[1], size[0]), np.uint8)
    for strip, at in enlarged(grid, _GRID_STEP, *size):
        cv2.remap(image, at, None, cv2.INTER_LINEAR, shown[strip], cv2.BORDER_REPLICATE)
        if unseen is not None:
            cv2.bitwise_not(cv2.inRange(at, (0, 0), last), unseen[strip])
    return unseen
