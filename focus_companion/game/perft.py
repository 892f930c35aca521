"""Counts the different sequences of turns (perft), the strongest test of a rules core."""

from __future__ import annotations

from .moves import count_legal, legal_moves
from .play import apply
from .position import Position
from .rules import Rules

_MAX_CACHED_COUNTS = 400_000
"""Maximum number of positions whose counts are cached."""


def perft(position: Position, rules: Rules, depth: int) -> int:
    """Return the number of sequences of exactly ``depth`` legal turns from a position.

    Forced passes are not turns. Counts are cached by position, as several sequences reach the same one.
    Raises ValueError for a negative depth.
    """
    if depth < 0:
        raise ValueError(f"the depth is a number of turns from 0, not {depth}")
    if depth == 0:
        return 1
    return _count(position, rules, depth, {})


def _count(position: Position, rules: Rules, depth: int, known: dict[tuple[int, Position], int]) -> int:
    if depth == 1:
        return count_legal(position, rules)
    key = (depth, position)
    if (count := known.get(key)) is not None:
        return count
    count = sum(
        _count(apply(position, move, rules), rules, depth - 1, known) for move in legal_moves(position, rules)
    )
    if len(known) < _MAX_CACHED_COUNTS:
        known[key] = count
    return count
