"""Measures the network traffic of a game by kind of message, and extrapolates it to many tables."""

from __future__ import annotations

import json
import random
import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from mosquitto import Mosquitto, Wire
from published_table import Table

from benchmarks.load.hall_tables import MAX_TURNS, step
from focus_companion.mqtt.broker import parse_broker
from focus_companion.mqtt.line import Line, Message
from focus_companion.mqtt.topics import all_tables, parse

GAME_HOURS = 1.0
"""Assumed duration of a game."""
HEADER_BYTES = 2 * 2 * 52
"""TCP/IP headers of a message and its confirmation, each with its TCP acknowledgement."""


def sizes() -> None:
    """Traffic of a game of 120 turns, by kind of message."""
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
        while table.session.history.ply < MAX_TURNS:
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
            line_bytes = wire.passed + HEADER_BYTES * sent
            screen = 8 * table_tile(seen) * event_rate / 1e6
            stored = tables * archive(seen) * 8 * 250 / 1e12
            print(
                f"{tables:9,} tables: {event_rate:10,.1f} events/s {rate:10,.1f} messages/s "
                f"{8 * line_bytes * scale / 1e6:9,.3f} Mbit/s in, {screen:9,.3f} Mbit/s to a screen of all, "
                f"{kept(seen) * tables / 1e9:9,.3f} GB kept, {stored:7,.3f} TB a year of archive"
            )


def table_tile(seen: dict[str, list[int]]) -> float:
    """Mean bytes sent to a screen for an event."""
    return statistics.mean(seen["state"])


def kept(seen: dict[str, list[int]]) -> float:
    """Bytes that the broker retains per table: status, state, discovery, and a week of eight games a day."""
    return sum(seen[kind][-1] for kind in ("status", "state", "discovery")) + 7 * 8 * archive(seen)


def archive(seen: dict[str, list[int]]) -> float:
    """Compressed bytes of a finished game."""
    return max(seen["games"])
