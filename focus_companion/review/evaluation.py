"""Counts what every player has in a position: four numbers that a player can check on the board.

The chances come from ``players``; ``docs/review.md`` explains how the two are related.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from focus_companion.game.position import MAX_HEIGHT, Position
from focus_companion.game.rules import Rules
from focus_companion.game.squares import RAYS, SQUARES

MOVES_OF: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(sum(min(len(ray), height) for ray in RAYS[square]) for height in range(MAX_HEIGHT + 1))
    for square in range(len(SQUARES))
)
"""For each square and height, the number of moves of such a stack."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What one player has or, as a difference, what the player won and lost by a turn."""

    captures: int
    """Opposing pieces captured."""
    reserves: int
    """Own pieces in reserve."""
    control: int
    """Stacks topped by the player's colour; none for a player who is out."""
    mobility: int
    """Moves available to those stacks, without placing from the reserve."""

    def minus(self, other: Counts) -> Counts:
        """Return the difference, count by count."""
        return Counts(
            self.captures - other.captures,
            self.reserves - other.reserves,
            self.control - other.control,
            self.mobility - other.mobility,
        )


def counts(position: Position, rules: Rules) -> dict[str, Counts]:
    """Return what every player (letter) has, in turn order. A partner's pieces are never captures."""
    control = dict.fromkeys(position.players, 0)
    mobility = dict.fromkeys(position.players, 0)
    for stack, moves in zip(position.stacks, MOVES_OF, strict=True):
        if stack:
            top = stack[-1]
            control[top] += 1
            mobility[top] += moves[len(stack)]
    return {
        player: Counts(
            sum(position.captured[index]),
            position.reserves[index],
            0 if player in position.out else control[player],
            0 if player in position.out else mobility[player],
        )
        for index, player in enumerate(position.players)
    }
