"""What a position is worth to each side: four plain counts, their weights, and the chances they make.

``docs/review.md`` tells the same to players, and how the weights were found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import Final

from focus_companion.game.position import MAX_HEIGHT, Position
from focus_companion.game.rules import Rules
from focus_companion.game.squares import RAYS, SQUARES

MOVES_OF: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(sum(min(len(ray), height) for ray in RAYS[square]) for height in range(MAX_HEIGHT + 1))
    for square in range(len(SQUARES))
)
"""For each square and height, how many moves such a stack has."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What one player has; or, as a difference of two of these, what a turn won and lost."""

    captures: int
    """Opposing pieces captured."""
    reserves: int
    """Own pieces in reserve."""
    control: int
    """Stacks topped by the own colour; none of one who is out."""
    mobility: int
    """Moves that those stacks have, placings from the reserve not counted."""

    def minus(self, other: Counts) -> Counts:
        """Return the difference, count by count."""
        return Counts(
            self.captures - other.captures,
            self.reserves - other.reserves,
            self.control - other.control,
            self.mobility - other.mobility,
        )


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each count adds to the value of a side. One more in value makes the chance e times as big."""

    captures: float
    reserves: float
    control: float
    mobility: float
    fast: float = 0.0
    """Fast games: what the whole way to a fast win is worth."""


WEIGHTS: Final = Weights(captures=0.25, reserves=0.45, control=0.1, mobility=0.02, fast=2.5)
"""Found by fitting the results of games that programs played; one set for every number of players."""


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


def chances(position: Position, rules: Rules, weights: Weights = WEIGHTS) -> dict[str, float]:
    """Return the chance of every player (letter) to win, 0 to 1; partners have the chance of their pair.

    A position that is won has 1 for the winners and 0 for the others, a draw the same for all sides.
    """
    if position.result is not None:
        winners = position.result.winners
        even = 1 / len(rules.sides)
        return {player: (float(player in winners) if winners else even) for player in position.players}
    return spread(position, rules, counts(position, rules), weights)


def spread(
    position: Position, rules: Rules, held: Mapping[str, Counts], weights: Weights = WEIGHTS
) -> dict[str, float]:
    """Return the chances in a position that is not over, from what every player has in it."""
    shares: dict[str, float] = {}
    total = 0.0
    for side in rules.sides:
        share = 0.0
        if any(player not in position.out for player in side):
            share = exp(sum(_value(position, rules, player, held[player], weights) for player in side))
        total += share
        for player in side:
            shares[player] = share
    return {player: shares[player] / total for player in position.players}


def _value(position: Position, rules: Rules, player: str, held: Counts, weights: Weights) -> float:
    value = (
        weights.captures * held.captures
        + weights.reserves * (0 if player in position.out else held.reserves)
        + weights.control * held.control
        + weights.mobility * held.mobility
    )
    return value + weights.fast * progress(position, rules, player) if rules.fast else value


def progress(position: Position, rules: Rules, player: str) -> float:
    """Return how far a player has come on the nearer way to a fast win, 0 to 1."""
    me = position.players.index(player)
    row = [count for other, count in enumerate(position.captured[me]) if other != me]
    way = sum(min(count, rules.fast_each) for count in row) / (rules.fast_each * len(row))
    if rules.fast_total is None:
        return way
    own = position.reserves[me] - position.thirteenth[me] if rules.fast_own == "held" else position.taken[me]
    return max(way, min(1.0, (sum(row) + own) / rules.fast_total))
