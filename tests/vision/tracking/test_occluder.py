"""What an object that has become part of the scene covers, when it moves a little, and what it uncovers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from drawn_board import PROFILE, draw, look, start_stacks

from focus_companion.game.squares import INDEX
from focus_companion.vision.capture.frames import Image
from focus_companion.vision.geometry.stack_masks import Outlines
from focus_companion.vision.tracking.change import Change, Smoothed
from focus_companion.vision.tracking.reference import Reference
from focus_companion.vision.tracking.regions import Regions
from focus_companion.vision.tracking.resting import RestingOccluder

CAMERA = look(25.0, 30.0, 640.0, (1280, 960), 60.0)
OUTLINES = Outlines(CAMERA, PROFILE)
START = start_stacks()
UNDER, FAR = INDEX["d4"], INDEX["b6"]


def board(stacks: tuple[str, ...] = START) -> Image:
    return draw(CAMERA, stacks, np.random.default_rng(1), noise=2.0)


def with_head(image: Image, right: float = 0.0) -> Image:
    """A head with a blurred outline over some squares, moved to the ``right`` by so many squares."""
    column = OUTLINES.columns[UNDER]
    at = column.left + column.width // 2 + round(right * OUTLINES.pitch), column.top + column.height // 2
    alpha = cv2.circle(np.zeros(image.shape[:2], np.float32), at, round(1.6 * OUTLINES.pitch), 1.0, -1)
    alpha = cv2.GaussianBlur(alpha, (0, 0), 0.06 * OUTLINES.pitch)[..., None]
    return np.asarray(image * (1 - alpha) + np.array([30, 35, 45]) * alpha, np.uint8)


def changed(square: int, stack: str) -> tuple[str, ...]:
    return tuple(stack if s == square else stood for s, stood in enumerate(START))


@pytest.fixture
def reference() -> Reference:
    """The start, with a head that has become part of the scene."""
    reference = Reference(Smoothed(board()))
    image = with_head(board())
    regions = Regions(change_to(image, reference))
    occluder = regions.occluder()
    assert occluder is not None and UNDER in occluder.squares
    reference.add_object(*regions.scene_object(occluder, image, occluder.squares, ()))
    return reference


def change_to(image: Image, reference: Reference) -> Change:
    return Change(Smoothed(image), reference.picture, OUTLINES, START, reference.objects)


@pytest.mark.parametrize("right", [0.0, 0.15, -0.3])
def test_a_head_that_moves_a_little_changes_nothing(reference: Reference, right: float) -> None:
    assert change_to(with_head(board(), right), reference).touched.max() < 0.01


def test_what_it_covers_is_unknown_and_what_it_has_uncovered_is_seen(reference: Reference) -> None:
    seen = change_to(with_head(board()), reference)
    column = OUTLINES.columns[UNDER]
    middle = column.top + column.height // 2, column.left + column.width // 2
    assert seen.occluded is not None and seen.occluded[middle]
    half = change_to(with_head(board(), 1.5), reference)
    left = middle[0], middle[1] - round(1.2 * OUTLINES.pitch)
    assert half.occluded is not None and seen.occluded[left] and not half.occluded[left]


def test_a_turn_beside_it_is_seen(reference: Reference) -> None:
    touched = change_to(with_head(board(changed(FAR, ""))), reference).touched
    assert touched[FAR] > 0.3 and sorted(touched)[-2] < 0.1


def test_a_turn_under_it_is_seen_when_it_has_gone(reference: Reference) -> None:
    later = board(changed(UNDER, ""))
    assert change_to(with_head(later), reference).touched[UNDER] == 0.0
    reference.remove_objects(later)
    assert change_to(later, reference).touched[UNDER] > 0.3


@pytest.mark.parametrize(
    ("gap", "hides", "same"), [(0.4, True, True), (1.5, True, False), (0.4, False, False)]
)
def test_changes_close_together_belong_to_one_object(gap: float, hides: bool, same: bool) -> None:
    """Under dark hair, dark domes look unchanged, and separate what it hides. What hides nothing is light,
    and a change beside it may be an act.
    """
    hidden = board()
    column = OUTLINES.columns[UNDER]
    bottom, left = column.top + column.height // 2, column.left
    below = bottom + round(gap * OUTLINES.pitch)
    hidden[bottom - 150 : bottom, left - 60 : left + 90] = 30
    hidden[below : below + 50, left : left + 50] = 30
    clear = Reference(Smoothed(board()))
    regions = Regions(change_to(hidden, clear))
    occluder = regions.occluder()
    assert occluder is not None
    found, _ = regions.scene_object(occluder, hidden, occluder.squares if hides else (), ())
    at = below + 25 - found.window.top, left + 25 - found.window.left
    assert bool(found.mask[at]) == same and not occluder.mask[at]


def with_arm(image: Image, right: float = 0.0, down: float = 0.0) -> Image:
    """A sleeve that ends close to the left of square d4, or is moved by so many squares."""
    column = OUTLINES.columns[UNDER]
    y = column.top + column.height // 2 + round(down * OUTLINES.pitch)
    x = column.left + round((right - 0.8) * OUTLINES.pitch)
    return np.asarray(cv2.line(image.copy(), (0, y), (x, y), (90, 140, 190), round(1.2 * OUTLINES.pitch)))


def look_at(image: Image, number: int) -> Any:
    """What is needed of a look, with the start as the reference."""
    change = change_to(image, Reference(Smoothed(board())))
    regions = Regions(change)
    occluder = regions.occluder()
    added = None if occluder is None else regions.scene_object(occluder, image, occluder.squares, ())
    return SimpleNamespace(
        number=number, change=change, touched=change.touched, smoothed=Smoothed(image), occluder=occluder,
        scene_object=lambda _: added,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("later", "rests"),
    [
        (with_arm(board(changed(UNDER, ""))), True),
        (with_arm(board(changed(INDEX["f3"], ""))), True),
        (with_arm(board()), False),
        (with_arm(board(), down=0.6), False),
        (with_head(with_arm(board()), 3.0), True),
    ],
    ids=["an act beside it", "an act far away", "nothing", "it has moved", "another arm"],
)
def test_an_arm_rests_if_others_act_beside_it(later: Image, rests: bool) -> None:
    resting = RestingOccluder()
    assert resting.examine(look_at(with_arm(board()), 1), {}) is None
    found = resting.examine(look_at(later, 2), {})
    assert (found is not None) is rests


def test_what_was_done_close_beside_a_resting_arm_is_no_part_of_it() -> None:
    """Alone, the second look shows one region of changes."""
    image = with_arm(board(changed(UNDER, "")))
    resting, second = RestingOccluder(), look_at(image, 2)
    resting.examine(look_at(with_arm(board()), 1), {})
    found = resting.examine(second, {})
    assert found is not None
    column, window = OUTLINES.columns[UNDER], found[0].window
    middle = column.top + column.height // 2 - window.top, column.left + column.width // 2 - window.left
    assert second.scene_object({})[0].mask[middle] and not found[0].mask[middle]


def test_a_square_that_an_object_covers_in_part_is_unknown() -> None:
    """A piece that is put down close beside a resting arm may count as its edge: nothing is known then."""
    reference = Reference(Smoothed(board()))
    image = with_arm(board(), 0.5)
    regions = Regions(change_to(image, reference))
    occluder = regions.occluder()
    assert occluder is not None
    reference.add_object(*regions.scene_object(occluder, image, (), ()))
    assert reference.covered_by_objects(None) == ()
    assert UNDER not in reference.covered_by_objects(change_to(image, reference))
    nearer = change_to(with_arm(board(), 0.8), reference)
    assert nearer.touched[UNDER] < 0.1 and UNDER in reference.covered_by_objects(nearer)
    assert INDEX["f3"] not in reference.covered_by_objects(nearer)
