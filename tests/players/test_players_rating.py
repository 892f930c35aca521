"""How much a player loses by moving a certain stack: nothing with the best turn, all with one that loses."""

from __future__ import annotations

import pytest
from test_players_engine import given, random_game

from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply
from focus_companion.game.rules import Rules
from focus_companion.players import rating
from focus_companion.players.choosing import Budget, choose
from focus_companion.players.rating import MAX_NODES, missed


def test_a_stack_with_the_best_turn_loses_nothing() -> None:
    game, rules = random_game({"players": 2}, 12), Rules.make(2)
    position = game[-1]
    best = choose(position, rules, budget=Budget(nodes=MAX_NODES), earlier=game[:-1]).move
    assert missed(position, rules, [best], game[:-1]) < 0.05
    assert missed(position, rules, legal_moves(position, rules), game[:-1]) == 0


def test_a_turn_that_misses_the_win_loses_nearly_everything() -> None:
    # Green wins at once by covering the last red stack; the other green stack covers nothing.
    position, rules = given({"c4": "gg", "e4": "r", "h6": "g"}, to_move="g")
    win = Move.parse("c4-e4")
    assert apply(position, win, rules).result is not None
    away = [move for move in legal_moves(position, rules) if move.origin == Move.parse("h6-g6").origin]
    assert away and missed(position, rules, away) > 0
    assert missed(position, rules, [win, *away]) == 0


@pytest.mark.parametrize("variant", [{"players": 2}, {"players": 3}, {"players": 4, "partners": True}])
def test_the_loss_is_a_share_of_the_chance_and_repeatable(
    variant: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Every stack is rated twice, so each rating gets only a tenth of the usual work.
    monkeypatch.setattr(rating, "MAX_NODES", MAX_NODES // 10)
    monkeypatch.setattr(rating, "_MAX_NODES_PER_TURN", rating._MAX_NODES_PER_TURN // 10)
    game = random_game(variant, 20)
    rules = Rules.make(**variant)  # type: ignore[arg-type]
    turns_of: dict[int | None, list[Move]] = {}
    for move in legal_moves(game[-1], rules):
        turns_of.setdefault(move.origin, []).append(move)
    losses = {origin: missed(game[-1], rules, turns, game[:-1]) for origin, turns in turns_of.items()}
    assert min(losses.values()) == 0 and 0 < max(losses.values()) <= 1
    for origin, turns in reversed(turns_of.items()):
        assert missed(game[-1], rules, turns, game[:-1]) == losses[origin]


def test_a_rating_with_the_full_work_is_repeatable() -> None:
    game, rules = random_game({"players": 2}, 20), Rules.make(2)
    moves = legal_moves(game[-1], rules)
    first = missed(game[-1], rules, moves[:1], game[:-1])
    missed(game[-1], rules, moves[-1:], game[:-1])
    assert 0 < missed(game[-1], rules, moves[:1], game[:-1]) == first <= 1
