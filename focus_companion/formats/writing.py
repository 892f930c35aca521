"""A game or a match in any format by its name: what ``export`` and the page hand out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from gettext import NullTranslations
from typing import Final

from focus_companion.formats.captions import captions
from focus_companion.formats.csv_sheet import write_csv
from focus_companion.formats.errors import FormatError
from focus_companion.formats.json_record import write_json
from focus_companion.formats.match import Match
from focus_companion.formats.sgf_record import write_sgf
from focus_companion.formats.svg import board_svg
from focus_companion.formats.text_sheet import write_text
from focus_companion.formats.walk import PlayedEntry, finished, steps
from focus_companion.game.record import GameRecord
from focus_companion.game.setups import start_position


@dataclass(frozen=True, slots=True)
class Format:
    """A format to write: ``write`` gives the bytes; ``media_type`` and ``suffix`` are for who sends files."""

    write: Callable[[Match], bytes]
    media_type: str
    suffix: str


def _utf8(write: Callable[[Match], str]) -> Callable[[Match], bytes]:
    # A name with half a surrogate pair, which JSON can carry, has no UTF-8: '?' stands for it.
    return lambda match: write(match).encode("utf-8", "replace")


def single(match: Match, name: str) -> GameRecord:
    """The game of a match of one. Raises FormatError, for the format ``name``, where there are several."""
    if len(match.games) != 1:
        raise FormatError(
            f"a match of {len(match.games)} games has no {name}", remedy="export its games one by one"
        )
    return match.games[0]


def last_picture(record: GameRecord) -> str:
    """The SVG of the last position of a game, with the last turn and captions. Raises IllegalMove."""
    position, last = start_position(record.rules), None
    for step in steps(record):
        position, last = step.after, step
    return (
        step_picture(record, last)
        if last
        else board_svg(position.stacks, captions=captions(record, position))
    )


def step_picture(record: GameRecord, step: PlayedEntry) -> str:
    """The SVG of the position after one turn or act."""
    return board_svg(step.after.stacks, captions=captions(record, step.after, step), move=step.move)


def mp4_format(
    texts: NullTranslations | None = None, progress: Callable[[float], None] | None = None
) -> Format:
    """The film with the words of a language, telling how far it is; see :func:`formats.mp4.write_mp4`."""

    def film(match: Match) -> bytes:
        # Not before it is needed: with it come numpy, Pillow and the encoders.
        from focus_companion.formats.mp4 import write_mp4

        return write_mp4(single(match, "mp4"), texts=texts, progress=progress)

    return Format(film, "video/mp4", "mp4")


def _gif(match: Match) -> bytes:
    from focus_companion.formats.gif import write_gif

    return write_gif(single(match, "gif"))


FORMATS: Final[dict[str, Format]] = {
    "json": Format(_utf8(write_json), "application/json", "json"),
    "sgf": Format(_utf8(write_sgf), "application/x-go-sgf", "sgf"),
    "text": Format(_utf8(write_text), "text/plain; charset=utf-8", "txt"),
    "csv": Format(_utf8(write_csv), "text/csv; charset=utf-8", "csv"),
    "svg": Format(lambda match: last_picture(single(match, "svg")).encode("utf-8"), "image/svg+xml", "svg"),
    "gif": Format(_gif, "image/gif", "gif"),
    "mp4": mp4_format(),
}
"""The formats by name."""

OF_ONE_GAME: Final = ("svg", "gif", "html", "mp4")
"""Those that show one game and no match."""

NAMES: Final = (*(name for name in FORMATS if name != "mp4"), "html", "mp4")
"""What a game can be written as: the formats, and the page of a game, which `web.story` makes."""


def write(match: Match, form: str | Format) -> bytes:
    """The file of a game or match in a format, or in the one of that name in :data:`FORMATS`.

    The games are replayed first, and carry the result that their turns lead to.

    Raises:
        IllegalMove: a game holds an illegal move; its text names the ply.
        FormatError: the format cannot show it (a match as a picture).
        KeyError: no such format.
    """
    games = tuple(finished(game) for game in match.games)
    return (FORMATS[form] if isinstance(form, str) else form).write(replace(match, games=games))
