"""Shared by commands with a page: its port, its addresses, and stopping on a signal."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING

from focus_companion.commands.shared.console import BadInput
from focus_companion.settings import Settings

if TYPE_CHECKING:
    from flask import Flask

    from focus_companion.web.server import PageServer


def say(line: str) -> None:
    """Print a line to the terminal unless it is empty."""
    if line:
        # The terminal may be closed; the game goes on all the same.
        with suppress(OSError, ValueError):
            print(line, flush=True)


def _host(settings: Settings) -> str:
    """The address to listen on."""
    if not settings.lan:
        return "127.0.0.1"
    from focus_companion.web.lan import lan_host

    return lan_host()


def port_is_free(settings: Settings) -> None:
    """Refuse a port that is in use, before anything else is opened in vain.

    Raises:
        BadInput: it is in use, or we may not use it.
    """
    if settings.port == 0:
        return
    host = _host(settings)
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, settings.port))
        except OSError as error:
            raise _no_port(settings, error) from error


def page_server(app: Flask, settings: Settings) -> PageServer:
    """The server of a page, which is not started yet.

    Raises:
        BadInput: its port cannot be used.
    """
    # Imported here: --help must not wait for the library.
    from focus_companion.web.server import PageServer

    try:
        return PageServer(app, host=_host(settings), port=settings.port)
    except OSError as error:
        raise _no_port(settings, error) from error


def _no_port(settings: Settings, error: OSError) -> BadInput:
    """The error for a port that cannot be used."""
    why = (error.strerror or str(error)).lower()
    place = f"{settings.place('port')} {settings.port}"
    if isinstance(error, PermissionError):
        return BadInput(f"{place} may not be used by this user; give a --port from 1024 on")
    return BadInput(f"{place}: {why}; end the program that uses it, or give another --port")


def announce(settings: Settings, port: int) -> None:
    """Print the addresses at which the page can be opened."""
    say(f"Page: http://127.0.0.1:{port}/")
    if sys.stdout.isatty():
        say("Open it in your browser; Ctrl-C ends the program.")
    if not settings.lan:
        return
    from focus_companion.web.lan import lan_addresses, qr_text

    addresses = lan_addresses(port)
    for address in addresses:
        say(f"From other machines: {address}")
    if not addresses:
        say(f"From other machines: at port {port} of this one's address, once it is in a network")
    if addresses and sys.stdout.isatty():
        say(qr_text(addresses[0]))


def on_signals(stop: threading.Event) -> None:
    """Set ``stop`` when the program is asked to stop, also by closing its terminal, unless it was started to
    outlive that, as with nohup.
    """

    def ask(number: int, frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, ask)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
        signal.signal(signal.SIGHUP, ask)
