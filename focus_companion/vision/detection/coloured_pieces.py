"""Recognizes the pieces on a board in an unknown position by their shades.

Seen obliquely in bad light, domes of the ground's own shade have little contrast, and stacks hide each
other's outlines. But the pieces of two or more players have as many shades, which differ clearly from each
other and from the ground around them. Most other games have black and white pieces, or fields of two shades.
A rack of discs is told from the board by its rectangle (:mod:`.rectangular_grid`).
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Mask
from ..capture.frames import Image
from ..geometry.scene import BoardProfile, Camera
from .moulded import corner_colours
from .quarter_turn import tints, top_tints
from .site_classifier import MAX_SITE_ODDS

_MIN_DIFFERENCE = 0.8
"""Minimum distance of two shades in log ratios of the channels. Those of usual pieces are 1.4 and more apart;
the black and white pieces on photographs of Othello boards, less than 0.5. Raising it overlooks pieces whose
hue is near that of the board."""
_MAX_GROUND_DIFFERENCE = 0.4
"""Maximum distance, in the same unit, of places on ground of one shade under coloured light and shadows.
Raising it takes the table beside the board, or fields of other shades, for its ground."""
_MIN_ON_GROUND = 0.5
"""Share of the corners of a square that must show the ground: stacks hide the others."""
_MIN_OF_A_SHADE = 3
"""Minimum number of squares that show a shade, for it to be that of a player's pieces. Raising it overlooks
the pieces of a player who has few stacks."""
_TWO_SHADES_ODDS = 0.5
"""Log odds by which pieces of two shades favour this game over others with round pieces on ground of one
shade. Raising it accepts more boards that are hard to see, and more patterns of several colours."""


def colour_odds(image: Image, camera: Camera, profile: BoardProfile) -> float:
    """Log odds, at least 0, by which coloured pieces on the squares favour a board, to be added to those of
    outlines (:func:`.site_classifier.board_odds`).

    ``image`` is (H, W, 3) uint8 BGR, ``camera`` that of its size.
    """
    pieces = coloured_pieces(image, camera, profile)
    return _TWO_SHADES_ODDS + MAX_SITE_ODDS * float(pieces.mean()) if pieces.any() else 0.0


def coloured_pieces(image: Image, camera: Camera, profile: BoardProfile) -> Mask:
    """The squares (52,) that show a coloured piece; none unless there are pieces of two shades at least.

    ``image`` is (H, W, 3) uint8 BGR, ``camera`` that of its size.
    """
    tops = top_tints(image, camera, profile, [1] * len(profile.centres))[:, :2]
    none = np.zeros(len(tops), np.bool_)
    around = tints(corner_colours(image, camera, profile).reshape(-1, 3))[:, :2].reshape(len(tops), -1, 2)
    if not np.isfinite(around).any():
        return none
    ground = np.nanmedian(around.reshape(-1, 2), axis=0)
    like_ground = np.linalg.norm(around - ground, axis=2) < _MAX_GROUND_DIFFERENCE
    on_ground = like_ground.mean(1) >= _MIN_ON_GROUND
    coloured = np.linalg.norm(tops - ground, axis=1) > _MIN_DIFFERENCE
    pieces: Mask = coloured & on_ground
    return pieces if _two_shades(tops[pieces]) else none


def _two_shades(chroma: Floats) -> bool:
    """Whether several of the pieces with this :func:`.quarter_turn.chroma` (N, 2) differ clearly from the
    most frequent shade, but not from each other.
    """
    if not len(chroma):
        return False
    alike = np.linalg.norm(chroma[:, None] - chroma, axis=2) < _MIN_DIFFERENCE
    others = ~alike[alike.sum(1).argmax()]
    return bool(alike[others][:, others].sum(1).max(initial=0) >= _MIN_OF_A_SHADE)
