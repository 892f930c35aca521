"""The language of each viewer, and the texts that the scripts request in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from flask import Blueprint, Flask, Response, abort, current_app, g, jsonify, request
from flask_babel import Babel

from .assets import Assets
from .catalogues import FOLDER, LANGUAGES, catalogue, part

LANGUAGE_COOKIE: Final = "focus_language"

blueprint = Blueprint("languages", __name__)


def chosen_language() -> str:
    """The one chosen by the viewer (``?lang=``, then the cookie), else the browser's best, else English."""
    for choice in (request.args.get("lang"), request.cookies.get(LANGUAGE_COOKIE)):
        if choice in LANGUAGES:
            return choice
    return request.accept_languages.best_match(list(LANGUAGES)) or "en"


@blueprint.get("/texts/<language>.json")
def texts(language: str) -> Response:
    return _texts_response(language, catalogue)


@blueprint.get("/texts/<language>/<any(main, later):name>.json")
def texts_in_parts(language: str, name: str) -> Response:
    """The texts that the game's page needs for its first view, and those that it loads afterwards."""
    assets: Assets = current_app.extensions["assets"]
    script = assets["main.js"].plain.decode()
    return _texts_response(language, lambda language: part(language, name, script))


def _texts_response(language: str, found: Callable[[str], dict[str, str | list[str]]]) -> Response:
    if language not in LANGUAGES:
        abort(404)
    response = jsonify(found(language))
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


def _remember(response: Response) -> Response:
    choice = request.args.get("lang")
    if choice in LANGUAGES and response.mimetype == "text/html":
        response.set_cookie(LANGUAGE_COOKIE, choice, max_age=31536000, samesite="Lax", httponly=True)
    return response


def init_languages(app: Flask) -> None:
    """Choose the language of each request, and serve the catalogues to the scripts."""
    Babel(app, locale_selector=chosen_language, default_translation_directories=str(FOLDER))
    app.register_blueprint(blueprint)
    app.after_request(_remember)

    @app.before_request
    def choose() -> None:
        g.language = chosen_language()
