"""Makes broker, network and tables fail in turn; the hall must end up with exactly the journals' games."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from mosquitto import Mosquitto, Wire
from published_table import Table
from same_games import differences

from benchmarks.load.hall_tables import MAX_TURNS, ROOT
from focus_companion.hall.evening import Evening
from focus_companion.hall.listener import Listener
from focus_companion.mqtt.broker import parse_broker

RESTARTS: Final = 20
"""How often the broker fails."""

CUTS: Final = 20
"""How often the network fails."""

KILLS: Final = 50
"""How often a table is killed."""


def outages() -> None:
    """Make everything fail in turn; in the end the hall must have the journals' games, byte for byte."""
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
                    table.play() if table.session.history.ply < MAX_TURNS else table.another_game()
                time.sleep(0.01)

        for round_ in range(RESTARTS):
            play(15)
            broker.kill() if round_ % 2 else broker.stop()
            play(15)
            broker.start()
        print(f"broker killed or stopped {RESTARTS} times", flush=True)
        for round_ in range(CUTS):
            wire = wires[round_ % 2]
            play(15)
            wire.cut()
            play(15)
            wire.mend()
            time.sleep(0.3)
        print(f"network cut {CUTS} times", flush=True)
        killed = folder / "killed"
        for round_ in range(KILLS):
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
        print(f"table killed {KILLS} times", flush=True)
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
