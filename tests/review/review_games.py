"""Finished games to review."""

from __future__ import annotations

import random
from typing import Any

from focus_companion.game.moves import legal_moves
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.record import Declaration, Entry, GameRecord
from focus_companion.game.rules import ORDERS, Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import SQUARES
from focus_companion.game.start import Start


def random_record(plies: int = 30, seed: int = 1, **settings: Any) -> GameRecord:
    """A game of random legal turns that ends by an agreed draw unless it is over before."""
    choose = random.Random(seed)
    rules = Rules.make(**settings)
    position = start_position(rules)
    entries: list[Entry] = []
    while position.result is None and len(entries) < plies:
        entries.append(Entry(choose.choice(legal_moves(position, rules))))
        position = apply(position, entries[-1].what, rules)  # type: ignore[arg-type]
    if position.result is None:
        entries.append(Entry(Declaration("draw")))
    return GameRecord(rules=rules, entries=tuple(entries), players={rules.order[0]: "Ann"})


def given(squares: dict[str, str], players: int = 2, **more: Any) -> tuple[Position, Rules]:
    """The position at ply 0 of a game from a given board, and its rules."""
    order = ORDERS[players]
    beside = {key: more.pop(key) for key in ("reserves", "captured", "out", "to_move") if key in more}
    start = Start.make(order, tuple(squares.get(name, "") for name in SQUARES), **beside)
    rules = Rules.make(players, set_up="position", start=start, **more)
    return start_position(rules), rules


VARIANTS: tuple[dict[str, Any], ...] = (
    {"players": 2},
    {"players": 2, "set_up": "drop", "plies": 60},
    {"players": 2, "fast": True, "fast_each": 3, "fast_own": "taken", "fast_total": 5, "plies": 90},
    {"players": 3},
    {"players": 3, "fast": True},
    {"players": 4, "stuck": "out"},
    {"players": 4, "partners": True, "move_partner_stacks": True},
)
