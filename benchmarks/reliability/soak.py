"""Plays games without a pause: does memory grow, is anything missed?

    python -m benchmarks.reliability.soak --games 20 --every 5
    python -m benchmarks.reliability.soak --games 400 --every 20 --faults soak-faults  # under an hour
    python -m benchmarks.reliability.soak --games 400 --every 20 --full --size 1280x960   # hours
    python -m benchmarks.reliability.soak --games 20 --players 4 --seat red=companion:2   # no hands
    python -m benchmarks.reliability.soak --games 20 --set-up drop

The simulated board plays by the stream's own clock, as fast as the machine can draw and read it: real
pipeline, session, game thread, journal on disk, page server, and a viewer that follows ``/api/events`` over
HTTP, all in one process. Pictures of a hand are few, and those of a table that has been still for a while are
far apart. Illegal acts last four seconds; a question is answered at once. Every ``--every`` games a line
shows the hours of the stream, processor minutes, resident memory, threads, file handles, bytes on disk, and
the errors: turns played but not emitted, turns emitted but not played, illegal acts neither alerted nor asked
about, alerts without an illegal act, and journal events that the viewer did not receive. Games use the fast
rules unless ``--full``. Each fault is saved with its last pictures in ``--faults``; ``--again FAULT.json``
replays the game in which it occurred.

For seats away from the board (``--seat``, once per colour) it also counts the replies made as requested and
those before which a different turn was made, and whether every one of these raised an alert.

Exit status 1 if anything was missed, if handles or threads have grown, or if memory has grown by more than 5
% since the first tenth of the games.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import random
import sys
import tempfile
import threading
import time
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any, Final

import cv2

from benchmarks import history
from benchmarks.processes import resident_megabytes
from benchmarks.reliability.soak_table import FaultLog, Table, Watched
from focus_companion.commands.shared import memory, play_source
from focus_companion.commands.shared.playing import DEMO_RESTART_SECONDS
from focus_companion.commands.shared.seat_options import Seat, chosen_seats
from focus_companion.game.colours import NAMES
from focus_companion.game.rules import Rules
from focus_companion.seats.seats import Seats
from focus_companion.session.events import Event
from focus_companion.session.runner import Runner
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal
from focus_companion.web.app import create_app
from focus_companion.web.server import PageServer

MAX_MEMORY_GROWTH: Final = 1.05
"""Factor by which memory may grow after the first tenth of the games."""
STUCK_TIMEOUT: Final = 300.0
"""Seconds without a turn after which the table is set up again, whatever the reason."""
GAME_TIMEOUT_MINUTES: Final = 30
"""Minutes after which a game counts as hanging."""
FAULT_COUNTS: Final = (
    "turns missed", "turns misread", "acts without an alert", "alerts for nothing", "replies twice",
    "replies not as asked",
)  # fmt: skip
REPLY_COUNTS: Final = ("replies", "wrong replies", "wrong replies alerted")


class Viewer:
    """Follows the page's events over HTTP and records their ids."""

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


def soak(
    games: int,
    every: int,
    rules: Rules,
    folder: Path,
    table: Table,
    fault_log: FaultLog,
    played_by: dict[str, str],
) -> bool:
    memory.share_one_arena()
    # A slow machine must not affect when a board counts as still.
    play_source.STUCK_TIMEOUT = STUCK_TIMEOUT  # type: ignore[misc]
    journal = Journal(folder, write=True)
    session = Session(
        rules,
        {},
        journal,
        partial(Watched, fault_log=fault_log),
        again=DEMO_RESTART_SECONDS,
        played_by=played_by,
    )
    fault_log.session = session
    table.follow(session)
    server = PageServer(create_app(session, journal), port=0)
    server.start()
    viewer = Viewer(server.port)
    ended: queue.SimpleQueue[Event] = queue.SimpleQueue()

    seats = Seats(session, print)
    seats.start()

    def on_event(event: Event) -> None:
        fault_log.on_event(event)
        seats.notify()
        if event.type == "result":
            ended.put(event)

    runner = Runner(session, table.open, must_reopen=table.must_reopen, on_event=on_event)
    runner.start()
    rows: list[dict[str, Any]] = []
    for done in range(1, games + 1):
        event = ended.get(timeout=60 * GAME_TIMEOUT_MINUTES)
        if done % every and done != games:
            continue
        memory.release_free_memory()
        rows.append(
            {
                "games": done,
                "hours": round(event.time / 3600, 2),
                "processor_minutes": round(time.process_time() / 60, 1),
                "megabytes": round(resident_megabytes(), 1),
                "threads": threading.active_count(),
                "handles": len(list(Path("/proc/self/fd").iterdir())),
                "disk": sum(path.stat().st_size for path in folder.iterdir()),
                "viewer_gaps": viewer.gaps,
            }
            | {
                name: fault_log.counts[name]
                for name in (
                    "turns",
                    "slips",
                    "alerts",
                    "questions",
                    "acts asked about",
                    *FAULT_COUNTS,
                    *REPLY_COUNTS,
                )
            }
            | {"reported as another act": fault_log.counts["reported as another act"]}
        )
        print(json.dumps(rows[-1]), flush=True)
    runner.stop()
    seats.close()
    time.sleep(0.5)
    behind = journal.last_event() - viewer.last
    server.close()
    settled, last = rows[min(len(rows) - 1, len(rows) // 10)], rows[-1]
    faults = {name: last[name] for name in FAULT_COUNTS} | {
        "gaps at the viewer": last["viewer_gaps"] + behind,
        "more handles": max(0, last["handles"] - settled["handles"]),
        "more threads": max(0, last["threads"] - settled["threads"]),
        "memory beyond 5 %": last["megabytes"]
        > MAX_MEMORY_GROWTH * max(row["megabytes"] for row in rows[: len(rows) // 10 + 1]),
        "the game thread failed": runner.failure is not None,
    }
    print(json.dumps({"result": {name: int(fault) for name, fault in faults.items()}}))
    without_hands = "".join(f", {NAMES[letter]} {kind}" for letter, kind in played_by.items())
    kind = f"{rules.players} players{', partners' if rules.partners else ''}, {rules.set_up}"
    history.append("reliability.soak", f"seed {fault_log.seed}, {kind}{without_hands}", last)
    return not any(faults.values())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--every", type=int, default=5, help="games between two lines")
    parser.add_argument("--full", action="store_true", help="full games instead of fast ones")
    parser.add_argument("--players", type=int, default=2, choices=(2, 3, 4))
    parser.add_argument("--partners", action="store_true")
    parser.add_argument("--set-up", default="pairs", choices=("pairs", "checkerboard", "drop"))
    parser.add_argument("--seat", action="append", default=[], metavar="COLOUR=KIND", help="as of play")
    parser.add_argument("--size", default="640x480", help="of the pictures")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--again", type=Path, help="play the game of this fault.json once more")
    parser.add_argument("--faults", type=Path, default=Path("soak-faults"), help="folder for what was missed")
    asked = parser.parse_args()
    first, fast = 1, not asked.full
    rules = Rules.make(asked.players, fast=fast, partners=asked.partners, set_up=asked.set_up)
    if asked.again:
        fault = json.loads(asked.again.read_text(encoding="utf-8"))
        asked.games, asked.seed, first = 1, fault["seed"], fault["first"]
        rules, asked.size = Rules.from_json(fault["rules"]), fault["size"]
    # The work of one processor is measured.
    cv2.setNumThreads(1)
    width, height = map(int, asked.size.split("x"))
    print(json.dumps({"seed": asked.seed, "size": [width, height], "full": asked.full}), flush=True)
    fault_log = FaultLog(asked.faults, asked.seed, first)
    table = Table((width, height), asked.seed, first, fault_log)
    with tempfile.TemporaryDirectory() as folder:
        played_by, _ = chosen_seats([Seat().convert(seat, None, None) for seat in asked.seat])
        well = soak(asked.games, asked.every, rules, Path(folder), table, fault_log, played_by)
    sys.stdout.flush()
    # Threads inside the picture library would abort an interpreter that is being finalized.
    os._exit(0 if well else 1)


if __name__ == "__main__":
    main()
