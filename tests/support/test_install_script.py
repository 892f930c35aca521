"""``install.sh``, with scripts in the place of pipx, dpkg, sudo and systemctl."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PIPX = """#!/bin/sh
echo "pipx $*" >>"$HOME/calls"
case "$1" in
  install) mkdir -p "$HOME/.local/bin"; cp "$HOME/bin/program" "$HOME/.local/bin/focus-companion" ;;
  uninstall) rm "$HOME/.local/bin/focus-companion" ;;
esac
"""
PROGRAM = """#!/bin/sh
echo "focus-companion $*" >>"$HOME/calls"
unit="$HOME/.config/systemd/user/focus-companion.service"
case "$*" in
  "service install --print"*) shift 3; echo "play $*" ;;
  "service install --user"*) shift 3; mkdir -p "$(dirname "$unit")"; echo "play $*" >"$unit" ;;
  "service uninstall") rm "$unit" ;;
  "service address") echo "Page: http://127.0.0.1:8000/" ;;
esac
"""
DPKG = """#!/bin/sh
case " $(cat "$HOME/packages") " in *" $4 "*) echo "install ok installed" ;; *) exit 1 ;; esac
"""
APT = """#!/bin/sh
echo "apt-get $*" >>"$HOME/calls"
[ "$1" = update ] || echo pipx espeak-ng >"$HOME/packages"
"""
SUDO = '#!/bin/sh\necho sudo >>"$HOME/calls"\nexec "$@"\n'


class Machine:
    """A user's machine: ``calls`` are what was run on it since last asked."""

    def __init__(self, folder: Path) -> None:
        self.home, self.checkout = folder / "home", folder / "focus"
        bin_ = self.home / "bin"
        bin_.mkdir(parents=True)
        scripts = {"pipx": PIPX, "program": PROGRAM, "dpkg-query": DPKG, "apt-get": APT, "sudo": SUDO}
        scripts |= {
            "systemctl": "#!/bin/sh\nexit 0\n",
            "loginctl": '#!/bin/sh\necho "loginctl $*" >>"$HOME/calls"\necho yes\n',
        }
        for name, text in scripts.items():
            (bin_ / name).write_text(text)
            (bin_ / name).chmod(0o755)
        (self.home / "packages").write_text("")
        self.checkout.mkdir()
        for name in ("install.sh", "pyproject.toml"):
            shutil.copy(ROOT / name, self.checkout)
        for name in ("focus_companion", "calibration"):
            (self.checkout / name).mkdir()
            (self.checkout / name / "file").write_text("1")
        self.environment = {"HOME": str(self.home), "PATH": f"{bin_}:/usr/bin:/bin"}

    def run(self, *options: str) -> tuple[int, str]:
        done = subprocess.run(
            [str(self.checkout / "install.sh"), *options], env=self.environment, cwd=self.home,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False,
        )  # fmt: skip
        return done.returncode, done.stdout

    def calls(self) -> str:
        log = self.home / "calls"
        text = log.read_text() if log.exists() else ""
        log.write_text("")
        return text


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_it_installs_once_and_changes_nothing_when_run_again(machine: Machine) -> None:
    status, said = machine.run()
    assert (status, said.splitlines()[-1]) == (0, "Page: http://127.0.0.1:8000/"), said
    calls = machine.calls()
    assert "apt-get install -q -y --no-install-recommends pipx espeak-ng" in calls
    assert f"pipx install --force {machine.checkout}" in calls and "service install --user --lan" in calls
    assert ("sudo" in calls) is (os.geteuid() != 0)
    status, said = machine.run()
    calls = machine.calls()
    assert status == 0 and "installed already" in said
    assert "apt-get" not in calls and "pipx" not in calls and "--user" not in calls and "sudo" not in calls


def test_a_checkout_that_changed_and_other_options_are_taken_over(machine: Machine) -> None:
    machine.run()
    machine.calls()
    (machine.checkout / "focus_companion" / "file").write_text("2")
    machine.run()
    calls = machine.calls()
    assert "pipx install" in calls and "service install --user" in calls, "the new version runs at once"
    machine.run("--camera", "phone", "--lan")
    calls = machine.calls()
    assert "pipx install" not in calls and "service install --user --camera phone --lan" in calls


def test_uninstall_leaves_the_games(machine: Machine) -> None:
    machine.run()
    games = machine.home / ".local" / "share" / "focus_companion" / "games.sqlite"
    games.parent.mkdir(parents=True)
    games.write_text("games")
    status, said = machine.run("--uninstall")
    assert status == 0 and str(games.parent) in said and games.read_text() == "games"
    assert "pipx uninstall focus-companion" in machine.calls()
    assert not (machine.home / ".local" / "bin" / "focus-companion").exists()
    status, said = machine.run("--uninstall")
    assert status == 0 and "not installed" in said and "pipx" not in machine.calls()
    assert machine.run()[0] == 0 and "pipx install" in machine.calls()


def test_help_says_what_it_does(machine: Machine) -> None:
    status, said = machine.run("--help")
    assert status == 0 and "--uninstall" in said and machine.calls() == ""


def test_it_is_a_page_long() -> None:
    assert len((ROOT / "install.sh").read_text(encoding="utf-8").splitlines()) <= 105
