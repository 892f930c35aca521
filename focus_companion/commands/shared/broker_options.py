"""The configured broker, for the commands that connect to one."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from focus_companion import logs
from focus_companion.commands.shared.setting_places import errors_name
from focus_companion.settings import Settings

if TYPE_CHECKING:
    from focus_companion.mqtt.broker import Broker


def chosen_broker(settings: Settings) -> Broker | None:
    """The broker of ``--mqtt``, ``None`` without one.

    Raises:
        BadInput: the address, the certificate or the table's name is invalid.
    """
    if settings.mqtt is None:
        return None
    logs.hide(settings.mqtt_password)
    from focus_companion.mqtt.broker import parse_broker
    from focus_companion.mqtt.line import check_trust

    with errors_name(settings, "mqtt"):
        broker = parse_broker(settings.mqtt, password=settings.mqtt_password, ca=settings.mqtt_ca)
        check_trust(broker)
        table_name(settings)
    return broker


def table_name(settings: Settings) -> str:
    """The table's name on the broker. Raises a ValueError with a sentence for people."""
    from focus_companion.mqtt.topics import check_name

    return check_name(settings.table or socket.gethostname().split(".")[0][:40] or "table")
