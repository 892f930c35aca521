"""A match in every format: its length is preserved, and its score is written."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from focus_companion.formats.errors import FormatError
from focus_companion.formats.match import Match
from focus_companion.formats.reading import read_record
from focus_companion.formats.writing import write

BOARD = (
    "-,-,-,-/-,-,-,-,-,-/-,-,-,-,-,-,-,-/-,-,-,rgggg,-,-,-,-/"
    "-,-,-,g,-,-,-,-/-,-,-,-,-,-,-,r/-,-,-,-,-,-/-,-,-,-"
)


def game(green: str, red: str, *, over: bool = True) -> dict[str, Any]:
    """Green captures one piece, then red resigns."""
    moves: list[Any] = ["d4-d5", *([{"act": "resign", "player": "red"}] if over else [])]
    return {
        "format": "focus-companion game",
        "version": 1,
        "rules": {
            "players": 2,
            "set_up": "position",
            "start": {"position": BOARD, "to_move": "green"},
        },
        "players": {"green": {"name": green}, "red": {"name": red}},
        "moves": moves,
    }


def match_of(*games: dict[str, Any], **more: Any) -> Match:
    record = {"format": "focus-companion match", "version": 1, "games": list(games)} | more
    return read_record(json.dumps(record).encode())


TWO = (game("Ann", "Ben"), game("Ann", "Ben"))


@pytest.mark.parametrize("name", ["json", "sgf", "text"])
@pytest.mark.parametrize("length", [None, 2, 4])
def test_the_length_is_preserved(name: str, length: int | None) -> None:
    match = match_of(*TWO, length=length)
    again = read_record(write(match, name))
    assert again.length == length and not again.single and len(again.games) == 2
    assert write(again, "json") == write(match, "json")


@pytest.mark.parametrize("name", ["json", "sgf", "text"])
def test_a_match_of_one_game_so_far_is_a_match(name: str) -> None:
    again = read_record(write(match_of(TWO[0], length=30), name))
    assert not again.single and again.length == 30


def test_every_export_names_the_winner() -> None:
    won = match_of(*TWO, length=2)
    assert json.loads(write(won, "json"))["score"] == {
        "totals": {"Ann": 2, "Ben": 0},
        "finished": 2,
        "over": True,
        "winners": ["Ann"],
        "tied": False,
    }
    assert b"Score: Ann 2, Ben 0\nScore: Ann wins the match\n" in write(won, "text")
    assert b'"winners": ["Ann"' in write(won, "sgf").replace(b"\\]", b"]")
    rows = write(won, "csv").decode().splitlines()
    assert rows[0].endswith(",match")
    assert rows[2].endswith('"Ann 1, Ben 0; 1 of 2 games finished"')
    assert rows[-1].endswith('"Ann 2, Ben 0; Ann wins the match"')
    going = match_of(*TWO, length=4)
    assert b"2 of 4 games finished" in write(going, "text")
    assert json.loads(write(going, "json"))["score"]["winners"] == []
    tied = match_of(game("Ann", "Ben"), game("Ben", "Ann"))
    assert b"the match is tied between Ann and Ben" in write(tied, "csv")
    unfinished = match_of(game("Ann", "Ben"), game("Ben", "Ann", over=False), length=2)
    assert b"1 of 2 games finished" in write(unfinished, "csv")


def test_a_single_game_has_no_match_score() -> None:
    lone = replace(match_of(TWO[0]), single=True)
    for name in ("json", "sgf", "text", "csv"):
        assert b"score" not in write(lone, name).lower() and b"match" not in write(lone, name).lower()


@pytest.mark.parametrize(
    ("length", "wording"),
    [(1, "holds 2 games"), (0, "1 to 999"), (1000, "1 to 999"), ("2", "'2'"), (True, "true")],
)
def test_an_invalid_length_is_refused(length: object, wording: str) -> None:
    with pytest.raises(FormatError, match=wording):
        match_of(*TWO, length=length)


def test_an_invalid_length_in_a_game_sheet_is_refused() -> None:
    with pytest.raises(FormatError, match="no match"):
        read_record(b"Focus move sheet\nMatch: many games\nPlayers: green, red\n")
