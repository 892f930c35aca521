"""The engine's evaluation in Python, for code that reviews games or learns from them."""

from __future__ import annotations

from math import exp
from typing import Final

from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.squares import FILE, RANK, SQUARES
from focus_companion.players.weights import RESERVES, weights_for


def _orbits() -> tuple[int, ...]:
    known: dict[tuple[int, int], int] = {}
    found = []
    for square in range(len(SQUARES)):
        row, file = 7 - RANK[square], FILE[square]
        low, high = sorted((min(row, 7 - row), min(file, 7 - file)))
        found.append(known.setdefault((low, high), len(known)))
    return tuple(found)


ORBIT: Final = _orbits()
"""The number of each square's orbit: the squares that rotations and reflections of the board map to it."""


def shape(stack: str, side: str) -> int:
    """Return the shape of a stack: one bit per piece, the bottom piece lowest, 1 if the piece does not belong
    to the owner's side; the top piece is always 1 and so marks the height.
    """
    foreign = sum(1 << i for i, piece in enumerate(stack[:-1]) if piece not in side)
    return 1 << (len(stack) - 1) | foreign


def values(position: Position, rules: Rules) -> dict[str, float]:
    """Return the value of every player (letter) who is not out, in nats, regardless of whose turn it is."""
    weights = weights_for(rules)
    found = {player: 0 for player in position.players if player not in position.out}
    for square, stack in enumerate(position.stacks):
        if stack and stack[-1] in found:
            found[stack[-1]] += weights.stack[ORBIT[square]][shape(stack, rules.side_of(stack[-1]))]
    for index, player in enumerate(position.players):
        if player in found:
            found[player] += weights.reserve[min(position.reserves[index], RESERVES - 1)]
            if position.placing:
                found[player] += weights.unplaced * position.placing[index]
            if rules.fast:
                found[player] += weights.progress[int(16 * progress(position, rules, player) + 1e-9)]
    return {player: value / 1000 for player, value in found.items()}


def chances(position: Position, rules: Rules) -> dict[str, float]:
    """Return the chance of every player (letter) to win, 0 to 1; partners have the chance of their pair.

    In a won position it is 1 for the winners and 0 for the others; in a draw it is equal for all sides.
    """
    if position.result is not None:
        winners = position.result.winners
        even = 1 / len(rules.sides)
        return {player: (float(player in winners) if winners else even) for player in position.players}
    held = values(position, rules)
    sides = {side: [held[player] for player in side if player in held] for side in rules.sides}
    sums = {side: sum(found) for side, found in sides.items() if found}
    highest = max(sums.values())
    shares = {side: exp(value - highest) for side, value in sums.items()}
    total = sum(shares.values())
    return {player: shares.get(rules.side_of(player), 0.0) / total for player in position.players}


def progress(position: Position, rules: Rules, player: str) -> float:
    """Return the progress (0 to 1) of a player on the nearer of the two ways to a fast win."""
    me = position.players.index(player)
    row = [count for other, count in enumerate(position.captured[me]) if other != me]
    way = sum(min(count, rules.fast_each) for count in row) / (rules.fast_each * len(row))
    if rules.fast_total is None:
        return way
    own = position.reserves[me] - position.thirteenth[me] if rules.fast_own == "held" else position.taken[me]
    return max(way, min(1.0, (sum(row) + own) / rules.fast_total))
