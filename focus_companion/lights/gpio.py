"""Lights on the pins of a Raspberry Pi, through gpiozero."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Final

from .lights import LightsUnavailable
from .meaning import Cue, Meaning
from .settings import COLOURS, GpioSettings

log = logging.getLogger(__name__)

SOUNDS: Final[dict[Cue, tuple[float, float, int]]] = {
    Cue.TURN: (0.02, 0.02, 1),
    Cue.PROMPT: (0.08, 0.08, 2),
    Cue.ALERT: (0.15, 0.1, 3),
    Cue.OVER: (0.6, 0.1, 1),
}
"""Seconds on, seconds off, how often."""

LONG_PRESS_SECONDS: Final = 0.8
"""Seconds for which the button is down in a long press."""

RGB: Final[dict[str, tuple[float, float, float]]] = {
    "red": (1.0, 0.0, 0.0),
    "green": (0.0, 1.0, 0.0),
    "blue": (0.0, 0.0, 1.0),
    "yellow": (1.0, 0.6, 0.0),
}


class GpioBackend:
    """A light for each player's turn (or one RGB light), warning light, buzzer, reserve bars, button."""

    name = "GPIO"

    def __init__(
        self,
        settings: GpioSettings,
        sound: bool = True,
        on_button: Callable[[], None] | None = None,
        on_held: Callable[[], None] | None = None,
    ) -> None:
        """``on_held``: called instead of ``on_button`` when it is held for :data:`LONG_PRESS_SECONDS`.

        Raises :class:`LightsUnavailable` if there are no such pins.
        """
        self._sound = sound
        self._shown: dict[str, str] = {}
        self._parts = ExitStack()
        try:
            with warnings.catch_warnings():
                # gpiozero warns about each pin library that is missing; what counts is whether one worked.
                warnings.simplefilter("ignore")
                self._make(settings, on_button, on_held)
        except _faults() as fault:
            self._parts.close()
            reason = str(fault).strip().splitlines()[0] if str(fault).strip() else type(fault).__name__
            raise LightsUnavailable(
                f"no GPIO lights ({reason}); they need a Raspberry Pi whose pins no other program uses, and "
                "the library lgpio: sudo apt install python3-lgpio, then reinstall this program so that "
                "it sees the library: pipx uninstall focus-companion; pipx install --system-site-packages ."
            ) from fault

    def _make(
        self,
        settings: GpioSettings,
        on_button: Callable[[], None] | None,
        on_held: Callable[[], None] | None,
    ) -> None:
        import gpiozero

        high = settings.active_high
        self._turn: dict[str, Any] = {
            c: self._part(gpiozero.LED(pin, active_high=high)) for c, pin in settings.turn.items()
        }
        self._rgb = self._part(gpiozero.RGBLED(*settings.rgb, active_high=high)) if settings.rgb else None
        self._warning = (
            self._part(gpiozero.LED(settings.warning, active_high=high))
            if settings.warning is not None
            else None
        )
        self._buzzer = self._part(gpiozero.Buzzer(settings.buzzer)) if settings.buzzer is not None else None
        self._bars: dict[str, Any] = {
            colour: self._part(gpiozero.LEDBarGraph(*pins, active_high=high))
            for colour, pins in settings.reserves.items()
            if pins
        }
        if settings.button is not None:
            button = self._part(
                gpiozero.Button(settings.button, bounce_time=0.05, hold_time=LONG_PRESS_SECONDS)
            )
            if on_held is None:
                button.when_pressed = on_button
            else:
                _tell_apart(button, on_button, on_held)

    def _part(self, part: Any) -> Any:
        self._parts.callback(part.close)
        return part

    def present(self, meaning: Meaning, cue: Cue) -> None:
        for colour, light in self._turn.items():
            self._set(f"turn {colour}", light, turn_light(meaning, colour))
        if self._rgb is not None:
            self._set_rgb(meaning)
        if self._warning is not None:
            self._set("warning", self._warning, warning_light(meaning))
        for colour, bar in self._bars.items():
            bar.value = min(meaning.reserves[COLOURS.index(colour)], len(bar)) / len(bar)
        if self._buzzer is not None and self._sound and cue in SOUNDS:
            on, off, times = SOUNDS[cue]
            self._buzzer.beep(on, off, times)

    def _set(self, part: str, light: Any, how: str) -> None:
        if self._shown.get(part) == how:
            return  # or a blink would restart
        self._shown[part] = how
        if how == "blink":
            light.blink(0.25, 0.25)
        elif how == "slow":
            light.blink(1.0, 1.0)
        else:
            light.value = how == "on"

    def _set_rgb(self, meaning: Meaning) -> None:
        colour = meaning.turn if not meaning.over else next(iter(meaning.winners), None)
        how = f"{colour} {turn_light(meaning, colour)}" if colour else "off"
        if self._rgb is None or self._shown.get("rgb") == how:
            return
        self._shown["rgb"] = how
        if colour is None or how.endswith("off"):
            self._rgb.off()
        elif how.endswith("blink"):
            self._rgb.blink(0.25, 0.25, on_color=RGB[colour])
        else:
            self._rgb.color = RGB[colour]

    def tick(self) -> float:
        return 3600.0

    def settled(self) -> bool:
        return True

    def hurry(self) -> None:
        """Pins never block."""

    def close(self) -> None:
        self._parts.close()


def _tell_apart(button: Any, on_button: Callable[[], None] | None, on_held: Callable[[], None]) -> None:
    """A press counts when the button is released; one that was held counts as held only."""
    was_held = False

    def held() -> None:
        nonlocal was_held
        was_held = True
        on_held()

    def released() -> None:
        nonlocal was_held
        if not was_held and on_button is not None:
            on_button()
        was_held = False

    button.when_held, button.when_released = held, released


def turn_light(meaning: Meaning, colour: str) -> str:
    """ "on", "off" or "blink": what the turn light of ``colour`` does."""
    if meaning.over:
        return "blink" if colour in meaning.winners else "off"
    if meaning.camera_lost or colour != meaning.turn:
        return "off"
    # Without lights on the squares, the turn light itself shows that pieces still have to be taken off.
    return "blink" if meaning.take else "on"


def warning_light(meaning: Meaning) -> str:
    """ "on", "off", "blink" or "slow"."""
    if meaning.warning:
        return "on"
    if meaning.camera_lost:
        return "slow"
    return "blink" if meaning.wrong else "off"


def _faults() -> tuple[type[Exception], ...]:
    try:
        import gpiozero
    except ImportError:
        return (ImportError, OSError)
    return (gpiozero.GPIOZeroError, ImportError, OSError)
