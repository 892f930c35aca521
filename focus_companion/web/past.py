"""Changes to a past game: give it a title, delete it, restore it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from ..session.dates import local_date
from ..session.names import clean_text
from .access import HttpError
from .ports import GameJournal

MAX_TITLE_LENGTH: Final = 80
"""Maximum characters of a title."""

_EXPECTED_BODY: Final = 'Send {"title": "…"} or {"deleted": true} or {"deleted": false}.'


def no_game(game: int) -> HttpError:
    """The error for a game that is not in the journal."""
    return HttpError(
        HTTPStatus.NOT_FOUND,
        "The journal has no game {game}. /api/games lists those that it has.",
        values={"game": game},
    )


def check_exists(journal: GameJournal, game: int) -> None:
    """Refuse a game that is not in the journal or is deleted."""
    try:
        deleted = journal.summary(game).deleted
    except LookupError:
        raise no_game(game) from None
    if deleted is not None:
        raise HttpError(
            HTTPStatus.GONE,
            "Game {game} was deleted on {date}. It can be restored at the end of the list of games.",
            values={"game": game, "date": local_date(deleted)},
        )


def change(journal: GameJournal, game: int, body: Any, running: int | None) -> None:
    """Carry out the change in the JSON ``body``. ``running``: the game at the table, which cannot be deleted.

    Raises :class:`HttpError`.
    """
    if not isinstance(body, dict) or len(body) != 1:
        raise HttpError(HTTPStatus.BAD_REQUEST, _EXPECTED_BODY)
    try:
        match body:
            case {"title": str(title)}:
                journal.entitle(game, clean_text(title, MAX_TITLE_LENGTH))
            case {"deleted": True} if game == running:
                raise HttpError(
                    HTTPStatus.CONFLICT,
                    "Game {game} is the one at the table. Begin another game, then it can be deleted.",
                    values={"game": game},
                )
            case {"deleted": True}:
                journal.delete(game)
            case {"deleted": False}:
                journal.undelete(game)
            case _:
                raise HttpError(HTTPStatus.BAD_REQUEST, _EXPECTED_BODY)
    except LookupError:
        raise no_game(game) from None
