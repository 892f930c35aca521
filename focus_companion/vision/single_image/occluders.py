"""What lies over the board in a still picture: a hand, an arm, a sleeve.

Known by its size: it is larger than any piece, and looks like neither the board nor one piece.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ..appearance.colour_model import BARE, CLASSES, bins
from ..appearance.first_colours import occluder_density

Mask = NDArray[np.bool_]

_SMALLEST = 0.8
"""Area in squares below which nothing is taken for a hand: a piece covers half a square."""

_FINGER = 0.12
"""Half the width, in squares, of the thinnest thing that counts: a fingertip, not the shine along an edge."""

_WIDER = 0.6
"""Half the width, in squares, from which on even what has a piece's colour is none: a sleeve."""

_MARGIN = 0.08
"""Squares around a hand in which its edge and close shadow are."""

_SLIVER = 0.05
"""Half the width, in squares, of what may still be seen of a piece beside a hand."""


def covered(pixels: NDArray[np.uint8], lattice: Mask, scores: NDArray[np.float32], pitch: float) -> Mask:
    """Which pixels (h, w) of a window (h, w, 3) BGR show something over the board.

    ``lattice`` (h, w) marks the squares; ``scores`` (h, w, CLASSES) are log-likelihoods under a model of
    usual pieces, not yet learned from this position; ``pitch`` is the side of a square in pixels.
    """
    strange = np.log(occluder_density())[bins(pixels)]
    likeliest = np.where(strange > scores.max(-1), CLASSES, scores.argmax(-1))
    hand = _large(_opened(likeliest == CLASSES, _FINGER * pitch), _SMALLEST * pitch * pitch)
    sleeve = np.zeros_like(hand)
    pieces = np.zeros_like(hand)
    for label in range(BARE + 1, CLASSES):
        alike = likeliest == label
        sleeve |= _opened(alike & lattice, _WIDER * pitch)
        pieces |= _opened(alike, _SLIVER * pitch)
    return sleeve | hand | (_grown(hand, _MARGIN * pitch) & ~pieces)


def _disc(radius: float) -> NDArray[np.uint8]:
    size = 2 * max(1, round(radius)) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


def _opened(mask: Mask, radius: float) -> Mask:
    return np.asarray(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, _disc(radius)), bool)


def _grown(mask: Mask, radius: float) -> Mask:
    return np.asarray(cv2.dilate(mask.astype(np.uint8), _disc(radius)), bool)


def _large(mask: Mask, area: float) -> Mask:
    """Only the connected parts of at least so many pixels."""
    count, parts, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    keep = np.zeros(count, bool)
    keep[1:] = stats[1:, cv2.CC_STAT_AREA] >= area
    return np.asarray(keep[parts])
