"""Judges whether a grid looks like the moulded board: domes or pieces on ground of one shade."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ..geometry.scene import BoardProfile, Camera
from .edges import Edges
from .site_classifier import share_plain

Image = NDArray[np.uint8]

MIN_MOULDED_EVIDENCE = 0.7
"""Minimum evidence (:func:`moulded_evidence`) for the moulded board if the position is unknown. Fitted on
seven photographs of chess boards, which reach 0.57, and on photo-like and drawn boards, some of them half
hidden, chequered or in the dark, which have 0.87 and more. Sheets of calibration marks reach 1.4 in a small
picture and 0.8 in the full one. Raising it rejects boards that are hard to see.
"""

_SAMPLE_OFFSET = 0.42
"""Distance, in squares along each axis, of the samples from the centre of their square: near its corners,
where pieces occlude the least.
"""
_SHADE_TOLERANCE = 14.0
"""Maximum difference in grey levels between samples of one shade: noise, texture, small shadows."""
_ITERATIONS = 20
"""Iterations of the robust fit."""


def moulded_evidence(image: Image, edges: Edges, camera: Camera, profile: BoardProfile) -> float:
    """Share of the squares that plainly show a dome or a piece, plus the share of the ground of one shade; 0
    … 2.

    ``image`` is (H, W, 3) uint8 BGR, ``edges`` and ``camera`` are those of its size.
    """
    return share_plain(edges, camera, profile) + _share_of_one_shade(image, camera, profile)


def _share_of_one_shade(image: Image, camera: Camera, profile: BoardProfile) -> float:
    """Share of the visible ground, 0 to 1, that fits one shade under smoothly varying light; 0 if none is
    visible. Moulded boards reach 0.4 and more, unless an arm hides a part of a chequered one; the seven chess
    boards of :data:`MIN_MOULDED_EVIDENCE` reach at most 0.35.
    """
    signs = np.array([(x, y) for x in (-1, 1) for y in (-1, 1)])
    places = (profile.centres[:, None, :2] + _SAMPLE_OFFSET * profile.pitch * signs).reshape(-1, 2)
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
    for _ in range(_ITERATIONS):
        weights = 1 / (1 + np.square(off / _SHADE_TOLERANCE))
        fitted = np.linalg.lstsq(light * weights[:, None], shades * weights, rcond=None)[0]
        off = shades - light @ fitted
    return float((np.abs(off) < _SHADE_TOLERANCE).mean())
