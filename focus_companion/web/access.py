"""Who may watch and who may act.

Watching requires a ``Host`` header that names this machine, so that a page of a foreign site cannot reach us
under its own name (DNS rebinding). Acting also requires that the request comes from one of our own pages, and
either from the host machine itself or with the PIN that the host machine shows.
"""

from __future__ import annotations

import ipaddress
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from flask import Request

from ..addresses import cookie_of
from .secret_words import digest, has_digest, new_word

_TOKEN_BYTES: Final = 24
"""Random bytes of a token that replaces the PIN."""
_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST_HEADER: Final = re.compile(r"[A-Za-z0-9._-]{1,255}(:[0-9]{0,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{0,5})?")
_FREE_TRIES: Final = 3
"""Wrong PINs from one address before it has to wait; the wait then doubles each time."""
_MAX_WAIT: Final = 300.0
"""Limit of that wait in seconds."""
_MAX_REMEMBERED: Final = 1024
"""Maximum number of networks whose wrong PINs are counted, and of valid tokens; the oldest are forgotten."""
_TOTAL_FREE_TRIES: Final = 30
"""Wrong PINs from all addresses together before everyone has to wait."""
_TOTAL_REFILL_SECONDS: Final = 300.0
"""Seconds after which all addresses together get one more try, so that months of guessing on a machine that
is never switched off do not find a PIN of six digits."""


class HttpError(Exception):
    """The request is answered with an error: its HTTP ``status`` and a text for the person who made it.

    ``text`` is translated if it is in the catalogues; ``values`` then fill its {names}.
    """

    def __init__(
        self,
        status: HTTPStatus,
        text: str,
        *,
        retry_after: int | None = None,
        pin: bool = False,
        values: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.values = values or {}
        self.retry_after = retry_after
        self.pin = pin


def host_name(header: str) -> str:
    """The name in a ``Host`` header, lower case, without port and brackets; "" if it is malformed."""
    if not _HOST_HEADER.fullmatch(header):
        return ""
    try:
        return (urlsplit(f"//{header}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _host_and_port(origin: str) -> str | None:
    """Host and port of an ``Origin`` header, as in a ``Host`` header; ``None`` if it is malformed."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def _ip_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The IP address that is written so; ``None`` for any other text."""
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def is_loopback(address: str | None) -> bool:
    """Whether this is the address of this machine itself."""
    parsed = _ip_address(address or "")
    return parsed is not None and (getattr(parsed, "ipv4_mapped", None) or parsed).is_loopback


def pin_cookie(request: Request) -> str:
    """The name of the cookie that holds the token for the PIN."""
    return cookie_of("focus_pin", request.headers.get("Host", ""))


@dataclass
class _Tries:
    wrong: int = 0
    blocked_until: float = 0.0


class PinGate:
    """Compares PINs, slows down guessing per address and overall, and issues tokens for the right PIN."""

    def __init__(self, pin: str, clock: Callable[[], float] = time.monotonic) -> None:
        # Keyboards of phones like to add a space.
        self._pin = digest(pin.strip())
        self.of_digits = pin.strip().isdecimal()
        self._clock = clock
        self._lock = threading.Lock()
        self._tokens: OrderedDict[str, None] = OrderedDict()
        self._tries: OrderedDict[str, _Tries] = OrderedDict()
        self._left = float(_TOTAL_FREE_TRIES)
        self._counted = clock()

    def enter(self, pin: str, address: str) -> str:
        """A token for the right PIN. Raises HttpError: it is wrong (401), or sent too soon (429)."""
        right = has_digest(pin.strip(), self._pin)
        with self._lock:
            now = self._clock()
            tries = self._tries_of(_network(address))
            if now < tries.blocked_until:
                raise _too_soon(tries.blocked_until - now)
            self._left = min(_TOTAL_FREE_TRIES, self._left + (now - self._counted) / _TOTAL_REFILL_SECONDS)
            self._counted = now
            if self._left < 1:
                raise _too_soon((1 - self._left) * _TOTAL_REFILL_SECONDS)
            if right:
                del self._tries[_network(address)]
                token = new_word(_TOKEN_BYTES)
                self._tokens[token] = None
                while len(self._tokens) > _MAX_REMEMBERED:
                    self._tokens.popitem(last=False)
                return token
            self._left -= 1
            tries.wrong += 1
            if tries.wrong >= _FREE_TRIES:
                # Doubling: 3 wrong PINs cost 2 s, 10 cost about 4 minutes each.
                wait = 2.0 ** min(tries.wrong - _FREE_TRIES + 1, 16)
                tries.blocked_until = now + min(_MAX_WAIT, wait)
        raise HttpError(
            HTTPStatus.UNAUTHORIZED, "That is not the PIN. It is shown on the screen of the host.", pin=True
        )

    def _tries_of(self, network: str) -> _Tries:
        tries = self._tries.setdefault(network, _Tries())
        self._tries.move_to_end(network)
        while len(self._tries) > _MAX_REMEMBERED:
            self._tries.popitem(last=False)
        return tries

    def knows(self, token: str | None) -> bool:
        """Whether this token was issued."""
        with self._lock:
            return token is not None and token in self._tokens


def _network(address: str) -> str:
    """The network whose tries are counted together: an IPv6 host has billions of addresses in its /64."""
    parsed = _ip_address(address)
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is None:
        return str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))
    return address if parsed is None else str(parsed)


def _too_soon(wait: float) -> HttpError:
    seconds = max(1, round(wait + 0.5))
    return HttpError(
        HTTPStatus.TOO_MANY_REQUESTS,
        "Too many wrong PINs. Try again in {seconds} s.",
        retry_after=seconds,
        pin=True,
        values={"seconds": seconds},
    )


class Access:
    """The rules of one running page: who may watch, who may act."""

    def __init__(self, *, lan: bool = False, pin: str | None = None, hosts: Iterable[str] = ()) -> None:
        self.lan = lan
        self.gate = PinGate(pin) if pin else None
        self._hosts = frozenset(host.lower().rstrip(".") for host in hosts)

    def check_host(self, request: Request) -> None:
        """Refuse a ``Host`` that is not ours.

        With ``lan`` any IP address is accepted, because only names can be rebound.
        """
        name = host_name(request.headers.get("Host", ""))
        if name in _LOOPBACK_NAMES or name in self._hosts or (self.lan and _ip_address(name) is not None):
            return
        raise HttpError(
            HTTPStatus.MISDIRECTED_REQUEST,
            "This page does not answer to the name “{name}”. Open the address that the host shows.",
            values={"name": name[:80]},
        )

    def check_site(self, request: Request) -> None:
        """Refuse what a page of another site fetches from us; following a link from there is allowed."""
        foreign = request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
        if foreign and request.headers.get("Sec-Fetch-Mode") != "navigate":
            raise HttpError(
                HTTPStatus.FORBIDDEN, "This request comes from a page of another site, so it is not answered."
            )

    def check_origin(self, request: Request, kind: str = "application/json") -> None:
        """Refuse a request that a page of another site sends, or whose media type is not ``kind``."""
        origin = request.headers.get("Origin")
        site = request.headers.get("Sec-Fetch-Site")
        foreign = site not in (None, "same-origin", "none")
        if origin is not None:
            foreign = foreign or _host_and_port(origin) != request.headers.get("Host", "").lower()
        if foreign:
            raise HttpError(
                HTTPStatus.FORBIDDEN,
                "This request comes from a page of another site, so it is not carried out.",
            )
        if request.mimetype != kind:
            raise HttpError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send it as {kind}.", values={"kind": kind})

    def is_host(self, request: Request) -> bool:
        """Whether the request comes from the host machine itself.

        Both the peer and the ``Host`` must be loopback: behind a proxy on this machine, every peer is.
        """
        return (
            is_loopback(request.remote_addr) and host_name(request.headers.get("Host", "")) in _LOOPBACK_NAMES
        )

    def may_act(self, request: Request) -> bool:
        """Whether this viewer may act now without entering the PIN."""
        return self.is_host(request) or (
            self.gate is not None and self.gate.knows(request.cookies.get(pin_cookie(request)))
        )

    def check_act(self, request: Request) -> None:
        """Refuse an act by a viewer who may only watch."""
        self.check_origin(request)
        self.check_view(request)

    def check_view(self, request: Request) -> None:
        """Refuse a viewer who may only watch: what follows is meant for the players at the table."""
        if self.may_act(request):
            return
        if self.gate is None:
            raise HttpError(HTTPStatus.FORBIDDEN, "Only the host machine may act; here you can watch.")
        raise HttpError(HTTPStatus.UNAUTHORIZED, "Enter the PIN that the host shows.", pin=True)

    def enter(self, request: Request, pin: str) -> str:
        """A token for the cookie of :func:`pin_cookie`, in exchange for the right PIN."""
        self.check_origin(request)
        if self.gate is None:
            raise HttpError(HTTPStatus.FORBIDDEN, "This game has no PIN: only the host machine may act.")
        return self.gate.enter(pin, request.remote_addr or "?")
