"""Turns that the people at the table make on behalf of an absent player, who chooses them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..game.moves import Move, carried
from ..game.play import apply
from ..game.position import Position
from ..game.rules import Rules
from ..game.squares import SQUARES
from . import words
from .act import squares_of
from .verdict import Wrong


@dataclass(frozen=True)
class Asked:
    """``players``: letters of the absent players, whose turns others make; ``turn``: the turn chosen by the
    player to move if that player is absent, or ``None`` if none has been chosen yet.
    """

    players: str = ""
    turn: Move | None = None

    def asked_for(self, turns: Sequence[Move], position: Position, rules: Rules) -> tuple[Move, ...]:
        """Those turns of a sequence, played from ``position``, that precede the first one not chosen."""
        turn = self.turn
        for number, move in enumerate(turns):
            if position.to_move in self.players and move != turn:
                return tuple(turns[:number])
            position, turn = apply(position, move, rules), None
        return tuple(turns)

    def wrong(self, made: Move, position: Position) -> Wrong:
        """The alert for a turn that was made for the player to move, who had not chosen it."""
        said, asked = "not_asked_yet", ""
        if self.turn is not None:
            said, asked = "not_the_reply", in_words(self.turn, position)
        text = words.say(said, position.to_move, made=in_words(made, position), asked=asked)
        return Wrong("not_the_reply", position.to_move, squares_of(made), text)


NOBODY = Asked()
"""Everybody makes their own turns."""


def in_words(move: Move, position: Position) -> str:
    """A turn in words: "2 pieces d5 to d7"."""
    target = SQUARES[move.target]
    if move.origin is None:
        return f"a reserve piece to {target}"
    pieces = words.counted(len(carried(position, move)), "piece")
    return f"{pieces} {SQUARES[move.origin]} to {target}"
