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

from focus_companion.addresses import shown_address
from focus_companion.commands.shared.console import BadInput, NotSo
from focus_companion.commands.shared.pin import folder
from focus_companion.commands.shared.service_unit import NAME, options_of, unit_path, unit_text

_SECONDS: Final = 30.0
"""Seconds for systemd to answer; when it starts the program, it answers once that is up."""

_user = click.option(
    "--user", is_flag=True, expose_value=False, help="For this user (the only kind there is)."
)


@click.group("service")
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
    _check(options)
    text = unit_text(options)
    if only_print:
        click.echo(text, nl=False)
        return
    path = unit_path()
    _write(path, text)
    click.echo(f"Written: {path}")
    if not (_systemctl("daemon-reload") and _systemctl("enable", NAME)):
        click.echo(
            "systemd does not answer here. Where it does: systemctl --user daemon-reload && "
            f"systemctl --user enable --now {NAME}"
        )
        return
    if not _systemctl("restart", NAME):
        raise NotSo(
            f"installed, but it is not up within {_SECONDS:.0f} seconds, and systemd tries on; "
            f"see: journalctl --user --unit {NAME}"
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
        raise NotSo(f"there is no {path}; nothing is installed")
    stopped = _systemctl("disable", "--now", NAME)
    path.unlink()
    _systemctl("daemon-reload")
    click.echo(f"Taken away: {path}")
    if not stopped:
        click.echo("systemd does not answer here; what still runs goes on until it is ended")


@command.command("status")
@_user
def status() -> None:
    """Show whether the service is installed and running; exit status 1 if it is not."""
    path = unit_path()
    if not path.exists():
        raise NotSo(f"not installed (there is no {path}); focus-companion service install")
    kinds = "ActiveState,SubState,StatusText,NRestarts"
    output = _ask("show", "--property", kinds, NAME)
    if output is None:
        raise NotSo(f"installed ({path}), but systemd does not answer here")
    found = dict(line.split("=", 1) for line in output.splitlines() if "=" in line)
    state = f"{found.get('ActiveState', 'unknown')} ({found.get('SubState', '?')})"
    line = f"{state}, restarted {found.get('NRestarts', '?')} times"
    if found.get("ActiveState") != "active":
        raise NotSo(f"{line}; see: journalctl --user --unit {NAME}")
    click.echo(f"{line}. {found.get('StatusText', '')}".rstrip())


@command.command("address")
@_user
def address() -> None:
    """Print where the page of the service is opened, with a QR code for phones."""
    from focus_companion.settings import load
    from focus_companion.web.lan import lan_addresses, qr_text

    path = unit_path()
    if not path.exists():
        raise NotSo(f"not installed (there is no {path}); focus-companion service install")
    settings = load(_chosen(options_of(path.read_text(encoding="utf-8"))))
    if not _is_up(settings.port):
        raise NotSo(
            f"nothing answers on port {settings.port} within {_SECONDS:.0f} seconds; "
            "focus-companion service status says why, and focus-companion play runs it by hand"
        )
    click.echo(f"Page: http://127.0.0.1:{settings.port}/")
    found = lan_addresses(settings.port) if settings.lan else []
    for name in found:
        click.echo(f"From other machines: {name}")
    if found:
        click.echo(qr_text(found[0]))
        file = folder(settings.data) / f"focus-companion-{settings.port}.pin"
        click.echo(f"PIN for acting from other machines: see {file}")


def _chosen(options: Sequence[str]) -> dict[str, Any]:
    """What the options of play choose of the settings that an address needs."""
    from focus_companion.commands.play import command as play

    with play.make_context("play", list(options)) as context:
        return {name: context.params[name] for name in ("port", "lan", "data")}


def _is_up(port: int) -> bool:
    """Whether the page answers, waited for while the program starts."""
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/state", timeout=_SECONDS):
                return True
        except OSError:
            time.sleep(0.5)
    return False


def _check(options: Sequence[str]) -> None:
    """Refuse options that play would refuse at every start."""
    from focus_companion.commands.play import command as play

    with play.make_context("play", list(options)):
        return


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = path.with_suffix(".new")
    with os.fdopen(
        os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as unit:
        unit.write(text)
    fresh.replace(path)


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
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
