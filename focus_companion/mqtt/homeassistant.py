"""Lets Home Assistant discover every table as a device with entities, in its MQTT discovery format.

There is one retained message per table, ``homeassistant/device/ID/config`` (Home Assistant 2024.12 or newer).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Any, Final

from .topics import Topics

DISCOVERY_PREFIX: Final = "homeassistant"

_COLOURS: Final = ("green", "red", "blue", "yellow")


def device_id(table: str) -> str:
    """An id of letters, digits and ``_``, always the same for the same table name."""
    plain = unicodedata.normalize("NFKD", table).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")
    return f"focus_companion_{slug}_{hashlib.sha256(table.encode()).hexdigest()[:6]}"


def discovery_topic(table: str) -> str:
    return f"{DISCOVERY_PREFIX}/device/{device_id(table)}/config"


def discovery(table: str, version: str) -> dict[str, Any]:
    """The device of a table: whose turn, the alert, the turns played, the result, the camera."""
    topics = Topics(table)
    ident = device_id(table)

    def entity(key: str, platform: str, name: str, template: str, **more: Any) -> dict[str, Any]:
        return {
            "platform": platform,
            "unique_id": f"{ident}_{key}",
            "name": name,
            "state_topic": topics.state,
            "value_template": template,
        } | more

    return {
        "device": {
            "identifiers": [ident],
            "name": f"Focus {table}",
            "manufacturer": "Focus Companion",
            "model": "Focus table",
            "sw_version": version,
        },
        "origin": {"name": "Focus Companion", "sw_version": version},
        "availability": [
            {
                "topic": topics.status,
                "value_template": "{{ 'online' if value_json.online else 'offline' }}",
            }
        ],
        "qos": 1,
        "components": {
            "turn": entity(
                "turn",
                "sensor",
                "Turn",
                "{{ value_json.to_move or 'nobody' }}",
                device_class="enum",
                options=[*_COLOURS, "nobody"],
                icon="mdi:account-arrow-right",
            ),
            "alert": entity(
                "alert",
                "binary_sensor",
                "Alert",
                "{{ 'ON' if value_json.alert else 'OFF' }}",
                device_class="problem",
                json_attributes_topic=topics.state,
                json_attributes_template="{{ (value_json.alert or {}) | tojson }}",
            ),
            "ply": entity(
                "ply",
                "sensor",
                "Turns played",
                "{{ value_json.ply }}",
                icon="mdi:counter",
                state_class="measurement",
            ),
            "result": entity(
                "result",
                "sensor",
                "Result",
                "{% set r = value_json.result %}"
                "{{ 'playing' if not r else (r.winners | join(', ') or 'draw') ~ ' (' ~ r.reason ~ ')' }}",
                icon="mdi:trophy",
            ),
            "camera": entity(
                "camera",
                "binary_sensor",
                "Camera",
                "{{ 'ON' if value_json.camera == 'ok' else 'OFF' }}",
                device_class="connectivity",
                entity_category="diagnostic",
            ),
        },
    }
