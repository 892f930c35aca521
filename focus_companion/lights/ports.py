"""Where a light board may be plugged in."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from serial.tools import list_ports

BY_ID: Final = Path("/dev/serial/by-id")

KNOWN_USB_IDS: Final = frozenset(
    {
        (0x2341, 0x0043),  # Arduino Uno R3
        (0x2341, 0x0001),  # Arduino Uno
        (0x2A03, 0x0043),  # Uno by Arduino SRL
        (0x1A86, 0x7523),  # CH340, on most Nano copies
        (0x0403, 0x6001),  # FTDI FT232R, on the Nano
        (0x10C4, 0xEA60),  # CP2102
    }
)
"""USB (vendor, product) ids of the converters on boards with an ATmega328P. Nothing else is opened unless
configured: opening a port resets many devices, such as a printer in the middle of a job."""


def candidates() -> tuple[str, ...]:
    """Paths at which an Uno or Nano may be, the stable ``by-id`` names where the system has them."""
    found = sorted(port.device for port in list_ports.comports() if (port.vid, port.pid) in KNOWN_USB_IDS)
    return tuple(_stable(path) for path in found)


def plugging(path: str) -> tuple[str, int]:
    """Identifies the device at ``path`` while it stays plugged in: another one of the same name differs."""
    try:
        return path, Path(path).stat().st_ino
    except OSError:
        return path, 0


def _stable(device: str) -> str:
    if BY_ID.is_dir():
        for link in sorted(BY_ID.iterdir()):
            if link.resolve() == Path(device).resolve():
                return str(link)
    return device
