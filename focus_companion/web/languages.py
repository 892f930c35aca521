"""The languages of the page: which one a viewer gets, and the catalogue that its scripts use."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from babel.support import Translations
from flask import Blueprint, Flask, Response, abort, current_app, g, jsonify, request
from flask_babel import Babel

from .assets import Assets

LANGUAGES: Final = {"en": "English", "pl": "Polski", "it": "Italiano"}
COOKIE: Final = "focus_language"
FOLDER: Final = Path(__file__).parent / "translations"

blueprint = Blueprint("languages", __name__)


def chosen_language() -> str:
    """Chosen by hand (``?lang=``, then the cookie), else the browser's best, else English."""
    for choice in (request.args.get("lang"), request.cookies.get(COOKIE)):
        if choice in LANGUAGES:
            return choice
    return request.accept_languages.best_match(list(LANGUAGES)) or "en"


@lru_cache(maxsize=len(LANGUAGES))
def catalogue(language: str) -> dict[str, str | list[str]]:
    """Texts of a language by their English form; a list of gettext's forms where the number decides."""
    texts: dict[str, str | list[str]] = {}
    messages: dict[Any, Any] = getattr(Translations.load(str(FOLDER), [language]), "_catalog", {})
    for key, text in messages.items():
        if isinstance(key, tuple):
            forms = texts.setdefault(key[0], [])
            if isinstance(forms, list):
                forms.extend([""] * (key[1] + 1 - len(forms)))
                forms[key[1]] = text
        elif key:
            texts[key] = text
    return texts


@lru_cache(maxsize=2 * len(LANGUAGES))
def part(language: str, name: str, script: str) -> dict[str, str | list[str]]:
    """The texts that a script says (``"main"``), or all the others (``"later"``)."""
    said = {key for key in catalogue(language) if json.dumps(key, ensure_ascii=False) in script}
    return {key: text for key, text in catalogue(language).items() if (key in said) == (name == "main")}


@blueprint.get("/texts/<language>.json")
def texts(language: str) -> Response:
    return _told(language, catalogue)


@blueprint.get("/texts/<language>/<any(main, later):name>.json")
def texts_in_parts(language: str, name: str) -> Response:
    """What the game's page needs at first, and what it asks for when it stands."""
    assets: Assets = current_app.extensions["assets"]
    script = assets.files["main.js"].plain.decode()
    return _told(language, lambda language: part(language, name, script))


def _told(language: str, found: Callable[[str], dict[str, str | list[str]]]) -> Response:
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
        response.set_cookie(COOKIE, choice, max_age=31536000, samesite="Lax", httponly=True)
    return response


def init_languages(app: Flask) -> None:
    """Choose the language of each request, and offer the catalogues to the scripts."""
    Babel(app, locale_selector=chosen_language, default_translation_directories=str(FOLDER))
    app.register_blueprint(blueprint)
    app.after_request(_remember)

    @app.before_request
    def choose() -> None:
        g.language = chosen_language()
