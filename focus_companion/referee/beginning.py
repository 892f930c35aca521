"""Detects that a player other than the one named begins: an act out of turn at ply 0 that would be a legal
first turn if that player began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..game.faults import explain
from ..game.moves import Move
from ..game.play import apply
from ..game.position import Position
from ..game.rules import Rules
from ..game.setups import start_position


@dataclass(frozen=True)
class Beginning:
    """``player`` (a letter) begins with ``move``: the ``rules`` with the resulting turn order, and the
    positions before and after the move.
    """

    player: str
    rules: Rules
    start: Position
    move: Move
    after: Position


def other_beginning(
    position: Position, rules: Rules, player: str, squares: Sequence[int]
) -> Beginning | None:
    """How the game begins if ``player``'s act on ``squares``, alerted as out of turn, is the first turn;
    ``None`` if it would be illegal even then. ``squares``: origin and target, or the target of a placed
    piece; ``position``: that of ply 0.
    """
    if (
        player == position.to_move
        or player not in position.players
        or player in position.out
        or not 1 <= len(squares) <= 2
    ):
        return None
    if rules.start is None and position == start_position(rules):
        begun = rules.begun_by(player)
        start = start_position(begun)
    else:
        # The position was given or corrected by hand: the turn order stays, only the first player changes.
        begun, start = rules, replace(position, to_move=player)
    move = Move(squares[0] if len(squares) == 2 else None, squares[-1])
    if explain(start, move, begun) is not None:
        return None
    return Beginning(player, begun, start, move, apply(start, move, begun))
