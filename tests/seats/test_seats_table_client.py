"""What another table answers is never trusted: neither as an answer nor as a text for people."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from focus_companion.seats.table_client import Declined, TableClient, Unreachable


@pytest.fixture
def answering() -> Iterator[Callable[[bytes], str]]:
    """Makes a server that answers every request with these bytes; returns its address."""
    servers: list[tuple[socket.socket, threading.Thread]] = []

    def serve(server: socket.socket, answer: bytes) -> None:
        try:
            while True:
                line, _ = server.accept()
                with line:
                    line.recv(65536)
                    line.sendall(answer)
        except OSError:
            return

    def make(answer: bytes) -> str:
        server = socket.create_server(("127.0.0.1", 0))
        thread = threading.Thread(target=serve, args=(server, answer))
        servers.append((server, thread))
        thread.start()
        return f"http://127.0.0.1:{server.getsockname()[1]}"

    yield make
    for server, thread in servers:
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        server.close()


HOSTILE = b"\x1b[2J\x1b]0;gone\x07 hello \xc2\x9b1m" + b"x" * 5000


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (HOSTILE + b"\r\n\r\n", Unreachable),
        (b"HTTP/1.1 200 " + HOSTILE + b"\r\n\r\n{}x", Declined),
        (b'HTTP/1.1 403 No\r\nContent-Length: 30\r\n\r\n{"error": "\\u001b[2Jgone     "}', Declined),
        (b"HTTP/1.1 301 Moved\r\nLocation: http://192.0.2.9/\r\n\r\n", Declined),
        (b"", Unreachable),
    ],
)
def test_what_another_machine_answers_is_one_short_line(
    answering: Callable[[bytes], str], answer: bytes, error: type[Exception], tmp_path: Path
) -> None:
    with pytest.raises(error) as caught:
        TableClient(answering(answer), tmp_path).state()
    said = str(caught.value)
    assert said and said.isprintable() and len(said) <= 200


def test_a_name_that_no_host_has_does_not_answer(tmp_path: Path) -> None:
    with pytest.raises(Unreachable):
        TableClient("http://a..b:8000", tmp_path).state()


def test_why_a_table_does_not_answer_is_said_without_numbers_of_errors(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match=r"^Connection refused$"):
        TableClient("http://127.0.0.1:1", tmp_path).state()
