"""The JSON body of a request."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from flask import request

from ..formats.errors import FormatError
from ..formats.strict_json import loads
from .access import HttpError


def json_body() -> Any:
    """The body of the request being answered. Raises HttpError if it is not strict JSON."""
    try:
        return loads(request.get_data())
    except FormatError as wrong:
        raise HttpError(HTTPStatus.BAD_REQUEST, str(wrong)) from wrong
