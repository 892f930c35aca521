"""Runs many tables, a broker, the real ``hall`` command and many viewers; measures resources and latency."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.load.hall_parts import Meter, child, go, line_of, running_hall
from benchmarks.load.hall_screens import compare, event_times, screens

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "tests" / room) for room in ("mqtt", "session")]

from mosquitto import Mosquitto  # noqa: E402

TABLE_PROCESSES = 6
"""Number of processes for the tables: a table opens a dozen files, and a process may have 1024 open."""


def load(tables: int, viewers: int, every: float, seconds: float, *, check: bool = True) -> dict[str, Any]:
    """One run; returns what was measured."""
    names = [f"T{number:03}" for number in range(1, tables + 1)]
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
        folder = Path(temporary)
        broker = stack.enter_context(Mosquitto(folder / "broker"))
        hall, port = stack.enter_context(running_hall(broker.address))
        shares = [names[index::TABLE_PROCESSES] for index in range(TABLE_PROCESSES)]
        players = [
            child(stack, "hall_tables", folder, broker.address, ",".join(share), every, seconds)
            for share in shares
        ]
        for player in players:
            line_of(player)
        seen = folder / "seen"
        watcher = child(stack, "hall_viewers", port, viewers, ",".join(names), seen)
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
        began, loaded = time.time(), os.getloadavg()[0]
        for player in players:
            go(player)
        reports = [json.loads(line_of(player)) for player in players]
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
            "load_average": [round(loaded, 1), round(os.getloadavg()[0], 1)],
            "tables_behind_s": max(player["behind"] for player in reports),
            "tables_said": sorted({line for player in reports for line in player["said"]}),
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


def knee(viewers: int, seconds: float, paces: Sequence[float]) -> None:
    """Play ever faster, until one event in a hundred takes two seconds to reach the screen."""
    for every in paces:
        measured = load(300, viewers, every, seconds, check=False)
        print(json.dumps(measured), flush=True)
        if measured["event_to_screen_ms"]["p99"] > 2000:
            break
