"""Turns that others make for a player: only what that player asked for may be played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..game.moves import Move, carried
from ..game.play import apply
from ..game.position import Position
from ..game.rules import Rules
from ..game.squares import SQUARES
from . import words
from .verdict import Wrong


@dataclass(frozen=True)
class Asked:
    """``players``: letters of those whose turns others make; ``turn``: what the player to move, one of them,
    has asked for; ``None`` while nothing is.
    """

    players: str = ""
    turn: Move | None = None

    def asked_for(self, row: Sequence[Move], position: Position, rules: Rules) -> tuple[Move, ...]:
        """Of a row of turns from ``position``, those up to the first that nobody asked for."""
        turn = self.turn
        for number, move in enumerate(row):
            if position.to_move in self.players and move != turn:
                return tuple(row[:number])
            position, turn = apply(position, move, rules), None
        return tuple(row)

    def wrong(self, made: Move, position: Position) -> Wrong:
        """What is said of a turn that was made for the player to move, and not asked for."""
        squares = (made.target,) if made.origin is None else (made.origin, made.target)
        player, done = position.to_move, in_words(made, position)
        if self.turn is None:
            text = words.not_asked_yet(player, done)
        else:
            text = words.not_the_reply(player, done, in_words(self.turn, position))
        return Wrong("not_the_reply", player, squares, text)


NOBODY = Asked()
"""Everybody makes their own turns."""


def in_words(move: Move, position: Position) -> str:
    """A turn as people say it: "2 pieces d5 to d7"."""
    target = SQUARES[move.target]
    if move.origin is None:
        return f"a reserve piece to {target}"
    pieces = words.counted(len(carried(position, move)), "piece")
    return f"{pieces} {SQUARES[move.origin]} to {target}"
