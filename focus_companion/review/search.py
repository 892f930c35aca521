"""Searches the turn that was played and the best one, each with the expected reply.

Deterministic: the work is bounded by the number of positions, never by a clock, so the same record gives
the same review on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from focus_companion.game.moves import Move, count_legal
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.players.choosing import chance, shared_engine
from focus_companion.players.evaluation import chances


@dataclass(frozen=True, slots=True)
class Variation:
    """A turn, the expected reply, and the mover's chance (0 to 1) after both."""

    turn: Move
    answer: Move | None
    """None if the turn ends the game, or if the limit left no room to search for replies."""
    chance: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of searching one position."""

    played: Variation
    best: Variation
    """The line with the highest chance among those searched; ``played`` itself if none is better."""
    looked_at: int
    """Number of positions searched."""
    complete: bool
    """Whether every turn was tried."""


def search(position: Position, rules: Rules, played: Move, limit: int) -> SearchResult:
    """Return the variations of the turn played and of the best turn, in a position that is not over.

    Searches as deep as ``limit`` positions allow, with the computer player's search (see ``players``): two
    thirds of them for the best turn, the rest for the turn played, no deeper than the best. With more than
    two sides, all others are assumed to play against the mover. If the limit is below the number of legal
    turns, only the turn played is evaluated.
    """
    mover = position.to_move
    mine = apply(position, played, rules)
    if limit < count_legal(position, rules):
        line = Variation(played, None, chances(mine, rules)[mover])
        return SearchResult(line, line, 1, complete=False)
    engine = shared_engine()
    engine.set_up(position, rules)
    found = engine.search(nodes=2 * limit // 3)
    best = Variation(found.move, _answer(found.line), chance(found.score, rules))
    if found.move == played:
        return SearchResult(best, best, found.nodes, complete=found.depth > 0)
    looked, complete = found.nodes, found.depth > 0
    if mine.result is not None:
        line = Variation(played, None, chances(mine, rules)[mover])
    else:
        engine.set_up(mine, rules)
        root = position.players.index(mover)
        answered = engine.search(nodes=limit - looked, depth=max(1, found.depth - 1), root=root)
        looked += answered.nodes
        line = Variation(played, answered.move, chance(answered.score, rules))
    # The turn played may turn out better than what the search found within its limit.
    return SearchResult(line, best if best.chance > line.chance else line, looked, complete)


def _answer(line: Sequence[Move]) -> Move | None:
    return line[1] if len(line) > 1 else None
