"""The text of the systemd unit, and its path."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

UNIT_NAME: Final = "focus-companion.service"

WATCHDOG_SECONDS: Final = 60
"""Seconds without an iteration of the game loop before a restart; finding the board may take up to ten."""

_KEPT_VARIABLES: Final = ("FOCUS_COMPANION_DATA", "FOCUS_COMPANION_CONFIG")
"""Environment variables that the service keeps from its installation. None of them is secret."""

_TEMPLATE: Final = """\
# Written by "focus-companion service install"; removed by "focus-companion service uninstall".
[Unit]
Description=Focus Companion, the camera over the Focus board
# However often the camera or the disk is missing: try again.
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=main
ExecStart={command}
{environment}{folder}Restart=always
RestartSec=1
TimeoutStartSec=180
TimeoutStopSec=10
# Fed by the game loop itself: if it hangs, it is restarted and continues from the journal.
WatchdogSec={watchdog}
TasksMax=1024
UMask=0077
# It needs cameras, a serial line, pins, the network and its own folders, and nothing else. Options that need
# namespaces (private devices, a read-only system) are not available to user services everywhere.
NoNewPrivileges=yes
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=default.target
"""


def unit_path() -> Path:
    """Where systemd's user instance looks for the unit."""
    config = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(config) / "systemd" / "user" / UNIT_NAME


def unit_text(options: Sequence[str], environ: Mapping[str, str] | None = None) -> str:
    """The unit that runs ``play`` with these options."""
    environ = os.environ if environ is None else environ
    kept = "".join(
        f"Environment={quoted(f'{name}={environ[name]}', expands=False)}\n"
        for name in _KEPT_VARIABLES
        if environ.get(name)
    )
    command = " ".join(map(quoted, [*program(), "play", *options]))
    # Options and variables may name files relative to where the service was installed.
    relative = any("=" in option or not option.startswith("-") for option in options) or kept
    folder = f"WorkingDirectory=-{str(Path.cwd()).replace('%', '%%')}\n" if relative else ""
    return _TEMPLATE.format(command=command, environment=kept, folder=folder, watchdog=WATCHDOG_SECONDS)


def program() -> list[str]:
    """The command that starts this very program from anywhere."""
    script = Path(sys.argv[0])
    found = shutil.which(script.name) if script.name == "focus-companion" else None
    if script.name == "focus-companion" and script.is_file():
        return [str(script.resolve())]
    return [found] if found else [sys.executable, "-m", "focus_companion.cli"]


def quoted(word: str, *, expands: bool = True) -> str:
    """Quote a word for a unit file: systemd interprets percent signs and, where it ``expands`` variables (in
    commands), dollar signs.
    """
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{plain.replace("$", "$$") if expands else plain}"'


def options_of(unit: str) -> list[str]:
    """The options of play in a unit's text that :func:`unit_text` wrote; ``[]`` for any other text."""
    words = [word.replace("$$", "$") for line in _values(unit, "ExecStart") for word in shlex.split(line)]
    return words[words.index("play") + 1 :] if "play" in words else []


def folder_of(unit: str) -> Path:
    """The folder to which names of files are relative in a service with this unit."""
    # Where systemd starts services of a user that do not say.
    return next((Path(value.removeprefix("-")) for value in _values(unit, "WorkingDirectory")), Path.home())


def environment_of(unit: str) -> dict[str, str]:
    """The variables that a unit's text sets, those that name a file or folder with its whole path."""
    words = [word.partition("=") for line in _values(unit, "Environment") for word in shlex.split(line)]
    folder = folder_of(unit)
    return {name: str(folder / value) if name in _KEPT_VARIABLES else value for name, _, value in words}


def _values(unit: str, key: str) -> list[str]:
    """The values of a key in a unit's text, with percent signs that stand for themselves."""
    pairs = [line.partition("=") for line in unit.splitlines()]
    return [value.replace("%%", "%") for name, _, value in pairs if name == key]
