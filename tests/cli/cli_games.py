"""Games for the commands: random legal turns, in the form of a record written by hand."""

from __future__ import annotations

import random
from typing import Any

from focus_companion.game.moves import legal_moves
from focus_companion.game.play import apply
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position

VARIANTS: tuple[dict[str, Any], ...] = (
    {"players": 2},
    {"players": 2, "set_up": "drop"},
    {"players": 2, "fast": True, "order": ["red", "green"]},
    {"players": 3},
    {"players": 3, "thirteenth_piece": False, "stuck": "pass"},
    {"players": 4},
    {"players": 4, "partners": True},
)


def game(rules: dict[str, Any], plies: int, seed: int = 1) -> dict[str, Any]:
    """A record with plain moves."""
    choose = random.Random(seed)
    made = Rules.from_json(rules)
    position = start_position(made)
    moves: list[Any] = []
    while len(moves) < plies and position.result is None:
        move = choose.choice(legal_moves(position, made))
        moves.append(str(move))
        position = apply(position, move, made)
    return {"format": "focus-companion game", "version": 1, "rules": rules, "moves": moves}
