"""The engine agrees with the rules core: the same legal turns, positions and results in every variant."""

from __future__ import annotations

import random
from typing import Any

import pytest

from focus_companion.game.moves import legal_moves
from focus_companion.game.play import Declaration, act, apply
from focus_companion.game.position import Position
from focus_companion.game.rules import ORDERS, Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import SQUARES
from focus_companion.game.start import Start
from focus_companion.players.encoding import position_bytes
from focus_companion.players.engine import Engine

VARIANTS: tuple[dict[str, Any], ...] = (
    {"players": 2},
    {"players": 2, "order": "rg"},
    {"players": 2, "set_up": "checkerboard", "reserve_on": "empty_or_own"},
    {"players": 2, "set_up": "drop"},
    {"players": 2, "set_up": "drop", "reserve_on": "empty_or_own", "fast": True},
    {"players": 2, "fast": True, "fast_each": 4, "fast_total": 7, "fast_own": "taken"},
    {"players": 3},
    {"players": 3, "order": "rgb", "stuck": "pass"},
    {"players": 3, "thirteenth_piece": False, "reserve_on": "empty_or_own"},
    {"players": 3, "fast": True},
    {"players": 3, "fast": True, "fast_own": "taken", "fast_total": 8},
    {"players": 4},
    {"players": 4, "stuck": "out", "reserve_on": "empty_or_own"},
    {"players": 4, "fast": True, "fast_total": None},
    {"players": 4, "partners": True},
    {"players": 4, "partners": True, "stuck": "out", "move_partner_stacks": True},
    {"players": 4, "partners": True, "move_partner_stacks": True, "reserve_on": "empty_or_own"},
)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


def assert_same(engine: Engine, position: Position, rules: Rules) -> None:
    """Assert that both agree: legal turns, stacks, reserves and captures, whose turn it is, the result."""
    ours, theirs = position_bytes(position), engine.board()
    assert theirs[:160] == ours[:160]  # stacks, reserves, taken, placing, captured
    rest = slice(165, 170)  # thirteenth piece, out, to_move, over, winners
    found, expected = list(theirs[rest]), list(ours[rest])
    if position.over:
        found[2] = expected[2] = 0
    assert found == expected
    assert set(engine.legal()) == set(legal_moves(position, rules))
    assert theirs[160:164] == bytes(
        sum(stack.endswith(player) for stack in position.stacks) if number < len(position.players) else 0
        for number, player in enumerate(position.players.ljust(4, "?"))
    )
    assert theirs[164] == position.stacks.count("")


def play_on_both(engine: Engine, position: Position, rules: Rules, seed: int, plies: int) -> Position:
    """Play at random on both boards, comparing them after every turn; return the last position."""
    choose = random.Random(seed)
    engine.set_up(position, rules)
    assert_same(engine, position, rules)
    for _ in range(plies):
        if position.over:
            break
        move = choose.choice(legal_moves(position, rules))
        position = apply(position, move, rules)
        engine.apply(move)
        assert_same(engine, position, rules)
        # The state that the engine updates from turn to turn equals what it computes from the position.
        carried = engine.board()
        engine.set_up(position, rules)
        if not position.over:
            assert engine.board() == carried
    return position


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_whole_games_agree(engine: Engine, variant: dict[str, Any]) -> None:
    rules = Rules.make(**variant)
    for seed in range(2):
        play_on_both(engine, start_position(rules), rules, seed, 150)


@pytest.mark.parametrize("variant", [v for v in VARIANTS if "set_up" not in v], ids=str)
def test_games_on_sparse_boards_end_the_same(engine: Engine, variant: dict[str, Any]) -> None:
    """With few stacks, players run out of turns, pass, are out or win; some have left the game."""
    ends = 0
    order = Rules.make(**variant).order
    for seed in range(50):
        choose = random.Random(f"{order} {seed}")
        stacks = [""] * len(SQUARES)
        for square in choose.sample(range(len(SQUARES)), choose.randint(2, 4)):
            stacks[square] = "".join(choose.choices(order, k=choose.choice((1, 2, 5))))
        start = Start.make(
            order,
            tuple(stacks),
            reserves={player: choose.choice((0, 0, 0, 0, 0, 1, 30)) for player in order},
            captured={order[0]: {order[1]: choose.randint(0, 3)}},
            out=choose.choice(("", order[-1])) if len(order) > 2 else "",
        )
        more = {key: value for key, value in variant.items() if key != "order"}
        rules = Rules.make(**{**more, "order": order, "set_up": "position", "start": start})
        position = start_position(rules)
        if position.over:
            continue
        if len(order) > 2 and choose.random() < 0.2:
            position = act(position, Declaration("leave", position.to_move), rules)
        position = play_on_both(engine, position, rules, seed, 60)
        ends += position.over
    assert ends >= 2


def test_every_order_is_tested() -> None:
    assert {v.get("order") for v in VARIANTS} - {None} and {v["players"] for v in VARIANTS} == set(ORDERS)
