"""Board profiles: those that are shipped, those that are refused, and games on a chess board."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from focus_companion.game.rules import Rules
from focus_companion.session.pipeline import Pipeline
from focus_companion.session.session import Session
from focus_companion.simulator.beats import Pace
from focus_companion.simulator.for_tests.script import script_game
from focus_companion.simulator.scene_style import BoardStyle, PieceStyle, aimed_camera, pleasant_look
from focus_companion.vision.geometry.board_profiles import (
    ProfileError,
    board_profile,
    profiles_folder,
)
from focus_companion.vision.geometry.lens_profiles import LensError, read_lens

SHIPPED = sorted(path.stem for path in (profiles_folder() / "boards").glob("*.toml"))


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_profiles_are_valid(name: str) -> None:
    profile = board_profile(name)
    assert profile.name == name and profile.flat != name.startswith("domination")
    assert profile.centres.shape == (52, 2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("pitch = 50.0", "pitch = 'wide'"), "lengths are numbers"),
        (("pitch = 50.0", ""), "pitch is missing"),
        (("pitch = 50.0", "pitch = 30.0"), "smaller than a square"),
        (("rise = 8.5", "rise = 12.0"), "at most the height of one"),
        (("half_width = 215.0", "half_width = 21.5"), "half_width reaches"),
        (("[piece]", "[piece"), "is not a board profile"),
        (("pitch = 50.0", "pich = 50.0"), "'pich' is no key of a profile"),
        (("[piece]", "[gap]\nrank = 3.0\n[piece]"), r"'rank' is no key of \[gap\]"),
        (("[piece]", "gap = 3.0\n[piece]"), "lengths are numbers"),
        (("half_width = 215.0", "half_width = inf"), "finite"),
        (("table = -12.0", "table = nan"), "finite"),
    ],
)
def test_an_invalid_profile_is_reported(change: tuple[str, str], words: str, tmp_path: Path) -> None:
    text = (profiles_folder() / "boards" / "chess-draughts.toml").read_text(encoding="utf-8")
    place = tmp_path / "mine.toml"
    place.write_text(text.replace(*change), encoding="utf-8")
    with pytest.raises(ProfileError, match=words) as raised:
        board_profile(str(place))
    assert "mine.toml" in str(raised.value)


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_profile_in_another_encoding_is_refused_with_what_to_do(encoding: str, tmp_path: Path) -> None:
    board, lens = tmp_path / "mine.toml", tmp_path / "lens.toml"
    for place in (board, lens):
        place.write_text("# Grüße\npitch = 50.0\n", encoding=encoding)
    with pytest.raises(ProfileError, match=r"mine\.toml.*save the file as UTF-8"):
        board_profile(str(board))
    with pytest.raises(LensError, match=r"lens\.toml.*save the file as UTF-8"):
        read_lens(lens)


def test_a_profile_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    place = tmp_path / "mine.toml"
    place.write_text('like = "chess-draughts"\npitch = 51.0\n', encoding="utf-8-sig")
    assert board_profile(str(place)).pitch == 51.0


@pytest.mark.parametrize("content", ["pitch = " + "[" * 100_000, "#" * 1_000_001])
def test_a_profile_that_never_ends_is_refused(tmp_path: Path, content: str) -> None:
    place = tmp_path / "mine.toml"
    place.write_text(content, encoding="utf-8")
    with pytest.raises(ProfileError, match=r"mine\.toml is not a board profile"):
        board_profile(str(place))


def test_a_profile_like_another_may_differ_in_anything(tmp_path: Path) -> None:
    """A folding board's gap, or the height by a ruler, must not be ignored."""
    place = tmp_path / "mine.toml"
    place.write_text(
        'like = "chess-draughts"\npitch = 51.0\n[piece]\nrise = 8.0\n[gap]\nranks = 3.0\n', encoding="utf-8"
    )
    base = board_profile("chess-draughts")
    changed = replace(base, name="mine", pitch=51.0, rise=8.0, gaps=(0.0, 3.0))
    assert board_profile(str(place)) == changed


def test_a_missing_profile_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match=r"chess-draughts, .*domination"):
        board_profile("no-such-set")
    with pytest.raises(ProfileError, match="no-such-set"):
        board_profile(str(tmp_path / "no-such-set.toml"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "colours"),
    [
        ("chess-draughts", {}),
        ("chess-draughts", {"r": "#1d1b1a", "g": "#e9dfc6"}),
        ("chess-chips", {"r": "#b08d57", "g": "#c0c0c4"}),
    ],
    ids=["four colours", "black and white", "coins"],
)
def test_a_game_on_a_chess_board_is_followed(name: str, colours: dict[str, str]) -> None:
    """With another profile, the program follows every turn and reports the illegal act."""
    profile = board_profile(name)
    look = pleasant_look(640, 480)
    look = replace(
        look,
        camera=aimed_camera(
            look.camera.lens, profile, tilt=45 if "chips" in name else 30, azimuth=12, fill=0.86
        ),
        board=BoardStyle("square", "#d9c39a", "chess", "#7a4a2b", False, "#e9e7e0", gloss=0.25),
        pieces=PieceStyle(name, {**PieceStyle().colours, **colours}),
    )
    rules = Rules.make(2)
    game = script_game(look, rules, seed=5, plies=8, trouble=0.3, pace=Pace(settle=1.2, wrong=1.3))
    session = Session(rules, {}, None, Pipeline(rules, [profile]))
    emitted = [event.to_json() for frame in game.frames(6.0) for event in session.push(frame)]
    assert [event["move"] for event in emitted if event["type"] == "move"] == [str(m) for _, m in game.turns]
    # This seed has one illegal act.
    assert [event["reason"] for event in emitted if event["type"] == "alert"] == ["not_straight"]
