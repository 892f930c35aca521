"""Which phone is the camera: the last one that entered with the word of the QR code."""

from __future__ import annotations

import threading
from http import HTTPStatus
from typing import Final

from ..access import HttpError
from ..secret_words import is_same, new_word

_TOKEN_BYTES: Final = 18
"""Random bytes of the token of a phone."""


class Holder:
    """Holds the secret word, a new one at each start, and the token of the phone that is the camera now."""

    def __init__(self) -> None:
        self.word = new_word()
        self._lock = threading.Lock()
        self._token: str | None = None

    def enter(self, word: str) -> str:
        """A token in exchange for the word; earlier tokens become invalid.

        Raises:
            HttpError: the word is wrong.
        """
        if not is_same(word, self.word):
            raise HttpError(
                HTTPStatus.FORBIDDEN,
                "This address is out of date. Scan the code on the companion’s page again.",
            )
        with self._lock:
            self._token = new_word(_TOKEN_BYTES)
            return self._token

    def check(self, token: str) -> None:
        """Refuse a phone that is not the camera: 409 if another one is, 401 if none is."""
        with self._lock:
            held = self._token
        if held is None:
            raise HttpError(HTTPStatus.UNAUTHORIZED, "The companion does not know this phone yet.")
        if not is_same(token, held):
            raise HttpError(HTTPStatus.CONFLICT, "Another phone is the camera now.")
