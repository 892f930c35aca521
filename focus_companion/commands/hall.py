"""``focus-companion hall``: shows every table that publishes to a broker on one page."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import Any, Final

import click

from focus_companion import logs
from focus_companion.commands.shared import memory
from focus_companion.commands.shared.broker_options import chosen_broker
from focus_companion.commands.shared.console import BadInput
from focus_companion.commands.shared.numbers import WholeNumberRange
from focus_companion.commands.shared.serving import announce, on_signals, page_server, port_is_free, say
from focus_companion.settings import Settings, load

DEFAULT_PORT: Final = 8001
"""The page's port, different from that of a table on the same machine."""


@click.command("hall")
@click.option("--mqtt", metavar="URL", help="The broker: mqtt[s]://[USER@]HOST[:PORT].")
@click.option("--mqtt-ca", metavar="FILE", help="CA certificate of the broker (default: the system's).")
@click.option("--port", type=WholeNumberRange(0, 65535), default=DEFAULT_PORT, show_default=True,
              help="Port of the page; 0: any free one.")  # fmt: skip
@click.option("--lan/--no-lan", default=None, help="Let other machines look at it.")
def command(**flags: Any) -> None:
    """Show every table that publishes to the broker: boards, alerts, clocks, results, standings.

    It stores nothing: stop it, start it, start two of them, and they show the same.
    """
    settings = load(flags)
    logs.start(settings.log)
    stop = threading.Event()
    on_signals(stop)
    with ExitStack() as closing:
        show(settings, stop, closing)


def show(settings: Settings, stop: threading.Event, closing: ExitStack) -> None:
    """Show the tables until ``stop`` is set.

    Raises:
        BadInput: no broker is named, it refuses us, or the port cannot be used.
    """
    memory.share_one_arena()
    broker = chosen_broker(settings)
    if broker is None:
        raise BadInput("hall needs the broker that the tables publish to; give --mqtt mqtt://HOST")
    port_is_free(settings)
    # Imported here: --help must not wait for the libraries.
    from focus_companion.hall.app import create_hall
    from focus_companion.hall.evening import Evening
    from focus_companion.hall.listener import Listener
    from focus_companion.mqtt.line import LineDown
    from focus_companion.web.lan import host_names

    evening = Evening()
    listener = Listener(broker, evening, tell=say)
    closing.callback(listener.close)
    try:
        listener.connect()
    except LineDown as down:
        raise BadInput(f"{settings.place('mqtt')}: {down}") from None
    app = create_hall(evening, lan=settings.lan, hosts=host_names() if settings.lan else ())
    server = page_server(app, settings)
    server.start()
    closing.callback(server.close, 0.5)
    closing.callback(evening.news.close)
    say(f"Broker: {broker.shown}")
    announce(settings, server.port)
    stop.wait()
