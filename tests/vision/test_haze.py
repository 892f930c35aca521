"""Haze is measured in a picture and removed before the board is sought, read and watched."""

from __future__ import annotations

import numpy as np
import pytest
from simulated import find_board, view_of

from focus_companion.simulator.for_tests.corner_error import corner_error
from focus_companion.simulator.scene_style import pleasant_look
from focus_companion.simulator.stage import Stage
from focus_companion.vision.capture.frames import Frame, Image
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.haze import CLEAR, Haze
from focus_companion.vision.single_image.read_still import read_still
from focus_companion.vision.tracking.watcher import Watcher

LOOK = pleasant_look(640, 480)
FPS = 15


def hazy(image: Image, contrast: float, saturation: float = 1.0) -> Image:
    """The picture with only this share of its contrast and saturation, its black brightened."""
    grey = image.mean(axis=2, keepdims=True)
    colourful = grey + saturation * (image - grey)
    return np.rint(np.clip(140 + contrast * (colourful - 128), 0, 255)).astype(np.uint8)


@pytest.mark.parametrize("contrast", [0.8, 0.6, 0.4])
def test_removing_haze_restores_black_and_contrast(contrast: float) -> None:
    clear = np.random.default_rng(1).integers(0, 256, (240, 320, 3)).astype(np.uint8)
    seen = hazy(clear, contrast)
    haze = Haze.of(seen)
    assert haze != CLEAR
    restored = haze.removed(seen).astype(float)
    assert restored.min() < 30
    assert restored.max() == pytest.approx(seen.max(), abs=2), "its white stays as bright as it is"
    assert np.corrcoef(restored.ravel(), clear.ravel())[0, 1] > 0.999


@pytest.mark.parametrize("brightness", [0.2, 1.0], ids=["dark", "bright"])
def test_a_picture_that_shows_black_stays_as_it_is(brightness: float) -> None:
    image = view_of(LOOK).shoot(Stage(("g", "r") * 26), np.random.default_rng(3))
    image = (image * brightness).astype(np.uint8)
    haze = Haze.of(image)
    assert haze == CLEAR and haze.removed(image) is image


def test_a_picture_of_one_colour_has_no_haze() -> None:
    assert Haze.of(np.full((120, 160, 3), 180, np.uint8)) == CLEAR


def stage_and_stacks() -> tuple[Stage, tuple[str, ...]]:
    """A stage in the middle of a game."""
    rng = np.random.default_rng(11)
    stacks = [""] * 52
    for square in rng.choice(52, 20, replace=False):
        stacks[square] = "".join(rng.choice(list("gr"), int(rng.integers(1, 4))))
    return Stage(tuple(stacks)), tuple(stacks)


@pytest.mark.slow
def test_a_hazy_picture_is_read_as_well_as_a_clear_one() -> None:
    stage, stacks = stage_and_stacks()
    clear = view_of(LOOK).shoot(stage, np.random.default_rng(4))

    def right(image: Image) -> int:
        reading = read_still(image, plastic_sets(), "gr")
        return 0 if reading is None else sum(map(str.__eq__, reading.stacks, stacks))

    assert right(hazy(clear, 0.4, 0.5)) >= right(clear) - 2


@pytest.mark.slow
def test_a_board_in_haze_is_watched_without_it() -> None:
    stage, stacks = stage_and_stacks()
    image = hazy(view_of(LOOK).shoot(stage, np.random.default_rng(4)), 0.4, 0.5)
    watcher = Watcher(
        plastic_sets(),
        stacks,
        "gr",
        finder=lambda image, sets, standing, _: find_board(image, sets, standing),
    )
    looks = [watcher.see(Frame(index, index / FPS, image)) for index in range(FPS)]
    look = next(look for look in looks if look is not None)
    assert watcher.outlines is not None
    assert corner_error(watcher.outlines.camera, LOOK.camera, LOOK.profile) < 0.1
    assert Haze.of(look.image) == CLEAR != Haze.of(image)
    assert look.disagreeing(stacks) == ()
