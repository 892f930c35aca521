"""Changes of the whole board in a look."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from focus_companion.game.squares import SQUARES
from focus_companion.vision.tracking.look import Look

STACKS = tuple("r" if square[1] in "3456" else "" for square in SQUARES)


def look(touched: list[float]) -> Look:
    nothing: Any = None
    evidence: Any = SimpleNamespace(standing=STACKS)
    return Look(0.0, 0.0, evidence, None, np.array(touched), None, 1, (), nothing, nothing, nothing)


@pytest.mark.parametrize(
    ("touched", "all_over"),
    [
        ([0.06 for _ in SQUARES], True),
        ([0.02 if stack else 0.3 for stack in STACKS], True),
        ([0.06 if k % 11 else 0.0 for k in range(len(SQUARES))], True),
        ([0.9 if square[0] in "abcdef" else 0.0 for square in SQUARES], False),
        ([0.005 for _ in SQUARES], False),
    ],
    ids=["a lamp", "a lamp, dark pieces", "a lamp, but for a few squares", "an arm and its shadow", "noise"],
)
def test_a_lamp_changes_all_squares_and_an_arm_does_not(touched: list[float], all_over: bool) -> None:
    assert look(touched).all_over == all_over


def test_squares_with_few_but_deviating_pixels_are_faintly_changed() -> None:
    """Square 5 has clearly changed; square 9 deviates by no more than the noise."""
    touched, deviation = np.zeros(len(SQUARES)), np.zeros(len(SQUARES))
    touched[5] = 0.8
    deviation[[3, 5, 7, 9]] = 20.0, 300.0, 7.0, 4.0
    nothing: Any = None
    evidence: Any = SimpleNamespace(standing=STACKS)
    change: Any = SimpleNamespace(deviations=lambda: deviation)
    seen = Look(0.0, 0.0, evidence, change, touched, None, 1, (), nothing, nothing, nothing)
    assert seen.faintly_changed == {3: 20.0, 7: 7.0}
    assert look([0.0 for _ in SQUARES]).faintly_changed == {}


@pytest.mark.parametrize(
    ("squares", "widespread"), [(26, True), (43, True), (14, False)], ids=["half", "most", "an arm"]
)
def test_a_shadow_that_has_moved_changes_more_squares_than_an_arm(squares: int, widespread: bool) -> None:
    seen = look([0.03 if k < squares else 0.0 for k in range(len(SQUARES))])
    assert seen.widespread == widespread and not seen.all_over


def test_a_reference_of_an_earlier_position_says_nothing_of_a_stack_changed_since() -> None:
    """Of two turns seen at once, only the first was certain: no picture shows the board between them."""
    nothing: Any = None
    gains = SimpleNamespace(
        stack_nats=lambda square, stack, off_centre: 55.0 if off_centre else 40.0,
        off_centre_at_most=lambda square, stack: 60.0,
    )
    evidence: Any = SimpleNamespace(standing=STACKS, of_picture=lambda image: gains)
    change: Any = SimpleNamespace(before=None)
    touched = np.zeros(len(SQUARES))
    common = 0.0, 0.0, evidence, change, touched, None, 1
    seen = Look(*common, (7,), nothing, nothing, nothing, outdated={5: 1})
    assert [seen.gain_before(square, "rr") for square in (3, 5, 7)] == [40.0, 0.0, 0.0]
    assert [seen.gain_before(square, "rr", off_centre=True) for square in (3, 5, 7)] == [55.0, 0.0, 0.0]
