"""The first piece on an empty board corrects the pose at which the board was found."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from focus_companion.game.squares import INDEX
from focus_companion.simulator.board_view import BoardView
from focus_companion.simulator.for_tests.corner_error import corner_error
from focus_companion.simulator.scene_style import SceneStyle, pleasant_look
from focus_companion.simulator.stage import Stage
from focus_companion.vision.appearance.first_colours import before_any_piece
from focus_companion.vision.capture.frames import Frame, Image
from focus_companion.vision.detection.find_board import FoundBoard
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.geometry.pose import pushed
from focus_companion.vision.geometry.scene import BoardProfile, Camera
from focus_companion.vision.geometry.stack_masks import Outlines
from focus_companion.vision.tracking.change import Change, Smoothed
from focus_companion.vision.tracking.first_piece import fit_first_piece
from focus_companion.vision.tracking.placement import Placement
from focus_companion.vision.tracking.watcher import Watcher

EMPTY = ("",) * 52


@cache
def pictures(square: str = "d5") -> tuple[SceneStyle, Image, Image]:
    """The look of a table, its empty board, and the same board with a piece on one square."""
    look, rng = pleasant_look(640, 480), np.random.default_rng(4)
    view = BoardView(look)
    stacks = ["g" if s == INDEX[square] else "" for s in range(52)]
    return look, view.shoot(Stage(EMPTY), rng), view.shoot(Stage(tuple(stacks)), rng)


def fitted(now: Image, right: float, up: float) -> tuple[Camera, BoardProfile] | None:
    """The corrected pose if the board was found this many squares off."""
    look, before, _ = pictures()
    pitch = look.profile.pitch
    outlines = Outlines(pushed(look.camera, right * pitch, up * pitch, 0.0), look.profile)
    change = Change(Smoothed(now), Smoothed(before), outlines, EMPTY)
    placement = Placement(outlines, before_any_piece("gr", look.profile), constraints=0)
    found = fit_first_piece(now, change, placement, plastic_sets(), None)
    return None if found is None else (found.camera, found.profile)


@pytest.mark.parametrize(
    ("square", "right", "up"),
    [pytest.param("d5", 0.0, 0.0, marks=pytest.mark.slow), ("d5", -0.3, 0.3), ("d8", 0.0, -0.4)],
)
def test_a_board_found_between_its_squares_is_corrected(square: str, right: float, up: float) -> None:
    """Also if the piece seems to lie on the ledge."""
    look, _, now = pictures(square)
    found = fitted(now, right, up)
    assert found is not None and found[1] == look.profile
    assert corner_error(found[0], look.camera, look.profile) < 0.1


def test_a_fingertip_is_no_piece() -> None:
    look, before, _ = pictures()
    x, y = look.camera.project(np.array([(0.5 * look.profile.pitch, 0.0, 0.0)]))[0]
    now = before.copy()
    cv2.line(now, (round(x), round(y)), (round(x) + 14, round(y) - 16), (150, 170, 220), 9, cv2.LINE_AA)
    assert fitted(now, 0.0, 0.0) is None


def test_a_hand_with_a_piece_is_not_fitted() -> None:
    """Several changes, or a large one, say nothing certain of the pose."""
    _, _, now = pictures()
    cv2.line(reached := now.copy(), (0, 100), (260, 160), (120, 150, 200), 40, cv2.LINE_AA)
    assert fitted(reached, 0.4, 0.0) is None


def test_the_camera_may_sway_meanwhile() -> None:
    """The pose belongs to the reference picture, not to the moment at which the piece was seen."""
    look, before, now = pictures()
    found = FoundBoard(pushed(look.camera, 0.3 * look.profile.pitch, 0.0, 0.0), look.profile, 1.0)
    watcher = Watcher(plastic_sets(), EMPTY, "gr", finder=lambda *_: found)
    swayed = cv2.warpAffine(
        now, np.array([[1.0, 0.0, 6.0], [0.0, 1.0, 0.0]]), (640, 480), borderMode=cv2.BORDER_REPLICATE
    )
    for index in range(20):
        watcher.see(Frame(index, index / 10, before if index < 10 else swayed))
    assert watcher.outlines is not None
    assert corner_error(watcher.outlines.camera, look.camera, look.profile) < 0.1
