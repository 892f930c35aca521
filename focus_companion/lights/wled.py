"""Ready-made LED strips: WLED over the network (its JSON API), or Adalight frames on USB serial."""

from __future__ import annotations

import json
import logging
import time
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any, Final, Protocol

import serial

from .lights import Backend, LightsUnavailable
from .link import UNUSABLE_ERRORS, reason
from .meaning import NOTHING, Cue, Meaning
from .pixels import CYCLE, DARK, PIXELS, TICK, Rgb, dimmed, draw, pixel_names, warning_on
from .settings import WledSettings

log = logging.getLogger(__name__)

WARNING_COLOUR: Final[Rgb] = (255, 60, 0)
TIMEOUT: Final = 1.0
RETRY_SECONDS: Final = 2.0


class Transport(Protocol):
    """Sends all pixels to the strip; raises ``OSError`` on failure."""

    where: str
    period: float

    def send(self, pixels: list[Rgb]) -> None: ...

    def close(self) -> None: ...


class HttpTransport:
    """WLED's ``/json/state``, the pixels of segment 0 one by one."""

    period = 0.26

    def __init__(self, url: str) -> None:
        self.where = url.rstrip("/")

    def send(self, pixels: list[Rgb]) -> None:
        # WLED takes at most 256 colours in one message.
        for first in range(0, len(pixels), 256):
            row: list[Any] = []
            for index, pixel in enumerate(pixels[first : first + 256], first):
                row += [index, bytes(pixel).hex().upper()]
            self._post({"on": True, "bri": 255, "transition": 0, "seg": {"id": 0, "i": row}})

    def _post(self, message: Mapping[str, Any]) -> None:
        request = urllib.request.Request(
            f"{self.where}/json/state",
            data=json.dumps(message, separators=(",", ":")).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                answer.read(4096)
        except (HTTPException, ValueError) as fault:
            # An answer that is cut off or not HTTP, as from a strip that restarts; a name that no host has.
            raise OSError(str(fault) or type(fault).__name__) from fault

    def close(self) -> None:
        """Nothing is kept open."""


class AdalightTransport:
    """Adalight frames: ``Ada``, number of pixels less one (two bytes), their XOR with 0x55, then RGB."""

    period = 0.1

    def __init__(self, path: str, baud: int) -> None:
        self.where = path
        self._baud = baud
        self._port: Any = None

    def send(self, pixels: list[Rgb]) -> None:
        try:
            if self._port is None:
                self._port = serial.Serial(
                    self.where, self._baud, timeout=0, write_timeout=1.0, exclusive=True
                )
            self._port.write(adalight(pixels))
        except UNUSABLE_ERRORS as fault:
            self.close()
            raise OSError(reason(fault)[1]) from fault

    def close(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            port.close()


def adalight(pixels: list[Rgb]) -> bytes:
    """One Adalight frame."""
    high, low = divmod(len(pixels) - 1, 256)
    return (
        b"Ada" + bytes((high, low, high ^ low ^ 0x55)) + bytes(value for pixel in pixels for value in pixel)
    )


class WledBackend:
    """Draws the light board's own patterns on another strip, a few frames a second."""

    name = "WLED"

    def __init__(self, transport: Transport, table: Mapping[str, int], brightness: int) -> None:
        self._transport = transport
        self._brightness = brightness
        self._own = pixel_names()
        self._table = dict(table) or self._own | {"warning": PIXELS}
        unknown = sorted(set(self._table) - set(self._own) - {"warning"})
        if unknown:
            raise LightsUnavailable(
                f'lights.wled.pixels: nothing is called "{unknown[0]}"; write d5, turn red, warning …'
            )
        self._meaning = NOTHING
        self._since = time.monotonic()
        self._last: list[Rgb] | None = None
        self._sent_at = 0.0
        self._retry_at = 0.0
        self._lost = False

    def present(self, meaning: Meaning, cue: Cue) -> None:
        if meaning != self._meaning:
            self._meaning, self._since = meaning, time.monotonic()
        self._last = None

    def tick(self) -> float:
        now = time.monotonic()
        if now < self._retry_at:
            return self._retry_at - now
        pixels = self.picture(int((now - self._since) / TICK) % CYCLE)
        # WLED falls back to its own effects when it receives nothing, so resend after a second.
        if pixels != self._last or now - self._sent_at > 1.0:
            self._send(pixels, now)
        return self._transport.period if not self._lost else RETRY_SECONDS

    def picture(self, phase: int) -> list[Rgb]:
        """The strip's pixels at ``phase``."""
        own = dimmed(draw(self._meaning, phase), self._brightness)
        strip = [DARK] * (max(self._table.values()) + 1)
        for name, index in self._table.items():
            if name != "warning":
                strip[index] = own[self._own[name]]
            elif warning_on(self._meaning, phase):
                strip[index] = dimmed([WARNING_COLOUR], self._brightness)[0]
        return strip

    def hurry(self) -> None:
        """A transport blocks for a second at most."""

    def settled(self) -> bool:
        return self._last is not None

    def close(self) -> None:
        if not self._lost:
            self._send([DARK] * (max(self._table.values()) + 1), time.monotonic())
        self._transport.close()

    def _send(self, pixels: list[Rgb], now: float) -> None:
        try:
            self._transport.send(pixels)
        except OSError as fault:
            self._retry_at, self._last = now + RETRY_SECONDS, None
            if not self._lost:
                self._lost = True
                reason = getattr(fault, "reason", fault)  # what urllib wraps
                why = getattr(reason, "strerror", None) or reason
                where = self._transport.where
                log.warning("Lights: %s does not take light (%s); the game goes on", where, why)
            return
        self._last, self._sent_at = pixels, now
        if self._lost:
            self._lost = False
            log.info("Lights: %s is back", self._transport.where)


def make_wled(settings: WledSettings, brightness: int) -> Backend:
    """The back end that ``settings`` ask for. Raises :class:`LightsUnavailable` for unknown names."""
    transport: Transport = (
        HttpTransport(settings.address) if settings.url else AdalightTransport(settings.port, settings.baud)
    )
    return WledBackend(transport, settings.pixels, brightness)
