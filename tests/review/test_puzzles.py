"""Puzzles: what they promise holds by plain counting, and no other turn gains as much."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from focus_companion.cli import main
from focus_companion.formats.json_record import record_to_json
from focus_companion.game.declarations import Declaration
from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.record import Entry, GameRecord
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.players.choosing import Budget, choose
from focus_companion.review.puzzles import LEAST, Puzzle, puzzles
from focus_companion.review.review import NotFinished

RULES = Rules.make(2)


@pytest.fixture(scope="module")
def record() -> GameRecord:
    """Two weak players, the same on every machine."""
    position = start_position(RULES)
    entries: list[Entry] = []
    earlier: list[Position] = []
    while not position.over:
        level = 1 if position.to_move == "g" else 2
        move = choose(position, RULES, level, Budget(nodes=5000), 0, earlier).move
        entries.append(Entry(move))
        earlier.append(position)
        position = apply(position, move, RULES)
    return GameRecord(RULES, entries=tuple(entries), result=position.result)


@pytest.fixture(scope="module")
def found(record: GameRecord) -> tuple[Puzzle, ...]:
    return puzzles(record)


def has(position: Position, player: str) -> int:
    """Stacks, captured pieces and reserve of one player of two, less the other's."""
    (other,) = set("gr") - {player}
    total = 0
    for one, sign in ((player, 1), (other, -1)):
        index = position.players.index(one)
        total += sign * sum(stack[-1:] == one for stack in position.stacks)
        total += sign * (sum(position.captured[index]) + position.reserves[index])
    return total


def kept(position: Position, move: Move) -> int:
    """What a turn gains after the worst answer."""
    player, after = position.to_move, apply(position, move, RULES)
    ends = [after] if after.over else [apply(after, reply, RULES) for reply in legal_moves(after, RULES)]
    return min(has(end, player) for end in ends) - has(position, player)


def test_a_puzzle_has_one_answer_and_it_gains_what_is_said(
    record: GameRecord, found: tuple[Puzzle, ...]
) -> None:
    assert found, "this game has some"
    positions = [start_position(RULES)]
    for entry in record.entries:
        assert isinstance(entry.what, Move)
        positions.append(apply(positions[-1], entry.what, RULES))
    for puzzle in found:
        position = positions[puzzle.ply]
        assert puzzle.start.stacks == position.stacks and puzzle.start.to_move == position.to_move
        assert kept(position, puzzle.move) == puzzle.gain >= LEAST
        others = [kept(position, move) for move in legal_moves(position, RULES) if move != puzzle.move]
        assert max(others) < puzzle.gain
        assert puzzle.text.endswith(f"to move gains {puzzle.gain}")
        # It can be set up and played from.
        rules = Rules.from_json({"players": 2, "set_up": "position", "start": puzzle.start.to_json("gr")})
        assert start_position(rules).stacks == position.stacks


def test_a_game_that_goes_on_gives_none(record: GameRecord) -> None:
    with pytest.raises(NotFinished):
        puzzles(GameRecord(RULES, entries=record.entries[:30]))


def test_the_command_prints_them(
    record: GameRecord, found: tuple[Puzzle, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the same game given up right after its second puzzle: cutting the puzzles takes a while."""
    expected = found[:2]
    played = expected[-1].ply + 1
    resigned = Entry(Declaration("resign", "gr"[played % 2]))
    path = tmp_path / "game.json"
    path.write_text(
        json.dumps(record_to_json(GameRecord(RULES, entries=(*record.entries[:played], resigned))))
    )
    with pytest.raises(SystemExit):
        main(["review", str(path), "--puzzles", "--json"])
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["move"] for one in printed] == [str(puzzle.move) for puzzle in expected]
