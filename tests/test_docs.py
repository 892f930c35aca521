"""What the documentation names exists: files, tests, options, link targets; and its tables are complete."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import click
import pytest

from focus_companion.cli import COMMANDS, cli

ROOT: Final = Path(__file__).resolve().parent.parent
PAGES: Final = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("firmware/*.md")])
TESTS: Final = {path.stem: path for path in ROOT.glob("tests/**/test_*.py")}

FOLDERS: Final = "benchmarks|calibration|docs|firmware|fixtures|focus_companion|tests"
NAMED: Final = re.compile(rf"(?:`|python )((?:{FOLDERS})/[\w./-]+)")
COMMAND: Final = re.compile(rf"\bfocus-companion ({'|'.join(COMMANDS)})\b([^`\n]*)")
BENCHMARK: Final = re.compile(r"python -m (benchmarks(?:\.\w+)+)([^`\n]*)")
OPTION: Final = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def ids(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


pages = pytest.mark.parametrize("page", PAGES, ids=ids)


def own_words(line: str) -> str:
    """The part of a line up to a comment, a pipe or the next command."""
    return re.split(r"  +|[|;&#()]", line)[0]


@pages
def test_named_files_exist(page: Path) -> None:
    missing = [name for name in NAMED.findall(page.read_text(encoding="utf-8")) if not (ROOT / name).exists()]
    assert not missing


@pages
def test_named_tests_exist(page: Path) -> None:
    written = "\n".join(path.read_text(encoding="utf-8") for path in TESTS.values())
    there = set(re.findall(r"^def (test_\w+)\(", written, re.MULTILINE)) | TESTS.keys()
    named = set(re.findall(r"`(test_\w+[a-z0-9])`", page.read_text(encoding="utf-8")))
    assert not named - there


def test_the_tests_of_each_threat_are_in_the_named_files() -> None:
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    found = re.findall(r"`(\w+)`: ((?:`test_\w+`(?:, )?)+)", text)
    assert len(found) > 15
    for name, tests in found:
        written = TESTS[f"test_security_{name}"].read_text(encoding="utf-8")
        for test in re.findall(r"test_\w+", tests):
            assert f"def {test}(" in written, f"{test} is not in {name}"


@pages
def test_named_options_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for module, rest in BENCHMARK.findall(text):
        path = module.replace(".", "/")
        path += "/__main__.py" if (ROOT / path).is_dir() else ".py"
        source = (ROOT / path).read_text(encoding="utf-8")
        for option in OPTION.findall(own_words(rest)):
            assert f'"{option}"' in source, f"{path} has no {option}"
    context = click.Context(cli)
    for name, rest in COMMAND.findall(text):
        command = cli.get_command(context, name)
        assert command is not None
        # The arguments of the command of a service are options of play.
        held = (
            [command] if name != "service" else [*command.commands.values(), cli.get_command(context, "play")]
        )  # type: ignore[attr-defined]
        known = {
            option for one in held for each in one.params for option in (*each.opts, *each.secondary_opts)
        }
        assert set(OPTION.findall(own_words(rest))) <= known | {"--help"}, f"{name}{rest}"


@pages
def test_link_targets_exist(page: Path) -> None:
    for address in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in address or address.startswith("mailto:"):
            continue
        target, _, anchor = address.partition("#")
        found = (page.parent / target).resolve() if target else page
        assert found.exists(), address
        if anchor:
            heads = re.findall(r"^#+ (.+)$", found.read_text(encoding="utf-8"), re.MULTILINE)
            marks = {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}
            assert anchor in marks, address


@pages
def test_table_rows_are_complete(page: Path) -> None:
    """A row with more or fewer cells than the header would not be shown completely."""
    columns = 0
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("|"):
            columns = 0
            continue
        cells = re.sub(r"\\\|", "", line).strip().strip("|").count("|") + 1
        columns = columns or cells
        assert cells == columns, f"line {number} has {cells} cells, not {columns}"
