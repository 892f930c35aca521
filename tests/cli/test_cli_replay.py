"""``replay`` prints the position after every ply exactly as specified."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_games import VARIANTS, game

from focus_companion.game.colours import NAMES
from focus_companion.game.moves import legal_moves
from focus_companion.game.position import Position
from focus_companion.game.record import Entry, GameRecord, positions
from focus_companion.game.rules import Rules

START = (
    "-,-,-,-/r,r,g,g,r,r/-,g,g,r,r,g,g,-/-,r,r,g,g,r,r,-/-,g,g,r,r,g,g,-/-,r,r,g,g,r,r,-/g,g,r,r,g,g/-,-,-,-"
)
EMPTY = "-,-,-,-,-,-,-,"
BOARD = f"-,-,-,-/-,-,-,-,-,-/{EMPTY}g/-,-,-,rgggg,-,-,-,-/-,-,-,g,-,-,-,-/{EMPTY}r/-,-,-,-,-,-/-,-,-,-"
KEYS = ["ply", "move", "position", "reserves", "captured", "out", "to_move", "result"]


def expected(ply: int, move: str | None, position: Position, rules: Rules) -> dict[str, Any]:
    """The specified object, built in the simplest way, independently of the command."""
    players = position.players
    placing = (
        {NAMES[p]: n for p, n in zip(players, position.placing, strict=True)} if position.placing else None
    )
    result = position.result
    return {
        "ply": ply,
        "move": move,
        "position": position.text,
        "reserves": {NAMES[p]: position.reserve(p) for p in players},
        "captured": {NAMES[p]: {NAMES[o]: n for o, n in position.captures(p).items()} for p in players},
        **({"placing": placing} if placing else {}),
        "out": [NAMES[p] for p in position.out],
        "to_move": NAMES.get(position.to_move),
        "result": result and {"winners": [NAMES[p] for p in result.winners], "reason": result.reason},
        "legal": [str(turn) for turn in legal_moves(position, rules)],
    }


def test_the_start_is_as_specified(focus: Any, write: Any) -> None:
    ended = focus("replay", write("g.json", game({"players": 2}, 0)), "--positions")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == (
        f'{{"ply": 0, "move": null, "position": "{START}", "reserves": {{"green": 0, "red": 0}}, '
        '"captured": {"green": {"red": 0}, "red": {"green": 0}}, "out": [], "to_move": "green", '
        '"result": null}\n'
    )


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_every_line_of_every_variant(focus: Any, write: Any, rules: dict[str, Any]) -> None:
    record = game(rules, 300)
    path = write("g.json", record)
    ended = focus("replay", path, "--positions", "--legal")
    assert ended.status == 0
    made = Rules.from_json(rules)
    entries = tuple(Entry.parse(move) for move in record["moves"])
    reached = positions(GameRecord(rules=made, entries=entries))
    wanted = [
        expected(ply, move, position, made)
        for ply, (move, position) in enumerate(zip([None, *record["moves"]], reached, strict=True))
    ]
    assert ended.objects == wanted
    assert list(ended.objects[-1]) == list(wanted[-1])  # the order of the keys, too
    plain = focus("replay", path, "--positions")
    assert plain.objects == [{k: v for k, v in line.items() if k != "legal"} for line in wanted]


def test_three_players_hold_the_thirteenth_piece(focus: Any, write: Any) -> None:
    first, second, *_ = focus("replay", write("g.json", game({"players": 3}, 3)), "--positions").objects
    assert first["reserves"] == {"green": 1, "blue": 1, "red": 1}
    assert second["reserves"] == {"green": 0, "blue": 1, "red": 1}
    assert set(first["captured"]["green"]) == {"blue", "red"}
    assert list(first) == KEYS


def test_pieces_to_place_are_counted_until_all_are_placed(focus: Any, write: Any) -> None:
    lines = focus(
        "replay", write("g.json", game({"players": 2, "set_up": "drop"}, 60)), "--positions"
    ).objects
    assert lines[0]["placing"] == {"green": 18, "red": 18} and lines[0]["reserves"] == {"green": 0, "red": 0}
    assert lines[35]["placing"] == {"green": 0, "red": 1}
    assert all("placing" not in line for line in lines[36:])


@pytest.mark.parametrize(
    ("act", "result"),
    [
        ({"act": "resign", "player": "green", "time": 9}, {"winners": ["red"], "reason": "resigned"}),
        ({"act": "leave", "player": "red"}, {"winners": ["green"], "reason": "resigned"}),
        ({"act": "draw"}, {"winners": [], "reason": "agreed draw"}),
        ({"act": "draw", "player": "red"}, {"winners": [], "reason": "agreed draw"}),
    ],
)
def test_an_act_does_not_count_as_a_ply(
    focus: Any, write: Any, act: dict[str, Any], result: dict[str, Any]
) -> None:
    record = game({"players": 2}, 2)
    record["moves"].append(act)
    lines = focus("replay", write("g.json", record), "--positions", "--legal").objects
    assert [line["ply"] for line in lines] == [0, 1, 2]
    assert lines[2]["result"] == result
    assert lines[2]["to_move"] is None and lines[2]["legal"] == [] and lines[2]["out"] == []


def test_a_player_of_three_who_leaves_is_out(focus: Any, write: Any) -> None:
    record = game({"players": 3}, 4)
    record["moves"].append({"act": "leave", "player": "blue"})
    last = focus("replay", write("g.json", record), "--positions").objects[-1]
    assert (last["ply"], last["out"], last["to_move"], last["result"]) == (4, ["blue"], "red", None)


@pytest.mark.parametrize("legal", [[], ["--legal"]])
@pytest.mark.parametrize(
    ("moves", "ply", "why"),
    [
        (["b2-b3", "b2-b3"], "ply 2, b2-b3", "no piece"),
        (["b2-b4"], "ply 1, b2-b4", "exactly"),
        (["b3-b4"], "ply 1, b3-b4", "red"),
        (["b2-b3", "*d5"], "ply 2, *d5", "reserve"),
        (["b2-b9"], "ply 1, b2-b9", "not on the board"),
        (["b2-b3", {"act": "draw"}, "b5-b4"], "ply 2, b5-b4", "over"),
        (["b2-b3", {"act": "resign", "player": "blue"}], "ply 2, resign", "not a player"),
    ],
)
def test_an_illegal_move_is_reported_in_one_line(
    focus: Any, write: Any, moves: list[Any], ply: str, why: str, legal: list[str]
) -> None:
    path = write("g.json", game({"players": 2}, 0) | {"moves": moves})
    ended = focus("replay", path, "--positions", *legal)
    ended.refused(1, str(path), ply, why)
    legal_plies = sum(isinstance(move, str) for move in moves) - (not isinstance(moves[-1], dict))
    assert len(ended.objects) == 1 + legal_plies
    focus("replay", path).refused(1, ply, why)
    focus("export", path, "--format", "sgf").refused(1, ply, why)


def test_a_file_of_many_records_continues_after_faults(focus: Any, write: Any) -> None:
    good = game({"players": 2}, 3)
    bad = game({"players": 2}, 2) | {"moves": ["b2-b3", "b2-b3"]}
    path = write("many.jsonl", [good, "", "{broken", bad, good, "[1]"])
    ended = focus("replay", path, "--positions")
    assert ended.status == 1
    assert [(line["game"], line["ply"]) for line in ended.objects] == [
        (1, 0), (1, 1), (1, 2), (1, 3), (4, 0), (4, 1), (5, 0), (5, 1), (5, 2), (5, 3),
    ]  # fmt: skip
    said = ended.err.splitlines()
    assert [line.split(": ")[2].split(",")[0] for line in said[:3]] == ["line 3", "line 4", "line 6"]
    assert "line 3, column 2: not JSON" in said[0]
    assert "ply 2, b2-b3" in said[1]
    assert "3 of 5 records" in said[3] and len(said) == 4


@pytest.mark.parametrize("name", ["one.jsonl", "two.txt"])
def test_json_lines_are_recognised_by_name_or_content(focus: Any, write: Any, name: str) -> None:
    records = [game({"players": 2}, 1)] * (1 if name == "one.jsonl" else 2)
    ended = focus("replay", write(name, records), "--positions")
    assert ended.status == 0
    assert {line["game"] for line in ended.objects} == set(range(1, len(records) + 1))


def test_an_empty_file_of_records(focus: Any, write: Any) -> None:
    focus("replay", write("empty.jsonl", ""), "--positions").refused(2, "empty.jsonl", "no records")


def test_the_games_of_a_match_are_numbered(focus: Any, write: Any) -> None:
    match = {
        "format": "focus-companion match",
        "version": 1,
        "games": [game({"players": 2}, 1), game({"players": 3}, 1)],
    }
    lines = focus("replay", write("m.json", match), "--positions").objects
    assert [(line["game"], line["ply"]) for line in lines] == [(1, 0), (1, 1), (2, 0), (2, 1)]


@pytest.mark.parametrize("name", ["sgf", "text"])
def test_other_formats_replay_identically(focus: Any, write: Any, tmp_path: Path, name: str) -> None:
    path = write("g.json", game({"players": 4}, 150))
    other = tmp_path / "other"
    assert focus("export", path, "--format", name, "--output", other).status == 0
    assert focus("replay", other, "--positions").out == focus("replay", path, "--positions").out


def test_the_output_for_people(focus: Any, write: Any) -> None:
    record = game({"players": 2}, 3) | {"players": {"green": {"name": "Ann"}}}
    ended = focus("replay", write("g.json", record))
    assert ended.status == 0
    assert f"1. green (Ann): {record['moves'][0]}" in ended.out
    assert ended.out.count("   a  b  c") == 4


def test_the_option_legal_requires_positions(focus: Any, write: Any) -> None:
    focus("replay", write("g.json", game({"players": 2}, 1)), "--legal").refused(2, "--legal", "--positions")


def test_a_closed_pipe_is_not_an_error(write: Callable[..., Path]) -> None:
    path = write("many.jsonl", [game({"players": 2}, 200)] * 40)
    command = [sys.executable, "-m", "focus_companion.cli", "replay", str(path), "--positions", "--legal"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 0


@pytest.mark.slow
def test_thousands_of_plies_per_second_are_replayed(focus: Any, write: Any) -> None:
    path = write("many.jsonl", [game(VARIANTS[n % len(VARIANTS)], 250, n) for n in range(60)])
    began = time.process_time()
    ended = focus("replay", path, "--positions", "--legal")
    rate = ended.out.count("\n") / (time.process_time() - began)
    assert ended.status == 0
    assert rate > 5000, f"{rate:.0f} plies a second"


def test_the_position_lines_are_json(focus: Any, write: Any) -> None:
    ended = focus("replay", write("g.json", game({"players": 2}, 5)), "--positions")
    for line in ended.out.splitlines():
        assert json.dumps(json.loads(line)) == line


def test_records_are_read_from_standard_input(focus: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    record = json.dumps(game({"players": 2}, 2))
    for text, games in ((record, {None}), (f"{record}\n{record}\n", {1, 2})):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert {line.get("game") for line in focus("replay", "-", "--positions").objects} == games


def test_a_file_too_long_for_memory_must_be_json_lines(
    focus: Any, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("focus_companion.commands.replay.MAX_RECORD_BYTES", 500)
    lines = [game({"players": 2}, 20)] * 3
    focus("replay", write("many.txt", lines), "--positions").refused(2, "many.txt", ".jsonl")
    assert focus("replay", write("many.jsonl", lines), "--positions").status == 0


def test_too_long_a_line_is_reported(focus: Any, write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("focus_companion.formats.reading.MAX_RECORD_BYTES", 400)
    ended = focus(
        "replay", write("many.jsonl", [game({"players": 2}, n) for n in (1, 200, 2)]), "--positions"
    )
    assert ended.status == 1 and {line["game"] for line in ended.objects} == {1, 3}
    assert "line 2" in ended.err and "longer than" in ended.err


def test_the_score_of_a_match_for_people(focus: Any, write: Any) -> None:
    """Points go to the player, whatever the colour: Ann has green twice, then Ben has."""
    start = {"position": BOARD, "to_move": "green"}
    rules = {"players": 2, "set_up": "position", "start": start}
    first = game({"players": 2}, 0) | {
        "rules": rules,
        "players": {"green": {"name": "Ann"}, "red": {"name": "Ben"}},
        "moves": ["d4-d5"],
    }
    second = first | {"players": {"green": {"name": "Ben"}, "red": {"name": "Ann"}}}
    match = {"format": "focus-companion match", "version": 1, "games": [first, first, second]}
    path = write("m.json", match)
    assert focus("replay", path).out.rstrip().splitlines()[-1] == "Match: Ann 2, Ben 1"
    assert "Match:" not in focus("replay", path, "--positions").out


SIDE_BY_SIDE = {"players": 4, "partners": True, "order": ["green", "yellow", "blue", "red"]}


@pytest.mark.parametrize("name", ["old.json", "old.jsonl"])
def test_an_old_game_of_partners_side_by_side_is_read_with_a_warning(
    focus: Any, write: Any, name: str
) -> None:
    record = {"format": "focus-companion game", "version": 1, "rules": SIDE_BY_SIDE, "moves": ["c4-c5"]}
    ended = focus("replay", write(name, record), "--positions")
    assert ended.status == 0 and len(ended.out.splitlines()) == 2
    assert json.loads(ended.out.splitlines()[1])["to_move"] == "yellow"
    assert ended.err.count("warning") == 1 and "partners sit opposite" in ended.err
    unplayed = focus("replay", write(name, record | {"moves": []}), "--positions")
    assert unplayed.status == (2 if name == "old.json" else 1)
    assert "partners sit opposite" in unplayed.err and "warning" not in unplayed.err


def test_a_mistyped_rule_in_a_record_is_refused(focus: Any, write: Any) -> None:
    record = game({"players": 2}, 3)
    record["rules"] = {"players": 2, "fast_eech": 3}
    focus("replay", write("g.json", record)).refused(2, "g.json", "rules", "did you mean 'fast_each'?")


def test_capital_letters_are_reported_with_the_ply(focus: Any, write: Any) -> None:
    record = game({"players": 2}, 0) | {"moves": ["b2-b3", "D5-D6"]}
    focus("replay", write("g.json", record)).refused(1, "ply 2, D5-D6", "small letters: d5-d6")
