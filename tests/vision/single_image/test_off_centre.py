"""Stacks that lean are read from nearly straight above, where centred pieces would hide each other."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.vision.appearance.colour_model import CLASS, CLASSES
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.scene import Camera, Lens
from focus_companion.vision.geometry.stack_masks import Outlines
from focus_companion.vision.single_image.layers import Layers
from focus_companion.vision.single_image.off_centre import MAX_BEHIND, lead, read_off_centre
from focus_companion.vision.single_image.solver import ScoredStack, Solver

LEANING = INDEX["d4"]
STACKS = tuple("g" if square % 5 == 0 else "" for square in range(len(SQUARES)))


def layers_at(tilt: float) -> Layers:
    """A camera 600 mm away, ``tilt`` degrees off the vertical above rank 1."""
    camera = Camera(Lens.guess(1280, 960), (np.pi - np.radians(tilt), 0.0, 0.0), (0.0, 0.0, 600.0))
    return Layers(Outlines(camera, board_profile()))


def explanation_of(layers: Layers, stack: str, lean: int) -> Any:
    """What a picture shows in which each piece of one stack stands ``lean`` pixels to the right of the piece
    below; read with all pieces centred.
    """
    outlines = layers.outlines
    standing = {square: [CLASS[piece] for piece in each] for square, each in enumerate(STACKS)}
    painted = outlines.paint(standing | {LEANING: []}, layers.window, outlines.far_to_near)
    column = outlines.columns[LEANING]
    for number, piece in enumerate(stack, 1):
        rows, columns = np.nonzero(column.mask(number))
        rows, columns = rows + column.top - layers.window.top, columns + column.left - layers.window.left
        painted[rows, columns + lean * number] = CLASS[piece]
    scores = np.full((*painted.shape, CLASSES), -4.0, np.float32)
    np.put_along_axis(scores, painted[..., None].astype(np.intp), 0.0, axis=2)
    solver = Solver(layers, scores, "gr", 18, 0.04)
    solver.solve()
    view = SimpleNamespace(layers=layers, scores=lambda _: scores, picture=SimpleNamespace(pixel_weight=0.04))
    return SimpleNamespace(view=view, solver=solver, palette=SimpleNamespace(flat=None))


@pytest.mark.parametrize("stack", ["rg", "rgg", "grg", "rgr"])
@pytest.mark.parametrize("lean", [0, 1])
def test_the_pieces_of_a_leaning_stack_are_read(stack: str, lean: int) -> None:
    explanation = explanation_of(layers_at(9.0), stack, lean)
    assert (explanation.solver.stacks[LEANING] == stack) is (lean == 0)
    _, choices = read_off_centre(explanation)
    assert explanation.solver.stacks[LEANING] == stack
    assert explanation.solver.stacks[:LEANING] == STACKS[:LEANING]
    assert lead(choices[LEANING]) > 0.0


def test_a_piece_that_is_hardly_seen_probably_has_another_colour_than_its_neighbour() -> None:
    explanation = explanation_of(layers_at(0.0), "g", 0)
    _, choices = read_off_centre(explanation)
    scores = {choice.stack: choice.score for choice in choices[LEANING]}
    red, green = CLASS["r"], CLASS["g"]
    assert scores[red, green] > scores[green, green] + 4.0


def test_a_stack_leads_any_other() -> None:
    red, green = CLASS["r"], CLASS["g"]
    choices = [ScoredStack((green, red), 20.0), ScoredStack((red, red), 14.0), ScoredStack((green,), 5.0)]
    assert lead(choices) == 6.0
    assert lead(choices[:1]) == MAX_BEHIND
