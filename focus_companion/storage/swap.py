"""Putting another file in the journal's place, so that at every moment either of them is whole and in reach.

The new file first lies beside the journal under a name that tells what is to be done. Then the old files move
aside, then it takes their place. Whoever is interrupted goes on at the next start.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

FILE: Final = "journal.sqlite"
PART: Final = "journal.part"
"""A file that is being made; nothing of worth is in it before it is renamed."""

HELPERS: Final = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a file; the file's name comes before each."""

_NEXT: Final = "journal.next-"


def log_of(path: Path) -> Path:
    """Where SQLite keeps the newest changes to ``path``."""
    return path.with_name(f"{path.name}-wal")


def stamp() -> str:
    """The time as names of files tell it."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")


def free_name(folder: Path, word: str, moment: str) -> Path:
    """A name for a file that is kept aside because it is ``word``; taken by no file yet."""
    number, path = 1, folder / f"journal.{word}-{moment}.sqlite"
    while any(path.with_name(path.name + helper).exists() for helper in ("", *HELPERS)):
        number += 1
        path = folder / f"journal.{word}-{moment}-{number}.sqlite"
    return path


@contextmanager
def fresh(part: Path) -> Iterator[Path]:
    """An empty file to make something in, for its owner alone; if it is still there at the end, it goes."""
    remove(part)
    try:
        os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        yield part
    finally:
        remove(part)


def remove(path: Path) -> None:
    """Delete a database with its helper files, if they are there."""
    for helper in ("", *HELPERS):
        path.with_name(f"{path.name}{helper}").unlink(missing_ok=True)


def put_in_place(part: Path, word: str) -> Path | None:
    """Make ``part``, complete and closed, its folder's journal. Returns where the old one is kept."""
    sync(part)
    aside = free_name(part.parent, word, stamp())
    part.rename(part.with_name(f"{_NEXT}{aside.name.removeprefix('journal.')}"))
    sync(part.parent)
    return finish(part.parent)


def publish(part: Path, path: Path) -> None:
    """Give ``part``, which is complete and closed, its name; a file of that name is replaced."""
    sync(part)
    part.replace(path)
    sync(path.parent)


def finish(folder: Path) -> Path | None:
    """Do what an interrupted :func:`put_in_place` left undone. Returns where the old journal is kept;
    ``None`` if there was none, or nothing to be done.

    Only for who holds the lock.
    """
    pending = sorted(folder.glob(f"{_NEXT}*.sqlite"))
    if not pending:
        return None
    new, journal = pending[0], folder / FILE
    aside = folder / f"journal.{new.name.removeprefix(_NEXT)}"
    for helper in ("", *HELPERS):
        with suppress(FileNotFoundError):
            (folder / f"{FILE}{helper}").rename(folder / f"{aside.name}{helper}")
    # On the disk before the new one is there: an old log beside it would be taken for its own.
    sync(folder)
    new.rename(journal)
    sync(folder)
    return aside if aside.exists() else None


def sync(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
