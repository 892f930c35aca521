"""Serves the phone's page over TLS.

It uses cheroot, because waitress does not support TLS, and werkzeug's server closes the connection after each
request, whereas a phone that sends 15 pictures a second has to keep one.
"""

from __future__ import annotations

import logging
import socket
import ssl
import threading
from pathlib import Path
from typing import Any, Final

from cheroot.ssl.builtin import BuiltinSSLAdapter
from cheroot.wsgi import Server
from flask import Flask

log = logging.getLogger(__name__)

_THREADS: Final = 16
_IDLE_TIMEOUT: Final = 10
"""Seconds for which a connection may be idle, even within a request."""


class _LateHandshake(BuiltinSSLAdapter):
    """Leaves the handshake to the thread that reads the first request: in the thread that accepts
    connections, a client that connects and sends nothing would block everybody."""

    def wrap(self, sock: socket.socket) -> tuple[ssl.SSLSocket, dict[str, str]]:
        wrapped = self.context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        return wrapped, {"wsgi.url_scheme": "https", "HTTPS": "on"}


class _QuietServer(Server):  # type: ignore[misc, unused-ignore]
    def error_log(self, msg: str = "", level: int = 20, traceback: bool = False) -> None:
        # Browsers that do not trust the certificate yet abort the handshake: not worth reporting.
        log.debug("%s", msg, exc_info=traceback)


class PhoneServer:
    """A running server; ``close`` may be called twice. Raises ``OSError`` if the port cannot be used."""

    def __init__(self, app: Flask, certificate: Path, *, host: str = "0.0.0.0", port: int = 0) -> None:
        self._server: Any = _QuietServer(
            (host, port), app, numthreads=_THREADS, max=_THREADS, timeout=_IDLE_TIMEOUT, shutdown_timeout=1,
            request_queue_size=32,
        )  # fmt: skip
        self._server.max_request_header_size = 16 * 1024
        self._server.max_request_body_size = app.config["MAX_CONTENT_LENGTH"]
        self._server.ssl_adapter = _LateHandshake(str(certificate), str(certificate))
        self._server.ssl_adapter.context.minimum_version = ssl.TLSVersion.TLSv1_2
        self._server.prepare()
        self._thread = threading.Thread(target=self._server.serve, name="phone page", daemon=True)

    @property
    def port(self) -> int:
        """The port listened on."""
        return int(self._server.bind_addr[1])

    def start(self) -> None:
        self._thread.start()

    def close(self, timeout: float = 1.0) -> None:
        """Stop listening; requests in progress have ``timeout`` seconds to end."""
        self._server.stop()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def __enter__(self) -> PhoneServer:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
