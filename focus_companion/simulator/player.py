"""A random but plausible player: prefers captures and stacks, and brings a game to its end."""

from __future__ import annotations

import numpy as np

from ..game.moves import Move, carried, legal_moves
from ..game.play import apply
from ..game.position import Position
from ..game.rules import Rules


def worth(before: Position, after: Position, rules: Rules, player: str) -> float:
    """The immediate value of a turn: stacks held, pieces captured and in reserve, an end of the game."""
    if after.result is not None:
        return 100.0 if player in after.result.winners else -100.0
    side = rules.side_of(player)
    me = [before.players.index(p) for p in side]
    value = 0.0
    for stack in after.stacks:
        if stack:
            value += (0.55 + 0.25 * len(stack)) * (1.0 if stack[-1] in side else -1.0)
    value += 1.6 * sum(sum(after.captured[i]) - sum(before.captured[i]) for i in me)
    value += 0.9 * sum(after.reserves[i] - before.reserves[i] for i in me)
    return value


def choose(position: Position, rules: Rules, rng: np.random.Generator, *, warmth: float = 1.2) -> Move | None:
    """A legal turn; None if the game is over.

    ``warmth`` is the temperature of the random choice. Turns that leave all stacks unchanged, which no camera
    can see (a reserve piece on a five-high stack of one's own colour), are played only if there is no other.
    """
    legal = legal_moves(position, rules)
    if not legal:
        return None
    best, most = None, -np.inf
    for move in legal:
        after = apply(position, move, rules)
        value = worth(position, after, rules, position.to_move) + warmth * float(rng.gumbel())
        if after.stacks == position.stacks:
            value -= 1000
        if move.origin is not None and len(carried(position, move)) > 3:
            value += 0.4
        if value > most:
            best, most = move, value
    return best
