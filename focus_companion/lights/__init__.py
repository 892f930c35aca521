"""What an event means in lights, and the back ends that show it."""

from .lights import Lights, LightsUnavailable
from .opening import open_lights
from .settings import GpioSettings, LightSettings, LightSettingsError, SerialSettings, WledSettings

__all__ = [
    "GpioSettings",
    "LightSettings",
    "LightSettingsError",
    "Lights",
    "LightsUnavailable",
    "SerialSettings",
    "WledSettings",
    "open_lights",
]
