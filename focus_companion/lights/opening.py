"""Opens the lights that the settings name and that are actually there."""

from __future__ import annotations

import logging
from collections.abc import Callable

from . import ports
from .gpio import GpioBackend
from .lights import Backend, Lights, LightsUnavailable
from .serial import SerialBackend
from .settings import GpioSettings, LightSettings, SerialSettings, WledSettings

log = logging.getLogger(__name__)


def open_lights(
    settings: LightSettings,
    on_button: Callable[[], None] | None = None,
    *,
    on_held: Callable[[], None] | None = None,
    awaited: bool = True,
) -> Lights:
    """The lights of ``settings``. Never fails for a missing device: each is one warning.

    ``on_button`` is called, from a thread of the lights, when the players press the button at the table.
    ``on_held``: when they hold it, instead of ``on_button``; the light board cannot report that.
    ``awaited``: a light board may be plugged in later.
    """
    backends: list[Backend] = []
    reasons: list[str] = []
    names = wanted(settings)
    found = "serial" in names or "auto" not in settings.backends
    for name in names if found or not awaited else (*names, "serial"):
        try:
            backends.append(_make(name, settings, on_button, on_held, expected=found))
        except LightsUnavailable as fault:
            reasons.append(str(fault))
    for reason in reasons:
        log.warning("Lights: %s; the game goes on without them", reason)
    if not names and "none" not in settings.backends:
        # Most tables have no lights, so the terminal need not mention it.
        log.info("Lights: none are configured and no light board is plugged in")
    return Lights(backends, leads=settings.set_up == "next")


def wanted(settings: LightSettings) -> tuple[str, ...]:
    """The back ends that the settings name, with ``auto`` resolved to those available now."""
    names: list[str] = []
    for name in settings.backends:
        if name == "auto":
            # Pins are driven only if the settings name them: something else may be wired to them.
            names += ["gpio"] if settings.gpio is not None else []
            names += ["serial"] if settings.serial is not None or ports.candidates() else []
            names += ["wled"] if settings.wled is not None else []
        elif name != "none":
            names.append(name)
    return tuple(dict.fromkeys(names))


def _make(
    name: str,
    settings: LightSettings,
    on_button: Callable[[], None] | None,
    on_held: Callable[[], None] | None,
    expected: bool,
) -> Backend:
    if name == "gpio":
        return GpioBackend(settings.gpio or GpioSettings(), settings.sound, on_button, on_held)
    if name == "serial":
        serial = settings.serial or SerialSettings()
        taken = settings.wled.port if settings.wled else ""
        return SerialBackend(serial, settings.brightness, settings.sound, on_button, expected, taken)
    # Few tables have a strip, and its HTTP client is slow to import.
    from .wled import make_wled

    return make_wled(settings.wled or WledSettings(), settings.brightness)
