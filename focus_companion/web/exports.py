"""Exports a game to a file in any format; slow formats are made in a child process, one at a time."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from ..formats.errors import FormatError
from ..formats.json_record import read_json, write_json
from ..formats.match import Match
from ..formats.writing import FORMATS, Format, mp4_format, write
from ..game.faults import IllegalMove
from .catalogues import translations
from .child_process import ChildFailed, run_module

Made = TypeVar("Made")

SLOW_FORMATS: Final = frozenset({"gif", "html", "mp4"})
"""Formats that take seconds to make."""

EXPORT_TIMEOUT: Final = 300.0
"""Timeout in seconds for making one of them."""


class ExportFailed(ValueError):
    """The game cannot be written in that format; the text says why. ``lack``: as in :class:`ChildFailed`."""

    def __init__(self, text: str, lack: Literal["", "time", "memory"] = "") -> None:
        super().__init__(text)
        self.lack = lack


class ExportBusy(RuntimeError):
    """Too many slow exports are requested at the same time; try again later."""


_QUEUE: Final = threading.BoundedSemaphore(4)
"""One place for each slow export that is being made or waits for another one."""
_SLOW_LOCK: Final = threading.Lock()
"""Held while a slow export is made."""
_QUEUE_TIMEOUT: Final = 10.0
"""Seconds to wait for the slow exports of others."""


@dataclass(frozen=True)
class Export:
    """A file: its bytes, media type and the suffix of its name."""

    data: bytes
    media_type: str
    suffix: str


def named_format(name: str, language: str) -> Format:
    """The format with a name from :data:`NAMES`, in a language of the page if it contains words."""
    if name == "html":
        # Slow to import, as it includes the review of the game.
        from .story import story_format

        return story_format(language)
    if name == "mp4":
        return film_format(language)
    return FORMATS[name]


def film_format(language: str, progress: Callable[[float], None] | None = None) -> Format:
    """The film in a language of the page; ``progress``: see :func:`formats.mp4.write_mp4`."""
    return mp4_format(translations(language), progress)


def export_games(games: Match, name: str, language: str) -> Export:
    """A game or a match in the format of this name, one of :data:`NAMES`.

    Raises :class:`ExportFailed` if it cannot be written, :class:`ExportBusy` if the server is too busy.
    """
    form = named_format(name, language)
    try:
        if name in SLOW_FORMATS:
            data = _in_turn(lambda: _in_child(games, name, language))
        else:
            data = write(games, form)
    except ChildFailed as error:
        raise ExportFailed(str(error), error.lack) from error
    except (FormatError, IllegalMove) as error:
        raise ExportFailed(str(error)) from error
    return Export(data, form.media_type, form.suffix)


def _in_child(match: Match, name: str, language: str) -> bytes:
    return run_module(__name__, name, language, given=write_json(match).encode(), timeout=EXPORT_TIMEOUT)


def _in_turn(make: Callable[[], Made]) -> Made:
    """The result of ``make``, called when no other slow export is being made. Raises ExportBusy."""
    if not _QUEUE.acquire(blocking=False):
        raise ExportBusy
    try:
        if not _SLOW_LOCK.acquire(timeout=_QUEUE_TIMEOUT):
            raise ExportBusy
        try:
            return make()
        finally:
            _SLOW_LOCK.release()
    finally:
        _QUEUE.release()


def main(name: str, language: str) -> None:
    """Convert a record on standard input to a file on standard output."""
    match = read_json(sys.stdin.buffer.read())
    sys.stdout.buffer.write(write(match, named_format(name, language)))


if __name__ == "__main__":
    main(*sys.argv[1:])
