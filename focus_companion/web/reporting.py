"""Reports of the last fault, made on the page: shown first, then saved as a file. Nothing is sent.

What is saved is exactly what was shown: the parts of a report are kept until the next one is made.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from flask import Blueprint, Response, current_app, jsonify, request

from . import current
from .access import HttpError
from .ports import FaultReports
from .secret_words import is_same, new_word

ARCHIVE: Final = "focus-companion-report.zip"
MEDIA_TYPES: Final = {"png": "image/png", "zip": "application/zip"}
"""Media types by a file's ending; all others are text."""

blueprint = Blueprint("reporting", __name__)


class Reporting:
    """The newest report and the token in the addresses of its parts."""

    def __init__(self, reports: FaultReports) -> None:
        self._reports = reports
        self._lock = threading.Lock()
        self._token = ""
        self._parts: Mapping[str, bytes] = {}

    def make(self) -> tuple[str, Mapping[str, bytes]]:
        """A new report: its token and its parts by name. Raises ``ValueError`` if nothing may be shown."""
        with self._lock:
            # One at a time, because encoding takes much of a second of processor time.
            self._parts = self._reports.parts()
            self._token = new_word()
            return self._token, self._parts

    def file(self, token: str, name: str) -> bytes | None:
        """A part of the report with that token, or all as :data:`ARCHIVE`; ``None`` if there is none."""
        with self._lock:
            known, parts = is_same(token, self._token), self._parts
        if not known:
            return None
        return self._reports.packed(parts) if name == ARCHIVE else parts.get(name)


@blueprint.post("/api/report")
def make() -> Response:
    """Make a report: ``{"report": token, "fault": event, "parts": [{"name", "bytes"}]}``."""
    current.access().check_act(request)
    try:
        token, parts = _reporting().make()
    except ValueError as nothing:
        raise HttpError(
            HTTPStatus.CONFLICT,
            "No picture can be shown: the board has not been seen yet, so that nobody knows what to blur.",
        ) from nothing
    facts: Any = json.loads(parts["facts.json"])
    sizes = [{"name": name, "bytes": len(data)} for name, data in parts.items()]
    return jsonify(report=token, fault=facts["fault"], parts=sizes)


@blueprint.get("/api/report/<token>/<name>")
def file(token: str, name: str) -> Response:
    """A file of the report, or all of it as :data:`ARCHIVE`."""
    current.access().check_view(request)
    data = _reporting().file(token, name)
    if data is None:
        raise HttpError(HTTPStatus.NOT_FOUND, "This report is gone: another one was made since.")
    kind = MEDIA_TYPES.get(name.rpartition(".")[2], "text/plain; charset=utf-8")
    response = Response(data, content_type=kind)
    if name == ARCHIVE:
        response.headers.set("Content-Disposition", "attachment", filename=ARCHIVE)
    return response


def _reporting() -> Reporting:
    reporting: Reporting | None = current_app.extensions["reporting"]
    if reporting is None:
        raise HttpError(
            HTTPStatus.NOT_FOUND, "There is nothing at this address. It may be mistyped or out of date."
        )
    return reporting
