"""What is known of each square in the reference picture, with which later pictures are compared."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from drawn_board import PROFILE, draw, look, start_stacks

from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.vision.capture.frames import Image
from focus_companion.vision.geometry.pose import pushed
from focus_companion.vision.geometry.scene import Camera
from focus_companion.vision.geometry.stack_masks import Outlines, Window
from focus_companion.vision.registration.baseline import share_differing
from focus_companion.vision.registration.motion import STILL, Motion
from focus_companion.vision.tracking.change import Smoothed, board_window
from focus_companion.vision.tracking.occluder import SceneObject
from focus_companion.vision.tracking.reference import POSSIBLE_CHANGE, Reference

MUG, HAND, CLEAR = INDEX["b2"], INDEX["c3"], INDEX["d4"]


def picture(shade: int) -> Image:
    return np.full((40, 60, 3), shade, np.uint8)


def change(touched: dict[int, float], occluded: Any = None) -> Any:
    shares = np.zeros(len(SQUARES))
    for square, share in touched.items():
        shares[square] = share
    return SimpleNamespace(touched=shares, occluded=occluded)


def with_a_mug() -> Reference:
    """A reference picture with an object that hides one square."""
    reference = Reference(Smoothed(picture(90)))
    mask = np.zeros((20, 20), bool)
    mask[5:10, 5:10] = True
    window, mug = Window(10, 10, 30, 30), picture(90)
    mug[15:20, 15:20] = 200
    part = mug[window.slices]
    none = np.zeros_like(mask)
    mug_there = SceneObject(window, part, mask, none, (MUG,), frozenset((MUG,)), pitch=10.0)
    reference.add_object(mug_there, none)
    return reference


def test_what_an_object_covers_is_still_the_last_that_was_seen_there() -> None:
    reference = with_a_mug()
    occluded = np.zeros((40, 60), bool)
    occluded[14:21, 14:21] = True
    later = picture(100)
    later[14:21, 14:21] = 200
    seen = change({}, occluded)
    reference.set_mark(Smoothed(later), seen)
    reference.follow(Smoothed(later), seen)
    assert reference.mark is not None
    for known in (reference.mark, reference.picture):
        assert np.all(known.image[14:21, 14:21] == 90)
        assert int((known.image == 100).sum()) == later.size - 7 * 7 * 3


def test_a_square_that_an_object_hides_has_not_changed() -> None:
    touched = with_a_mug().touched(change({MUG: 0.15, CLEAR: 0.4}))
    assert (touched[MUG], touched[CLEAR]) == (0.0, 0.4)


def test_a_hand_over_an_object_does_not_uncover_what_it_hides() -> None:
    """If the position is then confirmed although much has changed there, the object has been removed."""
    reference, over = with_a_mug(), change({MUG: 0.9, HAND: 0.9})
    assert reference.touched(over)[MUG] == 0.9
    assert reference.touched(change({}))[MUG] == 0.0 and reference.hidden == (MUG,)
    reference.follow(Smoothed(picture(90)), over)
    assert reference.hidden == () and reference.touched(change({MUG: 0.1}))[MUG] == 0.1


@pytest.mark.parametrize(
    ("shade", "gone"), [(90, True), (195, False)], ids=["taken away, with a turn under it", "still there"]
)
def test_an_object_that_is_taken_away_hides_nothing(shade: int, gone: bool) -> None:
    reference, later = with_a_mug(), picture(90)
    later[15:20, 15:20] = shade
    later[15:16, 15:20] = 30
    reference.remove_objects(later)
    assert reference.hidden == (() if gone else (MUG,)) and len(reference.objects) == (0 if gone else 1)


@pytest.mark.parametrize(("changed", "known"), [((CLEAR,), True), ((MUG,), False)])
def test_after_a_turn_under_an_object_what_it_covers_is_unknown(
    changed: tuple[int, ...], known: bool
) -> None:
    reference = with_a_mug()
    reference.forget_under_objects(changed)
    assert np.all(reference.picture.image[15:20, 15:20] == (90 if known else 200))
    assert len(reference.objects) == (1 if known else 0) and reference.hidden == (MUG,)


def test_squares_that_showed_something_else_count_as_changed_until_the_position_is_seen() -> None:
    reference = Reference(Smoothed(picture(90)), wrong=(CLEAR,))
    assert reference.unsettled == (CLEAR,)
    for against in (None, change({HAND: 0.5})):
        touched = reference.touched(against)
        assert touched[CLEAR] == 1.0 and touched.min() == POSSIBLE_CHANGE
    reference.follow(Smoothed(picture(95)), change({}))
    assert reference.unsettled == () and not reference.touched(change({})).any()
    assert not reference.touched(None).any()
    assert reference.picture.image[0, 0, 0] == 95


def test_in_another_light_a_square_stays_hidden_only_while_it_shows_something_else() -> None:
    reference = Reference(Smoothed(picture(90)), wrong=(MUG, CLEAR), hidden=(MUG, HAND))
    assert reference.hidden == (MUG,) and reference.unsettled == (CLEAR,)
    touched = reference.touched(None)
    assert (touched[MUG], touched[CLEAR], touched[HAND]) == (0.0, 1.0, POSSIBLE_CHANGE)


HELD = look(17.0, 40.0, 640.0, (1280, 960), 60.0)
OUTLINES = Outlines(HELD, PROFILE)
COARSE_PIXEL = round(OUTLINES.pitch / 18) / HELD.lens.focal
"""The angle by which the camera turns if the coarse copy of the picture moves by a pixel."""


def picture_after(pixels: float) -> Smoothed:
    """The picture after the camera has turned by so many pixels of the coarse copy."""
    camera = Motion((0.0, pixels * COARSE_PIXEL, 0.0)).camera(HELD)
    return Smoothed(draw(camera, start_stacks(), np.random.default_rng(4), noise=2.0))


def test_the_motion_is_that_since_the_reference_however_little_it_moved_before() -> None:
    """A camera has moved too little for it to be undone. What it moves later adds to that."""
    reference = Reference(picture_after(0.0))
    assert reference.conditions(picture_after(0.15), OUTLINES).motion is STILL
    assert reference.conditions(picture_after(0.3), OUTLINES).motion is not STILL
    assert reference.conditions(picture_after(0.15), OUTLINES).motion is STILL
    reference.follow(picture_after(0.15), None)
    assert reference.conditions(picture_after(0.3), OUTLINES).motion is STILL
    assert reference.conditions(picture_after(-0.15), OUTLINES).motion is not STILL


TILTED = look(40.0, 15.0, 640.0, (1280, 960), 60.0)


@pytest.mark.parametrize(
    ("camera", "slid"),
    [
        (pushed(TILTED, 9.0, -6.0, 0.03), True),
        (pushed(TILTED, -5.0, 10.0, -0.02), True),
        (Motion((0.015, -0.01, 0.02)).camera(TILTED), False),
    ],
    ids=["pushed", "pushed elsewhere", "knocked"],
)
def test_a_pushed_board_is_told_from_a_knocked_camera(camera: Camera, slid: bool) -> None:
    """Only the right one of the two motions leaves every stack where it stood in the reference."""
    before, after = (
        Smoothed(draw(each, start_stacks(), np.random.default_rng(4), noise=2.0)) for each in (TILTED, camera)
    )
    conditions = Reference(before).conditions(after, Outlines(TILTED, PROFILE))
    assert (conditions.motion.slide is not None) == slid
    off = conditions.motion.camera(TILTED).project(PROFILE.corners) - camera.project(PROFILE.corners)
    assert np.abs(off).max() < 1.0
    window = board_window(Outlines(TILTED, PROFILE))
    shown = [
        each[window.slices]
        for each in (conditions.undo(after.image, window, before.image), before.image, after.image)
    ]
    assert share_differing(shown[0], shown[1]) < 0.02 < 0.1 < share_differing(shown[2], shown[1])


def test_the_reference_does_not_move_along_with_a_stand_that_sags() -> None:
    """From picture to picture, the camera moves too little for it to be undone."""
    reference = Reference(picture_after(0.0))
    for pixels in np.arange(0.1, 2.1, 0.1):
        taken = picture_after(float(pixels))
        found = reference.conditions(taken, OUTLINES)
        undone = found.undo(taken.image, board_window(OUTLINES), reference.picture.image)
        reference.follow(Smoothed(undone, found), None)
    assert found.motion.vector[1] / COARSE_PIXEL > 1.4
