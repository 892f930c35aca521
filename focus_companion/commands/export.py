"""``focus-companion export``: writes a recorded game in any format."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

import click

from focus_companion.commands.shared.console import BadInput, NegativeResult
from focus_companion.commands.shared.sources import load, refuse_source
from focus_companion.formats.writing import FORMATS, NAMES, Format, write
from focus_companion.game.faults import IllegalMove
from focus_companion.game.record import GameRecord
from focus_companion.web.catalogues import LANGUAGES

BINARY_FORMATS: Final = frozenset({"gif", "mp4"})


@click.command("export")
@click.argument("game")
@click.option("--format", "name", type=click.Choice(NAMES), required=True, help="What to write.")
@click.option("--output", metavar="FILE", help="Where to write it; without it, to standard output.")
@click.option(
    "--language",
    type=click.Choice(list(LANGUAGES)),
    default="en",
    help="Language of the words in html and mp4.",
)
@click.option("--no-swings", is_flag=True, help="html without what every turn won and lost: quicker to make.")
@click.option(
    "--tape",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="html with what the camera saw at every turn, from the tape of the game: it shows the room, too.",
)
@click.option("--data", metavar="DIR", help="Folder of the journal, for a game's number or last.")
@click.option("--match", "whole", is_flag=True, help="The whole match that a game of the journal belongs to.")
def command(
    game: str,
    name: str,
    output: str | None,
    language: str,
    no_swings: bool,
    tape: Path | None,
    data: str | None,
    whole: bool,
) -> None:
    """Write GAME (a record file, a number of the journal, or last) in another format.

    svg is the last position; gif and mp4 are the replay as a film; html is the replay as one file that any
    browser opens, even without a network.
    """
    refuse_source(output, game, "--output")
    to_terminal = output in (None, "-") and sys.stdout.isatty()
    if to_terminal and name in BINARY_FORMATS:
        raise BadInput(f"{name} is a binary format; give --output FILE")
    if name != "html" and (no_swings or tape is not None):
        raise BadInput("--no-swings and --tape are for --format html alone; leave them out")
    try:
        with _progress(name) as show:
            content = write(load(game, data, match=whole), _format(name, language, not no_swings, tape, show))
    except IllegalMove as error:
        raise NegativeResult(f"{game}: {error}") from None
    if output is not None and output != "-":
        write_atomically(Path(output), content)
        return
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _format(
    name: str, language: str, swings: bool, tape: Path | None, progress: Callable[[float], None] | None
) -> Format:
    # Imported here, because these import the web server and numpy.
    if name == "html":
        from focus_companion.web.story import story_format

        return story_format(language, swings=swings, stills=partial(_stills, tape) if tape else None)
    if name == "mp4":
        from focus_companion.web.exports import film_format

        return film_format(language, progress)
    return FORMATS[name]


def _stills(tape: Path, record: GameRecord) -> dict[int, bytes]:
    from focus_companion.storage.tape.stills import stills
    from focus_companion.storage.tape.tape import TapeError
    from focus_companion.vision.capture.frames import FrameError

    try:
        return stills(tape, record)
    except (TapeError, FrameError) as error:
        raise BadInput(f"--tape {error}") from None


@contextmanager
def _progress(name: str) -> Iterator[Callable[[float], None] | None]:
    """Shows the progress of a film on a terminal."""
    if name != "mp4" or not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=100, label="Film", file=sys.stderr) as bar:
        yield lambda share: bar.update(round(100 * share) - bar.pos)


def write_atomically(path: Path, content: bytes, option: str = "--output") -> None:
    """Write a file atomically: ``path`` is either the old or the new file, never half of it.

    ``option``: the one that named it.

    Raises:
        BadInput: it cannot be written; says why.
    """
    temporary: str | None = None
    try:
        if path.exists() and not path.is_file():  # a device or a pipe: nothing to replace
            with path.open("wb") as stream:
                stream.write(content)
            return
        place = path.resolve()  # a link stays, and the file is where it leads
        handle, temporary = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name[:32]}.", suffix=".part")
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~_umask())
        Path(temporary).replace(place)
    except (OSError, ValueError) as error:
        if temporary is not None:
            with suppress(FileNotFoundError):
                Path(temporary).unlink()
        why = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"{option} {path}: {why}; choose a place that can be written") from None


def _umask() -> int:
    """The user's umask, which the system only reveals when it is set."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
