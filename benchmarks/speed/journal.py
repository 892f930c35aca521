"""Measures how long it takes to open, copy, check and rescue a journal of many games.

    python -m benchmarks.speed.journal [--games 1000]

Fills a journal with copies of one scripted game, then prints the processor time and wall time of each
operation, with the size of the journal.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from focus_companion.game.rules import Rules
from focus_companion.session.session import Session
from focus_companion.storage.backup import back_up, check
from focus_companion.storage.journal import Journal

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "session")]

from scripted import Player, play_on  # noqa: E402

RULES = Rules.make(2, fast=True, fast_each=1)


@contextmanager
def timed(what: str) -> Iterator[None]:
    wall, processor = time.perf_counter(), time.process_time()
    yield
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    print(f"{what}: {processor:.2f} s of the processor, {wall:.2f} s on the clock")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=1000)
    games = parser.parse_args().games
    session = Session(RULES, {}, None, Player)
    walk = iter(session.subscribe(0, heartbeat=0))
    play_on(session.push, 200)
    assert session.history.over
    events = [item[1] for item in iter(lambda: next(walk), None)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Journal(folder, write=True) as journal:
            for _ in range(games):
                journal.append_all(journal.begin(RULES, {}), events)
        path = folder / "journal.sqlite"
        print(f"{games} games, {games * len(events)} events, {path.stat().st_size / 2**20:.0f} MB")
        with timed("open"):
            journal = Journal(folder, write=True)
        journal.close()
        copy = folder / "copy.sqlite"
        with timed("copy, every game of it replayed"):
            back_up(folder, copy)
        with timed("check a copy"):
            check(copy, copy)
        with path.open("r+b") as file:
            file.write(bytes(4096))
        with timed("rescue, the first page gone"):
            journal = Journal(folder, write=True)
        assert journal.rescued is not None and journal.rescued.games == games
        journal.close()


if __name__ == "__main__":
    main()
