"""Converts grey levels to linear light and back, and adds up channels."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.float32]

GAMMA: Final = 2.2
"""Gamma of the grey levels; a veil is additive in linear light."""

MAX_USABLE_LEVEL: Final = 249
"""Maximum grey level that is used; higher ones are clipped."""

LINEAR: Final = (np.arange(256) / 255.0).astype(np.float32) ** np.float32(GAMMA)
"""Linear light of each grey level."""


def to_linear(levels: Field) -> Field:
    """Grey levels to linear light, 0 for black and 1 for white."""
    return np.asarray(cv2.pow(np.maximum(levels / np.float32(255), 0), GAMMA), np.float32)


def to_levels(light: Field) -> Field:
    """Linear light to grey levels."""
    return np.asarray(255 * cv2.pow(np.clip(light, 0, 1), 1 / GAMMA), np.float32)


def channel_sum(values: Field) -> Field:
    """Sum over the channels."""
    return np.asarray(cv2.transform(values, np.ones((1, 3), np.float32)), np.float32)


def brightest_near(picture: Field | NDArray[np.uint8]) -> Field:
    """For each pixel and channel (h, w, 3), the maximum of it and its neighbours."""
    return np.asarray(cv2.dilate(picture, np.ones((3, 3), np.uint8)), np.float32)


def clipped_range(expected: Field, before: Field | NDArray[np.uint8]) -> tuple[Field, Field]:
    """The least and the greatest levels (h, w, 3) of the pixels of a coarse picture, which would be
    ``expected`` if nothing were clipped; ``before`` is the earlier picture from which these follow.

    A coarse pixel is a mean. If a brighter one beside it is clipped, a part of it may be, which makes it
    darker by about the same factor at most. Where the earlier picture is clipped, it may be brighter.
    """
    white = np.float32(255)
    low = expected * (white / np.maximum(brightest_near(expected), white))
    high = np.where(before > MAX_USABLE_LEVEL, white, np.minimum(expected, white))
    return np.asarray(low, np.float32), np.asarray(high, np.float32)
