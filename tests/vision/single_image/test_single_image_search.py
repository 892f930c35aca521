"""Camera, set and stacks are corrected together, starting from wrong values."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from simulated import view_of

from focus_companion.game.squares import SQUARES
from focus_companion.simulator.for_tests.corner_error import corner_error
from focus_companion.simulator.scene_style import pleasant_look
from focus_companion.simulator.stage import Stage
from focus_companion.vision.detection.board_search import neighbouring_poses
from focus_companion.vision.detection.find_board import FoundBoard
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.geometry.pose import lifted
from focus_companion.vision.geometry.scene import BoardProfile, Camera
from focus_companion.vision.geometry.stack_masks import Outlines
from focus_companion.vision.single_image import read_still
from focus_companion.vision.single_image.search import (
    CLEAR_GAIN,
    Explanation,
    TriedReading,
    best_explanation,
    initial_explanation,
    reading_probabilities,
)
from focus_companion.vision.single_image.view import StillPicture

pytestmark = pytest.mark.slow

LOOK = pleasant_look(640, 480)


@cache
def still() -> tuple[np.ndarray, tuple[str, ...]]:
    """A small picture of some stacks, and the true stacks."""
    rng = np.random.default_rng(11)
    stacks = [""] * 52
    for square in rng.choice(52, 16, replace=False):
        stacks[square] = "".join(rng.choice(list("gr"), int(rng.integers(1, 5))))
    return view_of(LOOK).shoot(Stage(tuple(stacks)), rng), tuple(stacks)


def start(camera: Camera, profile: BoardProfile) -> Explanation:
    image, _ = still()
    return initial_explanation(StillPicture(image, camera, profile, "gr"), camera, profile)


def shifted_camera(camera: Camera, mm: float) -> Camera:
    """The camera that sees the board shifted by ``mm`` along its x axis."""
    x, y, z = (camera.rotation_matrix @ (mm, 0.0, 0.0) + camera.translation).tolist()
    return replace(camera, translation=(x, y, z))


@pytest.mark.parametrize(
    "camera",
    [
        LOOK.camera,
        lifted(LOOK.camera, LOOK.profile.rise),
        lifted(LOOK.camera, -LOOK.profile.rise),
        shifted_camera(LOOK.camera, 0.15 * LOOK.profile.pitch),
    ],
    ids=["right", "a piece too high", "a piece too low", "aside"],
)
def test_a_wrong_camera_is_corrected(camera: Camera) -> None:
    other = next(p for p in plastic_sets() if p != LOOK.profile)
    first = start(camera, other)
    best, _ = best_explanation(first, plastic_sets())
    assert best.nats > first.nats
    assert best.profile == LOOK.profile
    assert corner_error(best.camera, LOOK.camera, LOOK.profile) < 0.05
    _, stacks = still()
    assert sum(a == b for a, b in zip(best.stacks, stacks, strict=True)) >= 50


def test_the_truth_explains_the_picture_better_than_a_lifted_board() -> None:
    _, stacks = still()
    right = start(LOOK.camera, LOOK.profile)
    wrong = start(lifted(LOOK.camera, LOOK.profile.rise), LOOK.profile)
    assert right.nats > wrong.nats
    palette = right.view.relearned(stacks)
    assert right.view.nats_of(palette, stacks) > right.view.nats_of(palette, ("",) * 52)


def test_a_pose_that_leaves_out_a_row_of_pieces_explains_the_picture_less_well() -> None:
    rng = np.random.default_rng(4)
    edge = {square for square, name in enumerate(SQUARES) if name[1] in "12"}
    stacks = tuple("gr"[s % 2] * (1 + s % 4) if s in edge else "" for s in range(len(SQUARES)))
    image = view_of(LOOK).shoot(Stage(stacks), rng)
    picture = StillPicture(image, LOOK.camera, LOOK.profile, "gr")
    right = initial_explanation(picture, LOOK.camera, LOOK.profile)
    for beside in neighbouring_poses(LOOK.camera, LOOK.profile):
        assert right.beats(initial_explanation(picture, beside, LOOK.profile), CLEAR_GAIN)


def test_outlines_of_few_pieces_are_the_first_of_those_of_many() -> None:
    few, many = Outlines(LOOK.camera, LOOK.profile, 5), Outlines(LOOK.camera, LOOK.profile)
    for a, b in zip(few.columns, many.columns, strict=True):
        assert a.tallest == 5
        for level in range(6):
            assert a.mask(level).sum() == b.mask(level).sum()
        assert np.array_equal(a.standing(9), a.standing(5))


def test_squares_that_similarly_good_explanations_read_differently_are_doubtful() -> None:
    best: Any = SimpleNamespace(nats=-300.0)
    read = ["ggr", "r", ""]
    tried = [TriedReading(("gr", "r", ""), -320.0), TriedReading(("ggr", "rr", "g"), -900.0)]
    whole = reading_probabilities(best, tried, read)
    assert whole[0] < 0.6 and whole[1] > 0.999 and whole[2] > 0.999


def test_pieces_that_the_set_does_not_have_explain_a_picture_less_well() -> None:
    view = start(LOOK.camera, LOOK.profile).view
    few, many = (["g"] * count + [""] * (52 - count) for count in (18, 19))
    palette = view.relearned(still()[1])
    spared = view.nats_of(palette, few) - view.nats_of(palette, many)
    view.picture.limit = 19
    assert spared - (view.nats_of(palette, few) - view.nats_of(palette, many)) == pytest.approx(5.0)


def test_a_board_that_was_found_a_square_off_is_read_at_its_true_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    image, stacks = still()
    away = shifted_camera(LOOK.camera, LOOK.profile.pitch)
    monkeypatch.setattr(read_still, "find_board", lambda *_, **__: FoundBoard(away, LOOK.profile, 0.9))
    reading = read_still.read_still(image, plastic_sets(), "gr")
    assert reading is not None and corner_error(reading.camera, LOOK.camera, LOOK.profile) < 0.1
    assert sum(map(str.__eq__, reading.stacks, stacks)) >= 50
