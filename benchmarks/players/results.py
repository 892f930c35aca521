"""The results of tournaments, by opening, in one CSV: long tournaments are interrupted and continued."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from focus_companion.players.weights import KINDS, weights_of

RESULTS_FILE: Final = Path(__file__).parents[1] / "results" / "tournaments.csv"


@lru_cache(maxsize=1)
def program() -> str:
    """Identifies what decides the results besides the contestants' limits: the search, its weights, and the
    opponents' search.
    """
    engine = files("focus_companion.players").joinpath("engine.wasm").read_bytes()
    sparring = Path(__file__).with_name("sparring.wasm").read_bytes()
    weights = "".join(map(repr, map(weights_of, KINDS)))
    return hashlib.sha256(b"".join((engine, sparring, weights.encode()))).hexdigest()[:8]


@dataclass(frozen=True)
class Pairing:
    """Who plays whom (their full names), at what kind of game, and how many seconds they have for a turn."""

    program: str
    first: str
    second: str
    game: str
    seconds: float


@dataclass(frozen=True)
class Result:
    """What the first player won of the games of one opening: its mean ``share``, 0 to 1, their number of
    ``turns`` together, and how many were ``cut_off``. ``seed`` gives the opening.
    """

    seed: int
    share: float
    games: int
    turns: int
    cut_off: int


COLUMNS: Final = tuple(field.name for row in (Pairing, Result) for field in fields(row))


def results_of(pairing: Pairing, file: Path = RESULTS_FILE) -> Iterator[Result]:
    """The results of a pairing that are in the file."""
    if not file.exists():
        return
    wanted = {name: str(value) for name, value in asdict(pairing).items()}
    with file.open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            if all(row[name] == value for name, value in wanted.items()):
                counts = int(row["games"]), int(row["turns"]), int(row["cut_off"])
                yield Result(int(row["seed"]), float(row["share"]), *counts)


def append(pairing: Pairing, result: Result, file: Path = RESULTS_FILE) -> None:
    """Add a result to the file; several tournaments may do so at the same time."""
    new = not file.exists()
    with file.open("a", encoding="utf-8", newline="") as out:
        rows = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        if new:
            rows.writeheader()
        rows.writerow(asdict(pairing) | asdict(result))
