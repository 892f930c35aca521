"""The phone's page and what it sends: the word once, then pictures."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Final, Protocol

from flask import Blueprint, Flask, Response, current_app, jsonify, render_template, request

from ...vision.capture.phone import LARGEST, PictureRefused, TooFast
from ..access import Access, HttpError
from ..base import base_app
from ..bodies import json_body
from .holder import Holder

TOKEN: Final = "X-Phone"
"""The header that holds the token. A page of another site cannot send it: nothing here allows it to."""

_LONGEST: Final = 100
"""Characters of a word."""

blueprint = Blueprint("phone", __name__)


class PictureSink(Protocol):
    """Takes the pictures; :class:`~focus_companion.vision.capture.phone.PhoneCamera` does."""

    def begin(self) -> None: ...

    def put(self, data: bytes, number: int) -> bool: ...


def create_phone_app(camera: PictureSink, holder: Holder, *, hosts: Iterable[str] = ()) -> Flask:
    """The app of the phone's page, and of nothing else; it shows no game and takes no acts.

    ``hosts``: names of this machine under which it answers, besides its bare addresses.
    """
    app = base_app(Access(lan=True, hosts=hosts), viewers=1, camera=True)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST
    app.extensions["phone camera"] = camera
    app.extensions["holder"] = holder
    app.register_blueprint(blueprint)
    return app


@blueprint.get("/")
def page() -> str:
    """The word stands behind the # of the address, so that no log has it."""
    return render_template("phone.html")


@blueprint.post("/api/phone")
def enter() -> Response:
    """``{"word": "…"}``: from now on this phone is the camera; the answer holds its token."""
    access: Access = current_app.extensions["access"]
    access.check_origin(request)
    body = json_body()
    word = body.get("word") if isinstance(body, dict) else None
    if not isinstance(word, str) or len(word) > _LONGEST:
        raise HttpError(HTTPStatus.BAD_REQUEST, 'Send {"word": "…"}.')
    holder: Holder = current_app.extensions["holder"]
    token = holder.enter(word)
    camera: PictureSink = current_app.extensions["phone camera"]
    camera.begin()
    return jsonify(token=token)


@blueprint.post("/api/phone/picture")
def picture() -> Response:
    """One JPEG picture of the phone that is the camera; ``?n=`` counts them, so that a late one is known."""
    access: Access = current_app.extensions["access"]
    access.check_origin(request, "image/jpeg")
    holder: Holder = current_app.extensions["holder"]
    # Before the body is read: whoever is not the camera costs nothing.
    holder.check(request.headers.get(TOKEN, ""))
    number = request.args.get("n", "")
    if not (number.isascii() and number.isdigit() and len(number) < 16):
        raise HttpError(HTTPStatus.BAD_REQUEST, "The pictures must be numbered.")
    camera: PictureSink = current_app.extensions["phone camera"]
    try:
        camera.put(request.get_data(cache=False), int(number))
    except TooFast as fast:
        raise HttpError(HTTPStatus.TOO_MANY_REQUESTS, "Too many pictures come.", retry_after=1) from fast
    except PictureRefused as wrong:
        raise HttpError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "That is no picture that can be used.") from wrong
    return Response(status=HTTPStatus.NO_CONTENT)
