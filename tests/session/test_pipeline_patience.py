"""How long an apparent occluder must last before it counts as part of the scene."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from focus_companion.session import pipeline
from focus_companion.session.pipeline import (
    OBJECT_ABSORB_TIME,
    OCCLUDER_ABSORB_TIME,
    RELIT_ABSORB_TIME,
    SHADE_ABSORB_TIME,
)

STACKS = ("",) * 52


@pytest.mark.parametrize(
    ("all_over", "widespread", "wrong", "patience"),
    [
        (True, True, 9, RELIT_ABSORB_TIME),
        (False, True, 0, SHADE_ABSORB_TIME),
        (False, True, 3, SHADE_ABSORB_TIME),
        (False, True, 4, OCCLUDER_ABSORB_TIME),
        (False, False, 0, OCCLUDER_ABSORB_TIME),
    ],
    ids=["a lamp", "a shadow", "a shadow and a turn", "a large arm", "an arm"],
)
def test_a_change_of_light_is_absorbed_sooner_than_an_arm(
    all_over: bool, widespread: bool, wrong: int, patience: float
) -> None:
    look: Any = SimpleNamespace(
        age=1.0,
        all_over=all_over,
        widespread=widespread,
        occluder=None,
        disagreeing=lambda _: tuple(range(wrong)),
    )
    assert pipeline._absorb_time(look, STACKS) == patience


@pytest.mark.parametrize(
    ("thing", "from_edge", "hidden", "patience"),
    [
        (True, False, (3,), OBJECT_ABSORB_TIME),
        (True, True, (3,), OCCLUDER_ABSORB_TIME),
        (True, True, (), OBJECT_ABSORB_TIME),
        (False, False, (), OCCLUDER_ABSORB_TIME),
    ],
    ids=["a mug", "an arm", "an arm that has gone", "pieces only"],
)
def test_an_object_that_stands_by_itself_is_no_arm(
    thing: bool, from_edge: bool, hidden: tuple[int, ...], patience: float
) -> None:
    """Turns may follow each other faster than that."""
    occluder = SimpleNamespace(from_edge=from_edge) if thing else None
    look: Any = SimpleNamespace(age=1.0, all_over=False, widespread=False, occluder=occluder, hidden=hidden)
    assert pipeline._absorb_time(look, STACKS) == patience
