"""When profile and pose are fitted again because more pieces are on the board than at the last fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from drawn_board import PROFILE, draw, look, start_stacks

from focus_companion.game.squares import INDEX
from focus_companion.vision.appearance.colour_model import ColourModel
from focus_companion.vision.appearance.evidence import Evidence
from focus_companion.vision.appearance.first_colours import before_any_piece
from focus_companion.vision.geometry.stack_masks import Outlines
from focus_companion.vision.tracking.placement import Hypothesis, Placement, constraints, verify

CAMERA = look(25.0, 0.0, 700.0, (640, 480), 60.0)
FULL = ["g"] * 36 + [""] * 16


def fitted(stacks: Sequence[str]) -> Placement:
    return Placement(Outlines(CAMERA, PROFILE), ColourModel(), constraints(stacks))


def refits(positions: list[list[str]]) -> list[int]:
    """The indices of the positions at which a board that was found empty is fitted again."""
    placement, again = fitted([""] * 52), []
    for number, stacks in enumerate(positions):
        if placement.needs_refit(stacks):
            again.append(number)
            placement = replace(placement, constraints=constraints(stacks))
    return again


def test_an_empty_board_is_fitted_again_whenever_the_stacks_have_doubled() -> None:
    assert refits([["g"] * n + [""] * (52 - n) for n in range(37)]) == [1, 2, 4, 8, 16, 32]


def test_stacked_pieces_show_their_height_and_count_double() -> None:
    assert refits([["g" * n] + [""] * 51 for n in range(6)]) == [1, 2, 4]


def test_a_full_board_is_never_fitted_again() -> None:
    assert not fitted(FULL).needs_refit(["g"] * 52)


def test_pieces_that_have_only_moved_add_no_constraints() -> None:
    assert not fitted(FULL).needs_refit(["g" * 5] * 7 + ["g"] + [""] * 44)


def test_doubtful_squares_add_no_constraints() -> None:
    placement = fitted(["g"] + [""] * 51)
    stacks = ["g", "r"] + [""] * 50
    assert placement.needs_refit(stacks) and not placement.needs_refit(stacks, doubtful=(1,))


@pytest.mark.parametrize(
    ("tilt", "expected", "there", "least"),
    [(40.0, "rg", "rgrg", 110), (40.0, "g", "rggrg", 200), (11.0, "g", "ggrg", 40)],
)
def test_a_stack_that_has_grown_is_not_learned_as_background(
    tilt: float, expected: str, there: str, least: float
) -> None:
    """In another light, the board is recognised when a stack has become taller, with the same top."""
    camera, square = look(tilt, 0.0, 700.0, (640, 480), 60.0), INDEX["d5"]
    stood, shown = (
        tuple(other if s == square else stack for s, stack in enumerate(start_stacks()))
        for other in (expected, there)
    )
    placement = Placement(Outlines(camera, PROFILE), before_any_piece("gr", PROFILE), 0)
    image = draw(camera, shown, np.random.default_rng(4))
    found = verify(image, Hypothesis(placement, relearn=True), stood, "gr")
    assert found is not None
    fitted = found.placement
    evidence = Evidence(image, fitted.outlines, fitted.colours, found.background, stood)
    assert evidence.stack_gain(square, there).nats > least
    assert evidence.stack_gain(INDEX["e8"], "g").nats < -20
