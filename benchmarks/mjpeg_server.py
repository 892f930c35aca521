"""An MJPEG stream over HTTP on loopback, as phones and network cameras send it."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class MjpegServer:
    """Answers every request with the JPEG pictures that ``stream`` yields, until they end.

    ``port``: 0 for any free one. ``send_buffer``: bytes that may be on the way to a viewer; ``None``: as many
    as the system allows.
    """

    def __init__(
        self,
        stream: Callable[[], Generator[bytes, None, None]],
        port: int = 0,
        send_buffer: int | None = None,
    ) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if send_buffer is not None:
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
                # An error means that the viewer has gone.
                with contextlib.suppress(OSError):
                    self.send_response(200)
                    self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                    self.end_headers()
                    with contextlib.closing(stream()) as pictures:
                        for picture in pictures:
                            self.wfile.write(_part(picture))

            def log_message(self, format: str, *args: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/video"

    def close(self) -> None:
        """Accept no more viewers. Running streams go on until they end."""
        self._server.shutdown()
        self._server.server_close()


def _part(picture: bytes) -> bytes:
    head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(picture)}\r\n\r\n"
    return head.encode() + picture + b"\r\n"
