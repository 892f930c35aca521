"""The search finds at least what an exhaustive search of turns and replies finds."""

import random
from typing import Any

import pytest
from review_games import VARIANTS, given, random_record

from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.record import positions
from focus_companion.game.rules import Rules
from focus_companion.game.squares import SQUARES
from focus_companion.players.evaluation import chances
from focus_companion.review.search import search


def chance_after_reply(position: Position, rules: Rules, turn: Move) -> float:
    """The mover's chance after a turn and the best reply, whether an opponent or a partner replies."""
    mover = position.to_move
    after = apply(position, turn, rules)
    if after.over:
        return chances(after, rules)[mover]
    found = [chances(apply(after, move, rules), rules)[mover] for move in legal_moves(after, rules)]
    return max(found) if after.to_move in rules.side_of(mover) else min(found)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_lines_that_are_found_are_legal(variant: dict[str, Any]) -> None:
    record = random_record(**variant)
    game = list(positions(record))
    for ply in (3, len(game) - 3):
        position, played = game[ply], record.moves[ply]
        found = search(position, record.rules, played, 30_000)
        assert found.complete and found.played.turn == played
        assert 0 <= found.played.chance <= found.best.chance <= 1
        for line in (found.played, found.best):
            after = apply(position, line.turn, record.rules)
            assert after.over or line.answer in legal_moves(after, record.rules)
        assert search(position, record.rules, played, 30_000) == found


def test_a_forced_result_within_two_turns_is_found() -> None:
    """With one stack each: if a turn or the reply to it wins, the search finds it."""
    decided = 0
    for seed in range(150):
        choose = random.Random(seed)
        names = choose.sample(SQUARES, 2)
        squares = {name: "gr"[at % 2] * choose.randint(1, 3) for at, name in enumerate(names)}
        position, rules = given(squares, reserves={"g": choose.randint(0, 1), "r": choose.randint(0, 1)})
        for turn in legal_moves(position, rules)[::7]:
            outlook = chance_after_reply(position, rules, turn)
            if outlook in (0, 1):
                decided += 1
                assert search(position, rules, turn, 6_000).played.chance == outlook, (squares, str(turn))
    assert decided > 20


def test_the_work_is_bounded_by_the_limit() -> None:
    record = random_record(40, players=2)
    game = list(positions(record))
    for limit in (0, 200, 400):
        found = search(game[20], record.rules, record.moves[20], limit)
        assert found.looked_at <= limit + 300
        assert found.best.chance >= found.played.chance
    alone = search(game[20], record.rules, record.moves[20], 0)
    assert (alone.looked_at, alone.complete, alone.best, alone.played.answer) == (
        1,
        False,
        alone.played,
        None,
    )


def test_a_winning_turn_has_no_reply() -> None:
    position, rules = given({"d5": "g", "d6": "r", "d8": "r", "e6": "g"}, captured={"g": {"r": 1}})
    found = search(position, rules, Move.parse("d5-d6"), 1000)
    assert found.best.chance < 1
    position, rules = given({"d5": "g", "d6": "r"})
    found = search(position, rules, Move.parse("d5-d6"), 1000)
    assert (str(found.best.turn), found.best.answer, found.best.chance) == ("d5-d6", None, 1.0)
    position, rules = given({"d5": "g", "d7": "r"})
    lost = search(position, rules, Move.parse("d5-d6"), 1000).played
    assert (str(lost.answer), lost.chance) == ("d7-d6", 0.0)
