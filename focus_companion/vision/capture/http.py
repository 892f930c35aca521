"""Fetches a camera's address repeatedly; nothing in the answers is trusted."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from functools import cached_property
from typing import IO, Any, Final

MAX_ANSWER_BYTES: Final = 32 * 1024 * 1024
"""Maximum bytes of an answer; no camera's picture is larger."""


class FetchError(OSError):
    """No picture was fetched: the message, to be put after the address, says what it does and what to do."""


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows a camera's redirect to another of its pages, never to another machine or service."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        before, after = urllib.parse.urlsplit(req.full_url), urllib.parse.urlsplit(newurl)
        same_port = before.port == after.port or (before.scheme, after.scheme) == ("http", "https")
        if after.scheme not in ("http", "https") or before.hostname != after.hostname or not same_port:
            raise FetchError("redirects to another machine; give the address of the picture itself")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Guard:
    """Closes the open connection on timeout, even if a byte arrives now and then."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: socket.socket | None = None
        self.timed_out = False

    def watch(self, connection: socket.socket) -> None:
        with self._lock:
            self._forget()
            # A duplicate of our own: the connection's handle disappears when TLS takes it over.
            self._open = connection.dup()

    def time_out(self) -> None:
        """End the connection: the timeout has passed."""
        with self._lock:
            self.timed_out = True
            if self._open is not None:
                # The connection may be closed already.
                with contextlib.suppress(OSError):
                    self._open.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None


class _Http(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    """Opens connections that a :class:`_Guard` watches."""

    def __init__(self) -> None:
        super().__init__()
        self.guard = _Guard()
        self._answers: list[http.client.HTTPResponse] = []

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Made when it is needed: to load all certificates takes 20 ms."""
        return ssl.create_default_context()

    def close(self, keep: http.client.HTTPResponse | None = None) -> None:
        """Close all answers but ``keep``; those that only redirected or asked for a password stay open."""
        answers, self._answers = self._answers, []
        for answer in answers:
            if answer is not keep:
                answer.close()

    def _recorded(self, answer: http.client.HTTPResponse) -> http.client.HTTPResponse:
        self._answers.append(answer)
        return answer

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self._recorded(self.do_open(self._connection, req))

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self._recorded(self.do_open(self._safe_connection, req))

    def _connection(self, host: str, **more: Any) -> http.client.HTTPConnection:
        return self._watched(http.client.HTTPConnection(host, **more))

    def _safe_connection(self, host: str, **more: Any) -> http.client.HTTPConnection:
        return self._watched(http.client.HTTPSConnection(host, context=self._tls, **more))

    def _watched(self, made: http.client.HTTPConnection) -> http.client.HTTPConnection:
        guard = self.guard

        def connect() -> None:
            plain = socket.create_connection((made.host, made.port), made.timeout)
            guard.watch(plain)
            safe = isinstance(made, http.client.HTTPSConnection)
            made.sock = self._tls.wrap_socket(plain, server_hostname=made.host) if safe else plain

        made.connect = connect  # type: ignore[method-assign]
        return made


class Fetcher:
    """Fetches the picture at ``address``, whose user and password are sent only if the camera asks for them.

    ``timeout``: total seconds for one answer, however slowly it arrives.

    Raises:
        FetchError: no machine can have the address.
    """

    def __init__(self, address: str, timeout: float) -> None:
        self._timeout = timeout
        self._http = _Http()
        handlers: list[urllib.request.BaseHandler] = [
            urllib.request.ProxyHandler({}),
            _SameHost(),
            self._http,
        ]
        self._address, user, password = _split(address)
        _check(self._address)
        if user:
            known = urllib.request.HTTPPasswordMgrWithDefaultRealm()
            known.add_password(None, self._address, user, password)
            handlers += [
                urllib.request.HTTPBasicAuthHandler(known),
                urllib.request.HTTPDigestAuthHandler(known),
            ]
        self._opener = urllib.request.build_opener(*handlers)

    def __call__(self) -> bytes:
        """The bytes of the answer. Raises :class:`FetchError`, which never holds the address."""
        with self._within_timeout(), contextlib.closing(self._open()) as answer:
            data = answer.read(MAX_ANSWER_BYTES + 1)
            if len(data) <= MAX_ANSWER_BYTES and answer.length:
                raise FetchError("breaks off in the middle of its picture; check the network")
        if len(data) > MAX_ANSWER_BYTES:
            raise FetchError(
                f"sends more than {MAX_ANSWER_BYTES // 2**20} MiB, which is no picture of a board"
            )
        return data

    def open(self) -> http.client.HTTPResponse:
        """An endless answer, to be closed by the caller; only its headers have to arrive in time. Raises
        :class:`FetchError`.
        """
        with self._within_timeout():
            return self._open()

    @contextlib.contextmanager
    def _within_timeout(self) -> Iterator[None]:
        """Aborts reading on timeout, and turns every failure into a FetchError."""
        self._http.guard = guard = _Guard()
        timer = threading.Timer(self._timeout, guard.time_out)
        timer.daemon = True
        timer.start()
        why = ""
        try:
            yield
        except FetchError as error:
            why = str(error)
        except (OSError, ValueError, http.client.HTTPException) as error:
            # Their text may quote the address or the camera's answer.
            cause = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
            why = f"does not answer correctly ({cause}); check the address in a browser"
        finally:
            timer.cancel()
            guard.close()
        # An answer cut off by the timeout may look complete.
        if why or guard.timed_out:
            self._http.close()
            # Raised outside the handlers, so that nothing keeps refused answers and their connections alive.
            raise FetchError(
                "answers too slowly; check the network and the camera" if guard.timed_out else why
            )

    def _open(self) -> http.client.HTTPResponse:
        try:
            answer: http.client.HTTPResponse = self._opener.open(self._address, timeout=self._timeout)
            self._http.close(keep=answer)
            return answer
        except urllib.error.HTTPError as error:
            error.close()
            code = error.code
        except urllib.error.URLError as error:
            why = getattr(error.reason, "strerror", None) or error.reason
            raise FetchError(f"does not answer ({why}); check the address in a browser") from None
        if code in (401, 403):
            raise FetchError(f"wants another user or password ({code}); write http://user:password@…")
        raise FetchError(f"does not answer with a picture ({code}); check the address in a browser")


def _check(address: str) -> None:
    """Raises :class:`FetchError` if the host or port is invalid, or if there is a space in the address."""
    try:
        parts = urllib.parse.urlsplit(address)
        host = (parts.hostname or "").encode("idna")
        valid = bool(host) and parts.port != 0 and " " not in address
    except ValueError:  # also of a port that is no number, or too large
        valid = False
    if not valid:
        raise FetchError("is no valid address; write it as in http://phone.local:8080/video")


def _split(address: str) -> tuple[str, str, str]:
    """The address without user and password, the user, and the password."""
    scheme, _, rest = address.partition("://")
    place, slash, path = rest.partition("/")
    user, at, host = place.rpartition("@")
    if not at:
        return address, "", ""
    name, _, password = user.partition(":")
    return f"{scheme}://{host}{slash}{path}", urllib.parse.unquote(name), urllib.parse.unquote(password)
