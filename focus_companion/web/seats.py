"""The seats of the game for pages and programs: links for remote players, and the turns that they send."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from flask import Blueprint, Response, current_app, jsonify, render_template, request

from ..addresses import cookie_of
from ..game.colours import LETTER, NAMES
from ..game.moves import Move
from ..seats.table_client import SEAT_COOKIE
from ..session.kinds import fits
from ..session.requests import Leave, NewGame, Request, Resign, SetSeat, SubmitTurn
from ..session.seat_kinds import ENGINE, FAR, TABLE, parse_kind
from . import current
from .access import HttpError
from .bodies import json_body
from .far import SEAT_COOKIE_SECONDS, FarSeats

_MAX_WORD_LENGTH: Final = 64
"""Characters; ours are shorter."""

blueprint = Blueprint("seats", __name__)


def far_seats() -> FarSeats:
    """Who holds which far seat of the running game."""
    found: FarSeats = current_app.extensions["far"]
    found.follow(current.session().state()["game"], current.journal())
    return found


def _seats() -> dict[str, str]:
    seats: dict[str, str] = current.session().state()["seats"]
    return seats


def own_seat() -> str:
    """The far seat (a colour) of the browser that sent this request; "" if none."""
    token = request.cookies.get(_cookie())
    # Hundreds of viewers ask for the state, and nearly all of them hold no seat.
    return far_seats().seat_of(token, _seats()) if token else ""


def _cookie() -> str:
    return cookie_of(SEAT_COOKIE, request.headers.get("Host", ""))


def is_own_retirement(wanted: Request) -> bool:
    """Whether a remote player resigns or leaves, which does not require the PIN."""
    return isinstance(wanted, Resign | Leave) and own_seat() == NAMES.get(wanted.player)


def check_kinds(wanted: Request) -> None:
    """Refuse a request that would start a program, or connect to another table, that the command line did
    not name: a page must not name new ones.
    """
    kinds = list((wanted.played_by or {}).values()) if isinstance(wanted, NewGame) else []
    kinds += [wanted.kind] if isinstance(wanted, SetSeat) else []
    known = set(_seats().values())
    for kind in kinds:
        by = parse_kind(kind).by
        if by == ENGINE and kind not in known:
            raise HttpError(
                HTTPStatus.FORBIDDEN, "A program can be given a seat only where Focus Companion is started."
            )
        if by == TABLE and kind not in known:
            raise HttpError(
                HTTPStatus.FORBIDDEN,
                "Another table can be given a seat only where Focus Companion is started.",
            )


@blueprint.get("/seat")
def sit_down() -> str:
    """The target of a far seat's link. Its word is in the fragment, so that no log or preview contains it."""
    return render_template("seat.html")


@blueprint.post("/api/seat")
def enter() -> Response:
    """Redeem a word: the response's cookie gives this browser the seat."""
    current.access().check_origin(request)
    word = _body().get("word")
    if not isinstance(word, str) or len(word) > _MAX_WORD_LENGTH:
        raise HttpError(HTTPStatus.BAD_REQUEST, 'Send {"word": "…"}.')
    try:
        colour, token = far_seats().enter(word, _seats())
    except HttpError:
        # Whoever opens the link in the message once more holds the seat already.
        if own := own_seat():
            return jsonify(accepted=True, player=own)
        raise
    response = jsonify(accepted=True, player=colour)
    # Not strict: a player who comes back by a link in a message must still be recognized.
    response.set_cookie(_cookie(), token, max_age=SEAT_COOKIE_SECONDS, samesite="Lax", httponly=True)
    return response


@blueprint.get("/api/far")
def links() -> Response:
    """The links of the far seats, for viewers who may act: ``null`` if somebody has taken the seat."""
    current.access().check_view(request)
    found = far_seats().links(_seats())
    return jsonify(links={colour: word and f"/seat#{word}" for colour, word in found.items()})


@blueprint.post("/api/far")
def renew() -> Response:
    """A new link for a seat that is already taken."""
    current.access().check_act(request)
    colour = _body().get("player")
    if not isinstance(colour, str) or _seats().get(colour) != FAR:
        raise HttpError(HTTPStatus.CONFLICT, "This seat is not played from far away.")
    return jsonify(link=f"/seat#{far_seats().renew(colour)}")


def submitted_turn() -> SubmitTurn:
    """The turn that a remote player sends with this request.

    Raises:
        HttpError: the seat is not theirs, or the turn is malformed.
    """
    access = current.access()
    access.check_origin(request)
    body = _body()
    kinds = {"player": str, "move": str, "game": int, "ply": int, "position": str}
    colour = body.get("player")
    if any(not fits(body.get(name), kind) for name, kind in kinds.items()) or colour not in LETTER:
        raise HttpError(HTTPStatus.BAD_REQUEST, "Send player, move, game, ply and position.")
    if _seats().get(colour) != FAR:
        raise HttpError(HTTPStatus.CONFLICT, "This seat is not played from far away.")
    if own_seat() != colour:
        access.check_act(request)
    try:
        move = Move.parse(body["move"])
    except ValueError as wrong:
        raise HttpError(HTTPStatus.BAD_REQUEST, str(wrong)) from wrong
    return SubmitTurn(LETTER[colour], move, body["game"], body["ply"], body["position"])


def _body() -> dict[str, Any]:
    body = json_body()
    if not isinstance(body, dict):
        raise HttpError(HTTPStatus.BAD_REQUEST, "Send a JSON object.")
    return body
