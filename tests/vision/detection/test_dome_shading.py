"""On an empty moulded board, shading distinguishes domes from their shadows, which have similar outlines."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from benchmarks.accuracy.starts import empty, seen_from
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.simulator.board_view import BoardView
from focus_companion.simulator.for_tests.corner_error import corner_error
from focus_companion.simulator.for_tests.random_look import random_look
from focus_companion.simulator.scene_style import SceneStyle
from focus_companion.simulator.stage import Hand, Stage
from focus_companion.vision.detection.dome_shading import Image, best_shaded, shading_misfit
from focus_companion.vision.geometry.pose import pushed

EMPTY = start_position(Rules.make(2, set_up="drop")).stacks


@cache
def hard_light(hand: Hand | None = None) -> tuple[SceneStyle, Image]:
    """An empty board under a lamp that casts hard shadows, seen from 41 degrees."""
    rng = np.random.default_rng([472, 53])
    look = random_look(rng, (640, 480))
    look = seen_from(look, rng, look.profile, (41, 41))
    return look, BoardView(look).shoot(Stage(EMPTY, hand=hand), rng)


@pytest.mark.parametrize("hand", [None, Hand("S", 30.0, -60.0, 40.0)], ids=["free", "hand"])
@pytest.mark.parametrize("shift", [(0.3, 0.0), (-0.2, 0.3), (0.1, -0.3)])
def test_a_displaced_pose_returns_to_the_domes(shift: tuple[float, float], hand: Hand | None) -> None:
    look, image = hard_light(hand)
    x, y = np.array(shift) * look.profile.pitch
    near = pushed(look.camera, float(x), float(y))
    found = best_shaded(image, near, look.profile)
    assert corner_error(found, look.camera, look.profile) < 0.1


def test_no_lamp_explains_the_shading_at_a_displaced_pose() -> None:
    look, image = hard_light()
    away = pushed(look.camera, 0.3 * look.profile.pitch, 0.0)
    right = shading_misfit(image, look.camera, look.profile)
    assert right < 0.4 < shading_misfit(image, away, look.profile)


def test_a_picture_without_shading_leaves_the_share_at_one() -> None:
    look, image = hard_light()
    assert shading_misfit(np.full_like(image, 120), look.camera, look.profile) == 1.0


@pytest.mark.parametrize(
    "case", [pytest.param(140, marks=pytest.mark.slow), 160, pytest.param(198, marks=pytest.mark.slow)]
)
def test_an_empty_board_is_not_placed_on_its_shadows(case: int) -> None:
    """Outlines alone placed these boards a third of a square off."""
    assert empty(case, 0, None).right
