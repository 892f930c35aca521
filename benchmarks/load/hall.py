"""Many tables, one broker, one hall, many viewers: latency, load, and whether anything is lost.

    python -m benchmarks.load.hall load --minutes 30  300 tables, 50 viewers: latency, losses, memory, CPU
    python -m benchmarks.load.hall knee  the same, ever faster, a minute each, until it breaks
    python -m benchmarks.load.hall outages  broker and network down 20 times each, tables killed 50 times
    python -m benchmarks.load.hall sizes  bytes on the wire by kind of message

Real journals on the disk, a real Mosquitto, the real ``hall`` command; no pictures. Linux only (reads /proc).
"""

from __future__ import annotations

import argparse
import json

from benchmarks.load.hall_load import knee, load
from benchmarks.load.hall_outages import outages
from benchmarks.load.hall_sizes import sizes


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("load")
    one.add_argument("--minutes", type=float, default=30)
    one.add_argument("--tables", type=int, default=300)
    one.add_argument("--viewers", type=int, default=50)
    one.add_argument("--every", type=float, default=5.0, help="seconds from turn to turn at a table")
    many = commands.add_parser("knee")
    many.add_argument("--viewers", type=int, default=50)
    many.add_argument("--seconds", type=float, default=60)
    many.add_argument("--every", type=float, nargs="+", default=[10, 5, 2.5, 1.25, 0.62, 0.31])
    commands.add_parser("outages")
    commands.add_parser("sizes")
    given = parser.parse_args()
    match given.command:
        case "load":
            print(json.dumps(load(given.tables, given.viewers, given.every, given.minutes * 60), indent=1))
        case "knee":
            knee(given.viewers, given.seconds, given.every)
        case "outages":
            outages()
        case "sizes":
            sizes()


if __name__ == "__main__":
    main()
