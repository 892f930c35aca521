"""Network cameras on loopback with numbered pictures, which reveal the age of a picture when it is read."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

BITS = 16
HUNG_UP = (BrokenPipeError, ConnectionResetError, ConnectionAbortedError)


def numbered(number: int) -> NDArray[np.uint8]:
    """A 320 × 240 picture that shows a number as black and white fields, which survive compression."""
    fields = np.array([255 * (number >> bit & 1) for bit in range(BITS)], np.uint8).reshape(4, 4)
    return cv2.cvtColor(cv2.resize(fields, (320, 240), interpolation=cv2.INTER_NEAREST), cv2.COLOR_GRAY2BGR)


def number_of(image: NDArray[np.uint8]) -> int:
    """The number that a picture shows."""
    height, width = image.shape[:2]
    middles = image[height // 8 :: height // 4, width // 8 :: width // 4, 1]
    return sum(1 << bit for bit, level in enumerate(middles.ravel()) if level > 127)


def jpeg(number: int) -> bytes:
    return bytes(cv2.imencode(".jpg", numbered(number))[1])


class Clock:
    """Numbers ``fps`` pictures per second, starting at its creation."""

    def __init__(self, fps: float) -> None:
        self.fps, self._began = fps, time.monotonic()

    @property
    def number(self) -> int:
        return int((time.monotonic() - self._began) * self.fps)

    def wait(self, number: int) -> None:
        time.sleep(max(0.0, self._began + number / self.fps - time.monotonic()))


@contextmanager
def http_server(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with suppress(*HUNG_UP):
                answer(self)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def send(handler: BaseHTTPRequestHandler, kind: str, body: bytes, status: int = 200) -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def mjpeg(clock: Clock, *, lengths: bool = True, boundary: str = "frame", until: int = 10**6) -> Any:
    """Answers with a stream of pictures, with the length of each or, like some phones, without."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={boundary}")
        handler.end_headers()
        for number in range(clock.number + 1, until):
            clock.wait(number)
            picture = jpeg(number)
            length = f"Content-Length: {len(picture)}\r\n" if lengths else ""
            head = f"--{boundary}\r\nContent-Type: image/jpeg\r\n{length}\r\n"
            handler.wfile.write(head.encode() + picture + b"\r\n")

    return answer


@contextmanager
def rtsp_server(clock: Clock) -> Iterator[str]:
    """A camera that streams JPEG pictures (RFC 2435) over RTSP, interleaved on one TCP connection."""
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()
    threads: list[threading.Thread] = []

    def serve() -> None:
        while not stop.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threads.append(threading.Thread(target=_rtsp, args=(connection, clock, stop), daemon=True))
            threads[-1].start()

    threads.append(threading.Thread(target=serve, daemon=True))
    threads[0].start()
    try:
        yield f"rtsp://127.0.0.1:{listener.getsockname()[1]}/live"
    finally:
        stop.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for thread in threads:
            thread.join(2)


def _rtsp(connection: socket.socket, clock: Clock, stop: threading.Event) -> None:
    with connection, suppress(*HUNG_UP):
        for request in _requests(connection):
            head = {k.lower(): v for k, _, v in (line.partition(": ") for line in request[1:])}
            method, address = request[0].split()[:2]
            more, body = "", ""
            if method == "OPTIONS":
                more = "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n"
            elif method == "DESCRIBE":
                body = (
                    "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=camera\r\nt=0 0\r\n"
                    "m=video 0 RTP/AVP 26\r\nc=IN IP4 0.0.0.0\r\na=control:track1\r\n"
                )
                more = f"Content-Base: {address}/\r\nContent-Type: application/sdp\r\n"
                more += f"Content-Length: {len(body)}\r\n"
            elif method == "SETUP":
                more = "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 1\r\n"
            elif method == "PLAY":
                more = "Session: 1\r\n"
            connection.sendall(f"RTSP/1.0 200 OK\r\nCSeq: {head['cseq']}\r\n{more}\r\n{body}".encode())
            if method == "PLAY":
                _play(connection, clock, stop)
                return


def _requests(connection: socket.socket) -> Iterator[list[str]]:
    held = b""
    while data := connection.recv(4096):
        held += data
        while b"\r\n\r\n" in held:
            request, held = held.split(b"\r\n\r\n", 1)
            yield request.decode().split("\r\n")


def _play(connection: socket.socket, clock: Clock, stop: threading.Event) -> None:
    sequence, number = 0, clock.number + 1
    while not stop.is_set():
        clock.wait(number)
        tables, scan = _jpeg_parts(jpeg(number))
        for start in range(0, len(scan), 1200):
            part = scan[start : start + 1200]
            last = start + 1200 >= len(scan)
            body = struct.pack(">B", 0) + start.to_bytes(3, "big") + bytes([1, 255, 320 // 8, 240 // 8])
            if start == 0:
                body += struct.pack(">BBH", 0, 0, len(tables)) + tables
            packet = struct.pack(
                ">BBHII", 0x80, 26 | 0x80 * last, sequence & 0xFFFF, int(number / clock.fps * 90000), 7
            )
            packet += body + part
            connection.sendall(b"$\0" + struct.pack(">H", len(packet)) + packet)
            sequence += 1
        number = max(number + 1, clock.number)


def _jpeg_parts(picture: bytes) -> tuple[bytes, bytes]:
    """The quantisation tables and the scan of a JPEG picture."""
    tables, at = b"", 2
    while True:
        marker, length = struct.unpack(">HH", picture[at : at + 4])
        if marker == 0xFFDB:
            segment = picture[at + 4 : at + 2 + length]
            tables += b"".join(segment[k + 1 : k + 65] for k in range(0, len(segment), 65))
        at += 2 + length
        if marker == 0xFFDA:
            return tables, picture[at:-2]
