"""The systemd unit: its content, that systemd accepts it, and the commands for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from focus_companion.commands import service as service_command
from focus_companion.commands.shared import console, service_unit

ROOT = Path(__file__).parents[2]


def service(home: Path, *words: str, path: str = "/nowhere") -> tuple[int, str, str]:
    """Run the command with a temporary home and, by default, without systemd."""
    done = subprocess.run(
        [sys.executable, "-m", "focus_companion.cli", "service", *words],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
        env={"HOME": str(home), "PATH": path, "PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT))},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_installed_and_taken_away(tmp_path: Path) -> None:
    status, printed, _ = service(tmp_path, "install", "--user", "--camera", "demo", "--port", "8123")
    unit = tmp_path / ".config/systemd/user/focus-companion.service"
    assert status == 0 and str(unit) in printed and "systemctl --user enable" in printed
    text = unit.read_text(encoding="utf-8")
    assert '"play" "--camera" "demo" "--port" "8123"' in text
    assert unit.stat().st_mode & 0o777 == 0o600
    status, _, printed = service(tmp_path, "status")
    assert status == 1 and "systemd does not answer" in printed
    assert service(tmp_path, "uninstall")[0] == 0 and not unit.exists()
    for words in (("uninstall",), ("status",)):
        status, _, printed = service(tmp_path, *words)
        assert status == 1 and printed.count("\n") == 1 and "installed" in printed


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--camera", "rtsp://anna:geheim@camera/stream"], "config.toml"),
        (["--camera=rtsp://anna:geheim@camera/stream"], "config.toml"),
        (["--players", "7"], "7"),
        (["--camera", "a\nExecStart=/bin/sh"], "line break"),
        (["--nonsense"], "see 'focus-companion play --help'"),
        (["--new"], "at every start"),
    ],
    ids=[
        "a password",
        "a password behind an equals sign",
        "no such option's value",
        "a line of its own",
        "no such option",
        "another game at every start",
    ],
)
def test_what_does_not_belong_in_a_unit_is_refused(tmp_path: Path, options: list[str], word: str) -> None:
    status, _, printed = service(tmp_path, "install", *options)
    assert status == 2 and word in printed and printed.count("\n") == 1 and "geheim" not in printed
    assert not (tmp_path / ".config").exists()


def test_systemctl_is_asked(tmp_path: Path) -> None:
    """A systemctl that records its arguments and reports that all is well."""
    tools = tmp_path / "bin"
    tools.mkdir()
    fake = tools / "systemctl"
    fake.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n'
        "echo ActiveState=active; echo SubState=running; echo NRestarts=1\n"
        'echo "StatusText=Game 4, turn 7"\n',
        encoding="utf-8",
    )
    fake.chmod(0o755)
    assert service(tmp_path, "install", path=str(tools))[0] == 0
    status, printed, _ = service(tmp_path, "status", path=str(tools))
    assert status == 0 and "active (running), restarted 1 time. Game 4, turn 7" in printed
    assert service(tmp_path, "uninstall", path=str(tools))[0] == 0
    asked = (tmp_path / "asked").read_text(encoding="utf-8")
    for words in ("daemon-reload", "enable focus-companion.service", "disable --now focus-companion.service"):
        assert words in asked


@pytest.mark.parametrize(("lingers", "hinted"), [("yes", False), ("no", True)])
def test_running_without_a_login_is_mentioned_where_it_is_off(
    tmp_path: Path, lingers: str, hinted: bool
) -> None:
    for name, does in (("systemctl", "exit 0"), ("loginctl", f"echo {lingers}")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    status, printed, _ = service(tmp_path, "install", path=str(tmp_path))
    assert status == 0 and ("enable-linger" in printed) is hinted


def test_a_service_that_does_not_start_is_reported(tmp_path: Path) -> None:
    fake = tmp_path / "systemctl"
    fake.write_text('#!/bin/sh\ncase "$*" in *restart*) exit 1;; esac\n', encoding="utf-8")
    fake.chmod(0o755)
    status, _, printed = service(tmp_path, "install", path=str(tmp_path))
    assert status == 1 and "journalctl" in printed and printed.count("\n") == 1


def test_words_are_quoted_for_systemd() -> None:
    environ = {"FOCUS_COMPANION_DATA": "/my $games 50%", "FOCUS_COMPANION_PIN": "1234"}
    text = service_unit.unit_text(["--name", 'green=A "B" 100% $HOME \\'], environ)
    assert 'green=A \\"B\\" 100%% $$HOME \\\\"' in text
    # Only percent signs are expanded there.
    assert 'Environment="FOCUS_COMPANION_DATA=/my $games 50%%"' in text and "1234" not in text


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / service_unit.UNIT_NAME
    unit.write_text(service_unit.unit_text(["--camera", "0"]), encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(unit)],
        capture_output=True, text=True, timeout=60,
        env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path), "SYSTEMD_LOG_LEVEL": "warning"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert service_unit.UNIT_NAME not in done.stderr, done.stderr


def test_files_are_named_relative_to_where_the_service_was_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "club 50%").mkdir()
    monkeypatch.chdir(tmp_path / "club 50%")
    line = f"\nWorkingDirectory=-{tmp_path}/club 50%%\n"
    assert line in service_unit.unit_text(["--rules", "club.toml"], {})
    assert line in service_unit.unit_text(["--data=games"], {})
    assert line in service_unit.unit_text([], {"FOCUS_COMPANION_DATA": "games"})
    # Installed anew from anywhere, it is the same unit.
    assert "WorkingDirectory" not in service_unit.unit_text(["--lan"], {})


def test_the_address_is_that_of_the_service_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    club = tmp_path / "club 50%"
    club.mkdir()
    (club / "config.toml").write_text("lan = true\nport = 8124\n", encoding="utf-8")
    monkeypatch.chdir(club)
    unit = tmp_path / "systemd" / "user" / service_unit.UNIT_NAME
    unit.parent.mkdir(parents=True)
    text = service_unit.unit_text(["--data", "games"], {"FOCUS_COMPANION_CONFIG": "config.toml"})
    unit.write_text(text + 'Environment="FOCUS_COMPANION_PORT=8125"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr(service_command, "_is_up", lambda port: port == 8125)
    monkeypatch.setattr("focus_companion.web.lan.lan_ips", lambda: ["192.0.2.7"])
    assert console.run(service_command.command, ["address"]) == 0
    assert f"see {club}/games/focus-companion-8125.pin" in capsys.readouterr().out


def test_a_unit_that_was_edited_is_refused_if_it_cannot_be_read(tmp_path: Path) -> None:
    service(tmp_path, "install", "--lan")
    unit = tmp_path / ".config/systemd/user/focus-companion.service"
    unit.write_text(unit.read_text(encoding="utf-8").replace('"--lan"', '"--lan'), encoding="utf-8")
    status, _, printed = service(tmp_path, "address")
    assert status == 2 and f"{unit}: No closing quotation; install it anew" in printed


def test_the_options_of_a_unit_are_read_back() -> None:
    options = ["--camera", "/dev/v4l/by id/50%", "--lan", "--name", 'green=$Ann "x"', "--port", "8123"]
    assert service_unit.options_of(service_unit.unit_text(options)) == options
    assert service_unit.options_of("[Service]\nExecStart=/bin/true\n") == []
    assert service_unit.options_of("") == []
