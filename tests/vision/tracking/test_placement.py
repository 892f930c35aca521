"""When a board profile and a pose are fitted again, as more pieces stand than when they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from drawn_board import PROFILE, look

from focus_companion.vision.appearance.colour_model import ColourModel
from focus_companion.vision.geometry.stack_masks import Outlines
from focus_companion.vision.tracking.placement import Placement, stack_count

CAMERA = look(25.0, 0.0, 700.0, (640, 480), 60.0)


def fitted(stacks: Sequence[str]) -> Placement:
    return Placement(Outlines(CAMERA, PROFILE), ColourModel(), stack_count(stacks))


def test_an_empty_board_is_fitted_again_whenever_twice_as_many_stacks_stand() -> None:
    placement, again = fitted([""] * 52), []
    for pieces in range(37):
        stacks = ["g"] * pieces + [""] * (52 - pieces)
        if placement.needs_refit(stacks):
            again.append(pieces)
            placement = replace(placement, fitted_stacks=stack_count(stacks))
    assert again == [1, 2, 4, 8, 16, 32]


def test_a_full_board_never_is() -> None:
    assert not fitted(["g"] * 36 + [""] * 16).needs_refit(["g"] * 52)
