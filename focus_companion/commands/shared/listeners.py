"""Receivers of a game's events: the lights at the table, and the broker."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from focus_companion import __version__
from focus_companion.commands.shared.broker_options import table_name
from focus_companion.commands.shared.button import Presses
from focus_companion.commands.shared.serving import say
from focus_companion.commands.shared.setting_places import errors_name
from focus_companion.settings import Settings

if TYPE_CHECKING:
    from focus_companion.commands.shared.speaking import Speaker
    from focus_companion.mqtt.broker import Broker
    from focus_companion.session.session import Session
    from focus_companion.storage.journal import Journal

log = logging.getLogger(__name__)


def table_lights(
    settings: Settings, session: Session, closing: ExitStack, spoken: Speaker | None = None
) -> Callable[[Any], None]:
    """Open the lights; returns a function that shows an event on them. Their button ends a turn.

    With a loudspeaker the button also asks: a short press is answered with whose turn it is, a double press
    with the last sentence, a long press (which only a button on gpio pins can distinguish) with the score.
    """
    from focus_companion.lights import LightSettings, open_lights
    from focus_companion.session.requests import RequestRefused, TurnDone

    def pressed() -> None:
        # Runs on a thread of the lights, which must go on even if the press is refused.
        try:
            session.submit(TurnDone())
        except RequestRefused as refused:
            log.warning("The press of the button was refused: %s", refused)

    with errors_name(settings, "lights"):
        wanted = LightSettings.from_mapping(settings.lights)
    if spoken is None:
        lights = open_lights(wanted, pressed)
    else:

        def short() -> None:
            spoken.stop()
            pressed()
            spoken.ask("turn")

        presses = Presses(short, lambda: spoken.ask("repeat"))
        closing.callback(presses.close)
        lights = open_lights(wanted, presses.pressed, on_held=lambda: spoken.ask("standing"))
    closing.callback(lights.close)
    return lambda event: lights.show(event, session.state())


def publisher(
    settings: Settings, broker: Broker | None, session: Session, journal: Journal, closing: ExitStack
) -> Callable[[Any], None]:
    """A callback that publishes events to the broker; without a broker it does nothing."""
    if broker is None:
        return lambda event: None
    from focus_companion.mqtt.publisher import Publisher
    from focus_companion.storage.outbox import Outbox

    table = table_name(settings)
    outbox = Outbox(settings.data, broker.shown, table)
    closing.callback(outbox.close)
    made = Publisher(broker, table, journal, session.state, outbox, version=__version__, tell=say)
    closing.callback(made.close)
    say(f"MQTT: publishing to {broker.shown} as table {table!r}")
    made.start()
    return made.tell
