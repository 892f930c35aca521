"""The phone's page and its requests: first the secret word, then pictures."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Final, Protocol

from flask import Blueprint, Flask, Response, current_app, jsonify, render_template, request

from ...vision.capture.phone import MAX_BYTES, PictureRefused, TooFast
from .. import current
from ..access import Access, HttpError
from ..base import base_app
from ..bodies import json_body
from .holder import Holder

TOKEN_HEADER: Final = "X-Phone"
"""The header with the token. Pages of other sites cannot send it, because no CORS header here allows it."""

_MAX_WORD_LENGTH: Final = 100
"""Characters; ours are shorter."""

blueprint = Blueprint("phone", __name__)


class PictureSink(Protocol):
    """Receives the pictures: :class:`~focus_companion.vision.capture.phone.PhoneCamera`."""

    def begin(self) -> None: ...

    def put(self, data: bytes, number: int) -> bool: ...


def create_phone_app(camera: PictureSink, holder: Holder, *, hosts: Iterable[str] = ()) -> Flask:
    """The app that serves only the phone's page; it neither shows the game nor accepts requests to it.

    ``hosts``: names of this machine to which it answers, besides its IP addresses.
    """
    app = base_app(Access(lan=True, hosts=hosts), viewers=1, camera=True)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BYTES
    app.extensions["phone camera"] = camera
    app.extensions["holder"] = holder
    app.register_blueprint(blueprint)
    return app


@blueprint.get("/")
def page() -> str:
    """The page. The word is in the fragment of the address, so that no log contains it."""
    return render_template("phone.html")


@blueprint.post("/api/phone")
def enter() -> Response:
    """``{"word": "…"}``: from now on this phone is the camera; the response holds its token."""
    current.access().check_origin(request)
    body = json_body()
    word = body.get("word") if isinstance(body, dict) else None
    if not isinstance(word, str) or len(word) > _MAX_WORD_LENGTH:
        raise HttpError(HTTPStatus.BAD_REQUEST, 'Send {"word": "…"}.')
    holder: Holder = current_app.extensions["holder"]
    token = holder.enter(word)
    camera: PictureSink = current_app.extensions["phone camera"]
    camera.begin()
    return jsonify(token=token)


@blueprint.post("/api/phone/picture")
def picture() -> Response:
    """One JPEG picture from the phone that is the camera; ``?n=`` numbers them to detect late ones."""
    current.access().check_origin(request, "image/jpeg")
    holder: Holder = current_app.extensions["holder"]
    # Checked before the body is read, so that requests from others cost nothing.
    holder.check(request.headers.get(TOKEN_HEADER, ""))
    number = request.args.get("n", "")
    if not (number.isascii() and number.isdigit() and len(number) < 16):
        raise HttpError(HTTPStatus.BAD_REQUEST, "The pictures must be numbered.")
    camera: PictureSink = current_app.extensions["phone camera"]
    try:
        camera.put(request.get_data(cache=False), int(number))
    except TooFast as fast:
        raise HttpError(
            HTTPStatus.TOO_MANY_REQUESTS, "Too many pictures are arriving.", retry_after=1
        ) from fast
    except PictureRefused as wrong:
        raise HttpError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "That is not a usable picture.") from wrong
    return Response(status=HTTPStatus.NO_CONTENT)
