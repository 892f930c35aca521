"""Compares what the viewers of the hall's benchmark saw with the tables' journals."""

from __future__ import annotations

import json
import urllib.request
from array import array
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from focus_companion.formats.json_record import write_json
from focus_companion.formats.match import Match
from focus_companion.storage.journal import Journal, KeptEvent


def event_times(folder: Path, names: Sequence[str], began: float) -> tuple[list[dict[int, float]], list[int]]:
    """For each table the times at which its events were written, and the number of the last one."""
    times, last = [], []
    for name in names:
        with Journal(folder / name) as journal:
            kept: list[KeptEvent] = []
            while page := journal.kept(kept[-1].id if kept else 0):
                kept += page
        at = {event.id: datetime.fromisoformat(event.wall).timestamp() for event in kept}
        times.append({number: when for number, when in at.items() if when >= began})
        last.append(kept[-1].id)
    return times, last


def screens(seen: Path, times: list[dict[int, float]], last: list[int], viewers: int) -> dict[str, Any]:
    """Latencies of every event on every screen; lost, duplicate and out-of-order events."""
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
                # Events in between appear on the screen together with the newest one.
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
    """The number of games that the hall lacks, or that differ from the journal in any byte."""
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
