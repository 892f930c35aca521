"""The HTTP API for programs and the page's own scripts: state, pictures, past games, health, requests."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any, Final

from flask import Blueprint, Response, current_app, jsonify, request

from ..formats.errors import FormatError
from ..formats.match import Match
from ..formats.strict_json import loads
from ..session.requests import Request, RequestRefused
from ..storage.matches import match_of
from . import current
from .access import HttpError, pin_cookie
from .again import from_here
from .bodies import json_body
from .downloads import download
from .games import past_game, summaries
from .newer import Installed
from .past import change, check_exists
from .ports import GameJournal, OfferedCameras
from .reasons import conflict
from .request_json import parse_act
from .reviewing import ReviewFailed, Reviews
from .roster import names as known_names
from .roster import roster
from .seats import check_kinds, is_own_retirement, own_seat, submitted_turn
from .series import Series
from .stream import Viewers

_SUBMIT_TIMEOUT: Final = 1.5
"""Seconds to wait for the game thread to carry out a request."""

_WIDTHS: Final = (320, 480, 640, 960, 1280)
"""Widths in pixels in which the picture is available."""

blueprint = Blueprint("api", __name__)


def _journal() -> GameJournal:
    journal = current.journal()
    if journal is None:
        raise HttpError(
            HTTPStatus.NOT_FOUND, "This game is played without a journal, so there are no past games."
        )
    return journal


@blueprint.get("/api/state")
def state() -> Response:
    return jsonify(current.session().state() | watching() | offered() | {"seat": own_seat()})


def watching() -> dict[str, int]:
    """The number of viewers of the event stream, which the page shows."""
    viewers: Viewers = current_app.extensions["viewers"]
    return {"watching": len(viewers)}


def offered() -> dict[str, Any]:
    """What the page offers besides the game: the camera that is plugged in, whether one can be chosen, and
    the newer version that would run after a restart.
    """
    offer: OfferedCameras | None = current_app.extensions["offer"]
    installed: Installed = current_app.extensions["installed"]
    return {
        "camera_found": offer.found if offer is not None else None,
        "camera_free": offer is not None,
        "newer": installed.newer(),
    }


@blueprint.get("/snapshot.jpg")
def snapshot() -> Response:
    picture = current.session().snapshot(_is_set("overlay"), _width(request.args.get("width", "")))
    if picture is None:
        raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, "The camera has given no picture yet.", retry_after=1)
    return Response(picture, mimetype="image/jpeg")


def _is_set(name: str) -> bool:
    """Whether a switch in the request's query is on."""
    return request.args.get(name, "").lower() in ("1", "true", "yes")


def _width(text: str) -> int | None:
    """A requested width, rounded up to an available one, so that many viewers share few pictures; ``None``
    for the camera's own.
    """
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        return None
    return next((step for step in _WIDTHS if step >= int(text)), None)


@blueprint.get("/api/legal")
def legal() -> Response:
    """The legal turns now; after an alert, those closest to what was done come first."""
    return jsonify(legal=current.session().legal())


@blueprint.get("/api/match")
def match() -> Response:
    series: Series = current_app.extensions["series"]
    return jsonify(match=series.running(_journal()))


@blueprint.get("/healthz")
def healthz() -> tuple[Response, HTTPStatus]:
    health = current.session().health()
    fine = bool(health.get("ok"))
    return jsonify(health), HTTPStatus.OK if fine else HTTPStatus.SERVICE_UNAVAILABLE


@blueprint.get("/api/games")
def games() -> Response:
    """The games, newest first, and the deleted ones."""
    return jsonify(summaries(_journal(), _running()))


@blueprint.get("/api/names")
def names() -> Response:
    """The players' names in earlier games, newest first."""
    return jsonify(names=known_names(_journal()))


@blueprint.get("/api/players")
def players() -> Response:
    """The players of the finished games of the journal, with their results."""
    return jsonify(players=roster(_journal()))


@blueprint.get("/api/games/<int:game>")
def game(game: int) -> Response:
    check_exists(_journal(), game)
    return jsonify(past_game(_journal(), game))


@blueprint.post("/api/games/<int:game>")
def change_game(game: int) -> Response:
    """Give a past game another title, delete it or restore it: see :mod:`past`."""
    current.access().check_act(request)
    journal = _journal()
    body = json_body()
    change(journal, game, body, _running())
    return jsonify(accepted=True)


@blueprint.post("/api/games/<int:game>/again")
def again(game: int) -> tuple[Response, HTTPStatus]:
    """Begin another game from an earlier position of this one: {"ply": N}."""
    current.access().check_act(request)
    check_exists(_journal(), game)
    body = json_body()
    return submit(from_here(_journal().history(game), body, current.session().history))


def _running() -> int | None:
    """The number of the game at the table."""
    return current.session().state().get("game")


@blueprint.get("/api/games/<int:game>/export")
def export(game: int) -> Response:
    """A game as a file; with ``match=1`` the whole match that it belongs to, as far as it has been played."""
    wanted = request.args.get("format", "json")
    check_exists(_journal(), game)
    if _is_set("match"):
        return _export_match(game, wanted)
    record = _journal().history(game).record()
    return download(Match((record,), single=True), wanted, f"focus-game-{game}")


def _export_match(game: int, wanted: str) -> Response:
    found = match_of(_journal(), game)
    if found is None:
        raise HttpError(HTTPStatus.NOT_FOUND, "Game {game} belongs to no match.", values={"game": game})
    length, ids = found
    records = tuple(_journal().history(each).record() for each in ids)
    return download(Match(records, length=length), wanted, f"focus-match-{ids[0]}")


@blueprint.get("/api/games/<int:game>/review")
def review(game: int) -> tuple[Response, HTTPStatus]:
    """What every turn of a finished game won and lost; 202 while that is being computed."""
    reviews: Reviews = current_app.extensions["reviews"]
    check_exists(_journal(), game)
    history = _journal().history(game)
    if not history.over:
        raise HttpError(HTTPStatus.CONFLICT, "The game is not over yet; a review is for finished games.")
    try:
        made = reviews.ask(history.record())
    except ReviewFailed as failed:
        raise HttpError(
            HTTPStatus.INTERNAL_SERVER_ERROR, "The review could not be made; the host’s log says why."
        ) from failed
    if made is None:
        return jsonify(ready=False), HTTPStatus.ACCEPTED
    return jsonify(made), HTTPStatus.OK


@blueprint.post("/api/requests")
def act() -> tuple[Response, HTTPStatus]:
    access = current.access()
    access.check_origin(request)
    try:
        wanted = parse_act(loads(request.get_data()))
    except ValueError as wrong:
        access.check_view(request)
        raise HttpError(HTTPStatus.BAD_REQUEST, str(wrong)) from wrong
    if not is_own_retirement(wanted):
        access.check_act(request)
    check_kinds(wanted)
    return submit(wanted)


@blueprint.post("/api/turn")
def turn() -> tuple[Response, HTTPStatus]:
    """A turn of a remote player, to be made on the board. Idempotent."""
    return submit(submitted_turn())


def submit(wanted: Request, timeout: float = _SUBMIT_TIMEOUT) -> tuple[Response, HTTPStatus]:
    """The response once the game thread has carried out the request, or has not managed to in ``timeout``
    seconds.
    """
    try:
        current.session().submit(wanted).result(timeout)
    except RequestRefused as refused:
        raise conflict(refused) from refused
    except TimeoutError:
        # The game thread is busy with a picture; the outcome will be on the event stream.
        return jsonify(accepted=True, done=False), HTTPStatus.ACCEPTED
    return jsonify(accepted=True, done=True), HTTPStatus.OK


@blueprint.post("/api/camera")
def take_camera() -> tuple[Response, HTTPStatus]:
    """Play on another camera: the program restarts with it, in the user's own journal.

    ``source``: omitted for the one that is plugged in, "phone", an http, https or rtsp address, or "demo".
    """
    current.access().check_act(request)
    offer: OfferedCameras | None = current_app.extensions["offer"]
    source = _camera_source()
    if offer is None or not offer.take(source):
        if offer is not None and source is not None:
            raise HttpError(
                HTTPStatus.CONFLICT,
                "No picture arrives from this address. Is it right, and is the camera on?",
            )
        raise HttpError(HTTPStatus.CONFLICT, "There is no camera to play with. Plug one in.")
    return jsonify(accepted=True, done=False), HTTPStatus.ACCEPTED


def _camera_source() -> str | None:
    """The source in the body. Never a file: permission to act is not permission to read the host's disk."""
    try:
        body = loads(request.get_data() or b"{}")
    except FormatError as wrong:
        raise HttpError(HTTPStatus.BAD_REQUEST, str(wrong)) from wrong
    source = body.get("source") if isinstance(body, dict) else ""
    if source is None:
        return None
    address = isinstance(source, str) and re.fullmatch(r"(?:https?|rtsps?)://\S{1,2000}", source.strip())
    if source not in ("phone", "demo") and not address:
        raise HttpError(HTTPStatus.BAD_REQUEST, "A camera’s address begins with http:// or rtsp://.")
    return str(source).strip()


@blueprint.post("/api/pin")
def enter() -> tuple[Response, HTTPStatus]:
    """Accept the PIN; the response's cookie lets this browser act from then on."""
    access = current.access()
    access.check_origin(request)
    body = json_body()
    pin = body.get("pin") if isinstance(body, dict) else None
    if not isinstance(pin, str) or len(pin) > 64:
        raise HttpError(HTTPStatus.BAD_REQUEST, 'Send {"pin": "…"}.')
    token = access.enter(request, pin)
    response = jsonify(accepted=True)
    response.set_cookie(pin_cookie(request), token, samesite="Strict", httponly=True)
    return response, HTTPStatus.OK
