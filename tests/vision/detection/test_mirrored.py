"""Boards that are mirrored or cut off by the picture's edge are recognised as such, and no others."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from simulated import find_board

from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.vision.capture.frames import Image, read_image
from focus_companion.vision.detection.find_board import FoundBoard
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.geometry.orientation import (
    looks_mirror_symmetric,
    mirrored_stacks,
    sides_beyond,
    turned_stacks,
)

IMAGES = Path(__file__).parents[3] / "fixtures" / "images"
STARTS = {"2p-bump": 2, "2p-oblique": 2, "2p-overhead": 2, "3p-side": 3, "4p-overhead": 4}


def start(players: int) -> tuple[str, ...]:
    return start_position(Rules.make(players)).stacks


def picture(name: str) -> Image:
    """At half its size, to which the finder reduces it at first."""
    image = read_image(IMAGES / f"{name}-start.jpg")
    return np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)


def test_the_mirror_image_exchanges_the_files() -> None:
    stacks = list(start(2))
    stacks[INDEX["a4"]] = "gr"
    mirrored = mirrored_stacks(stacks)
    assert mirrored[INDEX["h4"]] == "gr" and mirrored_stacks(mirrored) == tuple(stacks)
    assert not looks_mirror_symmetric(stacks)


@pytest.mark.parametrize(("players", "alike"), [(2, True), (3, False), (4, False)])
@pytest.mark.parametrize("turns", range(4))
def test_only_the_start_of_two_players_is_its_own_mirror_image(players: int, alike: bool, turns: int) -> None:
    assert looks_mirror_symmetric(turned_stacks(start(players), turns)) is alike


@pytest.mark.parametrize(("name", "players"), STARTS.items())
@pytest.mark.parametrize("flipped", [False, True], ids=["true", "mirrored"])
def test_a_mirrored_start_is_recognised_if_it_differs_from_the_start(
    name: str, players: int, flipped: bool
) -> None:
    image = picture(name)
    image = np.ascontiguousarray(image[:, ::-1]) if flipped else image
    found = find_board(image, plastic_sets(), start(players))
    assert found is not None
    assert found.mirrored is (flipped and players > 2)
    assert sides_beyond(found.camera, found.profile) == ()


def rotated_away(image: Image, found: FoundBoard, edge: str, squares: float) -> Image:
    """The picture after rotating the camera until ``squares`` squares of the board are cut off at an edge."""
    lens = found.camera.lens
    pixels = found.camera.project(np.column_stack([found.profile.centres, np.zeros(52)]))
    axis, size = (0, lens.width) if edge in ("left", "right") else (1, lens.height)
    inner = squares * found.camera.pitch_pixels(found.profile)
    low = edge in ("left", "top")
    place = float(pixels[:, axis].min() + inner if low else pixels[:, axis].max() - inner)
    middle = size / 2
    angle = np.arctan((place - middle) / lens.focal) - np.arctan(((0 if low else size) - middle) / lens.focal)
    turn, _ = cv2.Rodrigues(np.array([0.0, -angle, 0.0] if axis == 0 else [angle, 0.0, 0.0]))
    homography = lens.matrix @ turn @ np.linalg.inv(lens.matrix)
    size_out = (image.shape[1], image.shape[0])
    return np.asarray(
        cv2.warpPerspective(image, homography, size_out, borderMode=cv2.BORDER_REFLECT_101), np.uint8
    )


# The command's tests have the other two edges of the board seen from above.
@pytest.mark.parametrize(
    ("name", "edge"),
    [
        ("2p-oblique", "left"),
        ("2p-oblique", "right"),
        ("2p-oblique", "top"),
        ("2p-oblique", "bottom"),
        ("4p-overhead", "right"),
        ("4p-overhead", "top"),
    ],
)
def test_the_edge_that_cuts_off_the_board_is_reported(name: str, edge: str) -> None:
    image, players = picture(name), STARTS[name]
    whole = find_board(image, plastic_sets(), start(players))
    assert whole is not None
    part = rotated_away(image, whole, edge, 0.7)
    found = find_board(part, plastic_sets(), start(players))
    assert found is not None and sides_beyond(found.camera, found.profile) == (edge,)


def test_a_board_that_reaches_the_edge_is_not_cut_off() -> None:
    image = picture("2p-overhead")
    whole = find_board(image, plastic_sets(), start(2))
    assert whole is not None
    x, y = whole.camera.project(np.column_stack([whole.profile.centres, np.zeros(52)])).T
    margin = 0.5 * whole.camera.pitch_pixels(whole.profile)
    cut = image[
        round(y.min() - margin) : round(y.max() + margin), round(x.min() - margin) : round(x.max() + margin)
    ]
    found = find_board(np.ascontiguousarray(cut), plastic_sets(), start(2))
    assert found is not None and sides_beyond(found.camera, found.profile) == ()
