"""Chess boards are found while empty, and oriented correctly whatever the shades of the pieces."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from simulated import view_of

from benchmarks.accuracy.starts import SHADES, empty, on_chess_board, seen_from
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.simulator.for_tests.corner_error import corner_error
from focus_companion.simulator.for_tests.random_look import random_look
from focus_companion.simulator.scene_style import (
    BoardStyle,
    PieceStyle,
    SceneStyle,
    aimed_camera,
    pleasant_look,
)
from focus_companion.simulator.stage import Hand, Stage
from focus_companion.vision.detection.chess_board import find_chess_board, fitted_to_corners
from focus_companion.vision.detection.find_board import find_board
from focus_companion.vision.detection.quarter_turn import right_way_round
from focus_companion.vision.geometry.board_profiles import board_profile, plastic_sets
from focus_companion.vision.geometry.orientation import same_turns
from focus_companion.vision.geometry.pose import pushed, turned

PROFILE = board_profile("chess-draughts")
EMPTY = [""] * 52
START = start_position(Rules.make(2)).stacks
WHITE, BLACK = "#e9dfc6", "#1d1b1a"


def chess_look(
    tilt: float, azimuth: float, first: str = WHITE, second: str = BLACK, size: tuple[int, int] = (640, 480)
) -> SceneStyle:
    look = pleasant_look(*size)
    camera = aimed_camera(look.camera.lens, PROFILE, tilt=tilt, azimuth=azimuth, fill=0.8)
    board = BoardStyle("square", "#d9c39a", "chess", "#7a4a2b", False, "#e9e7e0", gloss=0.25)
    pieces = PieceStyle(PROFILE.name, {**PieceStyle().colours, "g": first, "r": second})
    return replace(look, camera=camera, board=board, pieces=pieces)


def picture(look: SceneStyle, stage: Stage) -> NDArray[np.uint8]:
    return view_of(look).shoot(stage, np.random.default_rng(2))


@pytest.mark.parametrize(("tilt", "azimuth"), [(10, 20), (35, 200), (50, 305)])
def test_an_empty_chess_board_is_found(tilt: float, azimuth: float) -> None:
    look = chess_look(tilt, azimuth)
    found = find_board(picture(look, Stage(tuple(EMPTY))), [PROFILE], EMPTY)
    assert found is not None and corner_error(found.camera, look.camera, PROFILE, turns=4) < 0.05


def test_an_empty_chess_board_is_found_with_a_hand_over_its_edge() -> None:
    look = chess_look(30, 10)
    stage = Stage(tuple(EMPTY), hand=Hand("S", 20.0, -150.0, 40.0))
    found = find_board(picture(look, stage), [PROFILE], EMPTY)
    assert found is not None and corner_error(found.camera, look.camera, PROFILE, turns=4) < 0.05


def test_an_arm_across_the_middle_does_not_hide_the_boards_place() -> None:
    """It hides 24 of the 37 corners; the sides of the fields beside it leave only one place."""
    assert empty(125, 0, None).right


@pytest.mark.parametrize("fields", [(10, 10), (7, 10), (8, 9)])
def test_a_chequered_board_of_another_size_is_refused(fields: tuple[int, int]) -> None:
    pattern = cv2.resize(
        (np.indices(fields).sum(0) % 2 * 200 + 25).astype(np.uint8),
        None,
        fx=45,
        fy=45,
        interpolation=cv2.INTER_NEAREST,
    )
    image = np.full((600, 800, 3), 230, np.uint8)
    image[60 : 60 + len(pattern), 120 : 120 + len(pattern[0])] = pattern[..., None]
    assert find_chess_board(cv2.GaussianBlur(image, (0, 0), 1.2), PROFILE) is None


def test_the_frame_may_be_as_dark_as_the_dark_fields() -> None:
    look = chess_look(25, 40)
    board = look.board
    look = replace(look, board=replace(board, colour=board.cell_colour, cell_colour=board.colour))
    found = find_board(picture(look, Stage(tuple(EMPTY))), [PROFILE], EMPTY)
    assert found is not None and corner_error(found.camera, look.camera, PROFILE, turns=4) < 0.05


def draughts_start(fold: int) -> NDArray[np.uint8]:
    """A board with draughts as for a game of draughts, seen at an angle: fields of 45 pixels, in a frame as
    dark as the dark fields, and ``fold`` pixels between the halves.
    """
    fields = (np.indices((8, 8)).sum(0) % 2 * 130 + 70).astype(np.uint8)
    board = np.dstack([cv2.resize(fields, None, fx=45, fy=45, interpolation=cv2.INTER_NEAREST)] * 3)
    board = cv2.copyMakeBorder(board, 30, 30, 30, 30, cv2.BORDER_CONSTANT, value=(70,) * 3)
    for row, column in np.argwhere(fields == 70).tolist():
        shade = (110, 190, 200) if row < 3 else (140, 60, 40)
        if row not in (3, 4):
            cv2.circle(board, (45 * column + 52, 45 * row + 46), 19, shade, cv2.FILLED)
    board = np.insert(board, [210] * fold, 20, axis=0)
    image = cv2.copyMakeBorder(board, 60, 60, 170, 170, cv2.BORDER_CONSTANT, value=(180,) * 3)
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 1.2), np.uint8)


@pytest.mark.parametrize("fold", [0, 5])
def test_a_board_with_draughts_is_not_placed_a_row_off(fold: int) -> None:
    """The pieces hide sides of the last row, and the frame is as dark as its fields: the fields in the unused
    corners show where the board ends.
    """
    image = draughts_start(fold)
    found = find_chess_board(image, PROFILE)
    assert found is not None
    (middle,) = found[0].project(np.zeros((1, 3)))
    assert np.abs(middle - np.array(image.shape[1::-1]) / 2).max() < 5


@pytest.mark.parametrize(
    "shades", [((45, 40, 200), (40, 123, 40)), ((30, 30, 190), (80, 75, 70))], ids=["red-green", "red-grey"]
)
def test_fields_may_differ_only_in_colour(shades: tuple[tuple[int, int, int], ...]) -> None:
    fields = np.array(shades, np.uint8)[np.indices((8, 8)).sum(0) % 2]
    board = cv2.resize(fields, None, fx=45, fy=45, interpolation=cv2.INTER_NEAREST)
    table = np.full((480, 640, 3), 190, np.uint8)
    table[60:420, 140:500] = board
    image = np.asarray(cv2.GaussianBlur(table, (0, 0), 1.2), np.uint8)
    found = find_chess_board(image, PROFILE)
    assert found is not None
    assert np.abs(found[0].project(np.zeros((1, 3))) - (319.5, 239.5)).max() < 1
    moved = pushed(found[0], 0.2 * PROFILE.pitch, -0.15 * PROFILE.pitch)
    fitted = fitted_to_corners(image, moved, PROFILE, None)
    assert fitted is not None and corner_error(fitted[0], found[0], PROFILE) < 0.05


@pytest.mark.parametrize("shift", [(0.2, 0.18), (-0.24, 0.1)])
def test_a_pose_a_quarter_of_a_square_off_is_fitted_to_the_fields(shift: tuple[float, float]) -> None:
    look = chess_look(35, 20)
    image = picture(look, Stage(START))
    moved = pushed(look.camera, shift[0] * PROFILE.pitch, shift[1] * PROFILE.pitch)
    fitted = fitted_to_corners(image, moved, PROFILE, None)
    assert fitted is not None and corner_error(fitted[0], look.camera, PROFILE) < 0.05


def test_pieces_in_an_unknown_position_do_not_hide_the_fields() -> None:
    look = chess_look(35, 20)
    found = find_board(picture(look, Stage(START)), [PROFILE])
    assert found is not None and found.fitted_to_fields
    assert corner_error(found.camera, look.camera, PROFILE, turns=4) < 0.05


@pytest.mark.slow
def test_a_chequered_cloth_is_not_a_chess_board() -> None:
    fields = np.indices((20, 27)).sum(0) % 2
    cloth = cv2.resize(
        (fields * 150 + 50).astype(np.uint8), None, fx=30, fy=30, interpolation=cv2.INTER_NEAREST
    )
    assert find_chess_board(np.dstack([cloth] * 3), PROFILE) is None


@pytest.mark.parametrize(("first", "second"), [(WHITE, BLACK), (BLACK, WHITE), ("#c0c0c4", "#b08d57")])
@pytest.mark.parametrize(("azimuth", "rank1"), [(15, "bottom"), (195, "top")])
def test_rank_1_determines_whose_pieces_have_which_shade(
    first: str, second: str, azimuth: float, rank1: str
) -> None:
    """Rotating the board by half a turn only exchanges white and black."""
    look = chess_look(30, azimuth, first, second, (480, 360))
    image = picture(look, Stage(START))
    for wrong in (0, 2):
        camera = right_way_round(image, turned(look.camera, wrong), PROFILE, START, rank1)
        assert corner_error(camera, look.camera, PROFILE) < 0.05


def test_pieces_that_match_their_names_determine_the_orientation() -> None:
    usual = PieceStyle().colours
    look = chess_look(30, 195, usual["g"], usual["r"], (480, 360))
    image = picture(look, Stage(START))
    camera = right_way_round(image, turned(look.camera, 2), PROFILE, START, "bottom")
    assert corner_error(camera, look.camera, PROFILE) < 0.05


def test_half_a_turn_of_the_usual_start_only_exchanges_the_colours() -> None:
    assert same_turns(START) == (0,)
    assert same_turns(START, any_shades=True) == (0, 2)
    played = list(START)
    played[INDEX["d5"]] = ""
    assert same_turns(played, any_shades=True) == (0,)


@pytest.mark.slow
def test_an_empty_chess_board_is_not_read_as_one_of_the_plastic_sets() -> None:
    assert find_board(picture(chess_look(35, 75), Stage(tuple(EMPTY))), plastic_sets()) is None


@pytest.mark.slow
@pytest.mark.parametrize("case", [30, 48])
def test_the_fields_determine_the_pose_better_than_flat_pieces(case: int) -> None:
    """In weak light, the outlines of draughts alone leave the pose off by a fifth of a square."""
    rng = np.random.default_rng([case, 52])
    look = on_chess_board(random_look(rng, (640, 480)), rng, SHADES["white and black"], PROFILE.name)
    look = seen_from(look, rng, PROFILE, (20, 45))
    found = find_board(picture(look, Stage(START)), [PROFILE], START)
    assert found is not None and corner_error(found.camera, look.camera, PROFILE, turns=4) < 0.05
