"""Measures how many viewers a game can serve: frame times and event latency with 0, 200 and 1,000 of them.

    python -m benchmarks.load.viewers [--rounds 5]

One process plays the recorded clip in a loop at its own speed, with the page, as ``play`` does. Another, at
the lowest priority, runs the viewers: each follows the event stream or, if refused, polls ``/api/state``
every few seconds, as the page does. The numbers of viewers alternate, so that other load on the machine
affects all of them. A round is the whole clip, so every round has the same frames: the minimum time of each
frame over all rounds is what the program itself needs with that many viewers, without other load.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.processes import resident_megabytes
from benchmarks.quantiles import quantile

ROOT = Path(__file__).resolve().parents[2]
CLIP = ROOT / "fixtures" / "images" / "clip-oblique.mp4"
VIEWER_COUNTS = (0, 200, 1000)
WARM_UP_SECONDS = 4.0
"""Seconds until all viewers have connected."""


@dataclass
class Round:
    """The measurements of one round, in milliseconds."""

    walls: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    events: int = 0
    megabytes: float = 0.0
    served: int = 0
    load: float = 0.0


class Game:
    """Plays the clip in a loop, timing every frame on the thread that plays it."""

    def __init__(self, folder: Path) -> None:
        from focus_companion.commands.shared.memory import share_one_arena
        from focus_companion.commands.shared.threads import shorten_switch_interval
        from focus_companion.game.rules import Rules
        from focus_companion.session.pipeline import Pipeline
        from focus_companion.session.session import Session
        from focus_companion.storage.journal import Journal
        from focus_companion.vision.capture.sources import open_source
        from focus_companion.web.app import create_app
        from focus_companion.web.server import PageServer

        share_one_arena()
        shorten_switch_interval()
        self.open: Callable[[], Any] = lambda: open_source(str(CLIP))
        self.journal = Journal(folder, write=True)
        self.session = Session(Rules.make(order=("red", "green")), {}, self.journal, Pipeline)
        self.sent: dict[int, float] = {}
        publish = self.session._feed.publish

        def timed(numbered: Any) -> None:
            now = time.monotonic()
            self.sent.update((number, now) for number, _ in numbered)
            publish(numbered)

        self.session._feed.publish = timed  # type: ignore[method-assign]
        self.server = PageServer(create_app(self.session, self.journal), port=0)
        self.server.start()
        self.round = Round()
        self.next: Round | None = None
        self.ended = threading.Event()
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.play, name="game")
        self.thread.start()

    def play(self) -> None:
        from focus_companion.session.requests import NewGame

        while not self.stop.is_set():
            self.round, self.next = self.next or Round(), None
            began = time.monotonic()
            with self.open() as source:
                for frame in source:
                    if self.stop.wait(max(0.0, began + frame.time - time.monotonic())):
                        return
                    self.look(frame)
            self.ended.set()
            self.session.submit(NewGame())
            self.session.attend()
            self.session.new_stream()

    def look(self, frame: Any) -> None:
        wall, cpu = time.perf_counter(), time.thread_time()
        self.session.push(frame)
        now = self.round
        now.cpus.append((time.thread_time() - cpu) * 1000)
        now.walls.append((time.perf_counter() - wall) * 1000)

    def close(self) -> None:
        self.stop.set()
        self.thread.join()
        self.server.close()
        self.session.close()
        self.journal.close()


def one_round(game: Game, number: int) -> Round:
    """Play the whole clip with ``number`` viewers."""
    clients = None
    if number:
        command = [
            sys.executable,
            "-m",
            "benchmarks.load.viewers",
            "--follow",
            str(game.server.port),
            str(number),
        ]
        pipe = subprocess.PIPE
        clients = subprocess.Popen(["nice", "-n", "19", *command], stdin=pipe, stdout=pipe, text=True)
        assert clients.stdout is not None
        clients.stdout.readline()
    done = game.next = Round()
    while game.round is not done:
        time.sleep(0.02)
    game.ended.clear()
    game.ended.wait()
    done.megabytes, done.load = resident_megabytes(), os.getloadavg()[0]
    if clients is not None:
        out, _ = clients.communicate("over\n", timeout=60)
        answer = json.loads(out)
        done.served = answer["served"]
        done.late = [(at - game.sent[event]) * 1000 for event, at in answer["received"] if event in game.sent]
        done.events = len({event for event, _ in answer["received"]})
    return done


def main(rounds: int) -> None:
    _many_files()
    with tempfile.TemporaryDirectory() as folder:
        game = Game(Path(folder))
        try:
            found: dict[int, list[Round]] = {number: [] for number in VIEWER_COUNTS}
            for _ in range(rounds):
                for number in VIEWER_COUNTS:
                    found[number].append(one_round(game, number))
                    print(_line(number, found[number][-1:]), file=sys.stderr, flush=True)
        finally:
            game.close()
    loads = [done.load for some in found.values() for done in some]
    print(f"{rounds} rounds, load {min(loads):.0f} to {max(loads):.0f} on {os.cpu_count()} cores")
    for number in VIEWER_COUNTS:
        print(_line(number, found[number]))


def _line(number: int, rounds: list[Round]) -> str:
    walls = [min(times) for times in zip(*(done.walls for done in rounds), strict=False)]
    cpus = [min(times) for times in zip(*(done.cpus for done in rounds), strict=False)]
    late = [ms for done in rounds for ms in done.late]
    events = sum(done.events for done in rounds)
    delay = f"event to viewer p50 {quantile(late, 0.5):.0f} p99 {quantile(late, 0.99):.0f} ms ({events})"
    return (
        f"{number} viewers, {min((done.served for done in rounds), default=0)} on the stream: "
        f"frame p50 {quantile(walls, 0.5):.1f} p99 {quantile(walls, 0.99):.1f} ms "
        f"(of one core p50 {quantile(cpus, 0.5):.1f} p99 {quantile(cpus, 0.99):.1f}), "
        f"{len(walls)} frames, {median(done.megabytes for done in rounds):.0f} MB"
        + (f"; {delay}" if late else "")
    )


def _many_files() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))


# The viewers, in a separate process


async def _viewer(port: int, received: list[tuple[int, float]], served: list[int]) -> None:
    await asyncio.sleep(random.uniform(0, 0.6 * WARM_UP_SECONDS))
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    if (await reader.readline()).split()[1] == b"200":
        served.append(1)
        while line := await reader.readline():
            if line.startswith(b"id: "):
                received.append((int(line[4:]), time.monotonic()))
    writer.close()
    while True:
        await asyncio.sleep(random.uniform(4, 6))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(
            f"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
            "Accept-Encoding: gzip\r\n\r\n".encode()
        )
        await reader.read()
        writer.close()


async def _follow(port: int, number: int) -> None:
    received: list[tuple[int, float]] = []
    served: list[int] = []
    tasks = [asyncio.create_task(_viewer(port, received, served)) for _ in range(number)]
    await asyncio.sleep(WARM_UP_SECONDS)
    print("here", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    print(json.dumps({"served": len(served), "received": received}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--follow"]:
        _many_files()
        asyncio.run(_follow(int(sys.argv[2]), int(sys.argv[3])))
    else:
        parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
        parser.add_argument("--rounds", type=int, default=5)
        main(parser.parse_args().rounds)
