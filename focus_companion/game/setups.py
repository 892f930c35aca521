"""The positions that a game begins from."""

from __future__ import annotations

from typing import Final

from .ending import able_players, begin
from .position import Position, parse_position
from .rules import Rules
from .squares import FILE, RANK, SQUARES
from .start import RulesError

PAIRS: Final[dict[int, str]] = {
    2: "-,-,-,-/r,r,g,g,r,r/-,g,g,r,r,g,g,-/-,r,r,g,g,r,r,-/"
    "-,g,g,r,r,g,g,-/-,r,r,g,g,r,r,-/g,g,r,r,g,g/-,-,-,-",
    3: "-,-,-,-/r,r,b,b,g,g/-,g,g,r,r,b,b,-/-,b,b,g,g,r,r,-/"
    "-,r,r,b,b,g,g,-/-,g,g,r,r,b,b,-/b,b,g,g,r,r/-,-,-,-",
    4: "b,b,r,y/y,y,y,r,y,r/b,b,b,b,r,y,r,y/y,y,y,y,r,y,r,y/"
    "g,b,g,b,g,g,g,g/g,b,g,b,r,r,r,r/b,g,b,g,g,g/g,b,r,r",
}
"""The rule book's diagrams, by number of players."""

DROP_PIECES: Final = 18
"""Pieces that each of the two players places in the drop set-up."""


def start_stacks(rules: Rules) -> tuple[str, ...]:
    """Return the 52 stacks that the board must show before the first turn."""
    if rules.start is not None:
        return rules.start.stacks
    if rules.set_up == "drop":
        return ("",) * len(SQUARES)
    if rules.set_up == "checkerboard":
        return tuple(_checkered(square) for square in range(len(SQUARES)))
    return parse_position(PAIRS[rules.players])


def start_position(rules: Rules) -> Position:
    """Return the position at ply 0.

    From a given position, players who cannot move are passed over, and a game that is already won is over at
    once. Raises RulesError if nobody could move in it.
    """
    stacks = start_stacks(rules)
    none = (0,) * rules.players
    if rules.start is None:
        in_hand = rules.players == 3 and rules.thirteenth_piece
        return Position(
            stacks=stacks,
            players=rules.order,
            to_move=rules.order[0],
            reserves=(1,) * rules.players if in_hand else none,
            captured=(none,) * rules.players,
            thirteenth=(in_hand,) * rules.players,
            placing=(DROP_PIECES,) * rules.players if rules.set_up == "drop" else (),
            taken=none,
        )
    start = rules.start
    nobody_holds = (False,) * rules.players
    position = Position(
        stacks=stacks,
        players=rules.order,
        to_move=start.to_move,
        reserves=start.reserves,
        captured=start.captured,
        thirteenth=nobody_holds,
        taken=start.reserves,  # the pieces in reserve were taken earlier
        out=start.out,
    )
    if not able_players(rules, stacks, start.reserves, nobody_holds, (), start.out):
        raise RulesError(
            "the start has no stack and no reserve piece of anybody who plays: nobody could move"
        )
    return begin(position, rules)


def _checkered(square: int) -> str:
    file, rank = FILE[square], RANK[square]
    if not (1 <= file <= 6 and 1 <= rank <= 6):
        return ""
    return "g" if (file + rank) % 2 == 0 else "r"  # b2 (file 1, rank 1) is green
