"""A user's own set is measured in one picture of the start, and its shades determine the orientation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from simulated import view_of

from focus_companion.commands.read import command
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.simulator.scene_style import BoardStyle, PieceStyle, aimed_camera, pleasant_look
from focus_companion.simulator.stage import Stage
from focus_companion.vision.appearance.shades import shade_text
from focus_companion.vision.detection.find_board import find_board
from focus_companion.vision.geometry.board_profiles import (
    FORMS,
    ProfileError,
    board_profile,
    profile_text,
)
from focus_companion.vision.geometry.scene import Camera
from focus_companion.vision.single_image.measure_set import shade_name

START = start_position(Rules.make(2)).stacks


def disc(folder: Path, radius: float, height: float) -> str:
    path = folder / f"disc-{radius}-{height}.toml"
    path.write_text(
        f"pitch = 50.0\nhalf_width = 215.0\ntable = -12.0\n[piece]\nrise = {height}\n"
        f"rings = [[{radius}, 0.0], [{radius}, {height}], [0.0, {height}]]\n",
        encoding="utf-8",
    )
    return str(path)


def start_picture(
    profile: str, colours: dict[str, str], tilt: float, azimuth: float, size: tuple[int, int] = (960, 720)
) -> tuple[NDArray[np.uint8], Camera]:
    look = pleasant_look(*size)
    camera = aimed_camera(look.camera.lens, board_profile(profile), tilt=tilt, azimuth=azimuth, fill=0.86)
    look = replace(
        look,
        camera=camera,
        board=BoardStyle("square", "#d9c39a", "chess", "#7a4a2b", False, "#e9e7e0", gloss=0.25),
        pieces=PieceStyle(profile, {**PieceStyle().colours, **colours}),
    )
    stage = Stage(START, seats={"g": "S", "r": "N"})
    return view_of(look).shoot(stage, np.random.default_rng(3)), camera


@pytest.mark.slow
@pytest.mark.parametrize(
    ("radius", "height", "colours", "names"),
    [
        (15.0, 12.0, {"r": "#1d1b1a", "g": "#e9dfc6"}, ("White", "Black")),
        (20.0, 6.0, {"r": "#b0704a", "g": "#b4b4b8"}, ("Silver", "Copper")),
    ],
    ids=["white and black", "two metals"],
)
def test_a_set_is_measured_and_its_profile_can_be_used(
    radius: float, height: float, colours: dict[str, str], names: tuple[str, str], tmp_path: Path
) -> None:
    picture, _ = start_picture(disc(tmp_path, radius, height), colours, 35, 12)
    cv2.imwrite(str(tmp_path / "start.png"), picture)
    target = tmp_path / "mine.toml"
    said = CliRunner().invoke(
        command, [str(tmp_path / "start.png"), "--learn", str(target), "--rise", str(2 * height)]
    )
    assert said.exit_code == 0, said.output
    mine = board_profile(str(target))
    assert mine.piece.radius / mine.pitch == pytest.approx(radius / 50, rel=0.05)
    assert mine.rise / mine.pitch == pytest.approx(height / 50, rel=0.02)
    found = {look.letter: look.name for look in mine.pieces}
    assert (found["g"], found["r"]) == names
    assert shade_text(mine.shades["g"]) in said.output


@pytest.mark.slow
def test_the_height_is_measured_from_an_oblique_view_and_assumed_from_above(tmp_path: Path) -> None:
    """If no height is given."""
    shades = {"r": "#1d1b1a", "g": "#e9dfc6"}
    cases = (
        (38, [], "measured in the picture"),
        # No other form is compared with the draughts that are named.
        (12, ["--board", "chess-draughts"], "so 17% of a square was assumed"),
    )
    for tilt, more, says in cases:
        picture, _ = start_picture(disc(tmp_path, 16.0, 11.0), shades, tilt, 12)
        start, target = tmp_path / f"{tilt}.png", tmp_path / f"{tilt}.toml"
        cv2.imwrite(str(start), picture)
        said = CliRunner().invoke(command, [str(start), "--learn", str(target), *more])
        assert said.exit_code == 0 and says in said.output, said.output
        mine = board_profile(str(target))
        assert mine.piece.radius / mine.pitch == pytest.approx(16 / 50, rel=0.05)
        if tilt == 38:
            assert mine.rise / mine.pitch == pytest.approx(11 / 50, rel=0.25)


@pytest.mark.slow
@pytest.mark.parametrize("azimuth", [12, 192])
@pytest.mark.parametrize(
    ("name", "colours"),
    [
        ("chess-draughts-white-black", {"g": "#e9dfc6", "r": "#1d1b1a"}),
        ("chess-draughts-wood-brown", {"g": "#d9b886", "r": "#5c3a26"}),
        ("chess-draughts-white-red", {"g": "#e9e2d2", "r": "#a92a22"}),
    ],
)
def test_the_shades_of_the_set_determine_the_orientation_of_the_board(
    name: str, colours: dict[str, str], azimuth: float
) -> None:
    """Except for the colours, the start looks the same from the other side."""
    picture, camera = start_picture("chess-draughts", colours, 30, azimuth, (640, 480))
    profile = board_profile(name)
    found = find_board(picture, [profile], START)
    assert found is not None
    apart = found.camera.project(profile.corners) - camera.project(profile.corners)
    assert np.linalg.norm(apart, axis=1).max() < 0.5 * camera.pitch_pixels(profile)


def test_a_picture_without_a_board_is_reported(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "wall.png"), np.full((240, 320, 3), 180, np.uint8))
    said = CliRunner().invoke(command, [str(tmp_path / "wall.png"), "--learn", str(tmp_path / "a.toml")])
    assert said.exit_code != 0 and not (tmp_path / "a.toml").exists()


@pytest.mark.parametrize("name", FORMS)
def test_a_written_profile_is_read_back(name: str, tmp_path: Path) -> None:
    profile = board_profile(name)
    path = tmp_path / f"{name}.toml"
    path.write_text(profile_text(profile, "Two\nlines"), encoding="utf-8")
    assert board_profile(str(path)) == profile


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('like = "nothing"', "'like' must be one of"),
        ('like = "chess-draughts"\n[colours.green]\nshade = "white"', "is not as #e8e0d0"),
        ('like = "chess-draughts"\n[colours.pink]\nshade = "#ff00ff"', "is not a colour"),
        ('like = "chess-draughts"\n[colours.green]\nname = "White"', "shade is missing"),
    ],
)
def test_invalid_entries_of_a_profile_are_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ProfileError, match=said):
        board_profile(str(path))


def test_a_profile_with_other_colours_keeps_its_dimensions() -> None:
    plain, coloured = board_profile("chess-draughts"), board_profile("chess-draughts-white-black")
    assert coloured.piece == plain.piece and coloured.shades["g"] == (236, 230, 216)
    assert [look.name for look in coloured.pieces] == ["Black", "White"]


@pytest.mark.parametrize(
    ("shade", "name"), [((240, 236, 228), "White"), ((20, 20, 22), "Black"), ((170, 105, 66), "Copper")]
)
def test_a_shade_gets_the_name_of_the_nearest_known_one(shade: tuple[int, int, int], name: str) -> None:
    assert shade_name(shade) == name
