"""Rules of games that start shortly before a particular event."""

from __future__ import annotations

from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.game.start import Start


def last_stack() -> Rules:
    """Three players; after c4-b4, c5-b5, f4-f5, green's b4-b5 covers blue's only stack."""
    stacks = [""] * len(SQUARES)
    stacks[INDEX["c4"]], stacks[INDEX["c5"]], stacks[INDEX["f4"]], stacks[INDEX["e2"]] = "g", "b", "r", "g"
    return Rules.make(3, set_up="position", start=Start.make("gbr", tuple(stacks), to_move="g"))


def tall() -> Rules:
    """Two players; green's d4-d6 makes a stack of seven."""
    stacks = list(start_position(Rules.make(2)).stacks)
    stacks[INDEX["d4"]], stacks[INDEX["d6"]] = "rg", "rrggr"
    for colour, surplus in {c: "".join(stacks).count(c) - 18 for c in "gr"}.items():
        for square in [at for at, stack in enumerate(stacks) if stack == colour][:surplus]:
            stacks[square] = ""
    return Rules.make(2, set_up="position", start=Start.make("gr", tuple(stacks), to_move="g"))
