"""Two companions play one game over an unreliable connection: both records are the same at the end."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from focus_companion.seats.other_table import POLL_INTERVAL
from focus_companion.session.events import Moved, Reply
from focus_companion.storage.journal import Journal

LIFE = Path(__file__).with_name("table_life.py")
SOON = 60.0


class Line:
    """A connection to a local port that can be cut and restored."""

    def __init__(self, port: int) -> None:
        self._to, self._open = port, True
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._ends: list[socket.socket] = []
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    def cut(self) -> None:
        self._open = False
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self._open = True

    def close(self) -> None:
        self.cut()
        # Closing alone does not wake a thread in accept.
        self._socket.shutdown(socket.SHUT_RDWR)
        self._acceptor.join()

    def _accept(self) -> None:
        with suppress(OSError), self._socket:
            while True:
                near, _ = self._socket.accept()
                if not self._open:
                    near.close()
                    continue
                threading.Thread(target=self._carry_both, args=(near,), daemon=True).start()

    def _carry_both(self, near: socket.socket) -> None:
        with near, suppress(OSError), socket.create_connection(("127.0.0.1", self._to)) as far:
            self._ends = [*self._ends[-20:], near, far]
            back = threading.Thread(target=self._carry, args=(far, near), daemon=True)
            back.start()
            self._carry(near, far)
            back.join()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class Table:
    """A running table of ``table_life.py``."""

    def __init__(self, folder: Path, seats: str) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, str(LIFE), str(folder), seats],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=os.environ | {"XDG_STATE_HOME": str(folder)},
        )  # fmt: skip
        self.said: list[str] = []
        self._first = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._first.wait(SOON), self.said
        self.port, self.link = int(self._where[0]), self._where[1]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line.strip())
            if not self._first.is_set() and line[0].isdigit():
                self._where = line.split()
                self._first.set()

    def state(self) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/state", timeout=60) as answer:
            return json.load(answer)

    def post(self, path: str, body: Any) -> None:
        asked = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        urllib.request.urlopen(asked, timeout=60).close()

    def until(self, what: Callable[[Any], Any], seconds: float = SOON) -> Any:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self.process.poll() is None, self.said[-20:]
            if what(state := self.state()):
                return state
            time.sleep(0.05)
        pytest.fail(f"timed out waiting: {self.state()}, {self.said[-20:]}")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()


Pair = tuple[Table, Table, Line]


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Callable[[], Pair]]:
    """A host with a far seat, and a guest whose connection to it can be cut."""
    made: list[Any] = []

    def start() -> Pair:
        host = Table(tmp_path / "host", "red=far")
        line = Line(host.port)
        guest = Table(tmp_path / "guest", f"green=table:http://127.0.0.1:{line.port}{host.link}")
        made.extend([host, guest, line])
        return host, guest, line

    yield start
    for one in made:
        one.close() if isinstance(one, Line) else one.kill()


def reached(ply: int, state: Any) -> bool:
    return bool(state["ply"] >= ply)


def played(state: Any) -> list[Any]:
    return [entry.get("move") or (entry["act"], entry.get("player")) for entry in state["moves"]]


def in_step(host: Table, guest: Table) -> None:
    """Pause the game when the host is to move: then no turn is under way between the tables."""
    host.post("/api/requests", {"act": "pause"})
    while (stands := host.state())["to_move"] != "green":
        host.post("/api/requests", {"act": "resume"})
        host.until(lambda state, ply=stands["ply"]: state["ply"] > ply)
        host.post("/api/requests", {"act": "pause"})
    guest.until(lambda state: played(state) == played(stands))


def check_replies(folder: Path, colour: str) -> int:
    """The number of replies made; each was requested once, and no turn of that colour came without one."""
    made = 0
    with Journal(folder) as journal:
        due: Reply | None = None
        for _, event in journal.events(limit=100_000):
            match event:
                case Reply():
                    assert due is None and event.player == colour
                    due = event
                case Moved(player=player) if player == colour:
                    assert due is not None and due.move == event.move
                    due, made = None, made + 1
    return made


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_two_tables_over_a_line_that_is_cut(tables: Callable[[], Pair], tmp_path: Path) -> None:
    host, guest, line = tables()
    for ply in (4, 9):
        guest.until(partial(reached, ply))
        line.cut()
        # The player to move plays; then both wait for the other.
        time.sleep(1.5)
        apart = abs(host.state()["ply"] - guest.state()["ply"])
        assert apart <= 1
        line.mend()
    host.until(lambda state: state["ply"] >= 14)
    host.post("/api/requests", {"act": "resign", "player": "green"})
    last = host.until(lambda state: state["result"])
    same = guest.until(lambda state: played(state) == played(last))
    assert last["result"] == same["result"] and last["result"]["reason"] == "resigned"
    assert last["position"] == same["position"]
    assert any("does not answer" in line for line in guest.said)
    assert any("in step" in line for line in guest.said)
    assert not any("Traceback" in line for line in guest.said + host.said), guest.said
    host.kill()
    guest.kill()
    assert check_replies(tmp_path / "host", "red") + check_replies(tmp_path / "guest", "green") >= 14


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_table_that_is_killed_comes_back_to_its_seat(tables: Callable[[], Pair], tmp_path: Path) -> None:
    host, guest, line = tables()
    guest.until(lambda state: state["ply"] >= 3)
    guest.kill()
    kept = (tmp_path / "guest" / "other-tables.json").stat()
    assert kept.st_mode & 0o077 == 0
    again = Table(tmp_path / "guest", f"green=table:http://127.0.0.1:{line.port}")
    try:
        before = again.state()["ply"]
        again.until(lambda state: state["ply"] >= before + 4)
        # The guest resigns: the other table accepts it from the holder of the seat.
        again.post("/api/requests", {"act": "resign", "player": "red"})
        last = host.until(lambda state: state["result"])
        again.until(lambda state: played(state) == played(last))
        # In a rematch everybody takes the next colour, at both tables.
        for table in (host, again):
            table.post("/api/requests", {"act": "rematch"})
        last = host.until(lambda state: state["game"] == 2 and state["ply"] >= 3)
        assert last["seats"] == {"green": "far", "red": "board"}
        again.until(lambda state: state["game"] == 2 and state["ply"] >= 3)
    finally:
        again.kill()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_turn_taken_back_there_is_taken_back_here(tables: Callable[[], Pair]) -> None:
    host, guest, _ = tables()
    guest.until(lambda state: state["ply"] >= 3)
    in_step(host, guest)
    ply = host.state()["ply"]
    time.sleep(2 * POLL_INTERVAL)  # The guest learns that its last turn was made there, too.
    # Only one: the guest's player goes on at once, and does not put that turn back if another one follows.
    host.post("/api/requests", {"act": "take_back"})
    guest.until(lambda _: "taken_back" in guest.said)
    host.post("/api/requests", {"act": "resume"})
    guest.until(lambda state: state["ply"] >= ply + 2)
    host.post("/api/requests", {"act": "resign", "player": "green"})
    last = host.until(lambda state: state["result"])
    guest.until(lambda state: played(state) == played(last))


def test_a_used_link_is_reported_and_the_game_waits(tables: Callable[[], Pair], tmp_path: Path) -> None:
    host, guest, line = tables()
    guest.until(lambda state: state["ply"] >= 1)
    third = Table(tmp_path / "third", f"green=table:http://127.0.0.1:{line.port}{host.link}")
    try:
        failed = third.until(lambda state: state["seat_failed"])["seat_failed"]
        assert (failed["by"], failed["why"]) == ("table", "apart")
        assert any("used already" in said for said in third.said)
        assert not any(host.link.partition("#")[2] in said for said in third.said)
        assert third.state()["seats"]["green"] == f"table:http://127.0.0.1:{line.port}"
    finally:
        third.kill()
