"""What a look says of the whole board at once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from focus_companion.game.squares import SQUARES
from focus_companion.vision.watcher import Look

STACKS = tuple("r" if square[1] in "3456" else "" for square in SQUARES)


def look(touched: list[float]) -> Look:
    nothing: Any = None
    evidence: Any = SimpleNamespace(standing=STACKS)
    return Look(0.0, 0.0, evidence, None, np.array(touched), 0, None, 0, 1, nothing, nothing)


@pytest.mark.parametrize(
    ("touched", "all_over"),
    [
        ([0.06 for _ in SQUARES], True),
        ([0.06 if stack else 0.0 for stack in STACKS], True),
        ([0.06 if k % 10 else 0.0 for k in range(len(SQUARES))], True),
        ([0.9 if square[0] in "abcd" else 0.0 for square in SQUARES], False),
        ([0.02 for _ in SQUARES], False),
    ],
    ids=["a lamp", "a lamp, bare squares alike", "a lamp, but for a few", "an arm", "noise"],
)
def test_a_lamp_changes_all_stacks_a_little_and_an_arm_does_not(touched: list[float], all_over: bool) -> None:
    assert look(touched).all_over == all_over
