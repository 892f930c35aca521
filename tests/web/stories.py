"""Games for the HTML export: with captures, alerts, an end, and unusual names."""

from __future__ import annotations

import random
from typing import Any

from focus_companion.game.declarations import Declaration
from focus_companion.game.moves import legal_moves
from focus_companion.game.play import apply
from focus_companion.game.record import Entry, GameRecord
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position

ALERT = {
    "type": "alert",
    "reason": "out_of_turn",
    "player": "red",
    "squares": ["c4", "c5"],
    # As in records of earlier versions: with a straight apostrophe.
    "text": "Red moved from c4 to c5, but it is green's turn. Please put what was moved back on c4.",
}


def game(plies: int, seed: int = 1, *, over: bool = True, **more: Any) -> GameRecord:
    """A game of random turns, one every ten seconds; with ``over`` the player to move then resigns."""
    choose = random.Random(seed)
    rules = more.pop("rules", None) or Rules.make(2)
    position = start_position(rules)
    entries: list[Entry] = []
    for ply in range(1, plies + 1):
        entries.append(Entry(choose.choice(legal_moves(position, rules)), 10.0 * ply))
        position = apply(position, entries[-1].what, rules)  # type: ignore[arg-type]
    if over and position.result is None:
        entries.append(Entry(Declaration("resign", position.to_move), 10.0 * plies + 5))
    return GameRecord(rules, entries=tuple(entries), **{"date": "2026-11-20"} | more)
