"""The pages for people: the game, past games, and the manifest with which a phone can install the page."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from flask import Blueprint, Response, abort, current_app, g, jsonify, render_template, request
from flask_babel import force_locale, gettext

from ..game.presets import PRESETS
from ..session.state_json import state
from ..storage.matches import place_of
from . import current
from .access import HttpError
from .api import offered
from .assets import Assets
from .catalogues import LANGUAGES
from .headings import heading
from .lan import qr_code
from .past import check_exists
from .roster import roster
from .seats import own_seat

blueprint = Blueprint("pages", __name__)


def _phase(state: Mapping[str, Any]) -> str:
    """The same value as the page's script computes, so that the layout does not change when it starts."""
    if state["result"]:
        return "over"
    return "play" if state["ply"] or state["ready"] or state["paused"] else "before"


@blueprint.get("/")
def play() -> str:
    """The game; ``?view=table``: for a screen beside the table, without controls."""
    access = current.access()
    state = current.session().state()
    return render_template(
        "game.html",
        game="",
        table_view=request.args.get("view") == "table",
        phase=_phase(state),
        may_act=access.may_act(request),
        asks_pin=access.gate is not None,
        own_seat=(seat := own_seat()),
        addresses=current_app.extensions["addresses"],
        reports=current_app.extensions["reporting"] is not None,
        phone=current_app.extensions["phone"] if access.may_act(request) else None,
        state=state | offered() | {"seat": seat},
    )


@blueprint.get("/dialogs/<language>")
def dialogs(language: str) -> str:
    """The dialogs of the game's page, which it loads after its first view."""
    if language not in LANGUAGES:
        abort(404)
    with force_locale(language):
        return render_template("dialogs.html", presets=PRESETS)


@blueprint.get("/games")
def games() -> str:
    access = current.access()
    may_change = access.may_act(request) or access.gate is not None
    return render_template("games.html", may_change=may_change and current.journal() is not None)


@blueprint.get("/players")
def players() -> str:
    journal = current.journal()
    return render_template("players.html", players=roster(journal) if journal else [])


@blueprint.get("/games/<int:game>")
def past_game(game: int) -> str:
    journal = current.journal()
    if journal is None:
        abort(404, gettext("This game is played without a journal, so there are no past games."))
    try:
        check_exists(journal, game)
    except HttpError as refused:
        if refused.status == HTTPStatus.NOT_FOUND:
            abort(404, gettext("There is no such game in the journal."))
        abort(refused.status, gettext(refused.text).format_map(refused.values))
    # The number is passed as text, because the template tests whether it is empty.
    # With the state, the template reserves space for players and review before the script starts.
    return render_template(
        "game.html",
        game=str(game),
        phase="over",
        about=heading(journal.summary(game), place_of(journal, game)),
        may_act=False,
        asks_pin=False,
        addresses=(),
        state=state(journal.history(game)),
    )


@blueprint.get("/qr.svg")
def qr() -> Response:
    """The best address of the page as a QR code."""
    addresses: tuple[str, ...] = current_app.extensions["addresses"]
    return Response(qr_code(addresses[0] if addresses else request.host_url), mimetype="image/svg+xml")


@blueprint.get("/phone.svg")
def phone_qr() -> Response:
    """The address at which a phone becomes the camera, as a QR code. Only those who may act may see it."""
    current.access().check_view(request)
    address: str | None = current_app.extensions["phone"]
    if address is None:
        abort(404)
    return Response(qr_code(address), mimetype="image/svg+xml")


@blueprint.get("/manifest.webmanifest")
def manifest() -> Response:
    assets: Assets = current_app.extensions["assets"]
    icon = {"src": f"/assets/{assets.version}/icon.svg", "sizes": "any", "type": "image/svg+xml"}
    response = jsonify(
        name=gettext("Focus Companion"),
        short_name="Focus",
        lang=g.language,
        start_url="/",
        scope="/",
        display="standalone",
        background_color="#f4f1ea",
        theme_color="#22303c",
        icons=[icon | {"purpose": "any"}, icon | {"purpose": "maskable"}],
    )
    response.mimetype = "application/manifest+json"
    return response


@blueprint.get("/favicon.ico")
def favicon() -> Response:
    assets: Assets = current_app.extensions["assets"]
    return Response(assets["icon.svg"].plain, mimetype="image/svg+xml")
