"""The search is repeatable, bounded, and correct where the end is known; the engine matches its source."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import Any

import pytest
from test_players_rules import VARIANTS

from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.rules import ORDERS, Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import SQUARES
from focus_companion.game.start import Start
from focus_companion.players.choosing import Budget, choose, shared_engine
from focus_companion.players.engine import DECIDED_SCORE
from focus_companion.players.evaluation import chances, values
from focus_companion.players.levels import LEVELS

ROOT = Path(__file__).resolve().parent.parent.parent


def given(squares: dict[str, str], players: int = 2, **more: Any) -> tuple[Position, Rules]:
    """A position to begin from, and its rules."""
    order = ORDERS[players]
    beside = {key: more.pop(key) for key in ("reserves", "captured", "out", "to_move") if key in more}
    start = Start.make(order, tuple(squares.get(name, "") for name in SQUARES), **beside)
    rules = Rules.make(players, set_up="position", start=start, **more)
    return start_position(rules), rules


def random_game(variant: dict[str, Any], plies: int, seed: int = 1) -> list[Position]:
    """The positions of a game of random turns, up to the last one in which the game is not over."""
    pick, rules = random.Random(seed), Rules.make(**variant)
    game = [start_position(rules)]
    while len(game) <= plies:
        after = apply(game[-1], pick.choice(legal_moves(game[-1], rules)), rules)
        if after.over:
            break
        game.append(after)
    return game


def solved(position: Position, rules: Rules, side: str, plies: int) -> bool | None:
    """Whether a side can force a win (True) or must lose (False) within some plies; None if neither."""
    if position.result is not None:
        return (
            position.to_move in side
            if not position.result
            else bool(set(position.result.winners) & set(side))
        )
    if not plies:
        return None
    ours = position.to_move in side
    undecided = False
    for move in legal_moves(position, rules):
        end = solved(apply(position, move, rules), rules, side, plies - 1)
        if end is ours:
            return ours
        undecided |= end is None
    return None if undecided else not ours


@pytest.mark.parametrize("players", [2, 3, 4])
def test_forced_wins_and_losses_are_found(players: int) -> None:
    """If trying every turn three plies deep decides a position, the search reaches the same decision."""
    decided = {True: 0, False: 0}
    order = ORDERS[players]
    for seed in range(120):
        pick = random.Random(seed)
        names = pick.sample(SQUARES, 2)
        squares = {name: player * pick.randint(1, 2) for name, player in zip(names, order, strict=False)}
        position, rules = given(squares, players, reserves={order[0]: seed % 2})
        if position.over:
            continue
        end = solved(position, rules, rules.side_of(position.to_move), 3)
        shared_engine().set_up(position, rules)
        score = shared_engine().search(nodes=60_000).score
        if end is not None:
            decided[end] += 1
            assert (score > DECIDED_SCORE) is end and (score < -DECIDED_SCORE) is not end, (squares, seed)
    assert decided[True] >= 5


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_every_level_plays_legal_turns_in_every_variant(variant: dict[str, Any]) -> None:
    rules = Rules.make(**variant)
    game = random_game(variant, 60)
    for level in LEVELS:
        for position in (game[0], game[len(game) // 2], game[-1]):
            found = choose(position, rules, level, Budget(nodes=1500), seed=level)
            assert found.move in legal_moves(position, rules)
            assert 0 <= found.value <= 1 and found.nodes <= 1500 + 300  # the limit is checked between turns
            for move in found.line:  # the whole line can be played
                assert move in legal_moves(position, rules)
                position = apply(position, move, rules)


@pytest.mark.parametrize(
    "variant", [{"players": 2}, {"players": 3}, {"players": 4, "partners": True}], ids=str
)
def test_the_answer_does_not_depend_on_earlier_requests(variant: dict[str, Any]) -> None:
    rules = Rules.make(**variant)
    game = random_game(variant, 30)
    first = choose(game[-1], rules, budget=Budget(nodes=20_000), seed=5, earlier=game[:-1])
    for position in game[:5]:
        choose(position, rules, budget=Budget(nodes=3_000), seed=1)
    assert choose(game[-1], rules, budget=Budget(nodes=20_000), seed=5, earlier=game[:-1]) == first


def test_another_seed_gives_another_game() -> None:
    rules = Rules.make(2)
    found = {choose(start_position(rules), rules, 8, Budget(nodes=5_000), seed).move for seed in range(12)}
    assert len(found) > 2


def test_the_search_stops_on_request() -> None:
    rules = Rules.make(2)
    asked = 0

    def should_stop() -> bool:
        nonlocal asked
        asked += 1
        return asked >= 20

    found = choose(start_position(rules), rules, 8, Budget(should_stop=should_stop))
    assert asked == 20 and 5_000 < found.nodes < 50_000


def test_the_search_avoids_repeating_a_position() -> None:
    """If the position after the best turn has occurred before, another turn is chosen."""
    position, rules = given({"a3": "gggg", "h6": "rr", "h3": "rr"})
    moves = legal_moves(position, rules)
    best = choose(position, rules, budget=Budget(nodes=20_000)).move
    been = [apply(position, move, rules) for move in moves if move == best]
    again = choose(position, rules, budget=Budget(nodes=20_000), earlier=been)
    assert best in moves and again.move != best


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_game_of_three_computers_ends(seed: int) -> None:
    """Paranoid search takes each of them for behind, so each would be content to repeat positions."""
    rules = Rules.make(3)
    game = [start_position(rules)]
    while not game[-1].over and len(game) < 600:
        found = choose(game[-1], rules, budget=Budget(nodes=2_000), seed=seed, earlier=game[:-1])
        game.append(apply(game[-1], found.move, rules))
    assert game[-1].over


def test_a_reserve_piece_takes_the_last_stack() -> None:
    position, rules = given({"a3": "g", "h6": "rrrrr"}, reserves={"g": 1})
    found = choose(position, rules, budget=Budget(nodes=2_000))
    assert (found.move, found.value) == (Move.parse("*h6"), 1.0)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_evaluation_in_python_equals_the_engines(variant: dict[str, Any]) -> None:
    rules = Rules.make(**variant)
    engine = shared_engine()
    for position in random_game(variant, 80)[::9]:
        engine.set_up(position, rules)
        held = values(position, rules)
        if rules.players == 2 or rules.partners:
            side = rules.side_of(position.to_move)
            ours = sum(value if player in side else -value for player, value in held.items())
            tempo = engine.estimate(position.players.index(position.to_move)) / 1000 - ours
            engine.set_up(position, rules)
            others = [p for p in position.players if p not in side]
            theirs = engine.estimate(position.players.index(others[0])) / 1000
            assert theirs == pytest.approx(-ours - tempo, abs=1e-6)
        else:
            found = chances(position, rules)
            for index, player in enumerate(position.players):
                if player in position.out:
                    continue
                odds = engine.estimate(index)
                assert odds < 0 or found[player] > 0.2
                assert sum(chances(position, rules).values()) == pytest.approx(1)


def test_invalid_requests_are_refused() -> None:
    position, rules = given({"d5": "g"}, to_move="r")
    with pytest.raises(ValueError, match="over"):
        choose(position, rules)
    with pytest.raises(ValueError, match="level"):
        choose(start_position(Rules.make(2)), Rules.make(2), 9)


def test_the_shipped_engine_is_built_from_its_source() -> None:
    source = b"".join(
        (ROOT / "focus_companion" / "players" / "search" / name).read_bytes()
        for name in ("position.h", "evaluate.h", "board.h", "turns.h", "search.c")
    )
    built_from = (ROOT / "focus_companion" / "players" / "engine.sources").read_text().split()[0]
    assert hashlib.sha256(source).hexdigest() == built_from, (
        "build the engine again: make -C focus_companion/players/search"
    )
