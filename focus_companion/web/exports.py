"""A game as a file to take away, in any format that ``export`` knows."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from ..formats.captions import captions
from ..formats.csv_sheet import write_csv
from ..formats.errors import FormatError
from ..formats.json_record import write_json
from ..formats.match import Match
from ..formats.sgf_record import write_sgf
from ..formats.svg import board_svg
from ..formats.text_sheet import write_text
from ..formats.walk import steps
from ..game.record import GameRecord
from ..game.setups import start_position


class ExportFailed(ValueError):
    """The game cannot be written in that format; the text says why."""


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


def _picture(record: GameRecord) -> str:
    newest = deque(steps(record), maxlen=1)
    last = newest[0] if newest else None
    position = last.after if last else start_position(record.rules)
    move = last.move if last else None
    return board_svg(position.stacks, captions=captions(record, position, last), move=move)


def _animation(record: GameRecord) -> bytes:
    # Loaded here: Pillow is an extra, and only this format needs it.
    from ..formats.gif import write_gif

    if not _WAITING.acquire(blocking=False):
        raise ExportBusy
    try:
        if not _FILMING.acquire(timeout=_FILM_SECONDS):
            raise ExportBusy
        try:
            return write_gif(record)
        finally:
            _FILMING.release()
    finally:
        _WAITING.release()


_Writer = Callable[[GameRecord], str | bytes]
FORMATS: Final[Mapping[str, tuple[_Writer, str, str]]] = {
    "json": (lambda record: write_json(Match((record,), single=True)), "application/json", "json"),
    "sgf": (lambda record: write_sgf(Match((record,), single=True)), "application/x-go-sgf", "sgf"),
    "text": (lambda record: write_text(Match((record,), single=True)), "text/plain; charset=utf-8", "txt"),
    "csv": (lambda record: write_csv(Match((record,), single=True)), "text/csv; charset=utf-8", "csv"),
    "svg": (_picture, "image/svg+xml", "svg"),
    "gif": (_animation, "image/gif", "gif"),
}
"""Writer, media type and suffix, by the name of the format."""


def export_record(record: GameRecord, name: str) -> Export:
    """A game in the format of this name, one of :data:`FORMATS`.

    Raises :class:`ExportFailed` where it cannot be written, :class:`ExportBusy` where it can be only later.
    """
    write, media_type, suffix = FORMATS[name]
    try:
        data = write(record)
    except (FormatError, ImportError) as error:
        raise ExportFailed(str(error)) from error
    return Export(data.encode() if isinstance(data, str) else data, media_type, suffix)
