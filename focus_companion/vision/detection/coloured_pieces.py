"""Recognizes the pieces on a board in an unknown position by their shades.

Seen obliquely in bad light, domes of the ground's own shade have little contrast, and stacks hide each
other's outlines. But the pieces of two or more players have as many shades, which differ clearly from each
other and from the ground. Pieces of other games are black and white, or lie on fields of two shades.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..geometry.scene import BoardProfile, Camera
from .moulded import corner_colours
from .quarter_turn import tints, top_chroma

Image = NDArray[np.uint8]
Flags = NDArray[np.bool_]

_MIN_DIFFERENCE = 0.8
"""Minimum distance of two shades in log ratios of the channels. Those of usual pieces are 1.4 and more apart;
the black and white pieces on photographs of Othello boards, less than 0.5. Raising it overlooks pieces whose
hue is near that of the board.
"""
_MAX_GROUND_DIFFERENCE = 0.4
"""Maximum distance, in the same unit, of places on ground of one shade under coloured light and shadows."""
_PIECE_ODDS = 2.5
"""Log odds that a piece stands on a square that shows a clear shade on ground of another."""
_TWO_SHADES_ODDS = 0.5
"""Log odds by which pieces of two shades favour this game over others with round pieces on ground of one
shade. Raising it, or :data:`_PIECE_ODDS`, accepts more boards that are hard to see, and more patterns of
several colours.
"""
_MIN_OF_A_SHADE = 3
"""Minimum number of squares that show a shade, for it to be that of a player's pieces."""


def colour_odds(image: Image, camera: Camera, profile: BoardProfile) -> float:
    """Log odds, at least 0, by which coloured pieces on the squares favour a board, to be added to those of
    outlines (:func:`.site_classifier.board_odds`).

    ``image`` is (H, W, 3) uint8 BGR, ``camera`` that of its size.
    """
    coloured = coloured_pieces(image, camera, profile)
    return _TWO_SHADES_ODDS + _PIECE_ODDS * float(coloured.mean()) if coloured.any() else 0.0


def coloured_pieces(image: Image, camera: Camera, profile: BoardProfile) -> Flags:
    """The squares (52,) that show a coloured piece; none unless there are pieces of two shades at least.

    ``image`` is (H, W, 3) uint8 BGR, ``camera`` that of its size.
    """
    tops = top_chroma(image, camera, profile, [1] * len(profile.centres))[:, :2]
    around = tints(corner_colours(image, camera, profile).reshape(-1, 3))[:, :2].reshape(len(tops), -1, 2)
    if not np.isfinite(around).any():
        return np.zeros(len(tops), np.bool_)
    ground = np.nanmedian(around.reshape(-1, 2), axis=0)
    on_ground = np.linalg.norm(around - ground, axis=2) < _MAX_GROUND_DIFFERENCE
    coloured = (np.linalg.norm(tops - ground, axis=1) > _MIN_DIFFERENCE) & (on_ground.mean(1) >= 0.5)
    alike = np.linalg.norm(tops[:, None] - tops, axis=2) < _MIN_DIFFERENCE
    alike &= coloured & coloured[:, None]
    most = alike[alike.sum(1).argmax()]
    second = (alike & ~most)[~most].sum(1).max(initial=0)
    return coloured if second >= _MIN_OF_A_SHADE else np.zeros_like(coloured)
