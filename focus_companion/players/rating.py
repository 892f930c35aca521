"""Computes how much a player gives up by choosing among certain turns only, such as those of a lifted
stack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from focus_companion.game.moves import Move
from focus_companion.game.play import apply
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.players.choosing import chance, shared_engine
from focus_companion.players.engine import Engine

MAX_NODES: Final = 300_000
"""Maximum positions searched for the best of all turns."""

_MAX_NODES_PER_TURN: Final = 100_000
"""Maximum positions searched for each turn that is compared with it."""


def missed(
    position: Position, rules: Rules, turns: Sequence[Move], earlier: Sequence[Position] = ()
) -> float:
    """Return how much lower (0 to 1) the mover's chance is after the best of ``turns`` than after the best of
    all legal turns; 0 if ``turns`` include the latter.

    ``position`` must not be over; ``turns`` are legal and at least one; ``earlier`` as in
    :func:`~focus_companion.players.choosing.choose`. All turns are searched to the same depth, bounded by
    numbers of positions, so the same arguments give the same answer on every machine.
    """
    engine = shared_engine()
    engine.set_up(position, rules, earlier=earlier)
    found = engine.search(nodes=MAX_NODES)
    if found.move in turns:
        return 0.0
    before, depth = (*earlier, position), max(1, found.depth - 2)
    best = _after(engine, position, rules, found.move, before, depth)
    among = max(_after(engine, position, rules, move, before, depth) for move in turns)
    return max(0.0, best - among)


def _after(
    engine: Engine, position: Position, rules: Rules, move: Move, earlier: Sequence[Position], depth: int
) -> float:
    """The mover's chance after a turn."""
    mover = position.to_move
    after = apply(position, move, rules)
    if after.result is not None:
        return float(mover in after.result.winners)
    engine.set_up(after, rules, earlier=earlier)
    root = position.players.index(mover)
    return chance(engine.search(nodes=_MAX_NODES_PER_TURN, depth=depth, root=root).score, rules)
