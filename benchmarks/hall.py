"""Many tables, one broker, one hall, many viewers: how fast, how much, and whether anything is lost.

    python benchmarks/hall.py load --minutes 30   300 tables, 50 viewers: latency, losses, memory, CPU by part
    python benchmarks/hall.py knee                the same ever faster, a minute each, until it is too much
    python benchmarks/hall.py outages             broker, network gone 20 times each, tables killed 50 times
    python benchmarks/hall.py sizes               bytes on the wire by kind of message, for docs/at-scale.md

Real journals on the disk, a real Mosquitto, the real ``hall`` command; no pictures. Linux only (reads /proc).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from array import array
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / room) for room in ("mqtt", "session", "hall")]

from mosquitto import Mosquitto, Wire  # noqa: E402
from published_table import Table  # noqa: E402
from same_games import differences  # noqa: E402

from focus_companion.formats.json_record import write_json  # noqa: E402
from focus_companion.formats.match import Match  # noqa: E402
from focus_companion.hall.evening import Evening  # noqa: E402
from focus_companion.hall.listener import Listener  # noqa: E402
from focus_companion.mqtt.broker import parse_broker  # noqa: E402
from focus_companion.mqtt.line import Line, Message  # noqa: E402
from focus_companion.mqtt.topics import all_tables, parse  # noqa: E402
from focus_companion.session.events import Alert, Resolved  # noqa: E402
from focus_companion.storage.journal import Journal  # noqa: E402

TOGETHER = 6
"""Processes that share the tables: a table has a dozen files open, and a process may have 1024."""

GAME_HOURS = 1.0
HEADERS = 2 * 2 * 52
"""Bytes of TCP/IP for a message and its confirmation, each with its TCP acknowledgement."""

LONGEST_GAME = 120
"""Turns after which a player resigns: chance alone rarely ends a game."""

TILE = re.compile(rb'\{"table":"([^"]+)".*?"seq":(\d+)\}')


def play_tables(folder: Path, address: str, names: Sequence[str], every: float, seconds: float) -> None:
    """Play at all of them, a turn ``every`` seconds each in the mean, now and then an alert."""
    tables = [Table(folder / name, address, name, {"g": f"G {name}", "r": f"R {name}"}) for name in names]
    for table in tables:
        table.publisher.start()
    print("started", flush=True)
    sys.stdin.readline()
    chance = random.Random(names[0])
    due = [(time.monotonic() + chance.uniform(0, every), index) for index in range(len(tables))]
    end = time.monotonic() + seconds
    while (now := time.monotonic()) < end:
        due.sort()
        at, index = due[0]
        if at > now:
            time.sleep(min(at - now, end - now))
            continue
        step(tables[index], chance)
        due[0] = (at + every * chance.uniform(0.5, 1.5), index)
    behind = time.monotonic() - min(at for at, _ in due)
    time.sleep(5)
    said = sorted({line for table in tables for line in table.said})
    print(json.dumps({"behind": round(max(0.0, behind), 2), "said": said}), flush=True)
    sys.stdin.readline()
    for table in tables:
        table.close()


def step(table: Table, chance: random.Random) -> None:
    """A turn; one in ten has an alert before it."""
    session = table.session
    if session.history.ply >= LONGEST_GAME:
        table.another_game()
        return
    if chance.random() < 0.1:
        player, now = "red", session.history.time
        told = session._tell(
            Alert(now, "distance", player, ["d5", "d6"], "Two pieces go two squares. Put it back.")
        )
        told += session._tell(Resolved(now))
        table.publisher.tell()
    table.play()


class Viewer(threading.Thread):
    """Reads the hall's stream as a browser does; notes which event of which table was on the screen when."""

    def __init__(self, port: int, names: dict[str, int]) -> None:
        super().__init__(daemon=True)
        self._port, self._names = port, names
        self.tables, self.numbers, self.times = array("H"), array("q"), array("d")
        self.fell = 0
        self.bytes = 0

    def run(self) -> None:
        newest: dict[int, int] = {}
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/api/events") as stream:
            for line in stream:
                self.bytes += len(line)
                if not line.startswith(b"data:"):
                    continue
                now = time.time()
                for name, number in TILE.findall(line):
                    table, seq = self._names[name.decode()], int(number)
                    if seq < newest.get(table, 0):
                        self.fell += 1
                    if seq > newest.get(table, 0):
                        newest[table] = seq
                        self.tables.append(table)
                        self.numbers.append(seq)
                        self.times.append(now)


def watch(port: int, count: int, names: Sequence[str], file: Path) -> None:
    """So many viewers until a line comes on standard input; then write what they saw."""
    viewers = [Viewer(port, {name: index for index, name in enumerate(names)}) for _ in range(count)]
    for viewer in viewers:
        viewer.start()
        time.sleep(0.02)
    print("started", flush=True)
    sys.stdin.readline()
    with file.open("wb") as out:
        for viewer in viewers:
            head = {"items": len(viewer.tables), "fell": viewer.fell, "bytes": viewer.bytes}
            out.write(json.dumps(head).encode() + b"\n")
            for column in (viewer.tables, viewer.numbers, viewer.times):
                out.write(column[: head["items"]].tobytes())


class Meter(threading.Thread):
    """CPU seconds and the largest memory of processes, by what they are called."""

    def __init__(self, parts: dict[str, list[int]]) -> None:
        super().__init__(daemon=True)
        self.parts, self.memory, self._stop = parts, dict.fromkeys(parts, 0.0), threading.Event()
        self._before = {name: sum(map(cpu, pids)) for name, pids in parts.items()}
        self._began = time.monotonic()

    def run(self) -> None:
        while not self._stop.wait(2):
            self._look()

    def _look(self) -> None:
        for name, pids in self.parts.items():
            self.memory[name] = max(self.memory[name], sum(map(megabytes, pids)))

    def end(self) -> dict[str, dict[str, float]]:
        self._stop.set()
        self._look()
        span = time.monotonic() - self._began
        return {
            name: {
                "cpu_percent_of_a_core": round(100 * (sum(map(cpu, pids)) - self._before[name]) / span, 1),
                "memory_mb": round(self.memory[name], 1),
            }
            for name, pids in self.parts.items()
        }


def cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def child(stack: ExitStack, *arguments: object) -> subprocess.Popen[str]:
    """This program again, for one part of the work."""
    command = [sys.executable, __file__, *map(str, arguments)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    stack.callback(process.kill)
    return process


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


@contextmanager
def running_hall(address: str) -> Iterator[tuple[int, int]]:
    """The real command: its process and its page's port."""
    command = [sys.executable, "-m", "focus_companion.cli", "hall", "--mqtt", address, "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if found := re.match(r"Page: http://127.0.0.1:(\d+)/", line):
                break
        yield process.pid, int(found[1]) if found else 0
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)


def load(tables: int, viewers: int, every: float, seconds: float, *, check: bool = True) -> dict[str, Any]:
    """One run; returns what was measured."""
    names = [f"T{number:03}" for number in range(1, tables + 1)]
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
        folder = Path(temporary)
        broker = stack.enter_context(Mosquitto(folder / "broker"))
        hall, port = stack.enter_context(running_hall(broker.address))
        shares = [names[index::TOGETHER] for index in range(TOGETHER)]
        players = [
            child(stack, "_tables", folder, broker.address, ",".join(share), every, seconds)
            for share in shares
        ]
        for player in players:
            line_of(player)
        seen = folder / "seen"
        watcher = child(stack, "_viewers", port, viewers, ",".join(names), seen)
        line_of(watcher)
        time.sleep(3)
        meter = Meter(
            {
                "broker": [broker.pid],
                "hall": [hall],
                f"{tables} tables": [player.pid for player in players],
                f"{viewers} viewers": [watcher.pid],
            }
        )
        meter.start()
        began = time.time()
        for player in players:
            go(player)
        told = [json.loads(line_of(player)) for player in players]
        ended = time.time()
        parts = meter.end()
        health = json.loads(urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz").read())
        go(watcher)
        watcher.wait(60)
        times, last = event_times(folder, names, began)
        measured = {
            "tables": tables,
            "viewers": viewers,
            "seconds": round(ended - began - 5),
            "events": sum(map(len, times)),
            "events_a_second": round(sum(map(len, times)) / (ended - began - 5), 1),
            "tables_behind_s": max(player["behind"] for player in told),
            "tables_said": sorted({line for player in told for line in player["said"]}),
            "hall": health,
            "parts": parts,
        } | screens(seen, times, last, viewers)
        if check:
            measured["games_that_differ"] = compare(folder, names, port)
        for player in players:
            go(player)
        for player in players:
            player.wait(120)
        return measured


def event_times(folder: Path, names: Sequence[str], began: float) -> tuple[list[dict[int, float]], list[int]]:
    """For each table when each event was written, and the last one's number."""
    times, last = [], []
    for name in names:
        with Journal(folder / name) as journal:
            kept = []
            while page := journal.kept(kept[-1].id if kept else 0):
                kept += page
        at = {event.id: datetime.fromisoformat(event.wall).timestamp() for event in kept}
        times.append({number: when for number, when in at.items() if when >= began})
        last.append(kept[-1].id)
    return times, last


def screens(seen: Path, times: list[dict[int, float]], last: list[int], viewers: int) -> dict[str, Any]:
    """Latencies of every event on every screen; what never came, what came twice or backwards."""
    delays = array("f")
    lacking = fell = size = 0
    with seen.open("rb") as stream:
        for _ in range(viewers):
            head = json.loads(stream.readline())
            tables, numbers, came = array("H"), array("q"), array("d")
            for column in (tables, numbers, came):
                column.frombytes(stream.read(head["items"] * column.itemsize))
            fell, size = fell + head["fell"], size + head["bytes"]
            shown = [0] * len(last)
            for table, number, when in zip(tables, numbers, came, strict=True):
                # Whatever lies between is on the screen with the newest one.
                for each in range(shown[table] + 1, number + 1):
                    if (written := times[table].get(each)) is not None:
                        delays.append(when - written)
                shown[table] = number
            lacking += sum(number < wanted for number, wanted in zip(shown, last, strict=True))
    ordered = sorted(delays)

    def at(part: float) -> float:
        return round(1000 * ordered[min(len(ordered) - 1, int(part * len(ordered)))], 1) if ordered else -1

    return {
        "event_to_screen_ms": {"p50": at(0.5), "p90": at(0.9), "p99": at(0.99), "max": at(1)},
        "measured_on_screens": len(ordered),
        "screens_that_lack_events": lacking,
        "screens_that_went_back": fell,
        "bytes_a_viewer": round(size / viewers),
    }


def compare(folder: Path, names: Sequence[str], port: int) -> int:
    """Games that the hall has not, or not byte for byte as the journal."""
    wrong = 0
    for name in names:
        with Journal(folder / name) as journal:
            for summary in journal.games():
                wanted = write_json(Match((journal.record(summary.id),), single=True)).encode()
                url = f"http://127.0.0.1:{port}/api/tables/{name}/games/{summary.id}/export?format=json"
                try:
                    wrong += urllib.request.urlopen(url).read() != wanted
                except OSError:
                    wrong += 1
    return wrong


def knee(viewers: int, seconds: float, paces: Sequence[float]) -> None:
    """Ever faster, until an event takes two seconds to the screen."""
    for every in paces:
        measured = load(300, viewers, every, seconds, check=False)
        print(json.dumps(measured), flush=True)
        if measured["event_to_screen_ms"]["p99"] > 2000:
            break


def outages(kills: int = 50, cuts: int = 20, restarts: int = 20) -> None:
    """Everything fails in turn; in the end the hall has the journals' games, byte for byte."""
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
        folder = Path(temporary)
        broker = stack.enter_context(Mosquitto(folder / "broker"))
        wires = [Wire(broker.port), Wire(broker.port)]
        evening = Evening()
        listener = Listener(parse_broker(wires[0].address), evening, tell=lambda line: None)
        listener.connect()
        tables = [Table(folder / f"T{n}", wires[1].address, f"T{n}") for n in range(4)]
        for table in tables:
            table.publisher.start()

        def play(turns: int) -> None:
            for _ in range(turns):
                for table in tables:
                    table.play() if table.session.history.ply < LONGEST_GAME else table.another_game()
                time.sleep(0.01)

        for round_ in range(restarts):
            play(15)
            broker.kill() if round_ % 2 else broker.stop()
            play(15)
            broker.start()
        print(f"broker killed or stopped {restarts} times", flush=True)
        for round_ in range(cuts):
            wire = wires[round_ % 2]
            play(15)
            wire.cut()
            play(15)
            wire.mend()
            time.sleep(0.3)
        print(f"network cut {cuts} times", flush=True)
        killed = folder / "killed"
        for round_ in range(kills):
            command = [
                sys.executable,
                str(ROOT / "tests/hall/playing_table.py"),
                str(killed),
                wires[1].address,
            ]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
                assert process.stdout is not None
                for _ in range(random.Random(round_).randrange(2, 25)):
                    process.stdout.readline()
                process.kill()
        print(f"table killed {kills} times", flush=True)
        last = Table(killed, wires[1].address, "Table 1")
        last.publisher.start()
        tables.append(last)
        last.play(5)
        end = time.monotonic() + 120
        while left := [text for table in tables for text in differences(evening, table.name, table.journal)]:
            if time.monotonic() > end:
                break
            time.sleep(0.2)
        late = Evening()
        second = Listener(parse_broker(broker.address), late, tell=lambda line: None)
        second.connect()
        time.sleep(15)
        left += [text for table in tables for text in differences(late, table.name, table.journal)]
        result = {
            "events": sum(table.journal.last_event() for table in tables),
            "games": sum(len(table.journal.games()) for table in tables),
            "taken_again": evening.counts()["doubled"],
            "differences": left,
        }
        print(json.dumps(result), flush=True)
        for listening in (listener, second):
            listening.close()
        for table in tables:
            table.close()


def sizes() -> None:
    """What a game of 120 turns puts on the wire, by kind of message."""
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
        broker = stack.enter_context(Mosquitto(Path(temporary) / "broker"))
        seen: dict[str, list[int]] = {}

        def hear(message: Message) -> None:
            where = parse(message.topic)
            kind = where[1] if where else "discovery"
            seen.setdefault(kind, []).append(len(message.topic) + len(message.payload))

        line = Line(parse_broker(broker.address), "sizes", on_message=hear)
        line.subscribe(*all_tables(), "homeassistant/#")
        wire = Wire(broker.port)
        table = Table(Path(temporary) / "table", wire.address, "Table 12")
        table.publisher.start()
        chance = random.Random(1)
        while table.session.history.ply < LONGEST_GAME:
            step(table, chance)
            time.sleep(0.15)
        table.another_game()
        table.wait_confirmed()
        time.sleep(1)
        for kind, found in sorted(seen.items()):
            print(
                json.dumps(
                    {
                        "kind": kind,
                        "messages": len(found),
                        "mean_bytes": round(statistics.mean(found)),
                        "largest_bytes": max(found),
                        "bytes": sum(found),
                    }
                )
            )
        table.close()
        line.close()
        wire.close()
        sent = sum(map(len, seen.values()))
        print(json.dumps({"kind": "all, on the table's wire", "messages": sent, "bytes": wire.passed}))
        print(f"Tables playing such a game in {GAME_HOURS:g} h each:")
        for tables in (1, 100, 10_000, 1_000_000):
            scale = tables / (GAME_HOURS * 3600)
            event_rate, rate = len(seen["events"]) * scale, sent * scale
            line_bytes = wire.passed + HEADERS * sent
            screen = 8 * table_tile(seen) * event_rate / 1e6
            stored = tables * archive(seen) * 8 * 250 / 1e12
            print(
                f"{tables:9,} tables: {event_rate:10,.1f} events/s {rate:10,.1f} messages/s "
                f"{8 * line_bytes * scale / 1e6:9,.3f} Mbit/s in, {screen:9,.3f} Mbit/s to a screen of all, "
                f"{kept(seen) * tables / 1e9:9,.3f} GB kept, {stored:7,.3f} TB a year of archive"
            )


def table_tile(seen: dict[str, list[int]]) -> float:
    """Bytes that a screen gets for an event."""
    return statistics.mean(seen["state"])


def kept(seen: dict[str, list[int]]) -> float:
    """Bytes that the broker keeps of a table: status, state, discovery, and a week of eight games a day."""
    return sum(seen[kind][-1] for kind in ("status", "state", "discovery")) + 7 * 8 * archive(seen)


def archive(seen: dict[str, list[int]]) -> float:
    """Bytes of a finished game, packed."""
    return max(seen["games"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("load")
    one.add_argument("--minutes", type=float, default=30)
    one.add_argument("--tables", type=int, default=300)
    one.add_argument("--viewers", type=int, default=50)
    one.add_argument("--every", type=float, default=5.0, help="seconds from turn to turn at a table")
    many = commands.add_parser("knee")
    many.add_argument("--viewers", type=int, default=50)
    many.add_argument("--seconds", type=float, default=60)
    many.add_argument("--every", type=float, nargs="+", default=[10, 5, 2.5, 1.25, 0.62, 0.31])
    commands.add_parser("outages")
    commands.add_parser("sizes")
    for name, fields in (
        ("_tables", ("folder", "address", "names", "every", "seconds")),
        ("_viewers", ("port", "count", "names", "file")),
    ):
        hidden = commands.add_parser(name)
        for field in fields:
            hidden.add_argument(field)
    given = parser.parse_args()
    match given.command:
        case "load":
            print(json.dumps(load(given.tables, given.viewers, given.every, given.minutes * 60), indent=1))
        case "knee":
            knee(given.viewers, given.seconds, given.every)
        case "outages":
            outages()
        case "sizes":
            sizes()
        case "_tables":
            seconds = float(given.seconds)
            names = given.names.split(",")
            play_tables(Path(given.folder), given.address, names, float(given.every), seconds)
        case "_viewers":
            watch(int(given.port), int(given.count), given.names.split(","), Path(given.file))


if __name__ == "__main__":
    main()
