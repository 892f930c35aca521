"""Converts requests for the computer's help to events: hints, and the question whether a turn is good."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..game.colours import NAMES
from ..game.moves import DISTANCE, Move, legal_moves
from ..game.squares import SQUARES
from .events import Assessed, Event, Hinted
from .history import History
from .requests import Assess, RequestRefused, TakeHint
from .rulings import check_legal

GRADES: Final = ((0.03, "good"), (0.12, "fair"), (1.0, "poor"))
"""Grades of a lifted stack, each with the maximum loss of the mover's chance for which it is given."""


def check_hint(history: History) -> None:
    """Check that a hint may be given.

    Raises:
        RequestRefused: no help may be given, or something is to be put right first, which the page shows
            instead of hints.
    """
    _check_help(history)
    if history.alert or history.prompt or history.unclear or history.set_up:
        raise RequestRefused("First, the board has to show the position of the game.")


def _check_help(history: History) -> None:
    """Check that help of any kind may be given.

    Raises:
        RequestRefused: the game is over or part of a match, or the player to move does not sit at the table.
    """
    if history.over:
        raise RequestRefused("The game is over.")
    if history.match is not None:
        raise RequestRefused("There are no hints in a match.")
    if history.position.to_move in history.played_by:
        raise RequestRefused("Hints are for the players at the table.")


def turns_in_question(history: History, square: int, pieces: int = 0) -> tuple[Move, ...]:
    """The turns to be assessed: those of the mover's stack on ``square`` (an index) with this number of
    ``pieces`` (0 if unknown), or with any number if there is none with that number.

    Raises:
        RequestRefused: no help may be given now, or there is no such turn; the text says what to do.
    """
    _check_help(history)
    turns = tuple(move for move in legal_moves(history.position, history.rules) if move.origin == square)
    if not turns:
        raise RequestRefused(
            "{player} has no legal turn with what is on {square}.",
            player=NAMES[history.position.to_move].capitalize(),
            square=SQUARES[square],
        )
    return tuple(move for move in turns if DISTANCE[square][move.target] == pieces) or turns


def take_hint(request: TakeHint, history: History, time: float) -> Iterator[Event]:
    """Emit the next step of a hint, or nothing if all that is wanted has been given."""
    check_hint(history)
    _check_point(request, history)
    check_legal(request.move, history)
    player, origin = NAMES[history.position.to_move], request.move.origin
    square = "" if origin is None else SQUARES[origin]
    if history.hint is None:
        yield Hinted(time, player, 1, square)
    elif history.hint.step < request.step or history.assessment is not None:
        yield Hinted(time, player, 2, square, str(request.move))


def assess(request: Assess, history: History, time: float) -> Iterator[Event]:
    """Emit how good it is to move the stack in question."""
    turns_in_question(history, request.square)
    _check_point(request, history)
    grade = next(grade for most, grade in GRADES if request.missed <= most)
    yield Assessed(time, NAMES[history.position.to_move], SQUARES[request.square], grade)


def _check_point(request: TakeHint | Assess, history: History) -> None:
    """Check that the request is for the current point of the game. Raises RequestRefused."""
    if (history.game, history.ply, history.position.text) != (request.game, request.ply, request.position):
        raise RequestRefused("The game has gone on meanwhile.")
