"""How surely heights can be read from where the camera stands, square by square, and what to move if not.

A piece more on a stack of its own colour is the hardest thing to see: all that shows of it is the strip of
picture that the taller stack covers and the lower one does not. What a strip can tell is counted in the nats
that the evidence would have: its pixels, less what lies too near to an edge or out of the picture, less what
a full stack before it may hide, times what a pixel says in this light (:func:`pixel_nats`).
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ..game.squares import SQUARES
from .outlines import Column, Outlines, made_once

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

FULL: Final = 5
"""Pieces of the tallest stack that may stand."""

USUAL_NATS: Final = 3.0
"""What a pixel says where nothing is known of the light yet."""


@made_once
def strips(outlines: Outlines) -> Floats:
    """Pixels (52,) by which the picture surely differs between a stack and one of a piece more: the least of
    all heights and of all full stacks that may stand before it."""
    rank = {square: k for k, square in enumerate(outlines.far_to_near)}
    return np.array([_strip(outlines, square, rank) for square in range(len(SQUARES))])


def _strip(outlines: Outlines, square: int, rank: dict[int, int]) -> float:
    column = outlines.columns[square]
    nearer = [s for s in outlines.touching((square,)) if rank[s] > rank[square]]
    hiding = [None, *(_within(column, outlines.columns[s]) for s in nearer)]
    least = np.inf
    for pieces in range(1, FULL):
        strip = column.standing(pieces + 1) & ~column.standing(pieces)
        for hidden in hiding:
            seen = strip if hidden is None else strip & ~hidden
            least = min(least, _clear(seen))
    return float(least)


def _within(column: Column, other: Column) -> Mask:
    """The pixels of a column's window that a full stack on another square covers."""
    mask = np.zeros((column.height, column.width), bool)
    x0, y0 = max(column.left, other.left), max(column.top, other.top)
    x1 = min(column.left + column.width, other.left + other.width)
    y1 = min(column.top + column.height, other.top + other.height)
    if x0 < x1 and y0 < y1:
        mask[y0 - column.top : y1 - column.top, x0 - column.left : x1 - column.left] = other.standing(FULL)[
            y0 - other.top : y1 - other.top, x0 - other.left : x1 - other.left
        ]
    return mask


def _clear(strip: Mask) -> float:
    """Pixels of a strip, each by its distance from the strip's edge: the outermost mix with what is
    beside."""
    if not strip.any():
        return 0.0
    inside = cv2.distanceTransform(np.pad(strip, 1).astype(np.uint8), cv2.DIST_L2, 3)
    return float(np.clip(inside - 0.5, 0, 1)[inside > 0].sum())
