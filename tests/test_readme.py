"""The README's commands, as printed and in their order, run in a copy of the checkout and a new home."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
PAGES: Final = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*/README.md")])

PLAYS: Final = re.compile(r"make run\b|focus-companion play\b")
"""Commands that run until Ctrl-C."""

NOT_COPIED: Final = shutil.ignore_patterns(
    ".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "dist", "build", "node_modules"
)


def commands(page: Path) -> list[str]:
    """The lines of a page's indented blocks, in order."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if re.match(r"    \S", line) and not line.lstrip().startswith("-")]


class Terminal:
    """The terminal of a new user: runs one command after another and keeps exported variables."""

    def __init__(self, home: Path, checkout: Path) -> None:
        self.checkout = checkout
        self.kept = home / "environment"
        network = ("PIP_", "SSL_", "LANG", "http")
        passed_on = {key: value for key, value in os.environ.items() if key.startswith(network)}
        self.environment = passed_on | {
            "HOME": str(home),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "SHELL": "/bin/bash",
            # Any free port, and none of the test machine's lights.
            "FOCUS_COMPANION_PORT": "0",
            "FOCUS_COMPANION_LIGHTS": "none",
            # Python compiles what it imports; pip would compile all the rest as well.
            "PIP_COMPILE": "0",
        }

    def start(self, line: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["bash", "-c", f"{line}\nstatus=$?; env -0 >'{self.kept}'; exit $status"],
            cwd=self.checkout, env=self.environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def run(self, line: str) -> str:
        """The output of a command that must exit successfully by itself."""
        process = self.start(line)
        printed, _ = process.communicate()
        assert process.returncode == 0, f"{line}\n{printed}"
        exported = self.kept.read_bytes().decode().split("\0")
        self.environment = dict(entry.split("=", 1) for entry in exported if "=" in entry)
        return printed

    def play(self, line: str) -> str:
        """The output of a command that is stopped with Ctrl-C once it has printed a turn."""
        process = self.start(line)
        assert process.stdout is not None
        printed = []
        for output in process.stdout:
            printed.append(output)
            if re.match(r" +\d+\. ", output):
                break
        assert process.poll() is None, f"{line}\n{''.join(printed)}"
        # To the whole process group, as a terminal does.
        os.killpg(process.pid, signal.SIGINT)
        printed.append(process.communicate()[0])
        return "".join(printed)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.skipif(shutil.which("pipx", path="/usr/bin") is None, reason="apt install pipx")
def test_every_command_runs_as_printed_and_in_its_order(tmp_path: Path) -> None:
    checkout, home = tmp_path / "checkout", tmp_path / "home"
    shutil.copytree(ROOT, checkout, ignore=NOT_COPIED)
    home.mkdir()
    # The configuration of this machine's package index, if any.
    if (Path.home() / ".config" / "pip").is_dir():
        shutil.copytree(Path.home() / ".config" / "pip", home / ".config" / "pip")
    terminal = Terminal(home, checkout)
    ran = {}
    for line in commands(ROOT / "README.md"):
        if line.startswith("sudo apt install "):
            continue
        printed = terminal.play(line) if PLAYS.match(line) else terminal.run(line)
        assert "Traceback" not in printed and "internal error" not in printed, printed
        if PLAYS.match(line):
            assert "Page: http://127.0.0.1:" in printed
        ran[line.partition("  ")[0]] = printed
    assert "pipx install ." in ran and "make run" in ran
    assert (checkout / "game.sgf").read_text(encoding="utf-8").startswith("(;")
    assert "games" in ran["focus-companion backup copy.sqlite"]
    # A terminal opened afterwards finds the program.
    assert str(home / ".local" / "bin") in (home / ".bashrc").read_text(encoding="utf-8")


def test_debian_packages_that_the_commands_need_are_named_before_them() -> None:
    first, *_ = commands(ROOT / "README.md")
    assert first == "sudo apt install make pipx"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_page_gives_an_install_command_that_fails(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"pip install '?focus-companion|focus-companion\[", text)
    # Without a venv, Debian 12 and later refuse to install; pipx makes one.
    assert not [line for line in commands(page) if re.match(r"(sudo )?pip3? install (?!uv)['\".]", line)]


MODULES: Final = sorted((ROOT / "focus_companion").rglob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.relative_to(ROOT).as_posix())
def test_no_message_gives_an_install_command_that_fails(module: Path) -> None:
    text = module.read_text(encoding="utf-8")
    assert not re.search(r"pip install '?focus-companion|focus-companion\[", text)


def test_no_error_refers_to_files_that_exist_only_in_a_checkout() -> None:
    sent = re.compile(r"(?:see|in) (?:docs|calibration|firmware|benchmarks)/[\w-]+\.md")
    for module in MODULES:
        text = re.sub(r'"""(?s:.*?)"""', "", module.read_text(encoding="utf-8"))
        assert not sent.search(text), module
