"""Telling the board from racks and trays, whose discs fill a rectangle."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_board import PROFILE, Image, draw, look, start_stacks

from focus_companion.vision.detection.edges import Edges
from focus_companion.vision.detection.find_board import find_board
from focus_companion.vision.detection.rectangular_grid import rectangle_odds
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.geometry.scene import Camera

VIEWS = {
    "from above": (4.0, 20.0, 620.0, (640, 480), 60.0),
    "oblique, turned": (30.0, 160.0, 640.0, (640, 480), 60.0),
}
COLUMNS, ROWS = range(7), range(6)
SHADES = ((30, 30, 190), (40, 200, 235), (60, 55, 50))
"""Of discs of both players and of holes."""


def rack(camera: Camera) -> Image:
    """A rack for four in a row that stands beside the middle of the lattice."""
    random, pitch = np.random.default_rng(5), PROFILE.pitch
    shown = np.full((camera.lens.height, camera.lens.width, 3), (150, 160, 165), np.uint8)

    def fill(outline: np.ndarray, shade: tuple[int, ...]) -> None:
        points = camera.project(np.column_stack([outline, np.zeros(len(outline))]))
        cv2.fillConvexPoly(shown, np.round(16 * points).astype(np.int32), shade, cv2.LINE_AA, 4)

    left, bottom = -2.5 * pitch, -2.5 * pitch
    corners = np.array([(-0.7, -0.7), (6.7, -0.7), (6.7, 5.7), (-0.7, 5.7)])
    fill(corners * pitch + (left, bottom), (140, 60, 25))
    turns = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    circle = 0.4 * pitch * np.column_stack([np.cos(turns), np.sin(turns)])
    for column in COLUMNS:
        for row in ROWS:
            centre = np.array([left + column * pitch, bottom + row * pitch])
            fill(circle + centre, SHADES[random.integers(len(SHADES))])
    return np.asarray(cv2.GaussianBlur(shown, (0, 0), 0.8), np.uint8)


@pytest.mark.parametrize("view", VIEWS)
def test_a_rack_of_discs_is_likelier_a_rectangle(view: str) -> None:
    camera = look(*VIEWS[view])
    image = rack(camera)
    assert rectangle_odds(Edges.of(image), camera, PROFILE) > 5
    assert find_board(image, [PROFILE]) is None


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("stacks", [start_stacks(), [""] * 52], ids=["start", "empty"])
def test_a_board_is_likelier_a_board(view: str, stacks: list[str]) -> None:
    camera = look(*VIEWS[view])
    image = draw(camera, stacks, np.random.default_rng(3))
    assert rectangle_odds(Edges.of(image), camera, PROFILE) < -5


def test_half_a_board_under_an_arm_is_still_a_board() -> None:
    camera = look(*VIEWS["from above"])
    image = draw(camera, start_stacks(), np.random.default_rng(3))
    cv2.line(image, (0, 300), (330, 230), (110, 140, 195), 90)
    assert rectangle_odds(Edges.of(image), camera, PROFILE) < 0


def go_board(cell: int, stones: int, seed: int) -> Image:
    """A printed Go board, its lines ``cell`` pixels apart, with black and white stones on random points."""
    random, last = np.random.default_rng(seed), 19 * cell
    shown = np.full((20 * cell, 20 * cell, 3), (110, 165, 215), np.uint8)
    for at in range(cell, last + 1, cell):
        cv2.line(shown, (at, cell), (at, last), (30, 40, 50), 1, cv2.LINE_AA)
        cv2.line(shown, (cell, at), (last, at), (30, 40, 50), 1, cv2.LINE_AA)
    columns, rows = random.integers(1, 20, (2, stones))
    for column, row, shade in zip(columns, rows, random.choice((25, 235), stones), strict=True):
        at_point = int(column * cell), int(row * cell)
        cv2.circle(shown, at_point, round(0.46 * cell), (int(shade),) * 3, -1, cv2.LINE_AA)
    return np.asarray(cv2.GaussianBlur(shown, (0, 0), 0.6), np.uint8)


@pytest.mark.parametrize(("cell", "stones", "seed"), [(22, 80, 2), (24, 40, 1), (26, 40, 1), (26, 80, 2)])
def test_cells_between_printed_lines_resemble_a_board_by_chance(cell: int, stones: int, seed: int) -> None:
    assert find_board(go_board(cell, stones, seed), plastic_sets()) is None
