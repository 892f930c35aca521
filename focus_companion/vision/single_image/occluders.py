"""Detects occluders in a still picture: a hand, an arm, a sleeve.

An occluder is larger than any piece, and looks like neither the board nor a piece.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..appearance.colour_model import BARE, CLASSES, bins
from ..appearance.first_colours import occluder_density
from ..arrays import Mask, Singles
from ..masks import dilated, large_parts, opened

_MIN_HAND_AREA = 0.8
"""Minimum area of a hand, in squares; a piece covers half a square."""

_MIN_HAND_HALF_WIDTH = 0.12
"""Minimum half width of a hand, in squares: that of a fingertip, not of the highlight along an edge."""

_MIN_SLEEVE_HALF_WIDTH = 0.6
"""Half width, in squares, from which on an area with the colour of a piece is a sleeve."""

_HAND_MARGIN = 0.08
"""Width, in squares, of the blurred edge and contact shadow around a hand."""

_MIN_PIECE_HALF_WIDTH = 0.05
"""Minimum half width, in squares, of the visible part of a piece beside a hand."""


def covered(pixels: NDArray[np.uint8], lattice: Mask, scores: Singles, pitch: float) -> Mask:
    """Mask (h, w) of the pixels of a window (h, w, 3) BGR that show an occluder.

    ``lattice``: mask (h, w) of the squares. ``scores`` (h, w, CLASSES): log-likelihoods under a model of
    usual pieces, not learned from this position. ``pitch``: side of a square in pixels.
    """
    strange = np.log(occluder_density())[bins(pixels)]
    likeliest = np.where(strange > scores.max(-1), CLASSES, scores.argmax(-1))
    wide = opened(likeliest == CLASSES, _MIN_HAND_HALF_WIDTH * pitch)
    hand = large_parts(wide, _MIN_HAND_AREA * pitch**2, connectivity=8)
    sleeve = np.zeros_like(hand)
    pieces = np.zeros_like(hand)
    for label in range(BARE + 1, CLASSES):
        alike = likeliest == label
        sleeve |= opened(alike & lattice, _MIN_SLEEVE_HALF_WIDTH * pitch)
        pieces |= opened(alike, _MIN_PIECE_HALF_WIDTH * pitch)
    return sleeve | hand | (dilated(hand, _HAND_MARGIN * pitch) & ~pieces)
