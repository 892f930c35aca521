"""Short notations for positions in the tests of the rules."""

from collections.abc import Mapping
from typing import Any

from focus_companion.game.position import Position
from focus_companion.game.rules import ORDERS, Rules, parse_order
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.game.start import Start


def board(squares: Mapping[str, str]) -> tuple[str, ...]:
    """52 stacks, those named and empty squares."""
    assert set(squares) <= set(INDEX)
    return tuple(squares.get(name, "") for name in SQUARES)


def given(
    squares: Mapping[str, str],
    players: int = 2,
    *,
    order: str | None = None,
    to_move: str = "",
    reserves: Mapping[str, int] | None = None,
    captured: Mapping[str, Mapping[str, int]] | None = None,
    out: str = "",
    **switches: Any,
) -> tuple[Position, Rules]:
    """The position at ply 0 of a game from a given board, and its rules."""
    turn = parse_order(order) if order else ORDERS[players]
    start = Start.make(turn, board(squares), reserves=reserves, captured=captured, out=out, to_move=to_move)
    rules = Rules.make(players, order=turn, set_up="position", start=start, **switches)
    return start_position(rules), rules


VARIANTS: dict[str, dict[str, Any]] = {
    "two": {"players": 2},
    "two, red begins": {"players": 2, "order": "rg"},
    "two, checkerboard": {"players": 2, "set_up": "checkerboard"},
    "two, drop": {"players": 2, "set_up": "drop"},
    "two, drop, quiet reserve": {"players": 2, "set_up": "drop", "reserve_on": "empty_or_own"},
    "two, fast": {"players": 2, "fast": True},
    "two, fast, total": {"players": 2, "fast": True, "fast_each": 9, "fast_total": 8, "fast_own": "taken"},
    "three": {"players": 3},
    "three, twelve": {"players": 3, "thirteenth_piece": False, "order": "rgb"},
    "three, pass": {"players": 3, "stuck": "pass"},
    "three, fast": {"players": 3, "fast": True},
    "three, fast, taken": {"players": 3, "fast": True, "fast_own": "taken", "fast_each": 9},
    "four": {"players": 4},
    "four, out": {"players": 4, "stuck": "out"},
    "four, fast": {"players": 4, "fast": True},
    "four, quiet reserve": {"players": 4, "reserve_on": "empty_or_own", "order": "yrgb"},
    "partners": {"players": 4, "partners": True},
    "partners, out": {"players": 4, "partners": True, "stuck": "out"},
    "partners, open": {"players": 4, "partners": True, "move_partner_stacks": True},
    "partners, open, out": {
        "players": 4,
        "partners": True,
        "move_partner_stacks": True,
        "stuck": "out",
        "reserve_on": "empty_or_own",
    },
}
"""Keyword arguments of ``Rules.make`` for one game of every kind."""
