"""``focus-companion export``: a recorded game in any format."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import click

from focus_companion.commands.shared.console import BadInput, NotSo
from focus_companion.commands.shared.sources import load
from focus_companion.formats.writing import FORMATS, write
from focus_companion.game.faults import IllegalMove


@click.command("export")
@click.argument("game")
@click.option("--format", "name", type=click.Choice(list(FORMATS)), required=True, help="What to write.")
@click.option("--output", metavar="FILE", help="Where to write it; without it, to standard output.")
@click.option("--data", metavar="DIR", help="Folder of the journal, for a game's number or last.")
@click.option("--match", "whole", is_flag=True, help="Of a game of the journal, the whole match.")
def command(game: str, name: str, output: str | None, data: str | None, whole: bool) -> None:
    """Write GAME (a record file, a number of the journal, or last) in another format.

    svg is the last position, gif the replay (it needs the extra [gif]).
    """
    try:
        content = write(load(game, data, match=whole), name)
    except IllegalMove as error:
        raise NotSo(f"{game}: {error}") from None
    if output is not None and output != "-":
        write_atomically(Path(output), content)
        return
    if name == "gif" and sys.stdout.isatty():
        raise BadInput("a GIF is no text for a terminal; give --output FILE")
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that there is the old one or the new one at ``path``, never half of it.

    Raises:
        BadInput: it cannot be written; says why.
    """
    temporary: str | None = None
    try:
        if path.exists() and not path.is_file():  # a device or a pipe: nothing to replace
            with path.open("wb") as stream:
                stream.write(content)
            return
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:32]}.", suffix=".part")
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        Path(temporary).replace(path)
    except (OSError, ValueError) as error:
        if temporary is not None:
            with suppress(FileNotFoundError):
                Path(temporary).unlink()
        why = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"--output {path}: {why}; choose a place that can be written") from None


def _umask() -> int:
    """The rights that new files of this user do not get; the system tells it only when it is set."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
