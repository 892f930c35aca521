"""Chooses lens and board profiles: the named ones, else the camera's measured lens and the plastic sets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from focus_companion.addresses import shown_address
from focus_companion.commands.shared.play_source import stable_name

if TYPE_CHECKING:
    from focus_companion.vision.geometry.lens_profiles import LensProfile
    from focus_companion.vision.geometry.scene import BoardProfile

Command = TypeVar("Command", bound=Callable[..., Any])

LENS_FOLDER: Final = "lenses"
"""Folder of measured lenses, below the data folder."""


def camera_name(source: str) -> str:
    """A permanent name for the camera behind ``source``: a device's maker and number, else its address
    without secrets. Files and folders have none."""
    lasts = stable_name(source)
    if lasts.startswith("/dev/") or source.isdigit():
        return Path(lasts).name
    if "://" in source or source.startswith("picamera2:"):
        return shown_address(source)
    return ""


def lens_for(lens: str | None, source: str, data: Path) -> LensProfile | None:
    """The lens profile given by name or file, else that of the camera, else none.

    Raises:
        LensError: it cannot be read; the message is for people.
    """
    from focus_companion.vision.geometry.lens_profiles import lens_of_camera, lens_profile

    if lens is not None:
        return lens_profile(lens, [data / LENS_FOLDER])
    return lens_of_camera(camera_name(source), [data / LENS_FOLDER])


def boards_for(board: str | None) -> tuple[BoardProfile, ...] | None:
    """The board profile given by name or file; ``None``: the default ones are to be tried.

    Raises:
        ProfileError: it cannot be read; the message is for people.
    """
    from focus_companion.vision.geometry.board_profiles import board_profile

    return None if board is None else (board_profile(board),)


def table_options(command: Command) -> Command:
    """Adds ``--lens`` and ``--board`` to a command."""
    for option in (
        click.option(
            "--board",
            metavar="NAME|FILE",
            help="Profile of your set (calibration/boards; default: the plastic sets are tried).",
        ),
        click.option(
            "--lens",
            metavar="NAME|FILE",
            help="Profile of the lens (default: the one that calibrate wrote for the camera, if any).",
        ),
    ):
        command = option(command)
    return command
