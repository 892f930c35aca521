"""Writes an evaluation made of five numbers, for games of three and four sides, where it beat fitted tables.

    python -m benchmarks.players.set_evaluation 3 --reserve 900
    python -m benchmarks.players.set_evaluation 4 --foreign 60

A stack is worth a fixed amount and more for each of its moves on an empty board, and
for each foreign piece under its top. Writes ``focus_companion/players/weights/KIND.json``, or to
``--output``, to be tried with ``tournament ours:weights=FILE …`` first. All numbers are in thousandths of the
logarithm of the odds.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from focus_companion.game.squares import FILE, RANK, SQUARES
from focus_companion.players import weights as room
from focus_companion.players.evaluation import ORBIT
from focus_companion.players.weights import ORBITS, RESERVES, SHAPES, weights_of

ON_BOARD = {(FILE[square], RANK[square]) for square in range(len(SQUARES))}


def moves(square: int, height: int) -> int:
    """The number of moves of a stack of this height on an empty board."""
    file, rank = FILE[square], RANK[square]
    steps = [(k * dx, k * dy) for k in range(1, height + 1) for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))]
    return sum((file + dx, rank + dy) in ON_BOARD for dx, dy in steps)


def stack(square: int, shape: int, base: int, move: int, foreign: int) -> int:
    """The value of a stack; ``shape`` as in ``search/evaluate.h``."""
    return base + move * moves(square, shape.bit_length()) + foreign * (shape.bit_count() - 1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=("3", "4"))
    parser.add_argument("--stack", type=int, default=100, help="of every stack")
    parser.add_argument("--move", type=int, default=20, help="of each of its moves")
    parser.add_argument("--foreign", type=int, default=0, help="of each foreign piece under its top")
    parser.add_argument("--reserve", type=int, default=650, help="of each piece in reserve")
    parser.add_argument("--tempo", type=int, default=80, help="of being to move")
    parser.add_argument("--output", type=Path)
    chosen = parser.parse_args()
    table = [[0] * SHAPES for _ in range(ORBITS)]
    for orbit in range(ORBITS):
        for shape in range(1, 1 << 5):
            square = ORBIT.index(orbit)
            table[orbit][shape] = stack(square, shape, chosen.stack, chosen.move, chosen.foreign)
    made = replace(
        weights_of(chosen.kind),
        stack=tuple(map(tuple, table)),
        reserve=tuple(chosen.reserve * number for number in range(RESERVES)),
        tempo=chosen.tempo,
    )
    path = chosen.output or Path(room.__file__).parent / "weights" / f"{chosen.kind}.json"
    path.write_text(json.dumps(made.to_json()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
