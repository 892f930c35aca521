"""Plays whole games in which the simulated table plays for one or two absent players: is every reply checked?

    python -m benchmarks.reliability.replies --games 104

Runs ``soak.py`` for two, three and four players and for partners, each with one and with two seats of the
computer. About one reply in nine is first made wrongly and corrected after its alert. Prints a line for each
kind of game and the sum. All games are fast games, except those of partners, for whom there is none. Exit
status 1 if anything was missed.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
import sys
from collections import Counter
from typing import Any, Final

from benchmarks.reliability.soak import FAULT_COUNTS, REPLY_COUNTS

GAME_OPTIONS: Final[tuple[tuple[str, ...], ...]] = (
    ("--seat", "red=companion:2"),
    ("--seat", "red=companion:2", "--seat", "green=companion:4"),
    ("--players", "3", "--seat", "red=companion:2"),
    ("--players", "3", "--seat", "red=companion:2", "--seat", "blue=companion:4"),
    ("--players", "4", "--seat", "red=companion:2"),
    ("--players", "4", "--seat", "red=companion:2", "--seat", "blue=companion:4"),
    ("--players", "4", "--partners", "--full", "--seat", "red=companion:2"),
    ("--players", "4", "--partners", "--full", "--seat", "red=companion:2", "--seat", "blue=companion:4"),
)
"""The options of ``soak.py`` for each kind of game."""


def play(options: tuple[str, ...], games: int, seed: int, faults: str) -> dict[str, Any] | None:
    """The last row of a run; ``None`` if it ended without one."""
    command = [sys.executable, "-m", "benchmarks.reliability.soak", *options]
    command += ["--games", str(games), "--every", "1", "--seed", str(seed), "--faults", faults]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"games"')]
    return rows[-1] if rows else None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=104, help="of all kinds together")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--faults", default="soak-faults", help="folder for what was missed")
    chosen = parser.parse_args()
    each, total, stuck = math.ceil(chosen.games / len(GAME_OPTIONS)), Counter[str](), False
    print(json.dumps({"seed": chosen.seed}))
    for number, options in enumerate(GAME_OPTIONS):
        row = play(options, each, chosen.seed + number, f"{chosen.faults}/{number}")
        print(" ".join(options), json.dumps(row), flush=True)
        stuck = stuck or row is None or row["games"] < each
        counted = ("games", "turns", *REPLY_COUNTS, *FAULT_COUNTS)
        total.update({name: row[name] for name in counted} if row else {})
    print("all", json.dumps(total))
    well = not stuck and not any(total[name] for name in FAULT_COUNTS)
    sys.exit(not (well and total["wrong replies"] == total["wrong replies alerted"]))


if __name__ == "__main__":
    main()
