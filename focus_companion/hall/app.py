"""The Flask app of the hall: the page, its stream, results and records. It is read-only."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, Final

from flask import Blueprint, Flask, Response, current_app, jsonify, render_template, request

from ..formats.match import Match
from ..formats.strict_json import compact
from ..mqtt.messages import InvalidMessage
from ..session.history import History
from ..session.state_json import state
from ..web.access import Access, HttpError
from ..web.base import base_app
from ..web.downloads import attachment, download
from ..web.stream import HEARTBEAT_SECONDS, stream_response
from .evening import Evening
from .news import Batch
from .results import bundle, file_name, matches, results, sheet, standings, this_evening

MAX_VIEWERS: Final = 120
"""Maximum number of simultaneous viewers of the stream."""

blueprint = Blueprint("hall", __name__)


def create_hall(
    evening: Evening, *, lan: bool = False, hosts: Iterable[str] = (), viewers: int = MAX_VIEWERS
) -> Flask:
    """The hall's page; ``lan`` and ``hosts`` as for the page of a game."""
    app = base_app(Access(lan=lan, hosts=hosts), viewers)
    app.extensions["evening"] = evening
    app.register_blueprint(blueprint)
    return app


def _evening() -> Evening:
    evening: Evening = current_app.extensions["evening"]
    return evening


@blueprint.get("/")
def hall() -> str:
    return render_template("hall.html")


@blueprint.get("/api/tables")
def tables() -> Response:
    """Every table as the page shows it, by name."""
    evening = _evening()
    return jsonify(tables=_tiles(evening, evening.names()), broker=evening.news.broker)


@blueprint.get("/api/tables/<name>")
def table(name: str) -> Response:
    """A table's complete current game: its state as folded from the events, with the list of moves."""
    evening = _evening()
    games = evening.games(name)
    if not games:
        raise _unknown()
    return jsonify(_game(evening, name, games[-1]))


@blueprint.get("/api/tables/<name>/games/<int:game>")
def past_game(name: str, game: int) -> Response:
    return jsonify(_game(_evening(), name, game))


@blueprint.get("/api/tables/<name>/games/<int:game>/export")
def export(name: str, game: int) -> Response:
    record = _history(_evening(), name, game).record()
    return download(
        Match((record,), single=True), request.args.get("format", "json"), f"{file_name(name)}-{game:04}"
    )


@blueprint.get("/api/results")
def evening_results() -> Response:
    """The evening's games, standings and matches."""
    logs = this_evening(_evening().logs())
    return jsonify(games=results(logs), standings=standings(logs), matches=matches(logs))


@blueprint.get("/evening.csv")
def evening_csv() -> Response:
    logs = this_evening(_evening().logs())
    return attachment(sheet(logs), "text/csv; charset=utf-8", "evening.csv")


@blueprint.get("/evening.zip")
def evening_zip() -> Response:
    evening = _evening()
    return attachment(bundle(evening, this_evening(evening.logs())), "application/zip", "evening.zip")


@blueprint.get("/api/events")
def events() -> Response:
    """Changes as ``tables`` events: the tables that changed, the broker's state, the results' number."""
    evening = _evening()
    after = request.headers.get("Last-Event-ID", "").strip() or request.args.get("after", "").strip()

    def write(batch: Batch) -> bytes:
        texts = {name: evening.tile_text(name) for name in batch.tables}
        tiles = ",".join(text for text in texts.values() if text is not None)
        gone = [name for name, text in texts.items() if text is None]
        more = compact({"results": batch.results, "broker": batch.broker, "gone": gone})
        return f'id: {batch.place}\nevent: tables\ndata: {{"tables":[{tiles}],{more[1:]}\n\n'.encode()

    following = evening.news.follow(after[:40], heartbeat=HEARTBEAT_SECONDS)
    return stream_response(following, lambda batch: batch.text(write), instead="/api/tables")


@blueprint.get("/healthz")
def healthz() -> tuple[Response, HTTPStatus]:
    evening = _evening()
    health = {"ok": evening.news.broker, "viewers": len(current_app.extensions["viewers"])} | evening.counts()
    return jsonify(health), HTTPStatus.OK if evening.news.broker else HTTPStatus.SERVICE_UNAVAILABLE


def _tiles(evening: Evening, names: Iterable[str]) -> list[dict[str, Any]]:
    return [tile for name in names if (tile := evening.tile(name)) is not None]


def _game(evening: Evening, name: str, game: int) -> dict[str, Any]:
    history = _history(evening, name, game)
    clock = history.clock and history.clock.to_json(history.time, history.position.players)
    return state(history) | {"table": name, "camera": "ok", "clock": clock}


def _history(evening: Evening, name: str, game: int) -> History:
    try:
        return evening.history(name, game)
    except LookupError:
        raise _unknown() from None
    except InvalidMessage as nonsense:
        raise HttpError(
            HTTPStatus.BAD_GATEWAY,
            "What the broker has stored of this game cannot be read: {reason}.",
            values={"reason": nonsense},
        ) from nonsense


def _unknown() -> HttpError:
    return HttpError(HTTPStatus.NOT_FOUND, "Nothing is known about that game yet.")
