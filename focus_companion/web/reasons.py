"""Why a request is refused, in the viewer's language.

The rooms on lower floors give their reasons in English. Those that a viewer of the page can cause are
repeated here for translation; a test checks that they equal the originals.
"""

from __future__ import annotations

from http import HTTPStatus

from flask_babel import gettext

from ..session.requests import RequestRefused
from .access import HttpError


def said(text: str) -> str:
    """Marks a sentence for translation."""
    return text


REASONS = (
    said("the start has no stack and no reserve piece of anybody who plays: nobody could move"),
    said("the start leaves fewer than two players in the game"),
    said("the disk is full; free some space"),
    said("the disk fails; check it"),
    said("the file of the games may not be written; make it writable"),
    said("the file of the games cannot be opened; check its folder"),
    said("another program holds the file of the games; close that one first"),
    said("the file of the games is damaged; restart the program, which rescues what is whole"),
    said("pieces in hand are still to be placed in this position"),
    said("the game is over in this position"),
    said("a corner lies too far outside the picture"),
    said("the corners must go round the board from a1 to h1, h8 and a8 without crossing"),
    said("no camera sees a board there; move the corners to those of the 8 by 8 squares"),
    said("the board would be too small there for its pieces to be told apart"),
    said(
        "From {origin} to {target} is not a straight line: a stack moves along its row or column, "
        "and never turns."
    ),
    said(
        "From {origin} to {target} it is {steps} squares, but {origin} is {height} high: "
        "a stack, or its upper part, moves exactly as many squares as it has pieces."
    ),
    said("The stack on {origin} is {owner}’s, and it is {player}’s turn."),
    said("The stack on {origin} belongs to {owner}: {player} may not move it."),
    said("{player} has no piece in reserve to place."),
    said(
        "{player} may place a piece on an empty square or on a stack of their own, "
        "and {square} belongs to {owner}."
    ),
    said("{player} must first place the thirteenth piece on an empty square."),
    said("The stack on {square} would be higher than five."),
    said("There is no piece on {origin}."),
    said("{player} still has pieces to place: nothing moves until all are on the board."),
)


def conflict(refused: RequestRefused) -> HttpError:
    """The answer to a refused request, in the viewer's language."""
    # In gettext, an empty text yields the header of the catalogue.
    values = {name: gettext(value) if value else "" for name, value in refused.values.items()}
    return HttpError(HTTPStatus.CONFLICT, refused.text, values=values)
