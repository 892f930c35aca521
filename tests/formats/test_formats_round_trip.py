"""Every format is read back as the same game, with all its notes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from record_games import VARIANTS, played, records

from focus_companion.formats.json_record import write_json
from focus_companion.formats.match import Match
from focus_companion.formats.reading import read_record
from focus_companion.formats.writing import write
from focus_companion.game.record import GameRecord
from focus_companion.game.rules import Rules
from focus_companion.game.start import Start

READABLE = ("json", "sgf", "text")


@pytest.mark.parametrize("name", READABLE)
@settings(max_examples=60, deadline=None)
@given(record=records())
def test_any_game_is_read_back_unchanged(name: str, record: GameRecord) -> None:
    match = Match((record,), single=True)
    assert read_record(write(match, name)) == match


@pytest.mark.parametrize("name", READABLE)
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_long_games_of_every_variant(name: str, variant: dict[str, object]) -> None:
    match = Match((played(variant, 7, 400, act_at=350),), single=True)
    assert read_record(write(match, name)) == match


@pytest.mark.parametrize("name", READABLE)
def test_a_match_keeps_its_games_apart(name: str) -> None:
    games = tuple(played({"players": 2}, seed, 30, date=f"2026-11-{seed:02}") for seed in (1, 2, 3))
    assert read_record(write(Match(games), name)) == Match(games)


@pytest.mark.parametrize(
    "through", [("json", "sgf"), ("sgf", "text"), ("text", "json"), ("sgf", "json", "text", "sgf")]
)
def test_formats_may_be_chained(through: tuple[str, ...]) -> None:
    record = played({"players": 4}, 3, 120, act_at=60, players={"b": "Zoë: a\\b]"}, date="2026-11-20")
    match = Match((replace(record, incidents=({"type": "alert", "time": 3.25},)),), single=True)
    found = match
    for name in through:
        found = read_record(write(found, name))
    assert found == match


@pytest.mark.parametrize("name", READABLE)
def test_a_given_start_position_is_preserved(name: str) -> None:
    stacks = ["" for _ in range(52)]
    stacks[10], stacks[20], stacks[30] = "rgg", "gr", "grgrg"
    start = Start.make("rg", tuple(stacks), reserves={"r": 2}, captured={"g": {"r": 3}}, to_move="g")
    rules = Rules.make(2, order="rg", set_up="position", start=start)
    match = Match((GameRecord(rules=rules),), single=True)
    assert read_record(write(match, name)) == match


KNOWN = {
    "format": "focus-companion game",
    "version": 1,
    "rules": {"players": 2},
    "players": {"red": {"name": "Ann", "seat": "north"}, "umpire": "Tom"},
    "moves": [
        "b2-b3",
        {"move": "b5-b4", "time": 2, "thought": [1, {"a": None}]},
        {"act": "draw", "by": "all"},
    ],
    "place": {"town": "Łódź"},
}


@pytest.mark.parametrize("through", [("json",), ("sgf", "json"), ("text", "json")])
def test_unknown_keys_are_preserved_in_their_place(through: tuple[str, ...]) -> None:
    match = read_record(json.dumps(KNOWN).encode())
    for name in through:
        match = read_record(write(match, name))
    found = json.loads(write_json(match))
    assert found["players"]["red"] == {"name": "Ann", "seat": "north"}
    assert found["players"]["umpire"] == "Tom"
    assert found["moves"][1]["thought"] == [1, {"a": None}]
    assert found["moves"][2]["by"] == "all"
    assert found["place"] == {"town": "Łódź"}


def test_the_smallest_valid_record() -> None:
    text = '{"format": "focus-companion game", "version": 1, "rules": {"players": 3}, "moves": ["*a3"]}'
    (game,) = read_record(text.encode()).games
    assert game.rules == Rules.make(3)
    assert [str(move) for move in game.moves] == ["*a3"]
    assert game.entries[0].time is None


def test_a_sheet_typed_by_hand_may_be_spaced_in_any_way() -> None:
    plain = "Focus move sheet\nPlayers: green, red\n1. b2-b3 b5-b4\n2. c2-c3\n"
    typed = "\ufeffFocus move sheet\r\n\r\nPlayers:green red\r\n1.b2-b3\tb5-b4\r\n  2.c2-c3"
    assert read_record(typed.encode()) == read_record(plain.encode())


def test_the_result_that_follows_from_the_turns_is_written() -> None:
    record = played({"players": 2}, 1, 10, act_at=9)
    assert record.result is not None
    written = json.loads(write(Match((replace(record, result=None),), single=True), "json"))
    assert written["result"]["reason"] == record.result.reason
