"""Addresses: without passwords where they are printed, logged or sent to a page; cookies by port."""

from __future__ import annotations

import re
from typing import Final

HIDDEN: Final = "…"
"""Replaces a secret."""

_ADDRESS: Final = re.compile(r"(?i)\b[a-z][a-z0-9+.-]{0,30}://[^\s\"'<>]+")
_SCHEME: Final = re.compile(r"(?i)[a-z][a-z0-9+.-]{0,30}://")
_HOST_AND_PORT: Final = re.compile(r"(\[[^\]]*\]|[^:]*)(:[0-9]*)?")
# Some cameras take their password in the path, as in rtsp://host/user=admin_password=secret_channel=1.
_PASSWORD_IN_PATH: Final = re.compile(r"(?i)((?:pass\w*?|pwd|pw|psw|secret|token|auth|key)[=:]).*")
_QUERY_VALUE: Final = re.compile(r"=[^&;]*")


def shown_address(address: str) -> str:
    """``address`` without user and password, without the values of its query, and without a fragment.

    Anything else (a camera's number, a file's name) is returned unchanged.
    """
    found = _SCHEME.match(address)
    if found is None:
        return address
    rest = address[found.end() :]
    user = ""
    if "@" in rest:
        # The last @ ends the password, which may contain @, / and ? if it was not escaped.
        user, rest = f"{HIDDEN}@", rest.rpartition("@")[2]
    rest, mark, query = rest.partition("#")[0].partition("?")
    place, slash, path = rest.partition("/")
    if not _HOST_AND_PORT.fullmatch(place):
        place = HIDDEN
    # A query without names may be the secret itself.
    shown = _QUERY_VALUE.sub(f"={HIDDEN}", query) if "=" in query else HIDDEN
    return (
        found[0]
        + user
        + place
        + slash
        + _PASSWORD_IN_PATH.sub(rf"\1{HIDDEN}", path)
        + (mark and mark + shown)
    )


def without_secrets(text: str) -> str:
    """``text`` with every address in it replaced by :func:`shown_address`, for errors and logs."""
    return _ADDRESS.sub(lambda found: shown_address(found[0]), text)


def cookie_of(name: str, host: str) -> str:
    """The name of a cookie for the port in ``host``, a ``Host`` header. Browsers keep cookies by host alone,
    so two companions on one machine would replace each other's.
    """
    port = _HOST_AND_PORT.fullmatch(host)
    return f"{name}_{port[2][1:]}" if port and port[2] and port[2][1:] else name
