"""The event stream over real connections: resuming without gaps or repeats, many viewers, the limit."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from waiting import until

from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

MOVES = ["b6-b7", "b5-b6", "c6-c7", "c5-c6", "f6-f7", "f5-f6"]


@pytest.fixture
def server(table) -> Iterator[PageServer]:
    table.start()
    with PageServer(create_app(table.session, table.journal, viewers=80), port=0) as made:
        yield made


class Viewer:
    """One connection to the stream; ``take(n)`` reads n events as (id, type, data)."""

    def __init__(self, server: PageServer, headers: dict[str, str] | None = None, query: str = "") -> None:
        self.line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self.line.request("GET", f"/api/events{query}", headers=headers or {})
        self.answer = self.line.getresponse()

    def take(self, number: int) -> list[tuple[int, str, dict]]:
        found = []
        fields: dict[str, str] = {}
        while len(found) < number:
            line = self.answer.fp.readline()
            assert line, "the stream ended"
            text = line.decode().rstrip("\n")
            if text and not text.startswith(":"):
                name, _, value = text.partition(": ")
                fields[name] = value
            elif not text and "data" in fields:
                found.append((int(fields["id"]), fields.get("event", ""), json.loads(fields["data"])))
                fields = {}
        return found

    def close(self) -> None:
        self.answer.close()
        self.line.close()


def viewers(server: PageServer) -> int:
    return len(server._viewers)


def test_events_are_sent_as_they_happen(table, server: PageServer) -> None:
    viewer = Viewer(server)
    assert viewer.answer.getheader("Content-Type").startswith("text/event-stream")
    until(lambda: viewers(server) == 1)
    table.play(*MOVES[:2])
    received = viewer.take(2)
    assert [(kind, data["move"], data["ply"]) for _, kind, data in received] == [
        ("move", "b6-b7", 1),
        ("move", "b5-b6", 2),
    ]
    assert received[0][0] < received[1][0]
    assert received[1][0] == table.session.state()["event"]
    viewer.close()


def test_the_page_gets_the_state_with_each_event_under_the_same_ids(table, server: PageServer) -> None:
    """The messages have no type, so that the page needs no list of event types."""
    page, program = Viewer(server, query="?state=1"), Viewer(server)
    until(lambda: viewers(server) == 2)
    moves = table.session.state()["moves"]
    table.play(*MOVES[:2])
    for (number, kind, data), (same, named, event) in zip(page.take(2), program.take(2), strict=True):
        assert (number, kind, data["event"]) == (same, "", event)
        assert (data["state"]["event"], data["state"]["ply"]) == (number, event["ply"])
        assert data["state"]["moves"]["keep"] == len(moves)
        moves += data["state"]["moves"]["add"]
        assert named == "move" and "state" not in event
    assert moves == table.session.state()["moves"]
    page.close()
    program.close()


def test_an_event_from_before_the_start_of_the_program_has_no_state(table, tmp_path, make_table) -> None:
    table.start()
    before = table.session.state()["event"]
    table.play(*MOVES[:2])
    table.close()
    again = make_table(tmp_path)
    with PageServer(create_app(again.session, again.journal), port=0) as server:
        page = Viewer(server, query=f"?state=1&after={before}")
        received = [(data["event"]["type"], data["state"]) for _, _, data in page.take(2)]
        assert received == [("move", None)] * 2
        page.close()


@pytest.mark.parametrize("way", ["header", "query"])
def test_a_stream_is_resumed_without_gap_or_repeat(table, server: PageServer, way: str) -> None:
    before = table.session.state()["event"]
    table.play(*MOVES[:4])
    ids = [number for number, _ in table.journal.events(before)]
    after = ids[1]
    viewer = (
        Viewer(server, {"Last-Event-ID": str(after)})
        if way == "header"
        else Viewer(server, query=f"?after={after}")
    )
    table.play(*MOVES[4:])
    received = viewer.take(4)
    assert [data["move"] for _, _, data in received] == MOVES[2:]
    assert [number for number, _, _ in received][:2] == ids[2:]
    viewer.close()


def test_the_header_takes_precedence_over_the_address(table, server: PageServer) -> None:
    table.play(*MOVES[:2])
    last = table.session.state()["event"]
    viewer = Viewer(server, {"Last-Event-ID": str(last - 1)}, query="?after=0")
    assert viewer.take(1)[0][2]["move"] == MOVES[1]
    viewer.close()


@pytest.mark.parametrize("text", ["x", "-1", "1.5", "9" * 30, "²"])
def test_an_invalid_id_is_a_400(table, text: str) -> None:
    client = create_app(table.session).test_client()
    assert client.get("/api/events", headers={"Last-Event-ID": text}).status_code == 400
    assert client.get("/api/events", query_string={"after": text}).status_code == 400


def test_sixty_viewers_receive_the_same_and_the_page_stays_quick(table, server: PageServer) -> None:
    all_viewers = [Viewer(server) for _ in range(60)]
    until(lambda: viewers(server) == 60)
    heard: list[list[str]] = []

    def listen(viewer: Viewer) -> None:
        heard.append([data["move"] for _, _, data in viewer.take(3)])

    threads = [threading.Thread(target=listen, args=(viewer,)) for viewer in all_viewers]
    for thread in threads:
        thread.start()
    table.play(*MOVES[:3])
    began = time.monotonic()
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    line.request("GET", "/api/state")
    assert line.getresponse().status == 200
    assert time.monotonic() - began < 20
    line.close()
    for thread in threads:
        thread.join(60)
    assert heard == [MOVES[:3]] * 60
    for viewer in all_viewers:
        viewer.close()


def test_viewers_beyond_the_limit_have_to_poll_and_places_become_free(table) -> None:
    table.start()
    with PageServer(create_app(table.session, table.journal, viewers=5), port=0) as server:
        first = [Viewer(server) for _ in range(5)]
        until(lambda: viewers(server) == 5)
        late = Viewer(server)
        assert late.answer.status == 503
        assert int(late.answer.getheader("Retry-After")) > 0
        late.close()
        for viewer in first:
            viewer.line.sock and viewer.line.sock.close()
            viewer.close()
        time.sleep(0.3)
        # Viewers who left are noticed when their place is needed, long before the next heartbeat.
        again = [Viewer(server) for _ in range(5)]
        assert [viewer.answer.status for viewer in again] == [200] * 5
        for viewer in again:
            viewer.close()


def test_a_viewer_that_reads_nothing_blocks_nobody(table, server: PageServer) -> None:
    mute = socket.create_connection(("127.0.0.1", server.port))
    mute.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    mute.sendall(b"GET /api/events?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    viewer = Viewer(server)
    until(lambda: viewers(server) == 2)
    table.play(*MOVES)
    assert len(viewer.take(len(MOVES))) == len(MOVES)
    mute.close()
    viewer.close()


def test_the_server_stops_at_once_despite_viewers(table) -> None:
    table.start()
    server = PageServer(create_app(table.session, table.journal, viewers=20), port=0)
    server.start()
    open_ones = [Viewer(server) for _ in range(10)]
    began = time.monotonic()
    server.close()
    assert time.monotonic() - began < 10
    server.close()
    for viewer in open_ones:
        viewer.close()


def test_the_server_is_idle_while_nothing_happens(table, server: PageServer) -> None:
    viewer = Viewer(server)
    until(lambda: viewers(server) == 1)
    before = time.process_time()
    time.sleep(1.5)
    assert time.process_time() - before < 0.15
    viewer.close()


def test_threads_are_started_for_viewers_when_they_come(table, server: PageServer) -> None:
    def threads() -> int:
        return sum(thread.name.startswith("waitress") for thread in threading.enumerate())

    before = threads()
    several = [Viewer(server) for _ in range(5)]
    until(lambda: viewers(server) == 5)
    until(lambda: threads() == before + 5)
    for viewer in several:
        viewer.close()
    until(lambda: viewers(server) == 0)
    again = Viewer(server)
    until(lambda: viewers(server) == 1)
    assert threads() == before + 5, "those of viewers who have left serve the next ones"
    again.close()
