"""The gains of stacks on one square equal those found by rendering, whatever stands around it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.simulator.scene_style import aimed_camera, pleasant_look
from focus_companion.vision.appearance.background import Background
from focus_companion.vision.appearance.colour_model import CLASSES, ColourModel
from focus_companion.vision.appearance.evidence import Evidence, classes
from focus_companion.vision.appearance.flat_pieces import TOP, FlatPieceColours, flat_tops
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.scene import BoardProfile
from focus_companion.vision.geometry.stack_masks import Outlines

LOOK = pleasant_look(320, 240)
PROFILES = {"caps": LOOK.profile, "draughts": board_profile("chess-draughts")}
AROUND = [{}, {"d3": "rgrgr"}, {"d3": "", "d5": "gg"}, {"d5": "gg"}]
"""Changes around d4, one position after another."""


def outlines_of(profile: BoardProfile) -> Outlines:
    return Outlines(aimed_camera(LOOK.camera.lens, profile, tilt=35, azimuth=0, fill=0.8), profile)


def colours() -> ColourModel:
    rng = np.random.default_rng(3)
    model = FlatPieceColours()
    model.learn({label: rng.integers(0, 255, (500, 3), np.uint8) for label in range(CLASSES)}, keep=0.0)
    return model


def position(changes: dict[str, str]) -> tuple[str, ...]:
    stacks = ["r" if number % 3 else "" for number in range(len(SQUARES))]
    stacks[INDEX["d4"]] = "grg"
    for square, stack in changes.items():
        stacks[INDEX[square]] = stack
    return tuple(stacks)


def differing(outlines: Outlines, stood: Sequence[str], square: int, stack: str) -> int:
    """Number of the board's pixels that another stack would change, by rendering both positions in full."""
    window = outlines.window(range(len(SQUARES)))
    before = {number: classes(standing) for number, standing in enumerate(stood)}
    painted = [
        outlines.paint(stacks, window, outlines.far_to_near, flat_tops(outlines), TOP)
        for stacks in (before, before | {square: classes(stack)})
    ]
    return int(np.count_nonzero(painted[0] != painted[1]))


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize("stack", ["", "g", "gr", "grgg", "rrrrr"])
def test_gains_follow_the_stacks_around_the_square(stack: str, profile: BoardProfile) -> None:
    square, outlines, model = INDEX["d4"], outlines_of(profile), colours()
    image = np.random.default_rng(4).integers(0, 255, (240, 320, 3), np.uint8)
    for changes in AROUND:
        stood = position(changes)
        cached, fresh = (
            Evidence(image, seen, model, Background(), stood).stack_gain(square, stack)
            for seen in (outlines, outlines_of(profile))
        )
        assert cached == fresh
        assert cached.pixels == differing(outlines, stood, square, stack)


@pytest.mark.parametrize("name", ["chess-draughts", "chess-chips", "chess-coins"])
def test_the_top_of_a_flat_piece_is_most_of_its_visible_area_from_above(name: str) -> None:
    outlines = outlines_of(board_profile(name))
    for tops, column in zip(flat_tops(outlines), outlines.columns, strict=True):
        for level, top in enumerate(tops, 1):
            piece = column.mask(level)
            assert 0.6 * piece.sum() < top.sum() < piece.sum()
            assert not (top & ~piece).any()


@pytest.mark.parametrize("name", ["domination", "domination-shouldered", "bottle-caps"])
def test_rounded_pieces_have_no_flat_tops(name: str) -> None:
    assert not flat_tops(outlines_of(board_profile(name)))


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_no_taller_stack_explains_more_than_the_upper_bound(profile: BoardProfile) -> None:
    image = np.random.default_rng(5).integers(0, 255, (240, 320, 3), np.uint8)
    evidence = Evidence(image, outlines_of(profile), colours(), Background(), position({}))
    for square in (INDEX["d4"], INDEX["e8"], INDEX["a3"]):
        for pieces in (1, 2):
            taller = ["".join(each) for n in range(pieces + 1, 5) for each in product("gr", repeat=n)]
            gains = [evidence.stack_gain(square, stack) for stack in taller]
            most = max(gain.nats / gain.weight for gain in gains)
            bound = evidence.taller_at_most(square, pieces, "gr", 4)
            assert most <= bound + 1e-6
            # A bound that is far too high would exclude nothing.
            assert bound - most < evidence.outlines.piece_pixels * 2
