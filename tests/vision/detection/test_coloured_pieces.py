"""Recognizing pieces by their shades."""

from __future__ import annotations

import drawn_board
import numpy as np
import pytest
from drawn_board import PROFILE, draw, look, start_stacks

from benchmarks.accuracy.stills import drawn
from focus_companion.simulator.for_tests.corner_error import corner_error
from focus_companion.vision.detection import board_search, find_board
from focus_companion.vision.detection.coloured_pieces import coloured_pieces
from focus_companion.vision.detection.scored_fit import ScoredFit
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.geometry.pose import pushed

CAMERA = look(30.0, 20.0, 640.0, (1280, 960), 60.0)
STACKS = start_stacks()


def bgr(text: str) -> tuple[int, int, int]:
    return int(text[4:], 16), int(text[2:4], 16), int(text[:2], 16)


@pytest.mark.parametrize(
    ("board", "light"), [("dcd6cd", 1.0), ("1b1c20", 1.0), ("24305c", 1.0), ("dcd6cd", 0.2)]
)
def test_coloured_pieces_are_recognized_on_any_ground(board: str, light: float) -> None:
    image = draw(CAMERA, STACKS, np.random.default_rng(1), board=bgr(board))
    shown = coloured_pieces((image * light).astype(np.uint8), CAMERA, PROFILE)
    assert shown.tolist() == [stack != "" for stack in STACKS]


@pytest.mark.parametrize(
    "paint", [("171717", "e6e6e6"), ("ae1e20", "b02426")], ids=["black and white", "one hue"]
)
@pytest.mark.parametrize("board", ["2f7a3c", "b58a5a"])
def test_the_pieces_of_other_games_are_not_taken_for_those_of_this_one(
    monkeypatch: pytest.MonkeyPatch, board: str, paint: tuple[str, str]
) -> None:
    for letter, text in zip("gr", paint, strict=True):
        monkeypatch.setitem(drawn_board.PAINT, letter, bgr(text))
    image = draw(CAMERA, STACKS, np.random.default_rng(1), board=bgr(board))
    assert not coloured_pieces(image, CAMERA, PROFILE).any()


def test_pieces_beside_the_squares_do_not_count() -> None:
    image = draw(CAMERA, STACKS, np.random.default_rng(1))
    shifted = pushed(CAMERA, 0.5 * PROFILE.pitch, 0.5 * PROFILE.pitch)
    assert coloured_pieces(image, shifted, PROFILE).sum() < sum(stack != "" for stack in STACKS) / 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", [37, 34], ids=["blue", "black"])
def test_a_dark_board_seen_obliquely_is_recognized_by_its_pieces(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    still = drawn(seed, None)
    found = find_board.find_board(still.image, plastic_sets())
    assert found is not None
    assert corner_error(found.camera, still.camera, found.profile, turns=4, true_profile=still.profile) < 0.25
    for module in (board_search, find_board):
        monkeypatch.setattr(module, "colour_odds", lambda *_: 0.0)
    assert find_board.find_board(still.image, plastic_sets()) is None


def test_the_shades_of_pieces_do_not_make_a_pose_certain() -> None:
    """At a pose that is a fraction of a square off, the pieces show the same shades."""
    fit = ScoredFit(CAMERA, 3.5, None, moulded=1.0, colours=1.0)
    assert fit.confident and not fit.certain
