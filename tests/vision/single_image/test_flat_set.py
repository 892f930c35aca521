"""Flat pieces on a chess board, read from one picture without knowing any shade."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest
from simulated import view_of

from focus_companion.game.squares import FILE, INDEX, RANK, SQUARES
from focus_companion.simulator.board_view import BoardView
from focus_companion.simulator.scene_style import (
    BoardStyle,
    PieceStyle,
    SceneStyle,
    aimed_camera,
    pleasant_look,
)
from focus_companion.simulator.stage import Stage
from focus_companion.vision.appearance.colour_model import CLASS
from focus_companion.vision.appearance.flat_pieces import TOP
from focus_companion.vision.detection.find_board import FoundBoard
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.scene import PieceLook
from focus_companion.vision.geometry.stack_masks import Outlines, Window, fields
from focus_companion.vision.single_image import read_still
from focus_companion.vision.single_image.flat_set import FieldShades, FlatColours

PROFILE = board_profile("chess-draughts")
LIGHT, DARK = "#d9c39a", "#7a4a2b"
SETS = {
    "white and black": ("#e9dfc6", "#1d1b1a"),
    "as the fields": ("#d8b27a", "#5a3620"),
    "copper and silver": ("#c0c0c4", "#b08d57"),
}
"""Shades of green's and red's pieces, so that a guess assigns them like this."""


def look_of(shades: tuple[str, str]) -> SceneStyle:
    look = pleasant_look(640, 480)
    camera = aimed_camera(look.camera.lens, PROFILE, tilt=35, azimuth=10, fill=0.9)
    board = BoardStyle("square", LIGHT, "chess", DARK, False, "#e9e7e0", gloss=0.25)
    pieces = PieceStyle(PROFILE.name, {**PieceStyle().colours, "g": shades[0], "r": shades[1]})
    return replace(look, camera=camera, board=board, pieces=pieces)


@cache
def position() -> tuple[str, ...]:
    """Some stacks, on fields of both kinds and beside the corners of the lattice."""
    rng = np.random.default_rng(5)
    stacks = [""] * len(SQUARES)
    for square in (*rng.choice(52, 16, replace=False), INDEX["b2"], INDEX["g7"]):
        stacks[square] = "".join(rng.choice(list("gr"), int(rng.integers(1, 4))))
    return tuple(stacks)


def picture(look: SceneStyle, stacks: tuple[str, ...]) -> np.ndarray:
    return view_of(look).shoot(Stage(stacks), np.random.default_rng(3))


def seen(look: SceneStyle, stacks: tuple[str, ...]) -> tuple[np.ndarray, Outlines, Window]:
    """The pixels of the board's window, with the outlines and the window."""
    outlines = Outlines(look.camera, PROFILE, 5)
    window = outlines.window(range(len(SQUARES)))
    return picture(look, stacks)[window.slices], outlines, window


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name != "as the fields")) for name in SETS]
)
def test_draughts_of_any_shades_are_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    look = look_of(SETS[name])
    found = FoundBoard(look.camera, PROFILE, 0.9, fitted_to_fields=True)
    monkeypatch.setattr(read_still, "find_board", lambda *_, **__: found)
    reading = read_still.read_still(picture(look, position()), [PROFILE], "gr")
    assert reading is not None
    wrong = [s for s, stack in enumerate(position()) if reading.stacks[s] != stack]
    doubtful = [s for s, whole in enumerate(reading.whole) if whole < 0.97]
    assert len(wrong) <= 1 and set(wrong) <= set(doubtful)
    assert len(doubtful) <= 5
    assert reading.camera == look.camera, "the fields determine the pose"


@pytest.mark.parametrize("name", ["white and black", pytest.param("as the fields", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("tilt", "most"), [(35, 1), pytest.param(12, 6, marks=pytest.mark.slow)])
def test_pieces_put_down_carelessly_are_read(
    name: str, tilt: float, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pieces stand off the centres by 6 % of a square (standard deviation), as in photographs of draughts. If
    they are supposed to stand at the centres, 12 of the 18 stacks are misread from 12°, and 5 from 35°.
    """
    look = look_of(SETS[name])
    camera = aimed_camera(look.camera.lens, PROFILE, tilt=tilt, azimuth=10, fill=0.9)
    look = replace(look, camera=camera, pieces=replace(look.pieces, placement=0.06 * PROFILE.pitch))
    found = FoundBoard(look.camera, PROFILE, 0.9, fitted_to_fields=True)
    monkeypatch.setattr(read_still, "find_board", lambda *_, **__: found)
    reading = read_still.read_still(picture(look, position()), [PROFILE], "gr")
    assert reading is not None
    wrong = [s for s, stack in enumerate(position()) if reading.stacks[s] != stack]
    assert len(wrong) <= most and all(reading.whole[s] < 0.7 for s in wrong)


@pytest.mark.parametrize(
    "width", [1.0, 1.3, *(pytest.param(w, marks=pytest.mark.slow) for w in (0.87, 1.12))]
)
def test_pieces_are_read_whatever_their_width(width: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the profile's width, 4 of the 18 stacks are misread if the pieces are an eighth wider."""
    look = look_of(SETS["white and black"])
    monkeypatch.setattr(SceneStyle, "profile", property(lambda _: PROFILE.with_pieces_scaled(width)))
    shown = BoardView(look).shoot(Stage(position()), np.random.default_rng(3))
    found = FoundBoard(look.camera, PROFILE, 0.9, fitted_to_fields=True)
    monkeypatch.setattr(read_still, "find_board", lambda *_, **__: found)
    reading = read_still.read_still(shown, [PROFILE], "gr")
    assert reading is not None
    assert reading.profile.piece.radius == pytest.approx(width * PROFILE.piece.radius, rel=0.05)
    assert reading.stacks == position()


def test_a_field_has_its_shade_in_its_light_whatever_stands_on_it() -> None:
    outlines = Outlines(look_of(SETS["white and black"]).camera, PROFILE, 5)
    window = outlines.window(range(len(SQUARES)))
    x, y = PROFILE.centres.T / (4 * PROFILE.pitch)
    lit = np.exp(0.3 * x - 0.2 * y + 0.1 * x * y)[:, None] * [1.0, 0.97, 1.03]
    light = (np.array(FILE) + np.array(RANK)) % 2 == 1
    shades = np.where(light[:, None], (90, 115, 130), (40, 60, 80)) * lit
    table = np.concatenate([[(0, 0, 0)], shades]).round().astype(np.uint8)
    pixels = table[fields(outlines, window)]
    everywhere = np.ones(pixels.shape[:2], bool)
    for square in range(0, len(SQUARES), 2):
        column = outlines.columns[square]
        pixels[column.window.within(window)][column.mask(1)] = (200, 215, 220)
    board = FieldShades.measured(pixels, outlines, window, everywhere)
    assert board is not None
    assert np.abs(board.bare / shades - 1).max() < 0.06
    ratio = board.light / lit
    assert (ratio / np.median(ratio, axis=0)).std() < 0.02


def test_the_shades_of_tops_are_found_among_shadows_and_other_things() -> None:
    look = look_of(SETS["copper and silver"])
    pixels, outlines, window = seen(look, position())
    # Three pieces of neither player, which are a small group.
    pixels = pixels.copy()
    for square in (INDEX["c8"], INDEX["f8"], INDEX["a3"]):
        centre = look.camera.project(np.append(PROFILE.centres[square], 8.5)[None])[0]
        place = tuple((centre - (window.left, window.top)).round().astype(int).tolist())
        cv2.circle(pixels, place, 12, (200, 60, 20), -1)
    colours = FlatColours.first(pixels, outlines, window, "gr", {})
    assert colours is not None
    silver, copper = (colours.tops[CLASS[letter] + TOP] for letter in "gr")
    assert silver[0] / silver[2] > 0.85 and copper[0] / copper[2] < 0.7


def test_colours_that_mix_at_the_edges_of_fields_are_not_those_of_pieces() -> None:
    """As of blue and green fields, which a camera records with less resolution than their brightness."""
    outlines = Outlines(look_of(SETS["white and black"]).camera, PROFILE, 5)
    window = outlines.window(range(len(SQUARES)))
    green = (np.array(FILE) + np.array(RANK)) % 2 == 1
    shades = np.where(green[:, None], (45, 121, 44), (104, 40, 30))
    pixels = np.concatenate([[(150, 150, 150)], shades]).astype(np.uint8)[fields(outlines, window)]
    converted = cv2.cvtColor(pixels, cv2.COLOR_BGR2YCrCb)
    converted[..., 1:] = cv2.GaussianBlur(converted[..., 1:], (0, 0), 0.05 * outlines.pitch)
    pixels = np.asarray(cv2.cvtColor(converted, cv2.COLOR_YCrCb2BGR), np.uint8)
    for square, shade in ((INDEX["d5"], (26, 28, 28)), (INDEX["e3"], (100, 126, 144))):
        centre = outlines.camera.project(np.append(PROFILE.centres[square], 8.5)[None])[0]
        place = tuple((centre - (window.left, window.top)).round().astype(int).tolist())
        cv2.circle(pixels, place, round(0.35 * outlines.pitch), shade, -1)
    colours = FlatColours.first(pixels, outlines, window, "gr", {})
    assert colours is not None
    assert sorted(round(shade.sum()) for shade in colours.tops.values()) == pytest.approx([82, 370], abs=12)


def test_known_shades_say_whose_the_pieces_are() -> None:
    pixels, outlines, window = seen(look_of(SETS["white and black"]), position())
    for white, black in (("g", "r"), ("r", "g")):
        named = {
            piece.letter: piece.shade
            for piece in (
                PieceLook(white, "White", (233, 223, 198)),
                PieceLook(black, "Black", (29, 27, 26)),
                PieceLook("b", "Blue", (40, 85, 170)),
            )
        }
        colours = FlatColours.first(pixels, outlines, window, "gr", named)
        assert colours is not None
        assert colours.shades[white][0] > 150 > colours.shades[black][0]
