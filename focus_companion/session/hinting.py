"""Converts a request for a hint to events, like ``rulings``."""

from __future__ import annotations

from collections.abc import Iterator

from ..game.colours import NAMES
from ..game.squares import SQUARES
from .events import Event, Hinted
from .history import History
from .requests import RequestRefused, TakeHint
from .rulings import check_legal


def check_hint(history: History) -> None:
    """Check that a hint may be given.

    Raises:
        RequestRefused: the game is over or part of a match, or the player to move does not sit at the table.
    """
    if history.over:
        raise RequestRefused("The game is over.")
    if history.match is not None:
        raise RequestRefused("There are no hints in a match.")
    if history.position.to_move in history.played_by:
        raise RequestRefused("Hints are for the players at the table.")


def take_hint(request: TakeHint, history: History, time: float) -> Iterator[Event]:
    """Emit the next step of a hint; nothing once all of it has been given."""
    check_hint(history)
    if (history.game, history.ply, history.position.text) != (request.game, request.ply, request.position):
        raise RequestRefused("The game has gone on meanwhile.")
    check_legal(request.move, history)
    player, origin = NAMES[history.position.to_move], request.move.origin
    square = "" if origin is None else SQUARES[origin]
    if history.hint is None:
        yield Hinted(time, player, 1, square)
    elif history.hint.step == 1:
        yield Hinted(time, player, 2, square, str(request.move))
