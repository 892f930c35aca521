"""What a picture shows where it is clipped: too bright for its grey levels."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask, Singles
from ..capture.frames import MAX_USABLE_LEVEL


def brightest_near(picture: Singles | NDArray[np.uint8]) -> Singles:
    """For each pixel and channel (h, w, 3), the maximum of it and its neighbours."""
    return np.asarray(cv2.dilate(picture, np.ones((3, 3), np.uint8)), np.float32)


def clipped_range(expected: Singles, before: Singles | NDArray[np.uint8]) -> tuple[Singles, Singles]:
    """The least and the greatest levels (h, w, 3) of the pixels of a coarse picture, which would be
    ``expected`` if nothing were clipped; ``before`` is the earlier picture from which these follow.

    A coarse pixel is a mean. If a brighter one beside it is clipped, a part of it may be, which makes it
    darker by about the same factor at most. Where the earlier picture is clipped, it may be brighter.
    """
    white = np.float32(255)
    low = expected * (white / np.maximum(brightest_near(expected), white))
    high = np.where(before > MAX_USABLE_LEVEL, white, np.minimum(expected, white))
    return np.asarray(low, np.float32), np.asarray(high, np.float32)


def as_clipped(now: Singles, expected: Singles, before: Singles) -> Mask:
    """The channels (h, w, 3) that are clipped at least in part, or should be, and look as they should; the
    arguments are those of :func:`clipped_range`, and the picture ``now``.
    """
    low, high = clipped_range(expected, before)
    clipped = np.maximum(high, brightest_near(expected)) > MAX_USABLE_LEVEL
    near = np.float32(255 - MAX_USABLE_LEVEL)
    return clipped & (now > low - near) & (now < high + near)
