"""Viewers of a hall, one thread each: a process of the hall's benchmark.

python -m benchmarks.load.hall_viewers PORT COUNT NAME,NAME… FILE

Prints "started" and reads until a line arrives; then FILE holds, for each viewer, a line of JSON and what it
saw.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
import urllib.request
from array import array
from collections.abc import Sequence
from pathlib import Path

TILE = re.compile(rb'\{"table":"([^"]+)".*?"seq":(\d+)\}')


class Viewer(threading.Thread):
    """Reads the hall's stream as a browser does; records when each table's events were on the screen."""

    def __init__(self, port: int, names: dict[str, int]) -> None:
        super().__init__(daemon=True)
        self._port, self._names = port, names
        self.tables, self.numbers, self.times = array("H"), array("q"), array("d")
        self.fell = 0
        self.bytes = 0

    def run(self) -> None:
        newest: dict[int, int] = {}
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/api/events") as stream:
            for line in stream:
                self.bytes += len(line)
                if not line.startswith(b"data:"):
                    continue
                now = time.time()
                for name, number in TILE.findall(line):
                    table, seq = self._names[name.decode()], int(number)
                    if seq < newest.get(table, 0):
                        self.fell += 1
                    if seq > newest.get(table, 0):
                        newest[table] = seq
                        self.tables.append(table)
                        self.numbers.append(seq)
                        self.times.append(now)


def watch(port: int, count: int, names: Sequence[str], file: Path) -> None:
    """Run this many viewers until a line arrives on standard input; then write what they saw."""
    viewers = [Viewer(port, {name: index for index, name in enumerate(names)}) for _ in range(count)]
    for viewer in viewers:
        viewer.start()
        time.sleep(0.02)
    print("started", flush=True)
    sys.stdin.readline()
    with file.open("wb") as out:
        for viewer in viewers:
            head = {"items": len(viewer.tables), "fell": viewer.fell, "bytes": viewer.bytes}
            out.write(json.dumps(head).encode() + b"\n")
            for column in (viewer.tables, viewer.numbers, viewer.times):
                out.write(column[: head["items"]].tobytes())


if __name__ == "__main__":
    watch(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].split(","), Path(sys.argv[4]))
