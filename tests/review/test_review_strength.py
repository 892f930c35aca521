"""Players who follow the evaluation or the search beat weaker ones."""

import random
from collections.abc import Callable

import pytest

from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.players.evaluation import chances
from focus_companion.review.search import search

Player = Callable[[Position, Rules, random.Random], Move]


def random_player(position: Position, rules: Rules, choose: random.Random) -> Move:
    return choose.choice(legal_moves(position, rules))


def greedy(position: Position, rules: Rules, choose: random.Random) -> Move:
    """The turn with the highest immediate value."""
    turns = choose.sample(legal_moves(position, rules), len(legal_moves(position, rules)))
    return max(turns, key=lambda turn: chances(apply(position, turn, rules), rules)[position.to_move])


def searching(position: Position, rules: Rules, choose: random.Random) -> Move:
    return search(position, rules, random_player(position, rules, choose), 5_000).best.turn


def wins(one: Player, other: Player, games: int) -> int:
    """How many two-player games ``one`` wins, moving first in every other, each after four random turns."""
    rules, won = Rules.make(2), 0
    for seed in range(games):
        choose = random.Random(seed)
        sides = dict(zip("gr" if seed % 2 else "rg", (one, other), strict=True))
        position = start_position(rules)
        for number in range(400):
            player = sides[position.to_move] if number >= 4 else random_player
            position = apply(position, player(position, rules, choose), rules)
            if position.result is not None:
                won += sides[position.result.winners] is one
                break
    return won


def test_the_evaluation_beats_random_play() -> None:
    assert wins(greedy, random_player, 6) == 6


@pytest.mark.slow
def test_the_search_beats_the_evaluation_alone() -> None:
    assert wins(searching, greedy, 20) >= 17
