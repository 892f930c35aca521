"""A random but plausible player, which prefers captures and stacks and brings games to an end."""

from __future__ import annotations

import numpy as np

from ..game.moves import Move, carried, legal_moves
from ..game.play import apply
from ..game.position import Position
from ..game.rules import Rules

_STACK_VALUE = 0.55
"""Value of a stack that a player controls."""
_PIECE_VALUE = 0.25
"""Additional value of each piece in it."""
_CAPTURE_VALUE = 1.6
"""Value of a captured piece."""
_RESERVE_VALUE = 0.9
"""Value of a piece in reserve."""
_TALL_MOVE = 3
"""Number of pieces above which moving them is preferred."""
_TALL_MOVE_VALUE = 0.4
"""Value of such a move."""
_INVISIBLE_PENALTY = 1000
"""Penalty of a turn that no camera can see."""


def turn_value(before: Position, after: Position, rules: Rules, player: str) -> float:
    """The immediate value of a turn: stacks controlled, pieces captured and in reserve, end of the game."""
    if after.result is not None:
        return 100.0 if player in after.result.winners else -100.0
    side = rules.side_of(player)
    me = [before.players.index(p) for p in side]
    value = 0.0
    for stack in after.stacks:
        if stack:
            value += (_STACK_VALUE + _PIECE_VALUE * len(stack)) * (1.0 if stack[-1] in side else -1.0)
    value += _CAPTURE_VALUE * sum(sum(after.captured[i]) - sum(before.captured[i]) for i in me)
    value += _RESERVE_VALUE * sum(after.reserves[i] - before.reserves[i] for i in me)
    return value


def choose(
    position: Position, rules: Rules, rng: np.random.Generator, *, temperature: float = 1.2
) -> Move | None:
    """A legal turn; None if the game is over.

    ``temperature`` is that of the random choice. Turns that leave all stacks unchanged, which no camera can
    see (a reserve piece on a five-high stack of one's own colour), are played only if there is no other.
    """
    legal = legal_moves(position, rules)
    if not legal:
        return None
    best, most = None, -np.inf
    for move in legal:
        after = apply(position, move, rules)
        value = turn_value(position, after, rules, position.to_move) + temperature * float(rng.gumbel())
        if after.stacks == position.stacks:
            value -= _INVISIBLE_PENALTY
        if move.origin is not None and len(carried(position, move)) > _TALL_MOVE:
            value += _TALL_MOVE_VALUE
        if value > most:
            best, most = move, value
    return best
