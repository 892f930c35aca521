"""Tables without cameras that play and publish: a process of the hall's benchmark.

python -m benchmarks.load.hall_tables FOLDER BROKER NAME,NAME… EVERY SECONDS

Prints "started", waits for a line, plays, prints how far behind it was and what the publishers reported
(JSON), and waits for a line before it exits.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / room) for room in ("", "mqtt", "session", "hall")]

from published_table import Table  # noqa: E402

from focus_companion.session.events import Alert, Resolved  # noqa: E402

MAX_TURNS = 120
"""Turns after which a player resigns, because random games rarely end."""


def play_tables(folder: Path, address: str, names: Sequence[str], every: float, seconds: float) -> None:
    """Play at all tables, on average a turn every ``every`` seconds each, with occasional alerts."""
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
    """Play a turn, in one case of ten after an alert."""
    session = table.session
    if session.history.ply >= MAX_TURNS:
        table.another_game()
        return
    if chance.random() < 0.1:
        player, now = "red", session.history.time
        emitted = session._emit_events(
            Alert(now, "distance", player, ["d5", "d6"], "Two pieces go two squares. Put it back.")
        )
        emitted += session._emit_events(Resolved(now))
        table.publisher.tell()
    table.play()


if __name__ == "__main__":
    play_tables(
        Path(sys.argv[1]), sys.argv[2], sys.argv[3].split(","), float(sys.argv[4]), float(sys.argv[5])
    )
