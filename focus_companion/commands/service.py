"""``focus-companion service``: the program as a systemd user service."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from focus_companion import private_files
from focus_companion.addresses import shown_address
from focus_companion.commands.shared.console import PROGRAM, BadInput, NegativeResult
from focus_companion.commands.shared.pin import private_folder
from focus_companion.commands.shared.service_unit import (
    UNIT_NAME,
    environment_of,
    folder_of,
    options_of,
    unit_path,
    unit_text,
)

_SYSTEMD_TIMEOUT: Final = 30.0
"""Seconds for systemd to answer; when it starts the program, it answers only once the program is up."""

_user = click.option(
    "--user", is_flag=True, expose_value=False, help="For this user (the only kind there is)."
)


@click.group("service", no_args_is_help=False)
def command() -> None:
    """Run play as a service: started with the machine, restarted if it hangs."""


@command.command("install", context_settings={"ignore_unknown_options": True})
@_user
@click.option("--print", "only_print", is_flag=True, help="Print the unit, install nothing.")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def install(only_print: bool, options: tuple[str, ...]) -> None:
    """Install and start the service. OPTIONS are those of play, as in: service install --user --camera 0"""
    for option in options:
        if "\n" in option or "\0" in option:
            raise BadInput(f"{option!r} cannot be part of a unit; remove the line break")
        if any(shown_address(word) != word for word in (option, option.partition("=")[2])):
            raise BadInput(
                "a camera's password does not belong in a unit, which programs may read; "
                "write the address as camera in config.toml"
            )
    # Refuse now what play would refuse at every start.
    if _parsed(options)["new"]:
        raise BadInput("--new would begin another game at every start of the service; leave it out")
    text = unit_text(options)
    if only_print:
        click.echo(text, nl=False)
        return
    path = unit_path()
    _write(path, text)
    click.echo(f"Written: {path}")
    if not (_systemctl("daemon-reload") and _systemctl("enable", UNIT_NAME)):
        click.echo(
            "systemd does not answer here. Where it does: systemctl --user daemon-reload && "
            f"systemctl --user enable --now {UNIT_NAME}"
        )
        return
    if not _systemctl("restart", UNIT_NAME):
        raise NegativeResult(
            f"installed, but it is not up within {_SYSTEMD_TIMEOUT:.0f} seconds, and systemd keeps trying; "
            f"see: journalctl --user --unit {UNIT_NAME}"
        )
    click.echo("It runs, and starts again with your session.")
    if _run("loginctl", "show-user", str(os.getuid()), "--property", "Linger", "--value") != "yes\n":
        click.echo("To have it run without anyone logged in: loginctl enable-linger")


@command.command("uninstall")
@_user
def uninstall() -> None:
    """Stop and remove the service. Games and settings stay."""
    path = unit_path()
    if not path.exists():
        raise NegativeResult(f"there is no {path}; nothing is installed")
    stopped = _systemctl("disable", "--now", UNIT_NAME)
    path.unlink()
    _systemctl("daemon-reload")
    click.echo(f"Removed: {path}")
    if not stopped:
        click.echo("systemd does not answer here; what still runs goes on until it is ended")


@command.command("status")
@_user
def status() -> None:
    """Show whether the service is installed and running; exit status 1 if it is not."""
    path = _installed_unit()
    kinds = "ActiveState,SubState,StatusText,NRestarts"
    output = _ask("show", "--property", kinds, UNIT_NAME)
    if output is None:
        raise NegativeResult(f"installed ({path}), but systemd does not answer here")
    found = dict(line.split("=", 1) for line in output.splitlines() if "=" in line)
    state = f"{found.get('ActiveState', 'unknown')} ({found.get('SubState', '?')})"
    restarts = found.get("NRestarts", "?")
    line = f"{state}, restarted {restarts} time{'' if restarts == '1' else 's'}"
    if found.get("ActiveState") != "active":
        raise NegativeResult(f"{line}; see: journalctl --user --unit {UNIT_NAME}")
    click.echo(f"{line}. {found.get('StatusText', '')}".rstrip())


@command.command("address")
@_user
def address() -> None:
    """Print where the page of the service is opened, with a QR code for phones."""
    from focus_companion.settings import load
    from focus_companion.web.lan import lan_addresses, qr_text

    path = _installed_unit()
    unit = path.read_text(encoding="utf-8")
    try:
        options, environ = options_of(unit), os.environ | environment_of(unit)
    except ValueError as error:  # an edited one
        raise BadInput(f"{path}: {error}; install it anew with: focus-companion service install") from None
    chosen = _parsed(options)
    settings = load({name: chosen[name] for name in ("port", "lan", "data")}, environ)
    if not _is_up(settings.port):
        raise NegativeResult(
            f"nothing answers on port {settings.port} within {_SYSTEMD_TIMEOUT:.0f} seconds; "
            "focus-companion service status says why, and focus-companion play runs it by hand"
        )
    click.echo(f"Page: http://127.0.0.1:{settings.port}/")
    found = lan_addresses(settings.port) if settings.lan else []
    for name in found:
        click.echo(f"From other machines: {name}")
    if found:
        click.echo(qr_text(found[0]))
        file = private_folder(folder_of(unit) / settings.data) / f"focus-companion-{settings.port}.pin"
        click.echo(f"PIN for acting from other machines: see {file}")


def _installed_unit() -> Path:
    """The path of the unit. Raises NegativeResult if it is not installed."""
    path = unit_path()
    if not path.exists():
        raise NegativeResult(f"not installed (there is no {path}); focus-companion service install")
    return path


def _parsed(options: Sequence[str]) -> dict[str, Any]:
    """The values of play's options, by name.

    Raises:
        click.ClickException: play refuses the options.
    """
    from focus_companion.commands.play import command as play

    with play.make_context(f"{PROGRAM} play", list(options)) as context:
        return context.params


def _is_up(port: int) -> bool:
    """Whether the page answers; waits for it, because the program may be starting."""
    end = time.monotonic() + _SYSTEMD_TIMEOUT
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/state", timeout=_SYSTEMD_TIMEOUT):
                return True
        except OSError:
            time.sleep(0.5)
    return False


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    private_files.replace(path, text.encode())


def _systemctl(*words: str) -> bool:
    return _ask(*words) is not None


def _ask(*words: str) -> str | None:
    """The output of systemctl; ``None`` if it is missing or fails."""
    return _run("systemctl", "--user", "--no-pager", *words)


def _run(*command: str) -> str | None:
    """The output of a command; ``None`` if it is missing or fails."""
    if shutil.which(command[0]) is None:
        return None
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SYSTEMD_TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
