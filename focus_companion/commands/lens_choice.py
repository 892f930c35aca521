"""Which lens profile belongs to a camera: the one that is named, else the one that was measured with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from focus_companion.addresses import shown_address
from focus_companion.commands.play_source import lasting

if TYPE_CHECKING:
    from focus_companion.vision.lenses import LensProfile

FOLDER: Final = "lenses"
"""Below the data folder: where measured lenses are kept."""


def camera_name(source: str) -> str:
    """A name for the camera behind ``source`` that lasts: of a device its maker and number, else its address
    without secrets. Files and folders have none."""
    lasts = lasting(source)
    if lasts.startswith("/dev/") or source.isdigit():
        return Path(lasts).name
    if "://" in source or source.startswith("picamera2:"):
        return shown_address(source)
    return ""


def lens_for(lens: str | None, source: str, data: Path) -> LensProfile | None:
    """The lens that was asked for by name or file, else that of the camera, else none.

    Raises:
        LensError: it cannot be read; the message is for people.
    """
    from focus_companion.vision.lenses import lens_of_camera, lens_profile

    if lens is not None:
        return lens_profile(lens, [data / FOLDER])
    return lens_of_camera(camera_name(source), [data / FOLDER])
