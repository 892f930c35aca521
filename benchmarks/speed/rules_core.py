"""Measures the speed of the rules core: perft, and replaying files of records.

    python -m benchmarks.speed.rules_core [--games N] [--depth D]

Prints the wall and processor time of perft for each number of players, after checking the count, and the
plies per second of ``replay --positions --legal`` over a file of N random games of most variants, run as a
separate program as users do, including start-up, with its output read through a pipe.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from focus_companion.game.moves import legal_moves
from focus_companion.game.play import apply
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position

KNOWN_COUNTS: Final[dict[str, tuple[int, ...]]] = {
    "--players 2": (68, 4_460, 299_912, 19_521_582),
    "--players 3": (16, 240, 3_360, 162_960, 7_712_978),
    "--players 4": (44, 1_895, 80_983, 3_387_764),
    "--players 4 --partners": (44, 1_895, 80_983, 3_387_764),
}
"""The correct number of sequences of 1, 2, 3, … turns, by options of perft."""

VARIANTS: Final[tuple[dict[str, Any], ...]] = (
    {"players": 2},
    {"players": 2, "set_up": "checkerboard"},
    {"players": 2, "set_up": "drop"},
    {"players": 2, "fast": True, "fast_own": "taken", "fast_total": 9},
    {"players": 2, "reserve_on": "empty_or_own", "order": ["red", "green"]},
    {"players": 3},
    {"players": 3, "thirteenth_piece": False, "stuck": "pass"},
    {"players": 3, "fast": True},
    {"players": 4},
    {"players": 4, "stuck": "out"},
    {"players": 4, "partners": True},
    {"players": 4, "partners": True, "move_partner_stacks": True},
)

MAX_PLIES: Final = 300
"""Maximum plies of a game."""


def game(settings: dict[str, Any], choose: random.Random) -> dict[str, Any]:
    """A record of random legal turns."""
    rules = Rules.from_json(settings)
    position = start_position(rules)
    moves: list[str] = []
    while position.result is None and len(moves) < MAX_PLIES:
        move = choose.choice(legal_moves(position, rules))
        moves.append(str(move))
        position = apply(position, move, rules)
    return {"format": "focus-companion game", "version": 1, "rules": settings, "moves": moves}


def timed(*args: str) -> tuple[bytes, float, float]:
    """Run the program; returns its output, wall time and processor time in seconds."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    command = [sys.executable, "-m", "focus_companion.cli", *args]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, wall, after.ru_utime + after.ru_stime - spent.ru_utime - spent.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--games", type=int, default=200, help="games of the file that is replayed")
    parser.add_argument("--depth", type=int, default=5, help="deepest perft")
    given = parser.parse_args()

    for options, known in KNOWN_COUNTS.items():
        depth = min(given.depth, len(known))
        out, wall, cpu = timed("perft", str(depth), *options.split())
        count = int(out.split()[-1])
        verdict = "right" if count == known[depth - 1] else f"WRONG, not {known[depth - 1]:,}"
        print(f"perft {depth} {options}: {count:,} ({verdict}), {wall:.2f} s, processor {cpu:.2f} s")

    choose = random.Random(1)
    games = [game(VARIANTS[number % len(VARIANTS)], choose) for number in range(given.games)]
    plies = sum(len(each["moves"]) for each in games)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in games))
        for switches in (["--positions"], ["--positions", "--legal"]):
            out, wall, cpu = timed("replay", str(path), *switches)
            lines = out.count(b"\n")
            if lines != plies + len(games):
                raise SystemExit(f"{lines} lines for {plies} plies of {len(games)} games")
            print(
                f"replay {' '.join(options)}: {len(games)} games, {plies} plies, {len(out) / 1e6:.0f} MB: "
                f"{plies / wall:,.0f} plies/s, processor {plies / cpu:,.0f} plies/s"
            )


if __name__ == "__main__":
    main()
