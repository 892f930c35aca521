"""Serves the page with waitress, in the process of the game loop."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import waitress
from flask import Flask
from waitress import wasyncore

from .connections import CHECK_INTERVAL, Connection, close_expired
from .stream import Viewers

_SPARE_THREADS: Final = 16
"""Every viewer of the event stream occupies a thread; these answer all other requests. Those of the viewers
are started when they come: to start hundreds takes a tenth of a second on a small machine."""


def _no_wait(_timeout: float) -> None:
    """Used if no pictures are processed in this process."""


def _dual_socket(host: str, port: int) -> socket.socket:
    """A socket that accepts IPv4 as well if ``host`` is "::"; waitress opens its own for IPv6 alone."""
    made = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        made.bind((host, port))
    except OSError:
        made.close()
        raise
    return made


class PageServer:
    """A running server. ``start`` returns at once; ``close`` ends all streams and may be called twice.

    ``host``: an IP address; "::" stands for all addresses of this machine, also those of IPv4.

    Raises ``OSError`` if the address cannot be used, for example because the port is taken.
    """

    def __init__(self, app: Flask, host: str = "127.0.0.1", port: int = 8000) -> None:
        self._viewers: Viewers = app.extensions["viewers"]
        most = self._viewers.most

        self._sockets: dict[int, Any] = {}
        self._server: Any = waitress.create_server(
            app,
            map=self._sockets,
            **({"sockets": [_dual_socket(host, port)]} if ":" in host else {"host": host, "port": port}),
            threads=_SPARE_THREADS,
            connection_limit=2 * most + 600,
            backlog=1024,
            asyncore_use_poll=True,
            # An integer, because waitress truncates fractions, and with 0 its loop would never sleep.
            # Anything to be done, including stopping, wakes it at once.
            asyncore_loop_timeout=1,
            # Keep reading during a stream, so that a viewer who disconnects is noticed.
            channel_request_lookahead=1,
            channel_timeout=60,
            cleanup_interval=CHECK_INTERVAL,
            outbuf_high_watermark=262144,
            max_request_body_size=app.config["MAX_CONTENT_LENGTH"],
            clear_untrusted_proxy_headers=True,
            ident=None,
        )
        self._server.channel_class = Connection
        self._server.wait_while_busy = (
            app.extensions["game"].wait_while_busy if "game" in app.extensions else _no_wait
        )
        self._server.maintenance = self._maintain(self._server.maintenance)
        # With hundreds of viewers an occasional queue is normal and need not be reported on the terminal.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        self._thread: threading.Thread | None = None
        self._closed = False
        self._lock, self._most_open = threading.Lock(), 0
        self._viewers.on_admitted = self._make_room

    def _make_room(self, viewers: int) -> None:
        """Start the thread of a further one of so many viewers."""
        with self._lock:
            if viewers > self._most_open and not self._closed:
                self._most_open = viewers
                self._server.task_dispatcher.set_thread_count(viewers + _SPARE_THREADS)

    def _maintain(self, usual: Callable[[float], None]) -> Callable[[float], None]:
        def maintain(now: float) -> None:
            usual(now)
            close_expired(self._server.active_channels.values())

        return maintain

    @property
    def port(self) -> int:
        """The port listened on; useful after asking for port 0."""
        return int(self._server.effective_port)

    def start(self) -> None:
        self._thread = threading.Thread(target=self._server.run, name="page", daemon=True)
        self._thread.start()

    def close(self, timeout: float = 2.0) -> None:
        """Stop listening, end the streams, and wait at most ``timeout`` seconds for requests in progress."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._viewers.close()
        self._server.task_dispatcher.shutdown(cancel_pending=True, timeout=timeout)
        if self._thread is None:
            self._end()
        else:
            # The server's own thread must close the sockets; its loop ends when none is left.
            # If something else woke the loop, it may already have closed the trigger.
            with suppress(OSError):
                self._server.trigger.pull_trigger(self._end)
            self._thread.join(timeout)

    def _end(self) -> None:
        wasyncore.close_all(self._sockets, ignore_all=True)

    def __enter__(self) -> PageServer:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
