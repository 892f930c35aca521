"""Kills games without warning, a thousand times, and checks that no emitted event is lost or duplicated.

    python -m benchmarks.reliability.kills [--kills 1000] [--fresh 100] [--programs 20] [--seed N]

``--kills``: runs of a process that plays a scripted game through session and journal as fast as it can and
reports the events it emitted; some are killed while they open the journal. Of these, ``--fresh`` start a new
interpreter, which gives the start-up time; the others are forked from a running one. ``--programs``: runs of
the whole program, ``play --camera demo``, whose events are read from its page. After each run: no emitted
event is missing, none is there twice, ids have no gaps, and the games that changed replay; at the end
everything is checked again. The first failure ends it with status 1.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from focus_companion.game.record import positions
from focus_companion.storage.folders import demo_folder
from focus_companion.storage.journal import Journal

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "storage"), str(ROOT / "tests" / "session")]

from lives import Lives  # noqa: E402 - the tests' own, found by the path above


def light(kills: int, fresh: int, rng: random.Random) -> None:
    """Kill processes that play the scripted game."""
    every = max(1, kills // max(1, fresh))
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        lives = Lives(Path(folder) / "data", rng)
        for number in range(kills):
            lives.live(fresh=number % every == 0)
            if number % 100 == 99:
                lives.look_at_everything()
        lives.look_at_everything()
        games = len(lives.games)
    print(f"{kills} kills of a scripted game: {lives.events} events emitted, {games} games")
    print("  none lost, none duplicated")
    print(f"  start to playing on: {spread(lives.starts)}; {time.monotonic() - began:.0f} s in all")


def spread(seconds: Sequence[float]) -> str:
    return f"median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s of {len(seconds)}"


class Program:
    """One run of ``play --camera demo``, and the events from its page."""

    def __init__(self, folder: Path, after: int) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.emitted: list[tuple[int, str]] = []
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "focus_companion.cli", "play", "--camera", "demo", "--data", str(folder),
             "--port", str(self.port)],
            cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=os.environ | {"FOCUS_COMPANION_LIGHTS": "none", "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        self.after = after
        self.thread = threading.Thread(target=self._listen, daemon=True)

    def wait_for(self, path: str) -> tuple[float, dict[str, Any]]:
        """Seconds from the start until ``path`` responds, and its response."""
        while time.monotonic() - self.began < 300:
            if self.process.poll() is not None:
                raise AssertionError(f"the program did not start: {self.process.communicate()[1]}")
            with suppress(OSError):
                address = f"http://127.0.0.1:{self.port}{path}"
                with urllib.request.urlopen(address, timeout=5) as answer:
                    return time.monotonic() - self.began, dict(json.load(answer))
            time.sleep(0.02)
        raise AssertionError(f"{path} did not answer")

    def _listen(self) -> None:
        # The kill cuts the stream off, anywhere in a line.
        with suppress(OSError, ValueError):
            request = urllib.request.Request(
                f"http://127.0.0.1:{self.port}/api/events", headers={"Last-Event-ID": str(self.after)}
            )
            with urllib.request.urlopen(request, timeout=60) as stream:
                number = 0
                for line in stream:
                    key, _, value = line.decode().rstrip("\n").partition(": ")
                    if key == "id":
                        number = int(value)
                    elif key == "data":
                        self.emitted.append((number, json.loads(value)["type"]))

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.thread.join(10)


def whole(lives: int, rng: random.Random) -> None:
    """Kill the whole program."""
    page, picture, last, events = [], [], 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "data"
        for number in range(lives):
            program = Program(folder, last)
            try:
                seconds, state = program.wait_for("/api/state")
                assert number == 0 or state["event"] >= last, "an emitted event is missing"
                page.append(seconds)
                program.thread.start()
                picture.append(program.wait_for("/healthz")[0])
                time.sleep(rng.uniform(0.0, 8.0))
            finally:
                program.kill()
            with Journal(demo_folder(folder)) as journal:
                kept = dict(journal.events(limit=1_000_000))
                assert list(kept) == list(range(1, len(kept) + 1)), "ids have a gap"
                for number_of_event, kind in program.emitted:
                    assert number_of_event == last + 1, "an event was emitted twice, or left out"
                    assert kept[number_of_event].type == kind
                    last = number_of_event
                for game in journal.games():
                    assert len(list(positions(journal.record(game.id)))) == game.plies + 1
            events += len(program.emitted)
    print(f"{lives} kills of play --camera demo: {events} events emitted, none lost, none duplicated")
    print(f"  start to page: {spread(page)}; start to first picture: {spread(picture)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--fresh", type=int, default=100)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    given = parser.parse_args()
    load = f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    print(f"seed {given.seed}; load at the beginning {load}", flush=True)
    rng = random.Random(given.seed)
    try:
        if given.kills:
            light(given.kills, given.fresh, rng)
        if given.programs:
            whole(given.programs, rng)
    except AssertionError as error:
        sys.exit(f"does not hold: {error}")


if __name__ == "__main__":
    main()
