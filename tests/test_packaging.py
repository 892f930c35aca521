"""The wheel works in a fresh environment, from any folder, without extras."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterable
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any, Final

import pytest
from packaging.requirements import Requirement

ROOT: Final = Path(__file__).resolve().parent.parent

START: Final = (
    "-,-,-,-/r,r,g,g,r,r/-,g,g,r,r,g,g,-/-,r,r,g,g,r,r,-/-,g,g,r,r,g,g,-/-,r,r,g,g,r,r,-/g,g,r,r,g,g/-,-,-,-"
)
RECORD: Final = {
    "format": "focus-companion game",
    "version": 1,
    "rules": {"players": 2},
    "moves": ["b2-b3", "b5-b4"],
}
SEQUENCES_OF_TWO_TURNS: Final = 4460
"""From the start position for two players."""


def test_links_to_our_files_lead_to_them() -> None:
    """In every document."""
    missing = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in [*ROOT.glob("*.md"), *ROOT.glob("*/*.md")]
        if not {".venv", "node_modules"} & set(page.relative_to(ROOT).parts)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert missing == []


def test_translations_are_compiled() -> None:
    """Each language's compiled catalogue has the translations of its source."""
    pofile = pytest.importorskip("babel.messages.pofile")
    mofile = pytest.importorskip("babel.messages.mofile")
    texts = sorted((ROOT / "focus_companion").rglob("*.po"))
    assert texts
    for text in texts:
        with text.open("rb") as written, text.with_suffix(".mo").open("rb") as compiled:
            wanted = _translations(pofile.read_po(written))
            got = _translations(mofile.read_mo(compiled))
        assert wanted == got, f"{text}: compile it anew with pybabel"


def _translations(catalogue: Iterable[Any]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Text → translation, each with its plural forms; untranslated texts are left out."""

    def forms(text: str | Iterable[str]) -> tuple[str, ...]:
        return (text,) if isinstance(text, str) else tuple(text)

    return {
        forms(message.id): forms(message.string)
        for message in catalogue
        if message.id and not message.fuzzy and any(message.string)
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source archive, so that both are tested."""
    folder = tmp_path_factory.mktemp("dist")
    archive = _build(ROOT, folder, "sdist")
    with tarfile.open(archive) as packed:
        # As an attribute, because the early Python 3.11 of Debian 12 does not support the argument.
        packed.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
        packed.extractall(folder)
    return _build(folder / archive.name.removesuffix(".tar.gz"), folder, "wheel")


def _build(source: Path, folder: Path, kind: str) -> Path:
    hook = f"import sys, hatchling.build as b; print(b.build_{kind}(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", hook, str(folder)], cwd=source, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program in a fresh environment with only the wheel and its dependencies.

    Pip installs the wheel; its dependencies are linked from the environment of the tests.
    ``test_readme.py`` tests that pip finds them itself.
    """
    home = tmp_path_factory.mktemp("venv")
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    done = subprocess.run(
        [*pip, "install", "--quiet", "--no-deps", "--no-index", wheel],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    (packages,) = home.glob("lib/python3*/site-packages")
    (metadata,) = packages.glob("focus_companion-*.dist-info")
    _link_dependencies(Distribution.at(metadata), packages)
    return home / "bin" / "focus-companion"


def _link_dependencies(distribution: Distribution, packages: Path) -> None:
    """Link the dependencies of a distribution, also indirect ones, file by file into a folder of packages."""
    waiting = [(distribution, "")]
    linked = set()
    while waiting:
        needing, extra = waiting.pop()
        for text in needing.requires or ():
            needed = Requirement(text)
            if needed.marker is not None and not needed.marker.evaluate({"extra": extra}):
                continue
            found = importlib.metadata.distribution(needed.name)
            assert needed.specifier.contains(found.version, prereleases=True), f"{text}, not {found.version}"
            waiting += [
                (found, wanted) for wanted in ("", *needed.extras) if (needed.name, wanted) not in linked
            ]
            linked |= {(needed.name, wanted) for wanted in ("", *needed.extras)}
            for file in found.files or ():
                link = packages / file
                if ".." in file.parts or link.is_symlink():
                    continue  # a command, or already linked for one of the extras
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(Path(str(file.locate())).resolve())


def run(program: Path, *args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "FOCUS_"))}
    return subprocess.run(
        [program, *args], cwd=cwd, env=clean | {"HOME": str(cwd)}, capture_output=True, text=True, timeout=240
    )


@pytest.mark.slow
def test_wheel_holds_what_is_read_at_run_time(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    package = ROOT / "focus_companion"
    data = {
        f"focus_companion/{path.relative_to(package)}"
        for path in package.rglob("*")
        if path.is_file() and path.suffix not in {".pyc", ".py"} and "__pycache__" not in path.parts
    }
    profiles = {
        f"focus_companion/{path.relative_to(ROOT)}"
        for path in (ROOT / "calibration").rglob("*")
        if path.is_file()
    }
    assert profiles
    assert (data | profiles) - names == set()
    assert not any(name.startswith(("tests/", "fixtures/", "calibration/")) for name in names)


@pytest.mark.slow
def test_installed_program_works_from_another_folder(installed: Path, tmp_path: Path) -> None:
    assert "play" in run(installed, "--help", cwd=tmp_path).stdout
    assert run(installed, "--version", cwd=tmp_path).stdout.split()[-1].count(".") == 2
    counted = run(installed, "perft", "2", "--players", "2", cwd=tmp_path)
    assert counted.stdout.splitlines()[-1] == str(SEQUENCES_OF_TWO_TURNS), counted.stderr
    (tmp_path / "game.json").write_text(json.dumps(RECORD), encoding="utf-8")
    replayed = run(installed, "replay", "game.json", "--positions", cwd=tmp_path)
    assert replayed.returncode == 0, replayed.stderr
    lines = [json.loads(line) for line in replayed.stdout.splitlines()]
    assert [line["ply"] for line in lines] == [0, 1, 2]
    assert lines[0]["position"] == START


@pytest.mark.slow
def test_installed_program_reads_a_picture(installed: Path, tmp_path: Path) -> None:
    """The profiles and the picture library are included and work together."""
    picture = ROOT / "fixtures" / "images" / "2p-oblique-start.jpg"
    read = run(installed, "read", str(picture), "--players", "2", "--json", cwd=tmp_path)
    assert read.returncode == 0, read.stderr
    assert 0 < json.loads(read.stdout)["confidence"] <= 1


@pytest.mark.slow
def test_installed_program_needs_no_dependency_of_the_tests(installed: Path) -> None:
    """Every module can be imported with the wheel's dependencies."""
    code = (
        "import focus_companion, importlib, pkgutil\n"
        "for m in pkgutil.walk_packages(focus_companion.__path__, 'focus_companion.'):\n"
        "    importlib.import_module(m.name)\n"
    )
    done = subprocess.run(
        [installed.with_name("python"), "-c", code], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
