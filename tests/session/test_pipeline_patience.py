"""How long an apparent occluder must last before it counts as part of the scene."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from focus_companion.session import pipeline
from focus_companion.session.pipeline import COVERED_PATIENCE, RELIT_PATIENCE, SHADE_PATIENCE, THING_PATIENCE

STACKS = ("",) * 52


@pytest.mark.parametrize(
    ("all_over", "widespread", "wrong", "patience"),
    [
        (True, True, 9, RELIT_PATIENCE),
        (False, True, 0, SHADE_PATIENCE),
        (False, True, 3, SHADE_PATIENCE),
        (False, True, 4, COVERED_PATIENCE),
        (False, False, 0, COVERED_PATIENCE),
    ],
    ids=["a lamp", "a shadow", "a shadow and a turn", "a large arm", "an arm"],
)
def test_a_light_that_wandered_is_not_waited_out_like_an_arm(
    all_over: bool, widespread: bool, wrong: int, patience: float
) -> None:
    look: Any = SimpleNamespace(
        age=1.0,
        all_over=all_over,
        widespread=widespread,
        occluder=None,
        disagreeing=lambda _: tuple(range(wrong)),
    )
    assert pipeline._patience(look, STACKS) == patience


@pytest.mark.parametrize(
    ("thing", "from_edge", "hidden", "patience"),
    [
        (True, False, (3,), THING_PATIENCE),
        (True, True, (3,), COVERED_PATIENCE),
        (True, True, (), THING_PATIENCE),
        (False, False, (), COVERED_PATIENCE),
    ],
    ids=["a mug", "an arm", "an arm that has gone", "pieces only"],
)
def test_what_stands_by_itself_is_no_arm(
    thing: bool, from_edge: bool, hidden: tuple[int, ...], patience: float
) -> None:
    """Turns may follow each other faster than that."""
    occluder = SimpleNamespace(from_edge=from_edge) if thing else None
    look: Any = SimpleNamespace(age=1.0, all_over=False, widespread=False, occluder=occluder, hidden=hidden)
    assert pipeline._patience(look, STACKS) == patience
