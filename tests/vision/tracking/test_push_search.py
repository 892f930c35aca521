"""The search by colours for a board that was pushed."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_board import PROFILE, draw, look, start_stacks

from focus_companion.vision.appearance.background import Background
from focus_companion.vision.appearance.first_colours import before_any_piece
from focus_companion.vision.appearance.learning import learn
from focus_companion.vision.geometry.pose import corner_shift, pushed
from focus_companion.vision.geometry.stack_masks import Outlines
from focus_companion.vision.tracking.probe import Probe
from focus_companion.vision.tracking.push_search import seek

STACKS = ("rgr", "", "gg", *start_stacks()[3:])


@pytest.mark.parametrize(
    ("dx", "dy", "degrees"),
    [
        (0.0, 0.0, 0.0),
        (0.5, -0.3, 0.0),
        (-1.0, 1.0, 3.0),
        (1.5, 1.5, 0.0),
        (-0.4, -1.3, -9.0),
        (0.1, 0.0, 11.0),
    ],
)
def test_a_board_is_found_to_half_a_square_up_to_a_square_and_a_half_away(
    dx: float, dy: float, degrees: float
) -> None:
    """That is near enough for the fits to the outlines."""
    truth = look(25.0, 10.0, 700.0, (640, 480), 60.0)
    image = draw(truth, STACKS, np.random.default_rng(5))
    colours = before_any_piece("gr", PROFILE)
    learn(image, Outlines(truth, PROFILE), STACKS, colours, Background(), keep=0.0)
    held = pushed(truth, dx * PROFILE.pitch, dy * PROFILE.pitch, float(np.radians(degrees)))
    found, share = seek(image, held, PROFILE, Probe(PROFILE, STACKS), colours)
    assert corner_shift(found, truth, PROFILE) < 0.45
    assert share > 0.95


def test_a_picture_without_the_board_agrees_nowhere() -> None:
    held = look(25.0, 10.0, 700.0, (640, 480), 60.0)
    image = draw(held, STACKS, np.random.default_rng(5))
    colours = before_any_piece("gr", PROFILE)
    learn(image, Outlines(held, PROFILE), STACKS, colours, Background(), keep=0.0)
    empty = np.full_like(image, image[:8].mean())
    assert seek(empty, held, PROFILE, Probe(PROFILE, STACKS), colours)[1] < 0.5
