"""Is the ground between the domes and pieces of one shade, as on a moulded board?"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ..geometry.scene import BoardProfile, Camera

Floats = NDArray[np.float64]

_BESIDE = 0.42
"""Distance, in squares along each axis, of the samples from the centre of their square: near its corners,
where pieces hide the least."""
_ALIKE = 14.0
"""Grey levels by which samples of one shade differ at most: noise, texture, small shadows."""
_STEPS = 20
"""Iterations of the robust fit."""


def share_of_one_shade(image: NDArray[np.uint8], camera: Camera, profile: BoardProfile) -> float:
    """Share of the ground in view, 0 to 1, that fits one shade under smoothly varying light; 0 if none is.

    ``image`` is (H, W, 3) uint8 BGR. Moulded boards have 0.4 and more unless an arm hides a part of a
    chequered one; chess boards have 0.35 at most.
    """
    signs = np.array([(x, y) for x in (-1, 1) for y in (-1, 1)])
    places = (profile.centres[:, None, :2] + _BESIDE * profile.pitch * signs).reshape(-1, 2)
    pixels = np.round(camera.project(np.column_stack([places, np.zeros(len(places))]))).astype(int)
    height, width = image.shape[:2]
    inside = ((pixels >= 0) & (pixels < (width, height))).all(1)
    if not inside.any():
        return 0.0
    grey = cv2.blur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (3, 3))
    shades = grey[pixels[inside, 1], pixels[inside, 0]].astype(float)
    x, y = places[inside].T / (4 * profile.pitch)
    light = np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])
    off = shades - float(np.median(shades))
    for _ in range(_STEPS):
        weights = 1 / (1 + np.square(off / _ALIKE))
        fitted = np.linalg.lstsq(light * weights[:, None], shades * weights, rcond=None)[0]
        off = shades - light @ fitted
    return float((np.abs(off) < _ALIKE).mean())
