"""Records to write and read back: random legal games, with everything that a record can contain."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from focus_companion.game.moves import legal_moves
from focus_companion.game.play import act, apply
from focus_companion.game.record import Declaration, Entry, GameRecord
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position

VARIANTS: tuple[dict[str, Any], ...] = (
    {"players": 2},
    {"players": 2, "order": "rg", "fast": True, "fast_each": 4, "fast_own": "taken"},
    {"players": 2, "set_up": "drop"},
    {"players": 2, "set_up": "checkerboard", "reserve_on": "empty_or_own"},
    {"players": 3},
    {"players": 3, "order": "rbg", "thirteenth_piece": False, "stuck": "pass"},
    {"players": 3, "fast": True, "fast_total": None},
    {"players": 4, "stuck": "out"},
    {"players": 4, "partners": True, "move_partner_stacks": True, "table_talk": True},
)


def played(
    variant: dict[str, Any], seed: int, plies: int, *, timed: bool = True, act_at: int = -1, **more: Any
) -> GameRecord:
    """A game of random legal turns; at ply ``act_at`` a player resigns or leaves, or all agree to a draw."""
    choose = random.Random(seed)
    rules = Rules.make(**variant)
    position = start_position(rules)
    entries: list[Entry] = []
    time = 0.0
    for ply in range(plies):
        if position.result is not None:
            break
        time = round(time + choose.random() * 9, 3)
        at = time if timed else None
        if ply == act_at:
            kind = choose.choice(("resign", "leave", "draw"))
            who = (
                ""
                if kind == "draw"
                else choose.choice([p for p in position.players if p not in position.out])
            )
            entries.append(Entry(Declaration(kind, who), at))  # type: ignore[arg-type]
            position = act(position, entries[-1].what, rules)  # type: ignore[arg-type]
            continue
        move = choose.choice(legal_moves(position, rules))
        entries.append(Entry(move, at))
        position = apply(position, move, rules)
    return GameRecord(rules=rules, entries=tuple(entries), result=position.result, **more)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
JSON_OBJECTS = st.dictionaries(st.text(max_size=8), JSON_VALUES, max_size=3)


@st.composite
def records(draw: st.DrawFn) -> GameRecord:
    """Any game, with arbitrary names, date and incidents."""
    variant = draw(st.sampled_from(VARIANTS))
    order = Rules.make(**variant).order
    return played(
        variant,
        draw(st.integers(0, 2**32)),
        draw(st.integers(0, 60)),
        timed=draw(st.booleans()),
        act_at=draw(st.integers(-20, 30)),
        players=draw(st.dictionaries(st.sampled_from(order), st.text(min_size=1, max_size=12))),
        date=draw(st.just("2026-11-20") | st.text(max_size=12)),
        incidents=tuple(draw(st.lists(JSON_OBJECTS, max_size=2))),
    )
