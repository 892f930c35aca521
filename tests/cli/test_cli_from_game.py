"""Starting a game from a position of a record."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from focus_companion.commands.shared.console import BadInput
from focus_companion.commands.shared.rule_options import camera_rule_options, match_options
from focus_companion.formats.json_record import read_json
from focus_companion.game.record import positions
from focus_companion.game.rules import Rules

MOVES = ["b6-b7", "b5-b6", "c6-c7", "c5-c6"]


def options_of(options, *args: str) -> tuple[Rules | None, str]:
    calls: list[tuple[Rules | None, str]] = []

    @click.command()
    @options
    def command(rules: Rules | None, start_from: str, **_: object) -> None:
        calls.append((rules, start_from))

    done: Result = CliRunner().invoke(command, list(args))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return calls[0]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.json"
    body = {"format": "focus-companion game", "version": 1, "rules": {"players": 2}, "moves": MOVES}
    path.write_text(json.dumps(body), encoding="utf-8")
    return path


@pytest.mark.parametrize("options", [camera_rule_options, match_options])
@pytest.mark.parametrize(("turn", "ply"), [("", 4), ("@4", 4), ("@1", 1), ("@0", 0)])
def test_the_start_is_the_position_after_the_given_turn(options, record: Path, turn: str, ply: int) -> None:
    rules, start_from = options_of(options, "--from-game", f"{record}{turn}")
    before = list(positions(read_json(record.read_bytes()).games[0]))[ply]
    assert rules is not None and rules.start is not None and start_from == ""
    assert rules.start.stacks == before.stacks and rules.start.to_move == before.to_move
    assert rules.start.reserves == before.reserves


@pytest.mark.parametrize(
    ("turn", "more", "said"),
    [("@9", [], "there is no turn 9; the last one is 4"), ("", ["--players", "3"], "has its own rules")],
)
def test_an_impossible_start_is_reported(record: Path, turn: str, more: list[str], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        options_of(match_options, "--from-game", f"{record}{turn}", *more)


def test_a_game_whose_pieces_are_not_all_placed_gives_no_start(tmp_path: Path) -> None:
    path = tmp_path / "three.json"
    body = {"format": "focus-companion game", "version": 1, "rules": {"players": 3}, "moves": []}
    path.write_text(json.dumps(body), encoding="utf-8")
    with pytest.raises(BadInput, match="still to be placed"):
        options_of(match_options, "--from-game", str(path))


@pytest.mark.parametrize("options", [camera_rule_options, match_options])
def test_a_position_that_is_not_given_is_read_by_the_camera(options, tmp_path: Path) -> None:
    rules, start_from = options_of(options, "--set-up", "position", "--players", "3")
    assert start_from == "camera" and rules == Rules.make(3)
    file = tmp_path / "rules.toml"
    empty = "-,-,-,-,-,-,-,-/" * 4
    position = f"-,-,-,-/g,-,-,-,-,r/{empty}-,-,-,-,-,-/-,-,-,-"
    file.write_text(f'set_up = "position"\n[start]\nposition = "{position}"', encoding="utf-8")
    rules, start_from = options_of(options, "--rules", str(file))
    assert start_from == "" and rules is not None and rules.set_up == "position"
