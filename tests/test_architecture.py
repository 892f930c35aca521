"""The rules of ``docs/architecture.md``: imports point inward, modules are short, help is quick."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "focus_companion"
MODULES = sorted(PACKAGE.rglob("*.py"))

MAX_MODULE_LINES = 500
"""A longer module does more than one job."""

HELP_SECONDS = 5.0
"""Timeout in seconds for ``--help`` on a machine under load; on an idle one it takes a tenth of that."""


def floors() -> tuple[dict[str, int], dict[str, int]]:
    """Room → floor, and folder of ``vision/`` → floor, from the tables in the documentation."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms, _, rest = text.partition("### The folders of `vision/`")
    return numbered(rooms), numbered(rest)


def numbered(text: str) -> dict[str, int]:
    """Folder or module → floor, from the tables in a part of the text."""
    found: dict[str, int] = {}
    for floor, rooms in re.findall(r"^\| (\d) \| ([^|]+) \|", text, re.MULTILINE):
        for room in re.findall(r"`(\w+)(?:/|\.py)`", rooms):
            found[room] = int(floor)
    return found


FLOORS, VISION_FLOORS = floors()


def name_of(path: Path) -> str:
    """The module's dotted name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def imported(path: Path) -> tuple[tuple[int, str], ...]:
    """(line, dotted name) of everything that a module imports, at any depth."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[tuple[int, str]]:
    package = name_of(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                # ``from package import module`` names a module, as ``from module import name`` does.
                yield node.lineno, f"{module}.{alias.name}"


def room_of(name: str) -> str | None:
    """The room of a dotted name in the package; None for the package itself and for names outside it."""
    first, _, rest = name.partition(".")
    room = rest.partition(".")[0]
    return room if first == "focus_companion" and room and room != "__version__" else None


def test_the_tables_are_read() -> None:
    assert FLOORS["game"] == 0 < FLOORS["vision"] < FLOORS["referee"] < FLOORS["session"] < FLOORS["web"]
    assert FLOORS["cli"] == FLOORS["commands"] > FLOORS["web"]


def test_every_room_has_a_floor() -> None:
    rooms = {room_of(name_of(path)) for path in MODULES} - {None, "__main__"}
    assert rooms - FLOORS.keys() == set(), "name the room in the table of docs/architecture.md"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_inward(path: Path) -> None:
    own = room_of(name_of(path))
    if own is None or own == "__main__":
        return
    outward = [
        f"line {line}: {name}"
        for line, name in imported(path)
        if (room := room_of(name)) is not None
        and room != own
        and not (FLOORS[room] < FLOORS[own] or {own, room} == {"cli", "commands"})
    ]
    assert outward == [], f"{name_of(path)} may import only rooms on floors below {FLOORS[own]}"


def vision_folder(name: str) -> str | None:
    """The folder (or module) of ``vision/`` in which a dotted name lies; None outside ``vision/``."""
    parts = name.split(".")
    return parts[2] if parts[:2] == ["focus_companion", "vision"] and len(parts) > 2 else None


@pytest.mark.parametrize(
    "path", [path for path in MODULES if vision_folder(name_of(path)) is not None], ids=name_of
)
def test_imports_within_vision_point_inward(path: Path) -> None:
    own = vision_folder(name_of(path))
    assert own in VISION_FLOORS, "name the folder in the second table of docs/architecture.md"
    outward = [
        f"line {line}: {name}"
        for line, name in imported(path)
        if (folder := vision_folder(name)) is not None
        and folder != own
        and not VISION_FLOORS[folder] < VISION_FLOORS[own]
    ]
    assert outward == [], f"{name_of(path)} may import only folders on floors below {VISION_FLOORS[own]}"


def test_class_names_are_unique_in_the_package() -> None:
    homes: dict[str, set[str]] = {}
    for path in MODULES:
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, set()).add(name_of(path).partition(".")[2])
    shared = {name: modules for name, modules in homes.items() if len(modules) > 1}
    assert shared == {}


def test_the_product_does_not_import_the_tests() -> None:
    apart = "focus_companion.simulator.for_tests"
    needing = {
        name_of(path)
        for path in MODULES
        if not name_of(path).startswith(apart)
        for _, name in imported(path)
        if name.startswith(apart)
    }
    assert needing == set()


def test_there_are_no_circular_imports() -> None:
    """Not even by an import within a function: shared code needs a module of its own."""
    names = {name_of(path) for path in MODULES}

    def modules(name: str) -> Iterator[str]:
        # The longest prefix that names a module; the rest is a name in it.
        while name and name not in names:
            name = name.rpartition(".")[0]
        if name:
            yield name

    graph = {name_of(path): {m for _, name in imported(path) for m in modules(name)} for path in MODULES}
    try:
        graphlib.TopologicalSorter({name: needs - {name} for name, needs in graph.items()}).prepare()
    except graphlib.CycleError as circle:
        pytest.fail(f"a circle: {' <- '.join(circle.args[1])}")


@pytest.mark.parametrize("path", [p for p in MODULES if room_of(name_of(p)) == "game"], ids=name_of)
def test_game_imports_only_the_standard_library(path: Path) -> None:
    forbidden = {
        "time",
        "datetime",
        "random",
        "io",
        "os",
        "pathlib",
        "socket",
        "subprocess",
        "threading",
        "sqlite3",
    }
    tops = {name.partition(".")[0] for _, name in imported(path)} - {"focus_companion"}
    assert tops - sys.stdlib_module_names == set()
    assert tops & forbidden == set(), "no clock, randomness, input or output in the rules"


def test_commands_do_not_import_the_entry_point() -> None:
    # The entry point imports the commands lazily; an import in the other direction would load all of them.
    back = [
        name_of(path)
        for path in MODULES
        if room_of(name_of(path)) == "commands"
        for _, name in imported(path)
        if name.startswith("focus_companion.cli")
    ]
    assert back == []


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_are_short(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MAX_MODULE_LINES, f"{lines} lines; give a part of it a module of its own"


PROBE = """
import sys, time
began = time.perf_counter()
from focus_companion import cli
try:
    cli.main(sys.argv[1:])
except SystemExit as end:
    assert not end.code, end.code
loaded = sorted({"cv2", "numpy", "flask", "serial", "gpiozero", "PIL"} & sys.modules.keys())
print(*loaded, file=sys.stderr)
print(time.perf_counter() - began, file=sys.stderr)
"""


@pytest.mark.parametrize("switch", ["--help", "--version"])
def test_help_is_quick(switch: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, switch],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=ROOT,
    )
    loaded, seconds = done.stderr.splitlines()[-2:]
    assert loaded == "", "heavy libraries must be imported only where they are used"
    assert float(seconds) < HELP_SECONDS
    assert "focus-companion" in done.stdout or "Usage" in done.stdout
