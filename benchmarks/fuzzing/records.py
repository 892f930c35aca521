"""Fuzzes the readers with corrupted records, move sheets, SGF files, positions and rules files.

    python -m benchmarks.fuzzing.records [--cases 100000] [--seed 1]

Corrupts good examples until this many have been refused (those that can still be read are not counted),
through the same functions that the commands use; one in fifty goes through the command line itself. Fails at
the first input that is answered by anything but a clear error: another exception, an error of several lines
or without words, a wrong exit status, or more than :data:`HANG_SECONDS` seconds. That input is written to the
file that ``--keep`` names. Prints how many of each kind were refused, the slowest, and how much the memory
grew.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Final

from focus_companion.cli import cli
from focus_companion.commands.shared import console
from focus_companion.commands.shared.console import BadInput
from focus_companion.commands.shared.position_lines import position_lines
from focus_companion.commands.shared.rule_options import make_rules
from focus_companion.formats.errors import FormatError
from focus_companion.formats.reading import read_record, records_in
from focus_companion.formats.writing import write
from focus_companion.game.faults import IllegalMove
from focus_companion.game.moves import legal_moves
from focus_companion.game.play import apply
from focus_companion.game.position import PositionTextError, parse_position
from focus_companion.game.rules import Rules, RulesError
from focus_companion.game.setups import start_position

HANG_SECONDS: Final = 10.0
"""Seconds after which an input counts as hanging the program."""

MAX_ERROR_LENGTH: Final = 1000
"""Characters; a longer error is not clear."""

REFUSALS: Final = (FormatError, IllegalMove, BadInput, PositionTextError, RulesError)
"""The errors whose text is written for people."""

RULE_SETTINGS: Final[tuple[dict[str, Any], ...]] = (
    {"players": 2},
    {"players": 2, "fast": True, "fast_each": 4, "fast_own": "taken", "order": ["red", "green"]},
    {"players": 2, "set_up": "drop", "reserve_on": "empty_or_own"},
    {"players": 3, "thirteenth_piece": False, "stuck": "pass"},
    {"players": 3, "fast": True, "fast_total": None},
    {"players": 4, "partners": True, "move_partner_stacks": True, "table_talk": True},
)

ODD_VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 3, 10**30, 1e300, "", "-", "x", "red", "d5-d6", "*d5", "d5-d5", "a1-a2",
    "é\u2028\ud800",
    "9" * 400, "rgby" * 50, [], {}, [[]], {"": {}}, ["red"] * 30, {"position": "-"}, {"red": {"name": 3}},
)  # fmt: skip

ODD_TEXTS: Final = (
    *'{}[]()";:,/\\-*=\n\r\t\0 0129.eE+rgbyxNaAdDé\u2028',
    '"""',
    "\\u",
    "1e999",
    "9" * 5000,
    "[" * 3000,
    "(;" * 500,
)


class Failure(Exception):
    """An input was handled wrongly."""


class Hang(BaseException):
    """An input took too long. Not an Exception, so that no handler swallows it."""


@dataclass
class Tally:
    """Counts of the inputs tried."""

    refused: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    slowest_kind: str = ""


def record(settings: dict[str, Any], seed: int, plies: int) -> dict[str, Any]:
    """A valid record with a little of everything."""
    choose = random.Random(seed)
    rules = Rules.from_json(settings)
    position = start_position(rules)
    moves: list[Any] = []
    while len(moves) < plies and position.result is None:
        move = choose.choice(legal_moves(position, rules))
        moves.append({"move": str(move), "time": round(2.5 * len(moves), 1)} if len(moves) % 2 else str(move))
        position = apply(position, move, rules)
    moves.append({"act": "draw", "time": 99})
    return {
        "format": "focus-companion game",
        "version": 1,
        "rules": rules.to_json(),
        "players": {"red": {"name": "Ann"}, "green": {"name": "Ben ] \\"}},
        "date": "2026-11-20",
        "moves": moves,
        "incidents": [{"type": "alert", "reason": "distance", "squares": ["d5"]}],
        "result": None,
    }


def records(plies: int = 24) -> list[dict[str, Any]]:
    """A valid record for each of the rules, and one that starts from a given position."""
    usual = [record(settings, seed, plies) for seed, settings in enumerate(RULE_SETTINGS)]
    return [*usual, _from_position(9)]


def _from_position(seed: int) -> dict[str, Any]:
    before = Rules.make(3)
    choose = random.Random(seed)
    position = start_position(before)
    for _ in range(40):
        position = apply(position, choose.choice(legal_moves(position, before)), before)
    start = {
        "position": position.text,
        "reserves": {"green": 2, "blue": 0, "red": 0},
        "captured": {"green": {"red": 1}},
        "out": [],
        "to_move": "blue",
    }
    return record({"players": 3, "set_up": "position", "start": start}, seed, 8)


def corrupted_text(choose: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """The same bytes with one to four corruptions."""
    for _ in range(choose.choice((1, 1, 1, 2, 4))):
        at = choose.randrange(len(data) + 1)
        end = min(len(data), at + choose.choice((1, 1, 2, 5, 40)))
        kind = choose.randrange(7)
        if kind == 0:
            data = data[:at] + data[end:]
        elif kind == 1:
            data = data[:at] + choose.choice(ODD_TEXTS).encode("utf-8", "surrogatepass") + data[at:]
        elif kind == 2:
            data = data[:at] + choose.choice(ODD_TEXTS).encode("utf-8", "surrogatepass") + data[end:]
        elif kind == 3:
            data = data[:end] + data[at:end] * choose.choice((1, 2, 30)) + data[end:]
        elif kind == 4:
            data = data[:at] if choose.random() < 0.5 else data[at:]
        elif kind == 5:
            data = data[:at] + bytes(choose.randrange(256) for _ in range(choose.randint(1, 4))) + data[at:]
        else:
            other = choose.choice(others)
            data = data[:at] + other[choose.randrange(len(other) + 1) :]
    return data


def corrupted_value(choose: random.Random, value: Any) -> Any:
    """A JSON value with one of its inner values replaced, removed, duplicated or renamed."""
    root: list[Any] = [json.loads(json.dumps(value))]
    holder: Any = root
    key: Any = 0
    while isinstance(holder[key], dict | list) and holder[key] and choose.random() < 0.8:
        holder = holder[key]
        key = choose.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    kind = choose.randrange(4)
    if kind == 0 and isinstance(holder, dict):
        del holder[key]
    elif kind == 1 and isinstance(holder, dict):
        holder[choose.choice((key.upper(), key + "x", "", "start", "act"))] = holder.pop(key)
    elif kind == 2 and holder is not root and isinstance(holder, list):
        holder.insert(key, choose.choice(holder))
    else:
        holder[key] = choose.choice(ODD_VALUES)
    return root[0]


@dataclass(frozen=True)
class Kind:
    """One kind of input: how to make a corrupted one, and what reads it."""

    name: str
    make: Callable[[random.Random], bytes]
    read: Callable[[bytes, Path], object]
    suffix: str
    options: Callable[[Path], list[str]]


def kinds() -> tuple[Kind, ...]:
    """Every kind of input that a user may supply."""
    games = records()
    jsons = [json.dumps(game).encode() for game in games]
    matches = [read_record(data) for data in jsons]
    sgfs = [write(match, "sgf") for match in matches]
    texts = [write(match, "text") for match in matches]
    boards = [start_position(match.games[0].rules).text.encode() for match in matches]
    tomls = [toml(match.games[0].rules).encode() for match in matches]

    def corrupt(samples: list[bytes]) -> Callable[[random.Random], bytes]:
        return lambda choose: corrupted_text(choose, choose.choice(samples), samples)

    def corrupt_values(choose: random.Random) -> bytes:
        game = corrupted_value(choose, choose.choice(games))
        return json.dumps(corrupted_value(choose, game) if choose.random() < 0.3 else game).encode()

    def corrupt_lines(choose: random.Random) -> bytes:
        corrupted = corrupted_text(choose, choose.choice(jsons), jsons)
        return b"\n".join((choose.choice(jsons), corrupted, jsons[0]))

    def replay(path: Path) -> list[str]:
        return ["replay", str(path), "--positions", "--legal"]

    def perft(path: Path) -> list[str]:
        return ["perft", "0", "--rules", str(path)]

    return (
        Kind("json, bytes", corrupt(jsons), read_game, ".json", replay),
        Kind("json, values", corrupt_values, read_game, ".json", replay),
        Kind("json, lines", corrupt_lines, read_lines, ".jsonl", replay),
        Kind("sgf", corrupt(sgfs), read_game, ".sgf", replay),
        Kind("move sheet", corrupt(texts), read_game, ".txt", replay),
        Kind("position", corrupt(boards), read_position, "", replay),
        Kind("rules file", corrupt(tomls), read_rules, ".toml", perft),
    )


def toml(rules: Rules) -> str:
    """A rules file as people write them."""
    lines = []
    for key, value in rules.to_json().items():
        if value is None or key == "start":
            continue
        lines.append(f"{key} = {json.dumps(value)}")
    if rules.start is not None:
        lines += ["[start]", f'position = "{start_position(rules).text}"', "[start.reserves]", "green = 2"]
    return "\n".join(lines) + "\n"


def read_game(data: bytes, _: Path) -> object:
    """Read it as ``replay`` and ``export`` do."""
    match = read_record(data, "game")
    for game in match.games:
        for _line in position_lines(game, legal=True):
            pass
    for name in ("json", "sgf", "text", "csv"):
        again = write(match, name)
        if name != "csv" and read_record(again).games[0].entries != match.games[0].entries:
            raise Failure(f"{name} does not read back")
    return match


def read_lines(data: bytes, _: Path) -> object:
    """Read it as ``replay`` reads a file of one record per line: every line is a game or an error."""
    refused: Exception | None = None
    for _number, found in records_in(io.BytesIO(data), "games"):
        try:
            if isinstance(found, FormatError):
                raise found
            for game in found.games:
                for _line in position_lines(game):
                    pass
        except REFUSALS as error:
            check_words(str(error))
            refused = refused or error
    if refused is not None:
        raise refused
    return None


def read_position(data: bytes, _: Path) -> object:
    """Read a position text on its own, and as the start of a record."""
    text = data.decode("utf-8", "replace")
    with contextlib.suppress(PositionTextError):
        parse_position(text)
    start = {"position": text}
    return start_position(Rules.from_json({"players": 2, "set_up": "position", "start": start}))


def read_rules(data: bytes, folder: Path) -> object:
    """Read it as ``--rules FILE.toml`` does."""
    path = folder / "rules.toml"
    path.write_bytes(data)
    return start_position(make_rules({}, str(path)))


@contextlib.contextmanager
def time_limit() -> Iterator[None]:
    """Raise Hang if what is done meanwhile takes too long."""

    def late(_signal: int, _frame: FrameType | None) -> None:
        raise Hang(f"more than {HANG_SECONDS:.0f} s")

    old = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, HANG_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def check_words(text: str) -> None:
    """Raise Failure unless the text is acceptable as an error for people."""
    wrong = ("Traceback", "internal error", " object at 0x", "Error(", "NoneType")
    too_long = len(text) > MAX_ERROR_LENGTH
    if not text.strip() or too_long or any(word in text for word in wrong) or "\n" in text.strip():
        raise Failure(f"no clear error: {text[:300]!r}")


def through_command(kind: Kind, data: bytes, folder: Path) -> bool:
    """Pass the input to the command line as a file; returns whether it was refused."""
    path = folder / f"spoilt{kind.suffix}"
    path.write_bytes(data)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = console.run(cli, kind.options(path))
    if status not in (0, 1, 2) or (status == 0) != (not err.getvalue()):
        raise Failure(f"status {status}: {err.getvalue()[:300]}")
    for line in err.getvalue().splitlines():
        check_words(line)
    return status != 0


def try_one(kind: Kind, data: bytes, folder: Path, command: bool) -> bool:
    """Whether a corrupted input was refused. Raises Failure, Hang, or any exception of the reader."""
    with time_limit():
        if command and kind.suffix:
            return through_command(kind, data, folder)
        try:
            kind.read(data, folder)
        except REFUSALS as error:
            check_words(str(error))
            return True
        return False


def fuzz(cases: int, seed: int, keep: Path | None = None) -> Tally:
    """Try corrupted inputs of every kind in turn until ``cases`` have been refused."""
    tally, choose, made = Tally(), random.Random(seed), 0
    each = kinds()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while sum(tally.refused.values()) < cases:
            kind = each[made % len(each)]
            made += 1
            data = kind.make(choose)
            began = time.perf_counter()
            try:
                refused = try_one(kind, data, folder, command=choose.random() < 0.02)
            except BaseException as error:
                if keep is not None:
                    keep.write_bytes(data)
                raise Failure(
                    f"{kind.name}, number {made} of seed {seed}: {error!r}; {data[:200]!r}"
                ) from error
            spent = time.perf_counter() - began
            if spent > tally.slowest:
                tally.slowest, tally.slowest_kind = spent, kind.name
            (tally.refused if refused else tally.read)[kind.name] += 1
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--cases", type=int, default=100_000, help="inputs that must be refused")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="where to write an input that was answered wrongly")
    given = parser.parse_args()
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    try:
        tally = fuzz(given.cases, given.seed, given.keep)
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    for kind in sorted(tally.refused | tally.read):
        print(f"{kind:14} {tally.refused[kind]:7,} refused, {tally.read[kind]:7,} still read")
    print(
        f"{sum(tally.refused.values()):,} refused in {time.perf_counter() - began:.0f} s, "
        f"slowest {tally.slowest:.2f} s ({tally.slowest_kind}), memory grew by {grown:.0f} MiB"
    )


if __name__ == "__main__":
    main()
