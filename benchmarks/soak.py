"""Games end to end without a pause: does anything grow, is anything missed?

    python benchmarks/soak.py --games 20 --every 5
    python benchmarks/soak.py --games 400 --every 20 --full      # hours

The simulated board plays against the stream's own clock, as fast as the machine draws and reads it: real
pipeline, session, game thread, journal on the disk, page server, and a viewer that follows ``/api/events``
over HTTP. Every ``--every`` games a line tells memory (resident), threads, file handles, bytes on the disk,
and what was missed: turns that were played and not told, turns told that nobody played, illegal acts
without an alert, events of the journal that the viewer did not hear. Games are fast ones unless ``--full``.

Exit status 1 where something was missed, where handles or threads have grown, or where memory has grown by
more than 5 % from the first tenth of the games on.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from focus_companion.commands import memory, play_source
from focus_companion.commands.play import AGAIN
from focus_companion.commands.play_source import Demo
from focus_companion.game.rules import Rules
from focus_companion.session.events import Event
from focus_companion.session.pipeline import Pipeline
from focus_companion.session.runner import Runner
from focus_companion.session.session import Session
from focus_companion.simulator import demo
from focus_companion.storage.journal import Journal
from focus_companion.vision.frames import Frame
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

FPS: Final = 6.0
size = [1280, 960]
"""Of the pictures: the product's own unless another is asked for, which is faster and harder to read."""
GROWTH: Final = 1.05
STUCK: Final = 300.0
"""Seconds without a turn after which one was missed."""
GAME_MINUTES: Final = 30
"""Of a game; longer, and it hangs."""

chosen: set[tuple[str, str]] = set()
"""Every turn that the simulated players made, with the position before it."""
slips = [0]


class Hurried(demo.DemoSource):
    """The demonstration, whose time passes with its frames; it notes what it plays."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**({"size": tuple(size)} | more))

    def __iter__(self) -> Iterator[Frame]:
        beats, index, done = self.beats(), 0, 0.0
        beat = next(beats)
        while not self._closed.is_set():
            while done >= beat.seconds:
                done -= beat.seconds
                beat = next(beats)
            yield Frame(
                index, index / FPS, self.view.shoot(beat.at(done / beat.seconds), self._rng, detail=0.5)
            )
            index, done = index + 1, done + 1 / FPS

    def _choose(self, position: Any, *, plain: bool) -> Any:
        move = super()._choose(position, plain=plain)
        if move is not None:
            chosen.add((position.text, str(move)))
        return move

    def _slip(self, position: Any) -> Any:
        slip = super()._slip(position)
        slips[0] += slip is not None
        return slip


class Viewer:
    """Follows the page's events over HTTP and keeps their ids."""

    def __init__(self, port: int) -> None:
        self.last, self.gaps = 0, 0
        self._port = port
        threading.Thread(target=self._follow, name="viewer", daemon=True).start()

    def _follow(self) -> None:
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/api/events?after=0") as stream:
            for line in stream:
                if line.startswith(b"id: "):
                    number = int(line[4:])
                    self.gaps += number != self.last + 1
                    self.last = number


def resident() -> float:
    """Megabytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def soak(games: int, every: int, rules: Rules, folder: Path) -> bool:
    memory.share_one_pool()
    demo.DemoSource = Hurried  # type: ignore[misc, assignment]
    # That a board has come to a stand must not be told from a machine that is slow.
    play_source.STUCK = STUCK  # type: ignore[misc]
    journal = Journal(folder, write=True)
    session, source = Session(rules, {}, journal, Pipeline, again=AGAIN), Demo("demo")
    source.follow(session)
    server = PageServer(create_app(session, journal), port=0)
    server.start()
    viewer = Viewer(server.port)
    heard: queue.SimpleQueue[Event] = queue.SimpleQueue()
    opened = [0]

    def open_board() -> Any:
        opened[0] += 1
        return source.open()

    runner = Runner(session, open_board, anew=source.anew, heard=heard.put)
    runner.start()
    began, before = time.monotonic(), session.position.text
    rows: list[dict[str, Any]] = []
    done = turns = wrong = alerts = anew = 0
    while done < games:
        event = heard.get(timeout=60 * GAME_MINUTES)
        match event.type:
            case "game":
                before, anew = event.position, anew + 1
            case "move":
                turns += 1
                wrong += (before, event.move) not in chosen
                before = event.position
            case "alert":
                alerts += 1
            case "taken_back":
                before = event.position
            case "result":
                done += 1
                if done % every == 0 or done == games:
                    memory.give_back()
                    rows.append(
                        {
                            "games": done,
                            "turns": turns,
                            "minutes": round((time.monotonic() - began) / 60, 1),
                            "megabytes": round(resident(), 1),
                            "threads": threading.active_count(),
                            "handles": len(list(Path("/proc/self/fd").iterdir())),
                            "disk": sum(path.stat().st_size for path in folder.iterdir()),
                            # Opened at the start and for every game; else it had come to a stand.
                            "missed": opened[0] - 1 - anew,
                            "misread": wrong,
                            "slips": slips[0],
                            "alerts": alerts,
                            "viewer_gaps": viewer.gaps,
                        }
                    )
                    print(json.dumps(rows[-1]), flush=True)
                chosen.clear() if done % 50 == 0 else None
    runner.stop()
    time.sleep(0.5)
    behind = journal.last_event() - viewer.last
    server.close()
    settled = rows[min(len(rows) - 1, len(rows) // 10)]
    last = rows[-1]
    faults = {
        "turns missed": last["missed"],
        "turns misread": last["misread"],
        "acts without an alert": max(0, last["slips"] - last["alerts"]),
        "gaps at the viewer": last["viewer_gaps"] + behind,
        "more handles": max(0, last["handles"] - settled["handles"]),
        "more threads": max(0, last["threads"] - settled["threads"]),
        "memory beyond 5 %": last["megabytes"]
        > GROWTH * max(row["megabytes"] for row in rows[: len(rows) // 10 + 1]),
    }
    print(json.dumps({"result": {name: int(fault) for name, fault in faults.items()}}))
    return not any(faults.values())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--every", type=int, default=5, help="games between two lines")
    parser.add_argument("--full", action="store_true", help="full games instead of fast ones")
    parser.add_argument("--size", default="1280x960", help="of the pictures")
    asked = parser.parse_args()
    size[:] = map(int, asked.size.split("x"))
    with tempfile.TemporaryDirectory() as folder:
        well = soak(asked.games, asked.every, Rules.make(2, fast=not asked.full), Path(folder))
    sys.stdout.flush()
    # Threads inside the picture library would abort an interpreter that is taken apart.
    os._exit(0 if well else 1)


if __name__ == "__main__":
    main()
