"""What the viewer's browser speaks: events as sentences, as they happen, and answers to questions."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from flask import Blueprint, Response, g, jsonify, request

from ..formats.strict_json import compact
from ..session.events import Event
from ..speech import QUESTIONS, NoSuchQuestion, Voice, answer, narrate
from . import current
from .access import HttpError
from .catalogues import translations
from .stream import HEARTBEAT_SECONDS, last_event_id, stream_response

SILENT_BLOCK = b": nothing to say\n\n"

blueprint = Blueprint("speaking", __name__)


@blueprint.get("/api/speech")
def speech() -> Response:
    """``text/event-stream``: every sentence as ``{"type", "text", "urgent"}``, its event's id as ``id``."""
    session = current.session()
    voice = Voice(translations(g.language))

    def block(number: int, event: Event) -> bytes:
        said = narrate(event, session.state(), voice)
        if said is None:
            return SILENT_BLOCK
        data: dict[str, Any] = {"type": event.type, "text": said.text, "urgent": said.urgent}
        return f"id: {number}\nevent: said\ndata: {compact(data)}\n\n".encode()

    return stream_response(session.subscribe(last_event_id(), heartbeat=HEARTBEAT_SECONDS), block)


@blueprint.get("/api/speech/answer")
def answered() -> Response:
    """``{"text": …}``: the answer to ``about`` (turn, standing, time, or square with ``square=d5``)."""
    about, square = request.args.get("about", ""), request.args.get("square", "").strip().lower()
    if about not in QUESTIONS:
        raise HttpError(
            HTTPStatus.BAD_REQUEST,
            "There is no question “{question}”. Choose one of: {questions}.",
            values={"question": about[:40], "questions": ", ".join(QUESTIONS)},
        )
    try:
        text = answer(about, current.session().state(), Voice(translations(g.language)), square)
    except NoSuchQuestion:
        raise HttpError(HTTPStatus.BAD_REQUEST, "Ask for a square by its name, such as d5.") from None
    return jsonify(text=text)
