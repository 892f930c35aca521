"""HTTP client of another companion, as one of its remote players: reads its state, sends turns of its seats.

Only the address that the host named is contacted; redirects are not followed.
"""

from __future__ import annotations

import http.client
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from .. import private_files
from ..addresses import cookie_of
from ..formats.errors import printable
from ..game.colours import LETTER

log = logging.getLogger(__name__)

FILE_NAME: Final = "other-tables.json"
"""The tokens of far seats at other tables, in the folder of the journal."""

SEAT_COOKIE: Final = "focus_seat"
"""The cookie with the token of a far seat."""

_MAX_RESPONSE_BYTES: Final = 4_000_000
"""A game of thousands of turns has fewer."""

_MAX_REASON_LENGTH: Final = 200
"""Characters of what the other table says when it refuses or is not understood."""

_TIMEOUT: Final = 10.0
"""Seconds for each step of a request."""


class Unreachable(OSError):
    """The other table does not answer; the text says why."""


class Declined(ValueError):
    """The other table refuses a request; the text is its own message."""


@dataclass(frozen=True)
class Answer:
    """``body``: a JSON object; ``token``: that of a seat just taken, "" otherwise."""

    body: Mapping[str, Any]
    token: str = ""


class TableClient:
    """The companion at ``address`` (scheme, host and port). ``folder``: where its tokens are stored.

    Not thread-safe.
    """

    def __init__(self, address: str, folder: Path) -> None:
        self.address = address
        self._path = folder / FILE_NAME
        self._tokens = self._read()
        """Tokens by colour at the other table."""

    @property
    def held(self) -> frozenset[str]:
        """The letters of the colours that can be played from here."""
        return frozenset(LETTER[colour] for colour in self._tokens)

    def state(self) -> Mapping[str, Any]:
        """Its ``/api/state``. Raises Unreachable, Declined."""
        return self._ask("GET", "/api/state").body

    def sit_down(self, word: str) -> str:
        """Take the far seat that a link's ``word`` is for; returns its colour (letter), which this table
        plays from now on.

        Raises:
            Unreachable, Declined: it does not answer, or the word was used already.
        """
        answer = self._ask("POST", "/api/seat", {"word": word})
        colour = answer.body.get("player")
        if not isinstance(colour, str) or colour not in LETTER or not answer.token:
            raise Declined("it gives no seat")
        self._tokens[colour] = answer.token
        self._write()
        return LETTER[colour]

    def rename(self, colours: Mapping[str, str]) -> None:
        """Note that the seats held there have other colours (names) now, as after a rematch."""
        self._tokens = {colours.get(colour, colour): token for colour, token in self._tokens.items()}
        self._write()

    def act(self, path: str, colour: str, body: Mapping[str, Any]) -> bool:
        """Send a request for a seat (colour name) held there. Returns whether it has been carried out, and
        not only accepted. Raises Unreachable, Declined.
        """
        answer = self._ask("POST", path, {"player": colour} | dict(body), self._tokens.get(colour, ""))
        return answer.body.get("done") is True

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None, token: str = "") -> Answer:
        parts = urlsplit(self.address)
        safe = parts.scheme == "https"
        connect = http.client.HTTPSConnection if safe else http.client.HTTPConnection
        line = connect(parts.hostname or "", parts.port, timeout=_TIMEOUT)
        headers = {"Content-Type": "application/json", "Accept-Language": "en"}
        cookie = cookie_of(SEAT_COOKIE, f":{line.port}" if line.port != line.default_port else "")
        if token:
            headers["Cookie"] = f"{cookie}={token}"
        try:
            line.request(method, path, None if body is None else json.dumps(body), headers)
            with line.getresponse() as answer:
                content = answer.read(_MAX_RESPONSE_BYTES + 1)
            cookies = answer.headers.get_all("Set-Cookie") or []
        except (OSError, ValueError, http.client.HTTPException) as error:
            # It may quote what was answered, or the host may be a name that no host has.
            text = getattr(error, "strerror", None) or str(error)
            why = printable(text[:_MAX_REASON_LENGTH]).strip()
            raise Unreachable(why or type(error).__name__) from error
        finally:
            line.close()
        if answer.status >= 500:
            raise Unreachable(f"it answers with HTTP {answer.status}")
        try:
            parsed = json.loads(content.decode("utf-8"))
        except (ValueError, RecursionError):
            parsed = None
        if len(content) > _MAX_RESPONSE_BYTES or not isinstance(parsed, dict):
            raise Declined(f"HTTP {answer.status}, but not an answer of Focus Companion")
        if answer.status >= 300:
            said = parsed.get("error")
            text = said if isinstance(said, str) else f"HTTP {answer.status}"
            raise Declined(printable(text[:_MAX_REASON_LENGTH]).strip())
        return Answer(parsed, _token(cookies, cookie))

    def _read(self) -> dict[str, str]:
        kept = self._all().get(self.address)
        if not isinstance(kept, dict):
            return {}
        return {name: token for name, token in kept.items() if name in LETTER and isinstance(token, str)}

    def _all(self) -> dict[str, Any]:
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            log.warning("%s cannot be read (%s); the other table's seats need new links", self._path, error)
            return {}
        return content if isinstance(content, dict) else {}

    def _write(self) -> None:
        try:
            content = json.dumps(self._all() | {self.address: self._tokens})
            private_files.replace(self._path, content.encode())
        except OSError as error:
            # The seats are kept until the program exits.
            log.warning("%s cannot be written (%s); after a restart new links are needed", self._path, error)


def _token(headers: list[str], cookie: str) -> str:
    for header in headers:
        cookies = SimpleCookie(header)
        if cookie in cookies:
            return cookies[cookie].value
    return ""
