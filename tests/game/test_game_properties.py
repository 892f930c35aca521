"""Properties of every game, tested on random games of every variant and against the oracle."""

import random
from typing import Any

import game_oracle
import pytest
from game_boards import VARIANTS
from hypothesis import given, settings
from hypothesis import strategies as st

from focus_companion.game.faults import explain, sentence
from focus_companion.game.moves import Move, carried, count_legal, legal_moves
from focus_companion.game.play import apply, play, removed, trimmed, untrimmed
from focus_companion.game.position import Position, parse_position, position_text
from focus_companion.game.record import Entry, GameRecord, positions
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import SQUARES

variants = st.sampled_from(sorted(VARIANTS))
seeds = st.integers(0, 2**32 - 1)


def gain(position: Position, move: Move, rules: Rules) -> int:
    """How much a turn takes from the opponents: captures first, then the height of a covered stack."""
    covered = position.stacks[move.target]
    hostile = covered and covered[-1] not in rules.side_of(position.to_move)
    taken = sum(piece.to == "captured" for piece in removed(position, move, rules))
    return 10 * taken + (len(covered) if hostile else 0)


def random_turn(chance: random.Random, position: Position, rules: Rules, greed: float) -> Move:
    """A legal turn; with probability ``greed`` the one that takes most: random games hardly ever end."""
    legal = legal_moves(position, rules)
    if chance.random() >= greed:
        return chance.choice(legal)
    gains = [gain(position, move, rules) for move in legal]
    most = max(gains)
    return chance.choice([move for move, taken in zip(legal, gains, strict=True) if taken == most])


def random_game(rules: Rules, seed: int, longest: int, greed: float = 0.8) -> list[tuple[Position, Move]]:
    chance = random.Random(seed)
    position, played = start_position(rules), []
    while not position.over and len(played) < longest:
        move = random_turn(chance, position, rules, greed)
        played.append((position, move))
        position = apply(position, move, rules)
    return played


@given(variants, seeds)
@settings(max_examples=60, deadline=None)
def test_every_turn_preserves_the_invariants(variant: str, seed: int) -> None:
    rules = Rules.make(**VARIANTS[variant])
    pieces = 12 if rules.players == 3 and not rules.thirteenth_piece else {2: 18, 3: 13, 4: 13}[rules.players]
    for before, move in random_game(rules, seed, 120):
        copy = (before.stacks, before.reserves, before.captured, before.placing, before.out, hash(before))
        after = play(before, move, rules)
        assert copy == (
            before.stacks,
            before.reserves,
            before.captured,
            before.placing,
            before.out,
            hash(before),
        )
        assert max(map(len, after.stacks)) <= 5
        for index, player in enumerate(rules.order):
            on_board = sum(stack.count(player) for stack in after.stacks)
            taken = sum(row[index] for row in after.captured)
            unplaced = after.placing[index] if after.placing else 0
            assert on_board + after.reserves[index] + taken + unplaced == pieces
        gone = removed(before, move, rules)
        assert trimmed(before, move) == after.stacks
        piled = untrimmed(before, move)[move.target]
        assert piled.endswith(carried(before, move))
        assert piled == "".join(piece.piece for piece in gone) + after.stacks[move.target]
        assert parse_position(after.text) == after.stacks
        assert position_text(parse_position(after.text)) == after.text


@given(variants, seeds)
@settings(max_examples=60, deadline=None)
def test_a_turn_is_either_legal_or_refused_with_a_reason(variant: str, seed: int) -> None:
    rules = Rules.make(**VARIANTS[variant])
    chance = random.Random(seed)
    everything = [Move(origin, target) for origin in (None, *range(52)) for target in range(52)]
    for position, _ in random_game(rules, seed, 80)[::7]:
        legal = legal_moves(position, rules)
        texts = [str(move) for move in legal]
        assert texts == sorted(set(texts))
        assert count_legal(position, rules) == len(legal) > 0
        allowed = set(legal)
        for move in {*legal, *chance.sample(everything, 200)}:
            fault = explain(position, move, rules)
            assert (fault is None) == (move in allowed), str(move)
            if fault is not None:
                assert sentence(fault).endswith(".") and "{" not in sentence(fault)
                assert all(0 <= square < 52 for square in fault.squares)


@pytest.mark.parametrize("origin", [None, *range(52)])
def test_every_move_is_read_back_from_its_text(origin: int | None) -> None:
    for target in range(len(SQUARES)):
        move = Move(origin, target)
        assert Move.parse(str(move)) == move
        assert eval(repr(move), {"Move": Move}) == move


@given(variants, seeds)
@settings(max_examples=25, deadline=None)
def test_undo_by_replay_gives_the_earlier_position(variant: str, seed: int) -> None:
    rules = Rules.make(**VARIANTS[variant])
    game = random_game(rules, seed, 60)
    back = random.Random(seed).randrange(len(game))
    record = GameRecord(rules, entries=tuple(Entry(move) for _, move in game[:back]))
    replayed = list(positions(record))
    assert replayed == [position for position, _ in game[: back + 1]]
    assert hash(replayed[-1]) == hash(game[back][0])


@given(variants, seeds)
@settings(max_examples=15, deadline=None)
def test_a_random_game_ends_or_is_still_legal_at_500_turns(variant: str, seed: int) -> None:
    rules = Rules.make(**VARIANTS[variant])
    game = random_game(rules, seed, 500, greed=0.3)
    before, move = game[-1]
    last = play(before, move, rules)
    assert (last.result is None) == bool(last.to_move) == bool(legal_moves(last, rules))
    assert last.result is not None or len(game) == 500


def assert_same(position: Position, state: dict[str, Any]) -> None:
    """Compare a position with the oracle's state."""
    order = position.players
    assert {n: s for n, s in zip(SQUARES, position.stacks, strict=True) if s} == state["board"]
    assert dict(zip(order, position.reserves, strict=True)) == state["reserve"]
    assert {p: position.captures(p) for p in order} == state["captured"]
    assert dict(zip(order, position.taken, strict=True)) == state["taken"]
    assert dict(zip(order, position.placing or (0,) * len(order), strict=True)) == state["hand"]
    assert list(position.out) == state["out"]
    assert position.to_move == state["turn"]
    outcome = position.result
    assert (None if outcome is None else (outcome.winners, outcome.reason)) == state["result"]


def compare(rules: Rules, seed: int, longest: int, greed: float) -> Position:
    """Play a random game in both implementations and return its last position."""
    position = start_position(rules)
    state = game_oracle.begin(rules, dict(zip(SQUARES, position.stacks, strict=True)))
    assert_same(position, state)
    for _, move in random_game(rules, seed, longest, greed):
        assert {str(legal) for legal in legal_moves(position, rules)} == game_oracle.turns(
            state, rules, state["turn"]
        )
        position, state = play(position, move, rules), game_oracle.after(state, rules, str(move))
        assert_same(position, state)
    return position


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_an_independent_implementation_agrees(variant: str) -> None:
    for seed in range(2):
        compare(Rules.make(**VARIANTS[variant]), seed, 150, 0.8)


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_an_independent_implementation_agrees_to_the_end(variant: str) -> None:
    ended = sum(compare(Rules.make(**VARIANTS[variant]), seed, 1500, 0.95).over for seed in range(100, 104))
    assert ended > 0, "none of these games ended, so they prove nothing about endings"
