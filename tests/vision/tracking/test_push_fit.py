"""After the board was pushed or the camera nudged, the pose is found again by the outlines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_board import PROFILE, draw, look, start_stacks
from simulated import view_of

from focus_companion.game import setups
from focus_companion.game.rules import Rules
from focus_companion.simulator.board_view import placed_camera
from focus_companion.simulator.for_tests.corner_error import corner_error
from focus_companion.simulator.for_tests.random_look import random_look
from focus_companion.simulator.stage import Stage
from focus_companion.vision.geometry.pose import pushed
from focus_companion.vision.geometry.scene import Camera
from focus_companion.vision.registration.motion import Motion
from focus_companion.vision.tracking.push_fit import CERTAIN_AGREEMENT, fits, rotated, slid

PUSHES = [(0.0, 0.0, 0.0), (14.0, -9.0, 3.0), (-60.0, 25.0, -11.0), (3.0, 4.0, 170.0)]
"""(dx in mm, dy in mm, rotation in degrees)."""


@pytest.mark.parametrize("push", PUSHES)
@pytest.mark.parametrize("tilt", [4.0, 18.0, 47.0])
def test_slid_recovers_the_push(tilt: float, push: tuple[float, float, float]) -> None:
    held = look(tilt, 40.0, 640.0, (1280, 960), 60.0)
    there = pushed(held, push[0], push[1], float(np.radians(push[2])))
    assert corner_error(slid(held, there, PROFILE), there, PROFILE) < 1e-3


@pytest.mark.parametrize("tilt", [9.0, 17.0, 33.0])
def test_a_pushed_board_is_followed_as_seen_from_the_same_side(tilt: float) -> None:
    held = look(tilt, 40.0, 640.0, (1280, 960), 60.0)
    truth = pushed(held, 12.0, -8.0, float(np.radians(2.0)))
    image = draw(truth, start_stacks(), np.random.default_rng(4), noise=5.0)
    start = pushed(truth, 3.0, -4.0)
    ((camera, agrees), *_) = fits(image, held, start, PROFILE, start_stacks())
    assert corner_error(camera, truth, PROFILE) < 0.03
    # The camera's height above the table must be kept exactly, as heights of stacks depend on it.
    assert camera.centre[2] == pytest.approx(held.centre[2], abs=1e-6)
    assert camera.lens == held.lens
    assert agrees > CERTAIN_AGREEMENT


@pytest.mark.parametrize("tilt", [9.0, 17.0, 33.0])
def test_a_board_that_has_not_moved_keeps_its_pose_exactly(tilt: float) -> None:
    """If its pose were fitted again in every new light, it would drift."""
    held = look(tilt, 40.0, 640.0, (1280, 960), 60.0)
    image = draw(held, start_stacks(), np.random.default_rng(4), noise=5.0)
    ((camera, _), *_) = fits(image, held, pushed(held, 3.0, -4.0), PROFILE, start_stacks())
    assert camera is held


KNOCK = Motion((0.015, -0.012, 0.01))
"""A rotation of the camera by 1.2 degrees."""


@pytest.mark.parametrize("tilt", [4.0, 18.0, 47.0])
def test_rotated_recovers_the_rotation_of_the_camera(tilt: float) -> None:
    held = look(tilt, 40.0, 640.0, (1280, 960), 60.0)
    there = KNOCK.camera(held)
    assert corner_error(rotated(held, there, PROFILE), there, PROFILE) < 1e-3


def fitted_after(held: Camera, truth: Camera) -> Camera:
    """The pose fitted to a picture taken with ``truth``, if the camera was at ``held`` before."""
    image = draw(truth, start_stacks(), np.random.default_rng(4), noise=5.0)
    ((camera, agrees), *_) = fits(image, held, pushed(truth, 3.0, -4.0), PROFILE, start_stacks())
    assert agrees > CERTAIN_AGREEMENT
    return camera


@pytest.mark.parametrize("tilt", [9.0, 17.0, 33.0])
def test_a_camera_knocked_on_its_stand_keeps_its_place(tilt: float) -> None:
    held = look(tilt, 40.0, 640.0, (1280, 960), 60.0)
    truth = KNOCK.camera(held)
    camera = fitted_after(held, truth)
    assert corner_error(camera, truth, PROFILE) < 0.01
    assert np.linalg.norm(camera.centre - truth.centre) < 1e-6


@pytest.mark.parametrize("tilt", [17.0, 33.0])
def test_a_push_and_a_knock_at_once_are_not_taken_for_one_of_them(tilt: float) -> None:
    held = look(tilt, 40.0, 640.0, (1280, 960), 60.0)
    truth = KNOCK.camera(pushed(held, 15.0, -11.0, float(np.radians(5.0))))
    assert corner_error(fitted_after(held, truth), truth, PROFILE) < 0.03


@pytest.mark.parametrize("tilt", [17.0, 33.0])
def test_the_pose_after_one_event_is_not_refined_to_that_after_two(tilt: float) -> None:
    """Or the tilt of the board in the picture, which heights depend on, would drift with every knock."""
    held = look(tilt, 40.0, 640.0, (1280, 960), 60.0)
    truth = KNOCK.camera(pushed(held, 15.0, -11.0, float(np.radians(5.0))))
    image = draw(truth, start_stacks(), np.random.default_rng(4), noise=5.0)
    ((camera, _), *_) = fits(image, held, truth, PROFILE, start_stacks(), both=False)
    poses = (slid(held, camera, PROFILE), rotated(held, camera, PROFILE))
    assert min(corner_error(camera, pose, PROFILE) for pose in poses) < 1e-3


def test_a_nudged_camera_is_followed_in_all_directions() -> None:
    held = look(25.0, 40.0, 640.0, (1280, 960), 60.0)
    truth = replace(look(29.0, 41.0, 660.0, (1280, 960), 60.0), lens=held.lens)
    image = draw(truth, start_stacks(), np.random.default_rng(4))
    ((camera, _), *_) = fits(image, held, pushed(truth, 4.0, 3.0), PROFILE, start_stacks())
    assert corner_error(camera, truth, PROFILE) < 0.04
    assert camera.tilt == pytest.approx(truth.tilt, abs=0.4)


def test_pieces_are_not_mistaken_for_their_shadows() -> None:
    """In hard light, the outlines of pieces together with their shadows agree near the place, a fifth of a
    square off, where the colours indicate the board.
    """
    rng = np.random.default_rng([41, 78])
    start = setups.start_stacks(Rules.make(int(rng.choice([2, 2, 3, 4]))))
    scene = random_look(rng)
    push = (-8.1, 4.8, -0.3)
    image = view_of(scene).shoot(Stage(start, seats={}, pose=push), np.random.default_rng(2))
    truth = placed_camera(scene.camera, push)
    indicated = pushed(truth, 1.8, -9.0, 0.0)
    ((camera, _), *_) = fits(image, scene.camera, indicated, scene.profile, start)
    assert corner_error(camera, truth, scene.profile) < 0.05
