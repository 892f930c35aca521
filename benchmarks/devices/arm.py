"""Checks that the program does the same on a 64-bit Arm machine: runs tests and a recording under emulation.

    python -m benchmarks.devices.arm FOLDER [--tests tests/game …]
    python -m benchmarks.devices.arm FOLDER --tests --recording VIDEO.mp4 --rules "--players 2"

Makes an arm64 root from Debian's packages in FOLDER, once, and installs the dependencies from their wheels
for aarch64; a dependency without one is an error. Needs Debian's qemu-user-static and mmdebstrap. The
recording is watched on this machine and under emulation; the events must be the same, byte for byte.

Exit status 1 if a test fails or the events differ.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
TESTS: Final = ("tests/game", "tests/formats", "tests/referee")
PACKAGES: Final = "python3,libpython3-stdlib,libstdc++6,libgomp1,ca-certificates,tzdata"
SUITE: Final = "bookworm"
PYTHON: Final = "3.11"
"""The version in the suite."""
WHEEL_PLATFORMS: Final = ("manylinux2014", "manylinux_2_28", "manylinux_2_34")
"""Platforms of wheels that run with the suite's C library."""
TEST_PACKAGES: Final = ("pytest", "pytest-timeout", "hypothesis", "sgfmill")
"""Packages that the tests need."""


def make_root(root: Path) -> None:
    """Unpack the packages; Python runs without configuring them."""
    if not root.exists():
        making = ["mmdebstrap", "--quiet", "--variant=extract", "--architectures=arm64"]
        subprocess.run([*making, f"--include={PACKAGES}", SUITE, str(root)], check=True)


def make_site(site: Path) -> None:
    """Install the dependencies from their wheels for aarch64."""
    if site.exists():
        return
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    platforms = [f"--platform={library}_aarch64" for library in WHEEL_PLATFORMS]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--only-binary=:all:", f"--target={site}"]
    pip += [*platforms, f"--python-version={PYTHON}", "--implementation=cp", "--no-compile"]
    subprocess.run([*pip, *project["dependencies"], *TEST_PACKAGES], check=True)


def emulated(folder: Path, *arguments: str) -> list[str]:
    """The command that runs the emulated Python."""
    root = folder / "root"
    return ["qemu-aarch64-static", "-L", str(root), str(root / "usr/bin/python3"), *arguments]


def environment(site: Path | None) -> dict[str, str]:
    paths = [str(ROOT), *([str(site)] if site else [])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}


def watch(python: list[str], video: str, rules: str, site: Path | None) -> bytes:
    """The events of a recording."""
    command = [*python, "-m", "focus_companion.cli", "watch", video, *shlex.split(rules), "--events", "-"]
    return subprocess.run(command, env=environment(site), stdout=subprocess.PIPE, check=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tests", nargs="*", default=TESTS)
    parser.add_argument("--recording")
    parser.add_argument("--rules", default="--players 2", help="options of watch")
    given = parser.parse_args()
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    make_root(folder / "root")
    make_site(folder / "site")
    site, good = folder / "site", True
    if given.tests:
        # Under emulation everything takes some twenty times as long.
        pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", "--timeout=3000"]
        # From a library whose modules are compiled here for the first time.
        pytest += ["-W", "ignore:invalid escape sequence:DeprecationWarning"]
        done = subprocess.run(emulated(folder, *pytest, *given.tests), env=environment(site), cwd=ROOT)
        good = done.returncode == 0
    if given.recording:
        here = watch([sys.executable], given.recording, given.rules, None)
        began = time.monotonic()
        there = watch(emulated(folder), given.recording, given.rules, site)
        same = "the same" if here == there else "different"
        numbers = [len(events.splitlines()) for events in (here, there)]
        print("{} events here, {} emulated: ".format(*numbers) + f"{same}; {time.monotonic() - began:.0f} s")
        good = good and here == there
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
