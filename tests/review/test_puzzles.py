"""Puzzles: a plain count confirms what their turns gain, and that no other turn gains as much."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from review_games import given

from focus_companion.cli import main
from focus_companion.formats.json_record import record_to_json
from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.record import Declaration, Entry, GameRecord
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.review.puzzles import MIN_GAIN, Puzzle, puzzles
from focus_companion.review.review import NotFinished

RULES = Rules.make(2)
GAME = """
d5-d4 e4-e5 c2-c3 c7-c6 b6-b5 f5-f6 g6-g5 e2-e3 b5-b3 d2-d3 g2-g3 d3-c3 c4-c3 e3-c3 d3-c3 *c3 *c3 *c3 *c3
c5-c4 c3-g3 f3-g3 g5-g3 c4-d4 g3-b3 f6-f4 b4-b3 e6-e7 b2-b3 c6-c8 g4-f4 d4-f4 *f4 d6-d7 f4-d4 g7-f7 b3-d3
b7-c7 d4-g4 f7-d7 d3-f3 d7-d6 *e5 c7-c6 e5-e7 c8-c6 e7-e3 d7-d4 *d4 c6-c3 *c3 d6-c6 c3-e3 c6-c7 *c7
"""
"""A game of two weak players."""


@pytest.fixture(scope="module")
def record() -> GameRecord:
    position = start_position(RULES)
    for move in (moves := [Move.parse(text) for text in GAME.split()]):
        position = apply(position, move, RULES)
    return GameRecord(RULES, entries=tuple(map(Entry, moves)), result=position.result)


@pytest.fixture(scope="module")
def found(record: GameRecord) -> tuple[Puzzle, ...]:
    return puzzles(record)


def balance(position: Position, player: str) -> int:
    """Stacks, captured pieces and reserve of one player of two, minus the other's."""
    (other,) = set("gr") - {player}
    total = 0
    for one, sign in ((player, 1), (other, -1)):
        index = position.players.index(one)
        total += sign * sum(stack[-1:] == one for stack in position.stacks)
        total += sign * (sum(position.captured[index]) + position.reserves[index])
    return total


def gain_after_reply(position: Position, move: Move) -> int:
    """What a turn gains after the opponent's best reply."""
    player, after = position.to_move, apply(position, move, RULES)
    ends = [after] if after.over else [apply(after, reply, RULES) for reply in legal_moves(after, RULES)]
    return min(balance(end, player) for end in ends) - balance(position, player)


def test_a_puzzle_has_one_solution_with_the_stated_gain(
    record: GameRecord, found: tuple[Puzzle, ...]
) -> None:
    assert len(found) == 2
    positions = [start_position(RULES)]
    for entry in record.entries:
        assert isinstance(entry.what, Move)
        positions.append(apply(positions[-1], entry.what, RULES))
    for puzzle in found:
        position = positions[puzzle.ply]
        assert puzzle.start.stacks == position.stacks and puzzle.start.to_move == position.to_move
        assert gain_after_reply(position, puzzle.move) == puzzle.gain >= MIN_GAIN
        others = [
            gain_after_reply(position, move) for move in legal_moves(position, RULES) if move != puzzle.move
        ]
        assert max(others) < puzzle.gain
        assert puzzle.text.endswith(f"to move gains {puzzle.gain}")
        # The position can be set up and played from.
        rules = Rules.from_json({"players": 2, "set_up": "position", "start": puzzle.start.to_json("gr")})
        assert start_position(rules).stacks == position.stacks


def test_a_sufficient_gain_is_not_the_solution_if_another_turn_gains_more() -> None:
    """Either green stack covers the red one and wins the game; the taller one captures two pieces more."""
    position, rules = given({"e6": "g", "f3": "ggg", "f6": "rggrr"}, to_move="g")
    gains = {str(move): gain_after_reply(position, move) for move in legal_moves(position, rules)}
    assert {move: gain for move, gain in gains.items() if gain >= MIN_GAIN} == {"e6-f6": 2, "f3-f6": 4}
    (puzzle,) = puzzles(GameRecord(rules, entries=(Entry(Declaration("draw")),)))
    assert (puzzle.move, puzzle.answer, puzzle.gain) == (Move.parse("f3-f6"), None, 4)


def test_an_unfinished_game_gives_no_puzzles(record: GameRecord) -> None:
    with pytest.raises(NotFinished):
        puzzles(GameRecord(RULES, entries=record.entries[:30]))


def test_the_command_prints_puzzles(
    record: GameRecord, found: tuple[Puzzle, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(record_to_json(record)))
    with pytest.raises(SystemExit):
        main(["review", str(path), "--puzzles", "--json"])
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["move"] for one in printed] == [str(puzzle.move) for puzzle in found]
