"""The response for a game as a downloadable file."""

from __future__ import annotations

import logging
from http import HTTPStatus

from flask import Response, g

from ..formats.match import Match
from .access import HttpError

log = logging.getLogger(__name__)


def download(games: Match, wanted: str, name: str) -> Response:
    """The game or match in the format ``wanted``, as a file ``name`` with that format's suffix.

    Raises :class:`HttpError` if there is no such format, if the game cannot be written in it, or if the
    server is too busy.
    """
    # Imported here because all formats are slow to import, and few games are downloaded.
    from ..formats.writing import NAMES, OF_ONE_GAME
    from .exports import ExportBusy, ExportFailed, export_games

    if wanted not in NAMES:
        raise HttpError(
            HTTPStatus.BAD_REQUEST,
            "There is no format “{format}”. Choose one of: {formats}.",
            values={"format": wanted[:40], "formats": ", ".join(NAMES)},
        )
    if wanted in OF_ONE_GAME and len(games.games) != 1:
        formats = ", ".join(name for name in NAMES if name not in OF_ONE_GAME)
        raise HttpError(
            HTTPStatus.BAD_REQUEST,
            "A match has no {format}. Save its games one by one, or the match as one of: {formats}.",
            values={"format": wanted, "formats": formats},
        )
    try:
        made = export_games(games, wanted, g.language)
    except ExportFailed as failed:
        log.warning("a game cannot be written as %s: %s", wanted, failed)
        raise _refusal(wanted, failed.lack) from failed
    except ExportBusy:
        raise HttpError(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "Other films of games are being made. Try again in a few seconds.",
            retry_after=5,
        ) from None
    return attachment(made.data, made.media_type, f"{name}.{made.suffix}")


def _refusal(wanted: str, lack: str) -> HttpError:
    """The answer if a game cannot be written in the format ``wanted``; ``lack``: what the host lacked."""
    from .exports import EXPORT_TIMEOUT

    values = {"format": wanted, "minutes": round(EXPORT_TIMEOUT / 60)}
    if lack == "time":
        return HttpError(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "This game cannot be written as {format}: the host needed more than {minutes} minutes. "
            "Choose another format.",
            values=values,
        )
    if lack == "memory":
        return HttpError(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "This game cannot be written as {format}: the host has too little memory now. "
            "Choose another format.",
            values=values,
        )
    return HttpError(
        HTTPStatus.BAD_REQUEST,
        "This game cannot be written as {format}; the host’s log says why. Choose another format.",
        values=values,
    )


def attachment(data: bytes, content_type: str, name: str) -> Response:
    """The response that a browser saves as the file ``name``."""
    response = Response(data, content_type=content_type)
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response
