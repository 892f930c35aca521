"""The basis of all our Flask apps: access control, security headers, languages, scripts, styles."""

from __future__ import annotations

import gzip
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, current_app, g, jsonify, make_response, render_template, request
from flask_babel import gettext
from werkzeug.exceptions import HTTPException

from . import assets
from .access import Access, HttpError
from .assets import Assets, accepts_gzip
from .catalogues import LANGUAGES
from .languages import init_languages
from .stream import Viewers

_MAX_BODY_BYTES = 256 * 1024
"""Maximum size of a request; the largest that our pages send has a few thousand bytes."""

_MIN_COMPRESSED_BYTES = 1024
"""Size below which a response is not compressed."""

_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def base_app(access: Access, viewers: int, *, camera: bool = False) -> Flask:
    """An app without pages.

    ``viewers``: maximum number of open event streams; further viewers have to poll. ``camera``: its pages may
    use the camera of the machine that shows them.
    """
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = _MAX_BODY_BYTES
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.extensions["access"] = access
    app.extensions["viewers"] = Viewers(viewers)
    app.extensions["assets"] = Assets()
    app.extensions["permissions"] = f"camera=({'self' if camera else ''}), microphone=(), geolocation=()"
    app.before_request(lambda: access.check_host(request))
    app.before_request(lambda: access.check_site(request))
    init_languages(app)
    app.register_blueprint(assets.blueprint)
    app.register_error_handler(HttpError, refused)
    app.register_error_handler(HTTPException, _failed)
    app.context_processor(_template_variables)
    app.after_request(_compress)
    app.after_request(_add_security_headers)
    return app


def _template_variables() -> dict[str, Any]:
    """Variables for every template."""
    found: Assets = current_app.extensions["assets"]
    access: Access = current_app.extensions["access"]
    # A phone shows a keypad for digits, on which no other PIN can be typed.
    keypad = access.gate is None or access.gate.of_digits
    assets = f"/assets/{found.version}"
    return {"assets": assets, "language": g.language, "languages": LANGUAGES, "pin_keypad": keypad}


def _add_security_headers(response: Response) -> Response:
    headers = response.headers
    headers["Content-Security-Policy"] = _CONTENT_SECURITY_POLICY
    headers["X-Content-Type-Options"] = "nosniff"
    headers["X-Frame-Options"] = "DENY"
    headers["Referrer-Policy"] = "no-referrer"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers["Permissions-Policy"] = current_app.extensions["permissions"]
    headers.setdefault("Cache-Control", "no-store")
    return response


def _compress(response: Response) -> Response:
    """Compress pages and JSON; pictures are compressed already, and a stream must not be delayed."""
    packable = response.mimetype in ("text/html", "application/json") and not response.is_streamed
    if not packable or "Content-Encoding" in response.headers or response.status_code != HTTPStatus.OK:
        return response
    response.headers.add("Vary", "Accept-Encoding")
    if accepts_gzip() and len(data := response.get_data()) >= _MIN_COMPRESSED_BYTES:
        response.set_data(gzip.compress(data, compresslevel=5, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    return response


def refused(error: HttpError) -> Response:
    """The answer to a request that is refused, in the viewer's language."""
    text = gettext(error.text)
    response = jsonify(error=text.format_map(error.values) if error.values else text, pin=error.pin)
    response.status_code = error.status
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    return response


def _error_text(code: int) -> str | None:
    """The text for an HTTP status in the viewer's language; ``None`` for a rare status."""
    texts: dict[int, str] = {
        HTTPStatus.BAD_REQUEST: gettext("The host did not understand."),
        HTTPStatus.NOT_FOUND: gettext("There is nothing at this address. It may be mistyped or out of date."),
        HTTPStatus.METHOD_NOT_ALLOWED: gettext("This address does not accept this kind of request."),
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE: gettext("The request is too large."),
        HTTPStatus.INTERNAL_SERVER_ERROR: gettext("Something went wrong on the host; its log says what."),
    }
    return texts.get(code)


def _failed(error: HTTPException) -> Response:
    code = error.code or HTTPStatus.INTERNAL_SERVER_ERROR
    own = error.description if error.description != type(error).description else None
    text = own or _error_text(code) or error.description or error.name
    if request.path.startswith("/api/") or request.path == "/healthz":
        response = jsonify(error=text)
    else:
        response = make_response(render_template("error.html", code=code, text=text))
    response.status_code = code
    if allowed := getattr(error, "valid_methods", None):
        response.headers["Allow"] = ", ".join(allowed)
    return response
