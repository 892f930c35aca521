"""What the lights are, where they are attached, and how bright they may be.

Nothing here touches a device. :meth:`LightSettings.from_mapping` reads ``[lights]`` of a settings file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

COLOURS: Final = ("red", "green", "blue", "yellow")
"""The players' colours, in the order that every back end and the wire protocol use."""

BACKENDS: Final = ("auto", "none", "gpio", "serial", "wled")

_MAX_BAUD: Final = 4_000_000
"""The highest speed of serial ports on Linux, in bits per second."""

MAX_PIXEL: Final = 0xFFFF
"""The highest number of a pixel; an Adalight frame gives the number of pixels less one in two bytes."""


class LightSettingsError(ValueError):
    """An invalid light setting: the message names the key, its value and the values it may have."""


@dataclass(frozen=True)
class GpioSettings:
    """Parts on the pins of a Raspberry Pi, by BCM number; ``None`` or ``()`` if a part is absent."""

    turn: Mapping[str, int] = field(
        default_factory=lambda: {"red": 17, "green": 27, "blue": 22, "yellow": 23}
    )
    rgb: tuple[int, ...] = ()
    """Pins (red, green, blue) of one RGB LED that glows in the colour of the player to move."""
    warning: int | None = 24
    buzzer: int | None = 25
    button: int | None = None
    reserves: Mapping[str, tuple[int, ...]] = field(
        default_factory=lambda: {"red": (5, 6, 13, 19), "green": (12, 16, 20, 21)}
    )
    active_high: bool = True


@dataclass(frozen=True)
class SerialSettings:
    """The light board with our firmware. An empty ``port`` means: search for it."""

    port: str = ""
    ack_timeout: float = 0.25
    """Seconds to wait for an acknowledgement before resending the frame."""
    greeting_timeout: float = 4.0
    """Seconds that a board may need to answer after the port was opened (an Uno sits in its bootloader)."""


@dataclass(frozen=True)
class WledSettings:
    """An LED strip driven by WLED: over HTTP (``url``) or as Adalight frames on a serial ``port``."""

    url: str = ""
    port: str = ""
    baud: int = 115200
    pixels: Mapping[str, int] = field(default_factory=dict)
    """Pixel by name: ``d5``, ``turn red``, ``reserve red 1`` … ``reserve red 6``, ``warning``.

    Empty: the order of our own chain (see docs/lights.md), the warning on the pixel after its last.
    """

    @property
    def address(self) -> str:
        """The ``url`` with its scheme, which may be left out."""
        return self.url if "://" in self.url else f"http://{self.url}"


SET_UPS: Final = ("all", "next")
"""What of a board being set up may be lit."""


@dataclass(frozen=True)
class LightSettings:
    """Which lights to use. ``auto`` uses what is configured, and a light board if one is plugged in."""

    backends: tuple[str, ...] = ("auto",)
    brightness: int = 96
    """Of all pixels, 0…255."""
    sound: bool = True
    set_up: str = "all"
    """What of a board being set up is lit: "all" squares that are not right yet, or the "next" one alone."""
    gpio: GpioSettings | None = None
    serial: SerialSettings | None = None
    wled: WledSettings | None = None

    def __post_init__(self) -> None:
        for name in self.backends:
            if name not in BACKENDS:
                raise LightSettingsError(f'lights.backends: "{name}" is not one of {", ".join(BACKENDS)}')
        if self.set_up not in SET_UPS:
            raise LightSettingsError(f'lights.set_up: "{self.set_up}" is not one of {", ".join(SET_UPS)}')
        if not 0 <= self.brightness <= 255:
            raise LightSettingsError(f"lights.brightness: {self.brightness} is not in 0 … 255")
        if "wled" in self.backends and self.wled is None:
            raise LightSettingsError(
                'lights.backends: "wled" needs a table [lights.wled] with its url or port'
            )

    @classmethod
    def from_mapping(cls, table: Mapping[str, Any]) -> LightSettings:
        """Settings from the ``[lights]`` table of a settings file.

        Raises :class:`LightSettingsError` for an unknown key or a value of the wrong kind.
        """
        _known("lights", table, ("backends", "brightness", "sound", "set_up", "gpio", "serial", "wled"))
        default = cls()
        names = table.get("backends", default.backends)
        if isinstance(names, str):
            names = [names]
        if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
            raise LightSettingsError(f"lights.backends: {names!r} is not a list of names")
        return cls(
            backends=tuple(names),
            brightness=_whole("lights.brightness", table.get("brightness", default.brightness)),
            sound=_switch("lights.sound", table.get("sound", default.sound)),
            set_up=_text("lights.set_up", table.get("set_up", default.set_up)),
            gpio=_gpio(_table("lights.gpio", table["gpio"])) if "gpio" in table else None,
            serial=_serial(_table("lights.serial", table["serial"])) if "serial" in table else None,
            wled=_wled(_table("lights.wled", table["wled"])) if "wled" in table else None,
        )


def _gpio(table: Mapping[str, Any]) -> GpioSettings:
    _known("lights.gpio", table, ("turn", "rgb", "warning", "buzzer", "button", "reserves", "active_high"))
    default = GpioSettings()
    turn, reserves = default.turn, default.reserves
    if "turn" in table:
        turn = {
            _colour("lights.gpio.turn", name): _whole(f"lights.gpio.turn.{name}", pin)
            for name, pin in _table("lights.gpio.turn", table["turn"]).items()
        }
    if "reserves" in table:
        reserves = {
            _colour("lights.gpio.reserves", name): _pins(f"lights.gpio.reserves.{name}", pins)
            for name, pins in _table("lights.gpio.reserves", table["reserves"]).items()
        }
    rgb = _pins("lights.gpio.rgb", table.get("rgb", default.rgb))
    if len(rgb) not in (0, 3):
        raise LightSettingsError(f"lights.gpio.rgb: an RGB LED has 3 pins, not {len(rgb)}")
    settings = GpioSettings(
        turn=turn,
        rgb=rgb,
        warning=_pin("lights.gpio.warning", table.get("warning", default.warning)),
        buzzer=_pin("lights.gpio.buzzer", table.get("buzzer", default.buzzer)),
        button=_pin("lights.gpio.button", table.get("button", default.button)),
        reserves=reserves,
        active_high=_switch("lights.gpio.active_high", table.get("active_high", default.active_high)),
    )
    _each_once("lights.gpio", "pin", _pins_in_use(settings))
    return settings


def _pins_in_use(settings: GpioSettings) -> Iterator[tuple[str, int]]:
    """Every pin with the name of its part."""
    yield from ((f"turn {colour}", pin) for colour, pin in settings.turn.items())
    yield from (("rgb", pin) for pin in settings.rgb)
    for name in ("warning", "buzzer", "button"):
        pin = getattr(settings, name)
        if pin is not None:
            yield name, pin
    yield from ((f"reserves {colour}", pin) for colour, pins in settings.reserves.items() for pin in pins)


def _serial(table: Mapping[str, Any]) -> SerialSettings:
    _known("lights.serial", table, ("port", "ack_timeout", "greeting_timeout"))
    default = SerialSettings()
    return SerialSettings(
        port=_text("lights.serial.port", table.get("port", default.port)),
        ack_timeout=_seconds("lights.serial.ack_timeout", table.get("ack_timeout", default.ack_timeout)),
        greeting_timeout=_seconds(
            "lights.serial.greeting_timeout", table.get("greeting_timeout", default.greeting_timeout)
        ),
    )


def _wled(table: Mapping[str, Any]) -> WledSettings:
    _known("lights.wled", table, ("url", "port", "baud", "pixels"))
    default = WledSettings()
    pixels = {
        str(name): _whole(f"lights.wled.pixels.{name}", index)
        for name, index in _table("lights.wled.pixels", table.get("pixels", {})).items()
    }
    settings = WledSettings(
        url=_text("lights.wled.url", table.get("url", default.url)),
        port=_text("lights.wled.port", table.get("port", default.port)),
        baud=_whole("lights.wled.baud", table.get("baud", default.baud)),
        pixels=pixels,
    )
    if bool(settings.url) == bool(settings.port):
        raise LightSettingsError(
            'lights.wled: give either "url" (over the network) or "port" (USB)'
            + (", not both" if settings.url else "")
        )
    if settings.url and not _is_web_address(settings.address):
        raise LightSettingsError(
            f'lights.wled.url: "{settings.url}" is not an address like http://strip.local'
        )
    if not 1 <= settings.baud <= _MAX_BAUD:
        raise LightSettingsError(f"lights.wled.baud: {settings.baud} is not in 1 … {_MAX_BAUD}")
    if settings.pixels and max(settings.pixels.values()) > MAX_PIXEL:
        name, index = max(settings.pixels.items(), key=lambda item: item[1])
        raise LightSettingsError(f"lights.wled.pixels.{name}: {index} is not in 0 … {MAX_PIXEL}")
    _each_once("lights.wled.pixels", "pixel", settings.pixels.items())
    return settings


def _is_web_address(text: str) -> bool:
    if " " in text or not text.isprintable():
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _each_once(where: str, kind: str, uses: Iterable[tuple[str, int]]) -> None:
    """Refuse two uses of one pixel or pin: one of them would show what belongs to the other."""
    user: dict[int, str] = {}
    for name, number in uses:
        if number in user:
            raise LightSettingsError(f"{where}: {user[number]} and {name} both have {kind} {number}")
        user[number] = name


def _known(where: str, table: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    for key in table:
        if key not in keys:
            raise LightSettingsError(f'{where}: unknown key "{key}"; the keys are {", ".join(keys)}')


def _table(where: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise LightSettingsError(f"{where}: {value!r} is not a table")
    return value


def _whole(where: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise LightSettingsError(f"{where}: {value!r} is not a whole number of 0 or more")
    return value


def _pin(where: str, value: Any) -> int | None:
    # TOML has no null: false says that the part is absent.
    return None if value is None or value is False else _whole(where, value)


def _pins(where: str, value: Any) -> tuple[int, ...]:
    if not isinstance(value, list | tuple):
        raise LightSettingsError(f"{where}: {value!r} is not a list of pins")
    return tuple(_whole(where, pin) for pin in value)


def _switch(where: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise LightSettingsError(f"{where}: {value!r} is neither true nor false")
    return value


def _text(where: str, value: Any) -> str:
    if not isinstance(value, str):
        raise LightSettingsError(f"{where}: {value!r} is not a text")
    return value


def _seconds(where: str, value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < 3600:
        raise LightSettingsError(f"{where}: {value!r} is not a number of seconds")
    return float(value)


def _colour(where: str, name: str) -> str:
    if name not in COLOURS:
        raise LightSettingsError(f'{where}: "{name}" is not one of {", ".join(COLOURS)}')
    return name
