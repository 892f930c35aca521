"""Tests whether Home Assistant's code accepts our discovery messages; needs the package ``homeassistant``.

    python -m benchmarks.devices.home_assistant

Validates every entity against the discovery schema of Home Assistant's MQTT integration, and the message as a
whole against the one for devices, if the installed version has it (2024.12 or newer).
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from homeassistant.const import __version__  # type: ignore[import-not-found]

from focus_companion.mqtt.homeassistant import discovery


def main() -> None:
    message = discovery("Table 7", "0.1.0")
    for key, component in message["components"].items():
        platform = importlib.import_module(f"homeassistant.components.mqtt.{component['platform']}")
        config = {name: value for name, value in component.items() if name != "platform"}
        config |= {
            "device": message["device"],
            "availability": message["availability"],
            "qos": message["qos"],
        }
        platform.DISCOVERY_SCHEMA(config)
        print(f"{key}: accepted as {component['platform']} by Home Assistant {__version__}")
    schemas = importlib.import_module("homeassistant.components.mqtt.mixins")
    try:
        schemas = importlib.import_module("homeassistant.components.mqtt.schemas")
        schemas.DEVICE_DISCOVERY_SCHEMA(message)
        print(f"the device as a whole: accepted by Home Assistant {__version__}")
    except (ImportError, AttributeError):
        print(f"the device as a whole: not checked, Home Assistant {__version__} knows single entities only")


if __name__ == "__main__":
    main()
