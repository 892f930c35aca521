"""Arithmetic with grey levels: linear light, and joins of channels, many times as fast as with numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np

from ..arrays import Singles

GAMMA: Final = 2.2
"""Gamma of the grey levels; a veil is additive in linear light."""

LINEAR: Final = (np.arange(256) / 255.0).astype(np.float32) ** np.float32(GAMMA)
"""Linear light of each grey level."""


def to_linear(levels: Singles) -> Singles:
    """Grey levels to linear light, 0 for black and 1 for white."""
    return np.asarray(cv2.pow(np.maximum(levels / np.float32(255), 0), GAMMA), np.float32)


def to_levels(light: Singles) -> Singles:
    """Linear light to grey levels."""
    return np.asarray(255 * cv2.pow(np.clip(light, 0, 1), 1 / GAMMA), np.float32)


def channel_sum(values: Singles) -> Singles:
    """Sum over the channels."""
    return np.asarray(cv2.transform(values, np.ones((1, 3), np.float32)), np.float32)


def for_channels(values: Singles) -> Singles:
    """The values (h, w) once for each channel, (h, w, 3)."""
    return np.asarray(cv2.merge((values, values, values)), np.float32)


def across_channels(join: Callable[[Singles, Singles], cv2.typing.MatLike], values: Singles) -> Singles:
    """Maximum or minimum over the channels."""
    blue, green, red = cv2.split(values)
    return np.asarray(join(join(blue, green), red), np.float32)
