"""How many faults the tests notice: a sample of mutants, each met by the tests that execute its line.

    python -m benchmarks.reliability.mutants reach MAP                    which test executes which line
    python -m benchmarks.reliability.mutants run MAP [--mutants 200] [--seed 1] [--rooms game referee …]

A mutant is one small change to an expression or statement: an inverted comparison, ``and`` for ``or``, a
constant off by one, ``None`` returned, a call omitted. It is *caught* if a test fails or hangs. The same seed
and source give the same sample. ``run`` works on a copy of the checkout and appends each verdict to a file
beside MAP; after an interruption it continues there. Needs ``coverage`` (pip install coverage).

Tools that mutate a whole package (mutmut, cosmic-ray) would run for days on these tests. This one takes a
sample, and runs only the tests that execute the mutated line.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from benchmarks import history

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGE: Final = ROOT / "focus_companion"
ROOMS: Final = ("game", "referee", "session", "storage")
TRACER: Final = "benchmarks.reliability.mutants_reach"

BUDGET: Final = 150.0
"""Maximum duration in seconds, as noted in the map, of the tests run against one mutant. A mutant that all of
them pass counts as survived; raising the budget catches a few more and takes longer.
"""
TEST_TIMEOUT: Final = 60
"""Seconds after which one test counts as hanging."""
FAULTY: Final = (1, 2, 3, 4)
"""Pytest's exit statuses if a test fails, or if tests or their conftest cannot even be imported."""

TURNED: Final[dict[type[ast.cmpop], str]] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
OTHER: Final[dict[type[ast.operator], str]] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.BitOr: "&",
    ast.BitAnd: "|",
}
UNTESTED: Final = ("logger", "log", "logging", "warnings")
"""Names whose calls only log: no test is expected to read that."""


@dataclass(frozen=True)
class Mutant:
    """``old``, at ``start`` (line from 1, byte column) up to ``end`` of ``file``, becomes ``new``."""

    file: str
    start: tuple[int, int]
    end: tuple[int, int]
    old: str
    new: str

    @property
    def name(self) -> str:
        return f"{self.file}:{self.start[0]}:{self.start[1]} {self.old!r} -> {self.new!r}"

    def applied(self, source: str) -> str:
        lines = source.encode().splitlines(keepends=True)
        (first, left), (last, right) = self.start, self.end
        changed = lines[first - 1][:left] + self.new.encode() + lines[last - 1][right:]
        return b"".join([*lines[: first - 1], changed, *lines[last:]]).decode()


def mutants(file: str, source: str) -> Iterator[Mutant]:
    """Every mutant of one module, in the order of its nodes."""
    tree = ast.parse(source)
    for node in _executed(tree):
        for start, end, new in _changes(node):
            lines = source.encode().splitlines(keepends=True)
            part = lines[start[0] - 1 : end[0]]
            part[-1] = part[-1][: end[1]]
            part[0] = part[0][start[1] :]
            yield Mutant(file, start, end, b"".join(part).decode(), new)


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below ``node``, without types, decorators, texts and log calls."""
    for name, value in ast.iter_fields(node):
        if name in (
            "annotation",
            "returns",
            "decorator_list",
            "type_params",
            "keywords" if _only_text(node) else "",
        ):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _only_text(child) or _types_only(child):
                continue
            yield child
            yield from _executed(child)


def _only_text(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        node = node.value
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return True
    call = node.func if isinstance(node, ast.Call) else None
    return isinstance(call, ast.Attribute) and isinstance(call.value, ast.Name) and call.value.id in UNTESTED


def _types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


Place = tuple[int, int]


def _changes(node: ast.AST) -> Iterator[tuple[Place, Place, str]]:
    if not isinstance(node, ast.expr | ast.stmt):
        return
    start = node.lineno, node.col_offset
    end = node.end_lineno or node.lineno, node.end_col_offset or 0
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in TURNED:
            yield start, end, f"{_in_brackets(left)} {TURNED[type(op)]} {_in_brackets(right)}"
        case ast.BoolOp(op=op, values=values):
            word = " or " if isinstance(op, ast.And) else " and "
            yield start, end, "(" + word.join(_in_brackets(value) for value in values) + ")"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield start, end, _in_brackets(operand)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield start, end, _in_brackets(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OTHER:
            yield start, end, f"({_in_brackets(left)} {OTHER[type(op)]} {_in_brackets(right)})"
        case ast.Constant(value=bool(value)):
            yield start, end, repr(not value)
        case ast.Constant(value=int(number)):
            yield start, end, repr(number + 1)
        case ast.Constant(value=float(real)):
            yield start, end, repr(real * 1.5 if real else 1.0)
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            place = test.end_lineno or test.lineno, test.end_col_offset or 0
            yield (test.lineno, test.col_offset), place, f"(not {_in_brackets(test)})"
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) not in ("None", "False"):
            yield start, end, "return None"
        case ast.Expr(value=ast.Call()):
            yield start, end, "pass"
        case ast.Continue():
            yield start, end, "break"
        case ast.Break():
            yield start, end, "continue"


def _in_brackets(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def sample(number: int, seed: int, rooms: Sequence[str]) -> list[Mutant]:
    """``number`` mutants, as many of each room, drawn at random."""
    rng = random.Random(seed)
    drawn: list[Mutant] = []
    for place, room in enumerate(rooms):
        found = [
            mutant
            for path in sorted((PACKAGE / room).rglob("*.py"))
            for mutant in mutants(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
        ]
        share = number // len(rooms) + (place < number % len(rooms))
        drawn += rng.sample(found, min(share, len(found)))
    return drawn


def reach(map_file: Path, arguments: Sequence[str]) -> int:
    """Run the tests and note which of them executes which line."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "FOCUS_REACH": folder, "CI": "true"}
        command = [sys.executable, "-m", "pytest", "-q", "-p", TRACER, "-n", "auto", "--dist", "loadfile"]
        done = subprocess.run([*command, *arguments], cwd=ROOT, env=environment)
        lines: dict[str, list[str]] = {}
        seconds: dict[str, float] = {}
        for part in sorted(Path(folder).glob("*.json")):
            found = json.loads(part.read_text(encoding="utf-8"))
            seconds |= found["seconds"]
            for line, tests in found["lines"].items():
                lines.setdefault(line, []).extend(tests)
    map_file.write_text(json.dumps({"lines": lines, "seconds": seconds}), encoding="utf-8")
    return done.returncode


class Reach:
    """Which tests may notice a mutant."""

    def __init__(self, map_file: Path) -> None:
        known = json.loads(map_file.read_text(encoding="utf-8"))
        existing = collected()
        self._lines: dict[str, list[str]] = known["lines"]
        self._seconds = {test: seconds for test, seconds in known["seconds"].items() if test in existing}

    def tests(self, mutant: Mutant) -> list[str]:
        """The tests that execute its lines (or any line of its file, if these run on import only): those of
        its own room first, the shortest first, as many as the budget allows.
        """
        lines = [f"{mutant.file}:{line}" for line in range(mutant.start[0], mutant.end[0] + 1)]
        reached = {test for line in lines for test in self._lines.get(line, ())}
        own = f"tests/{Path(mutant.file).parts[1]}/"
        if not reached:
            begin = f"{mutant.file}:"
            reached = {t for line, tests in self._lines.items() if line.startswith(begin) for t in tests}
        # A module of nothing but constants is executed by its import alone.
        reached = reached or {test for test in self._seconds if test.startswith(own)}
        left, chosen = BUDGET, []
        known = self._seconds
        for test in sorted(reached & known.keys(), key=lambda t: (not t.startswith(own), known[t], t)):
            left -= known[test]
            if left < 0:
                break
            chosen.append(test)
        return chosen


def collected() -> set[str]:
    """All tests of this checkout; some of an older map may have other names by now."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    return {line for line in done.stdout.splitlines() if "::" in line}


def caught(mutant: Mutant, tests: Sequence[str], copy: Path) -> bool:
    """Whether one of these tests fails, or hangs, on the mutant in the ``copy`` of the checkout."""
    path = copy / mutant.file
    before = path.read_text(encoding="utf-8")
    path.write_text(mutant.applied(before), encoding="utf-8")
    chosen = copy / "chosen-tests"
    chosen.write_text("\n".join(tests), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(copy), "CI": "true", "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    try:
        done = subprocess.run(
            [*command, f"--timeout={TEST_TIMEOUT}", f"@{chosen}"],
            cwd=copy,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    finally:
        path.write_text(before, encoding="utf-8")
    return done.returncode in FAULTY


def run(map_file: Path, drawn: Sequence[Mutant], workers: int) -> dict[str, bool]:
    """The verdict on each mutant, also of an earlier run that was interrupted."""
    known = Reach(map_file)
    results = map_file.with_suffix(".verdicts.jsonl")
    verdicts: dict[str, bool] = {}
    if results.exists():
        for line in results.read_text(encoding="utf-8").splitlines():
            verdicts.update(json.loads(line))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(workers):
            copies.put(_copied(Path(folder) / str(number)))

        def judge(mutant: Mutant) -> tuple[Mutant, bool]:
            copy = copies.get()
            try:
                tests = known.tests(mutant)
                return mutant, bool(tests) and caught(mutant, tests, copy)
            finally:
                copies.put(copy)

        for mutant, found in pool.map(judge, [m for m in drawn if m.name not in verdicts]):
            verdicts[mutant.name] = found
            with results.open("a", encoding="utf-8") as out:
                out.write(json.dumps({mutant.name: found}) + "\n")
            print("caught  " if found else "SURVIVED", mutant.name, flush=True)
    return verdicts


def _copied(copy: Path) -> Path:
    ignored = shutil.ignore_patterns(".git", ".venv", "*_cache", "__pycache__", ".hypothesis", "dist")
    shutil.copytree(ROOT, copy, ignore=ignored)
    return copy


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    reaching = commands.add_parser("reach", help="which test executes which line")
    reaching.add_argument("map", type=Path)
    reaching.add_argument("arguments", nargs="*", help="of pytest, such as -m 'not browser'")
    running = commands.add_parser("run", help="sample mutants and see which are caught")
    running.add_argument("map", type=Path)
    running.add_argument("--mutants", type=int, default=200)
    running.add_argument("--seed", type=int, default=1)
    running.add_argument("--rooms", nargs="+", default=ROOMS)
    running.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    if options.command == "reach":
        return reach(options.map.resolve(), options.arguments)
    drawn = sample(options.mutants, options.seed, options.rooms)
    verdicts = run(options.map.resolve(), drawn, options.workers)
    figures = {}
    for room in options.rooms:
        own = [verdicts[m.name] for m in drawn if m.file.startswith(f"focus_companion/{room}/")]
        figures[f"caught in {room}"] = f"{sum(own)}/{len(own)}"
    print("; ".join(f"{name} {value}" for name, value in figures.items()))
    history.append("reliability.mutants", f"seed {options.seed}", figures)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
