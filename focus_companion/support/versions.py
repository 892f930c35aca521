"""Versions of the program and of everything that it runs on."""

from __future__ import annotations

import platform
import sqlite3
from typing import Final

from .. import __version__

REQUIRED_LIBRARIES: Final = (
    *("opencv-python-headless", "numpy", "av", "pillow"),
    *("flask", "waitress", "pyserial", "gpiozero", "paho-mqtt"),
)
OPTIONAL_LIBRARIES: Final = ("lgpio", "picamera2")


def versions() -> dict[str, str]:
    """Versions of the program, its installed libraries, Python and the system."""
    # Slow to import, and needed only for a report.
    from importlib.metadata import PackageNotFoundError, version

    found = {
        "focus-companion": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }
    for name in (*REQUIRED_LIBRARIES, *OPTIONAL_LIBRARIES):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found | {"system": platform.platform(), "machine": platform.machine()}
