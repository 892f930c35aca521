"""From the settings to the lights that are really there."""

from __future__ import annotations

import logging
from collections.abc import Callable

from . import ports
from .gpio import GpioBackend
from .lights import Backend, Lights, LightsUnavailable
from .serial import SerialBackend
from .settings import GpioSettings, LightSettings, SerialSettings, WledSettings
from .wled import make_wled

log = logging.getLogger(__name__)


def open_lights(settings: LightSettings, on_button: Callable[[], None] | None = None) -> Lights:
    """The lights of ``settings``. Never fails for want of a device: each that is missing is one warning.

    ``on_button`` is called, from a thread of the lights, when the players press the button at the table.
    """
    backends: list[Backend] = []
    reasons: list[str] = []
    for name in _wanted(settings):
        try:
            backends.append(_make(name, settings, on_button))
        except LightsUnavailable as fault:
            reasons.append(str(fault))
    for reason in reasons:
        log.warning("Lights: %s; the game goes on without them", reason)
    if not backends and not reasons and "none" not in settings.backends:
        # Most tables have no lights, so this is no news for the terminal.
        log.info("Lights: none are configured and no light board is plugged in")
    return Lights(backends)


def _wanted(settings: LightSettings) -> tuple[str, ...]:
    wanted: list[str] = []
    for name in settings.backends:
        if name == "auto":
            # Pins are driven only where the settings name them: something else may be wired to them.
            wanted += ["gpio"] if settings.gpio is not None else []
            wanted += ["serial"] if settings.serial is not None or ports.candidates() else []
            wanted += ["wled"] if settings.wled is not None else []
        elif name != "none":
            wanted.append(name)
    return tuple(dict.fromkeys(wanted))


def _make(name: str, settings: LightSettings, on_button: Callable[[], None] | None) -> Backend:
    if name == "gpio":
        return GpioBackend(settings.gpio or GpioSettings(), settings.sound, on_button)
    if name == "serial":
        return SerialBackend(
            settings.serial or SerialSettings(), settings.brightness, settings.sound, on_button
        )
    return make_wled(settings.wled or WledSettings(), settings.brightness)
