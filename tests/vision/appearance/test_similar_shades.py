"""Empty squares of domed boards whose shade resembles, or does not resemble, that of a piece."""

from __future__ import annotations

import numpy as np
import pytest

from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.vision.appearance.background import Background
from focus_companion.vision.appearance.colour_model import CLASS, ColourModel
from focus_companion.vision.appearance.evidence import Evidence
from focus_companion.vision.appearance.learning import learn
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.scene import Camera, Lens
from focus_companion.vision.geometry.stack_masks import Outlines

OUTLINES = Outlines(Camera(Lens.guess(640, 480), (2.6, 0.0, 0.0), (0.0, 0.0, 800.0)), board_profile())
BOARD, GREEN = (150, 185, 200), (40, 90, 25)
WHITE = (206, 237, 255)
STOOD = tuple("g" if name in ("g3", "f6", "c4", "c6") else "" for name in SQUARES)
D5 = INDEX["d5"]


def gain_of_a_piece(shade: tuple[int, int, int], glare: float = 0.0, spread: float = 0.0) -> float:
    """Nats for a piece on an empty square, if pieces have this shade, with ``glare`` on a share of their
    pixels: anything between their shade and a warm white. ``spread``: standard deviation of their pixels.
    """
    rng = np.random.default_rng(3)
    image = np.full((480, 640, 3), BOARD, float)
    for square in np.flatnonzero(STOOD):
        column = OUTLINES.columns[square]
        part = image[column.window.slices]
        part[column.mask(1)] = shade + rng.normal(0, spread, (int(column.mask(1).sum()), 3))
        lit = column.mask(1) & (rng.random(part.shape[:2]) < glare)
        part[lit] += rng.random((int(lit.sum()), 1)) * (WHITE - np.array(shade))
    taken = np.clip(image + rng.normal(0, 3, image.shape), 0, 255).astype(np.uint8)
    colours, background = ColourModel(), Background()
    learn(taken, OUTLINES, STOOD, colours, background, keep=0.0)
    assert colours.typical[CLASS["g"]] > 2
    return Evidence(taken, OUTLINES, colours, background, STOOD).stack_gain(D5, "g").nats


def test_pieces_with_glare_do_not_resemble_an_empty_square() -> None:
    """Some of their pixels have its shade, so that it fits them better than a random colour does."""
    assert gain_of_a_piece(GREEN, glare=0.3) < -20


def test_a_piece_of_the_board_s_shade_may_be_there() -> None:
    assert abs(gain_of_a_piece(BOARD)) < 1


@pytest.mark.parametrize(("greener", "spread"), [(15, 4.0), (20, 6.0), (20, 8.0)])
def test_pieces_in_pale_colours_do_not_resemble_an_empty_square(greener: int, spread: float) -> None:
    """In a washed-out picture, the shades of the pieces are not far from that of the board."""
    blue, green, red = BOARD
    assert gain_of_a_piece((blue - greener, green, red - greener), spread=spread) < -20
