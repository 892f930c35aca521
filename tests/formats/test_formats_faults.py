"""Reading is total: any bytes give either a game or one clear error."""

from __future__ import annotations

import json
import random
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from record_games import JSON_VALUES, VARIANTS, played

from focus_companion.formats import strict_json
from focus_companion.formats.errors import FormatError
from focus_companion.formats.match import Match
from focus_companion.formats.reading import detect, read_record
from focus_companion.formats.writing import write
from focus_companion.game.faults import IllegalMove
from focus_companion.game.moves import Move, MoveTextError

RECORD: dict[str, Any] = {
    "format": "focus-companion game",
    "version": 1,
    "rules": {"players": 2},
    "players": {"red": {"name": "Ann"}},
    "moves": ["b2-b3"],
    "incidents": [],
    "result": None,
}

SIDE_BY_SIDE: dict[str, Any] = {
    "players": 4,
    "partners": True,
    "order": ["green", "yellow", "blue", "red"],
}
"""Partners next to each other, as earlier versions allowed."""
SIDE_BY_SIDE_TEXT = json.dumps(SIDE_BY_SIDE)


def changed(**more: Any) -> bytes:
    return json.dumps(RECORD | more).encode()


@pytest.mark.parametrize(
    ("data", "place", "problem"),
    [
        (b"", "", "empty"),
        (b"\n \n", "", "empty"),
        (b"hello", "line 1", "no game record"),
        (b"\xff\xff{}", "line 1", "no game record"),
        ('{"format": 1}'.encode("utf-16"), "", "written in UTF-16; save it as UTF-8"),
        (b'{"a": "\xff"}', "byte 8", "UTF-8"),
        (b"{", "column", "not JSON"),
        (b'{"format": NaN}', "", "NaN"),
        (b'{"format": 1e999}', "", "too large"),
        (b'{"format": ' + b"9" * 5000 + b"}", "", "too many digits"),
        (b'{"a": 1, "a": 2}', "", "'a' occurs twice"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "", "nested too deep"),
        (b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}", "", "nested too deep"),
        (changed(format="x"), "format", "expected"),
        (b"{}", "format", "missing"),
        (changed(version=2), "version", "newer"),
        (changed(version=True), "version", "expected 1"),
        (changed(version="1"), "version", "expected 1"),
        (changed(rules=[]), "rules", "an object"),
        (changed(rules={}), "rules.players", "missing"),
        (changed(rules={"players": True}), "rules.players", "true"),
        (changed(rules={"players": 5}), "rules", "5"),
        (changed(rules={"players": 2, "fast": "yes"}), "rules.fast", "'yes'"),
        (changed(rules={"players": 2, "partners": True}), "rules", "four"),
        (changed(rules={"players": 2, "start": []}), "rules.start", "a list"),
        (changed(rules={"players": 2, "order": ["red", 3]}), "rules.order", "colours"),
        (changed(rules={"players": 2, "order": ["red", "red"]}), "rules", "twice"),
        (changed(rules={"players": 2, "set_up": "position", "start": {"position": "x"}}), "rules", "ranks"),
        (changed(rules={"players": 2, "fast_eech": 3}), "rules", "did you mean 'fast_each'"),
        (changed(rules={"players": 2, "thirteenth-piece": True}), "rules", "'thirteenth_piece'"),
        (changed(rules={"players": 2, "xyzzy": 1}), "rules", "there are players, order"),
        (changed(rules=SIDE_BY_SIDE, moves=[]), "rules", "partners sit opposite"),
        (changed(players={"red": 3}), "players.red", "3"),
        (changed(players={"red": {"name": 3}}), "players.red.name", "3"),
        (changed(moves=None), "moves", "null"),
        (changed(moves={"0": "b2-b3"}), "moves", "a list"),
        (changed(moves=["b2-b3", 7]), "moves[1]", "7"),
        (changed(moves=["b2-b3", "b2b3"]), "moves[1]", "not a move"),
        (changed(moves=[{"move": "*d5", "time": "3"}]), "moves[0].time", "'3'"),
        (changed(moves=[{"move": "*d5", "time": -0.5}]), "moves[0].time", "-0.5 is negative"),
        (
            changed(moves=[{"move": "b2-b3", "time": 4}, "b5-b4", {"act": "draw", "time": 3.5}]),
            "moves[2].time",
            "3.5 is earlier than 4",
        ),
        (changed(incidents=[{"type": "alert", "time": -1}]), "incidents[0].time", "negative"),
        (changed(incidents=[{"time": 2}, {"time": "soon"}, {"time": 1}]), "incidents[2].time", "earlier"),
        (changed(moves=[{"act": "resign"}]), "moves[0].player", "null"),
        (changed(moves=[{"act": "sleep", "player": "red"}]), "moves[0].act", "'sleep'"),
        (changed(moves=[{"act": "resign", "move": "d5-d6"}]), "moves[0]", "at once"),
        (changed(date=20261120), "date", "20261120"),
        (changed(incidents=["x"]), "incidents[0]", "'x'"),
        (changed(result={"winners": ["blue"], "reason": "fast"}), "result.winners[0]", "'blue'"),
        (changed(result={"winners": ["red"], "reason": "luck"}), "result.reason", "'luck'"),
        (b'{"format": "focus-companion match", "version": 1, "games": []}', "games", "without"),
        (b'{"format": "focus-companion match", "version": 1, "games": [{}]}', "games[0].format", "missing"),
        (changed(sgf={"nodes": {"0": {"GC": ["a]b"]}}}), "sgf.nodes.0.GC", "SGF"),
        (changed(sgf={"variations": {"0": ["(;A[1]"]}}), "sgf.variations.0", "SGF"),
        (b"Focus move sheet\n", "line 1", "Players"),
        (
            b"Focus move sheet\nPlayers: green, red\n 1. b2-b3 xqq\n",
            "line 3",
            "the turn: 'xqq' is not a move",
        ),
        (b"Focus move sheet\nPlayers: green, red\n 1. xr\n", "line 3", "without a turn"),
        (b"Focus move sheet\nPlayers: green, red\n 1. b2-b3 @soon\n", "line 3", "not a time"),
        (b"Focus move sheet\nPlayers: green, red\nRule: fast\n", "line 3", "no rule"),
        (
            b"Focus move sheet\nPlayers: green, red\nRule: fast = yes\n",
            "line 3",
            "'yes' is no value of a rule",
        ),
        (b"Focus move sheet\nPlayers: green, red\nResult: green\n", "line 3", "no result"),
        (b"Focus move sheet\nPlayers: green, pink\n", "the sheet", "pink"),
        (b"Focus move sheet\nPlayers: green, red\nRule: fsat = true\n", "line 3", "did you mean 'fast'"),
        (
            b'Focus move sheet\nPlayers: red, green\nKept: {"json": {"rules": {"a": 1}}}\n',
            "line 3",
            "no rule 'a'",
        ),
        (b"Focus move sheet\nPlayers: green, red\n 1. b2-b3 @2 b5-b4 @1\n", "line 3", "earlier"),
        (b"Focus move sheet\nPlayers: green, red\n 1. b2-b3 @-2\n", "line 3", "negative"),
        (b'Focus move sheet\nPlayers: green, red\nIncident: {"time": -2}\n', "line 3", "negative"),
        (b"Focus move sheet\nPlayers: green, yellow, blue, red\nRule: partners = true\n", "the", "opposite"),
        (b'(;GM[36]RULES[{"order": ["red", "green"], "players": 2}])', "line 1, column 41", "write ] as \\]"),
        (b'(;GM[36]RULES[{"players": 2, "fsat": true}])', "root, RULES", "did you mean 'fast'"),
        (b'(;GM[36]RULES[{"players": 2}]KEPT[{"rules": {"a": 1}}])', "root, KEPT", "no rule 'a'"),
        (b'(;GM[36]RULES[{"players": 2}];MV[b2-b3]TIME[-1])', "node 1", "negative"),
        (b'(;GM[36]RULES[{"players": 2}];MV[b2-b3]TIME[2];MV[b5-b4]TIME[1])', "node 2, TIME", "earlier"),
        (b'(;GM[36]RULES[{"players": 2}]INCIDENT[{"time": -1}])', "root, INCIDENT", "negative"),
        (
            b"(;GM[36]RULES[" + json.dumps(SIDE_BY_SIDE).replace("]", "\\]").encode() + b"])",
            "root",
            "opposite",
        ),
    ],
)
def test_every_fault_says_what_and_where(data: bytes, place: str, problem: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_record(data, "game.json")
    error = caught.value
    assert error.place.startswith(place)
    assert problem in str(error)
    assert str(error).startswith("game.json: ")
    assert "\n" not in str(error) and len(str(error)) <= 400


def test_a_move_off_the_board_is_left_to_the_replay() -> None:
    match = read_record(changed(moves=["b2-b3", "d5-d9"]))
    with pytest.raises(IllegalMove, match="ply 2, d5-d9"):
        write(match, "json")


def test_capital_letters_are_named_as_the_fault_with_the_ply() -> None:
    for text in ("D5-D6", "d5-D6", "*D5"):
        with pytest.raises(IllegalMove, match=f"ply 2, .*small letters: .*{text.lower()[-2:]}"):
            write(read_record(changed(moves=["b2-b3", text])), "json")
        with pytest.raises(MoveTextError, match="capital letters"):
            Move.parse(text)


@pytest.mark.parametrize("name", ["json", "sgf", "text"])
def test_a_game_that_partners_played_side_by_side_is_read_as_it_was(name: str) -> None:
    match = read_record(changed(rules=SIDE_BY_SIDE, players={}, moves=["c4-c5"]))
    assert match.games[0].rules.order == "gybr" and match.games[0].rules.order_fault
    assert read_record(write(match, name)) == match


def total(data: bytes) -> None:
    try:
        match = read_record(data, "fuzz")
    except FormatError as error:
        assert str(error) and str(error).isprintable()
        return
    for name in ("json", "sgf", "text"):
        try:
            written = write(match, name)
        except IllegalMove as error:
            assert str(error)
            continue
        assert read_record(written).games[0].moves == match.games[0].moves


SAMPLES = tuple(
    write(Match((played(variant, 5, 12, act_at=11, players={"g": "Ann"}),), single=True), name)
    for variant in VARIANTS
    for name in ("json", "sgf", "text")
)
PIECES = (
    b"[",
    b"]",
    b"{",
    b"}",
    b"(",
    b")",
    b";",
    b'"',
    b"\\",
    b"\x00",
    b"\xff",
    b"NaN",
    b"-1",
    b"1e400",
    b"null",
    b"\n",
)


def damaged(seed: int) -> bytes:
    """A valid record with some bytes removed, duplicated, moved or replaced."""
    choose = random.Random(seed)
    data = bytearray(choose.choice(SAMPLES))
    for _ in range(choose.randint(1, 4)):
        start = choose.randrange(len(data) + 1)
        end = min(len(data), start + choose.choice((0, 1, 1, 2, 5, 40)))
        what = choose.randrange(4)
        if what == 0:
            del data[start:end]
        elif what == 1:
            data[start:end] = choose.choice(PIECES)
        elif what == 2:
            data[start:start] = data[start:end]
        else:
            data[start:end] = bytes(choose.randrange(256) for _ in range(end - start))
    return bytes(data)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**48))
def test_damaged_records(seed: int) -> None:
    total(damaged(seed))


RARE: Final = (12_484, 12_613, 12_933, 13_879, 18_127, 20_577, 21_702, 23_803)
"""Of 30,000 seeds, those after the first 12,000 whose damage made the readers do what no earlier one had."""


@pytest.mark.slow
def test_damaged_records_by_the_thousand() -> None:
    for seed in (*range(12_000), *RARE):
        total(damaged(seed))


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([b"", b"{", b"(;", b"(;GM[36]", b"Focus move sheet\n"]), st.binary(max_size=200))
def test_any_bytes(head: bytes, tail: bytes) -> None:
    total(head + tail)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([*RECORD, "date", "sgf"]), JSON_VALUES)
@example("rules", {"players": 2, "order": []})
@example("rules", {"players": 2, "start": {}})
def test_any_json_in_any_place(key: str, value: Any) -> None:
    total(changed(**{key: value}))


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(
        [
            "players",
            "order",
            "fast",
            "fast_each",
            "fast_total",
            "set_up",
            "stuck",
            "start",
            "partners",
            "reserve_on",
        ]
    ),
    JSON_VALUES,
)
def test_any_json_in_any_rule(key: str, value: Any) -> None:
    total(changed(rules={"players": 2, key: value}))
    total(changed(rules={"players": 2, "set_up": "position", "start": {key: value}}))
    total(
        changed(rules={"players": 3, "set_up": "position", "start": {"position": value, "captured": value}})
    )


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b" \n{", "json"),
        (b"\xef\xbb\xbf(;", "sgf"),
        (b"Focus move sheet", "text"),
        (b"PK", None),
        (b"", None),
    ],
)
def test_detection_is_by_content(head: bytes, kind: str | None) -> None:
    assert detect(head) == kind


@given(st.text())
def test_quoting_keeps_any_text_on_one_line(text: str) -> None:
    quoted = strict_json.quoted(text)
    assert len(quoted.splitlines()) <= 1
    assert strict_json.unquoted(quoted, "here") == text


def test_what_is_null_in_the_rules_is_left_out() -> None:
    (game,) = read_record(changed(rules={"players": 3, "start": None, "fast_total": None})).games
    assert game.rules == read_record(changed(rules={"players": 3})).games[0].rules
