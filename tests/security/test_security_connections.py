"""Clients that send slowly, do not read, send too much or send garbage, on real connections to the server."""

from __future__ import annotations

import contextlib
import http.client
import socket
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from benchmarks.fuzzing.targets import Page
from focus_companion.vision.capture.frames import Frame
from focus_companion.web import connections, server
from focus_companion.web.server import PageServer

NUISANCES = 60
"""Connections: more than the server has threads here."""


@pytest.fixture
def serving(monkeypatch: pytest.MonkeyPatch) -> Iterator[PageServer]:
    """The server with shorter timeouts and fewer threads, serving pictures of more than a megabyte."""
    monkeypatch.setattr(connections, "REQUEST_TIMEOUT", 1.0)
    monkeypatch.setattr(connections, "RESPONSE_TIMEOUT", 1.0)
    monkeypatch.setattr(server, "CHECK_INTERVAL", 1)
    monkeypatch.setattr(server, "_SPARE_THREADS", 8)
    page = Page()
    noise = np.random.default_rng(1).integers(0, 255, (960, 1280, 3), np.uint8)
    page.session.push(Frame(1, 0.1, noise))
    page.app.extensions["viewers"].most = 8
    made = PageServer(page.app, port=0)
    made.start()
    yield made
    made.close()
    page.close()


def open_line(served: PageServer) -> socket.socket:
    line = socket.socket()
    # A small receive buffer, so that an unread answer stays in the server.
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.settimeout(120)
    line.connect(("127.0.0.1", served.port))
    return line


def answers(served: PageServer) -> float:
    """Seconds until a well-behaved client is served."""
    began = time.monotonic()
    guest = http.client.HTTPConnection("127.0.0.1", served.port, timeout=240)
    guest.request("GET", "/healthz")
    assert guest.getresponse().status == 200
    guest.close()
    return time.monotonic() - began


def is_closed(line: socket.socket) -> bool:
    """Whether the server has closed the connection."""
    line.setblocking(False)
    try:
        while line.recv(65536):
            pass
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def all_closed(lines: list[socket.socket], drip: Callable[[], bytes], seconds: float) -> int:
    """Keep sending a little on each for so long; return how many are still open."""
    until = time.monotonic() + seconds
    left = list(lines)
    while left and time.monotonic() < until:
        for line in left:
            try:
                line.setblocking(False)
                line.send(drip())
            except (BlockingIOError, ConnectionError):
                pass
        left = [line for line in left if not is_closed(line)]
        time.sleep(0.1)
    return len(left)


HEADS = {
    "headers drip": (b"GET /api/state HTTP/1.1\r\nHost: localhost\r\n", b"X-A: b\r\n"),
    "one header without end": (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ", b"a"),
    "request line drips": (b"GET /", b"a"),
    "body drips": (
        b"POST /api/requests HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 9000\r\n\r\n{",
        b" ",
    ),
    "chunks drip": (
        b"POST /api/requests HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"1\r\na\r\n",
    ),
    "nothing more comes": (b"GET / HTTP/1.1\r\n", b""),
}


@pytest.mark.parametrize("kind", HEADS)
def test_slow_senders_are_disconnected(serving: PageServer, kind: str) -> None:
    head, more = HEADS[kind]
    lines = [open_line(serving) for _ in range(NUISANCES)]
    for line in lines:
        line.sendall(head)
    # Each takes up a connection but no thread: everybody else is served meanwhile.
    assert answers(serving) < 60
    assert all_closed(lines, lambda: more, 120) == 0
    assert answers(serving) < 60
    for line in lines:
        line.close()


def test_clients_that_do_not_read_are_disconnected(serving: PageServer) -> None:
    lines = [open_line(serving) for _ in range(NUISANCES)]
    for line in lines:
        line.sendall(b"GET /snapshot.jpg HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2)
    # All threads may be blocked for a moment, but never for good.
    assert answers(serving) < 120
    time.sleep(3)
    assert answers(serving) < 60
    for line in lines:
        line.close()


@pytest.mark.slow
def test_a_slow_but_honest_viewer_is_not_disconnected(serving: PageServer) -> None:
    viewer = http.client.HTTPConnection("127.0.0.1", serving.port, timeout=240)
    viewer.request("GET", "/api/events?after=0")
    stream = viewer.getresponse()
    assert stream.read(10)
    time.sleep(3.5)
    assert stream.read(1), "the stream still runs"
    viewer.close()
    # A connection that stays open between two requests may be idle for longer.
    kept = http.client.HTTPConnection("127.0.0.1", serving.port, timeout=240)
    for _ in range(2):
        kept.request("GET", "/healthz")
        assert kept.getresponse().read()
        time.sleep(2.5)
    kept.close()


WRONG = {
    "a body of ten gigabytes": (
        b"POST /api/requests HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000000\r\n\r\n",
        (413,),
    ),
    "a huge header": (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 300_000 + b"\r\n\r\n", (431,)),
    "many headers": (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: a\r\n" * 60_000 + b"\r\n", (431,)),
    "a huge address": (b"GET /" + b"a" * 300_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", (431,)),
    "two lengths": (
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        (400,),
    ),
    "length and chunks": (
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"0\r\n\r\n",
        (400, 405),
    ),
    "an odd coding": (b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n", (501,)),
    "a negative length": (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", (400,)),
    "a folded header": (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n", (400, 200)),
    "a bare line feed": (b"GET / HTTP/1.1\r\nHost: localhost\nX: a\r\n\r\n", (400, 421)),
    "no host": (b"GET /api/state HTTP/1.1\r\n\r\n", (400, 421)),
    "a proxy's address": (
        b"GET http://evil.example/api/state HTTP/1.1\r\nHost: localhost\r\n\r\n",
        (200, 404, 421),
    ),
    "a tunnel": (b"CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n", (400, 404, 405)),
    "a trace": (b"TRACE / HTTP/1.1\r\nHost: localhost\r\nCookie: focus_pin=x\r\n\r\n", (405,)),
    "no http": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 9 + b"\r\n\r\n", (400,)),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_no_request_is_refused(serving: PageServer, kind: str) -> None:
    sent, allowed = WRONG[kind]
    line = open_line(serving)
    # The server may close the connection before it has received everything.
    with contextlib.suppress(ConnectionError):
        line.sendall(sent)
    try:
        with_answer = line.recv(65536)
    except ConnectionError:
        with_answer = b""
    line.close()
    assert not with_answer or int(with_answer.split()[1]) in allowed, with_answer[:200]
    assert b"Traceback" not in with_answer
    assert answers(serving) < 60


INJECTIONS = [
    "/%0d%0aSet-Cookie:%20a=b",
    "/?lang=it%0d%0aSet-Cookie:%20a=b",
    "/api/games/1/export?format=json%0d%0aX-Evil:%201",
    "/games//%0d%0aLocation:%20http://evil.example",
    "//evil.example/%2f..",
    "/assets/%0d%0aX-Evil:%201/x",
    "/texts/it%0d%0aX-Evil:%201.json",
]


@pytest.mark.parametrize("path", INJECTIONS)
def test_nothing_of_a_request_becomes_a_header(serving: PageServer, path: str) -> None:
    line = open_line(serving)
    line.sendall(
        f"GET {path} HTTP/1.1\r\nHost: localhost\r\nReferer: http://evil.example\r\n"
        "X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n".encode()
    )
    head = b""
    while part := line.recv(65536):
        head += part
    line.close()
    lines = head.partition(b"\r\n\r\n")[0].decode("latin-1").lower().split("\r\n")
    names = {one.partition(":")[0] for one in lines[1:]}
    assert "x-evil" not in names and "server" not in names
    assert not [
        one for one in lines if one.startswith(("set-cookie: a=b", "location: http://evil", "location: //"))
    ]
