"""Joins the channels of pictures, many times as fast as with numpy."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from ..arrays import Singles


def channel_sum(values: Singles) -> Singles:
    """Sum over the channels."""
    return np.asarray(cv2.transform(values, np.ones((1, 3), np.float32)), np.float32)


def across_channels(join: Callable[[Singles, Singles], cv2.typing.MatLike], values: Singles) -> Singles:
    """Maximum or minimum over the channels."""
    blue, green, red = cv2.split(values)
    return np.asarray(join(join(blue, green), red), np.float32)
