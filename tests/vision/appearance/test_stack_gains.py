"""What a stack on one square would gain: as painting it says, however the stacks around it have changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.simulator.scene_style import aimed_camera, pleasant_look
from focus_companion.vision.appearance.background import Background
from focus_companion.vision.appearance.colour_model import CLASSES, ColourModel
from focus_companion.vision.appearance.evidence import Evidence, classes
from focus_companion.vision.geometry.stack_masks import Outlines

LOOK = pleasant_look(640, 480)
CAMERA = aimed_camera(LOOK.camera.lens, LOOK.profile, tilt=35, azimuth=0, fill=0.8)
AROUND = [{}, {"d3": "rgrgr"}, {"d3": "", "d5": "gg"}, {"d5": "gg"}]
"""What stands beside d4 in one position after the other."""


def colours() -> ColourModel:
    rng = np.random.default_rng(3)
    model = ColourModel()
    model.learn({label: rng.integers(0, 255, (500, 3), np.uint8) for label in range(CLASSES)}, keep=0.0)
    return model


def position(changes: dict[str, str]) -> tuple[str, ...]:
    stacks = ["r" if number % 3 else "" for number in range(len(SQUARES))]
    stacks[INDEX["d4"]] = "grg"
    for square, stack in changes.items():
        stacks[INDEX[square]] = stack
    return tuple(stacks)


def differing(outlines: Outlines, stood: Sequence[str], square: int, stack: str) -> int:
    """Pixels of the board that another stack would change, by painting both positions whole."""
    window = outlines.window(range(len(SQUARES)))
    before = {number: classes(standing) for number, standing in enumerate(stood)}
    painted = [
        outlines.paint(stacks, window, outlines.far_to_near)
        for stacks in (before, before | {square: classes(stack)})
    ]
    return int(np.count_nonzero(painted[0] != painted[1]))


@pytest.mark.parametrize("stack", ["", "g", "gr", "grgg", "rrrrr"])
def test_gains_follow_the_stacks_around_the_square(stack: str) -> None:
    square, outlines, model = INDEX["d4"], Outlines(CAMERA, LOOK.profile), colours()
    image = np.random.default_rng(4).integers(0, 255, (480, 640, 3), np.uint8)
    for changes in AROUND:
        stood = position(changes)
        told, anew = (
            Evidence(image, seen, model, Background(480, 640), stood).stack_gain(square, stack)
            for seen in (outlines, Outlines(CAMERA, LOOK.profile))
        )
        assert told == anew
        assert told.pixels == differing(outlines, stood, square, stack)
