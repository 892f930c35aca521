"""A game as a file to take away, in any format that ``export`` knows; films one at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from ..formats.errors import FormatError
from ..formats.gif import PillowMissing
from ..formats.match import Match
from ..formats.writing import FORMATS, write
from ..game.faults import IllegalMove

Made = TypeVar("Made")


class ExportFailed(ValueError):
    """The game cannot be written in that format; the text says why."""


class ExportLacking(ExportFailed):
    """The format needs a package that is not installed here; the text says which, and how to get it."""


class ExportBusy(RuntimeError):
    """Too many ask for films at a time; later there will be one."""


_WAITING: Final = threading.BoundedSemaphore(4)
_FILMING: Final = threading.Lock()
_FILM_SECONDS: Final = 10.0
"""How long one may wait for the films of others: each is seconds of work, which the game must not feel."""


@dataclass(frozen=True)
class Export:
    """A file: its bytes, media type and the ending of its name."""

    data: bytes
    media_type: str
    suffix: str


def export_games(games: Match, name: str) -> Export:
    """A game or a match in the format of this name, one of :data:`formats.writing.FORMATS`.

    Raises :class:`ExportFailed` where it cannot be written, :class:`ExportBusy` where it can be only later.
    """

    def written() -> bytes:
        return write(games, name)

    try:
        data = _in_turn(written) if name == "gif" else written()
    except PillowMissing as error:
        raise ExportLacking(str(error)) from error
    except (FormatError, IllegalMove) as error:
        raise ExportFailed(str(error)) from error
    return Export(data, FORMATS[name].media_type, FORMATS[name].suffix)


def _in_turn(make: Callable[[], Made]) -> Made:
    """What ``make`` gives, once nobody else's film is being made. Raises ExportBusy."""
    if not _WAITING.acquire(blocking=False):
        raise ExportBusy
    try:
        if not _FILMING.acquire(timeout=_FILM_SECONDS):
            raise ExportBusy
        try:
            return make()
        finally:
            _FILMING.release()
    finally:
        _WAITING.release()
