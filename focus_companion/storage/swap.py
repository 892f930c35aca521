"""Replaces the journal by another file, so that at every moment one of them is complete and in reach.

The new file is first put beside the journal under a name that says what to do. Then the old files are moved
aside, then it takes their place. If this is interrupted, the next start completes it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from .. import private_files

FILE_NAME: Final = "journal.sqlite"
PART_NAME: Final = "journal.part"
"""A file under construction; it can be discarded until it is renamed."""

HELPER_SUFFIXES: Final = ("-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite keeps beside a database."""

_NEXT: Final = "journal.next-"


def log_of(path: Path) -> Path:
    """Where SQLite keeps the newest changes to ``path``."""
    return path.with_name(f"{path.name}-wal")


def stamp() -> str:
    """The time, for file names."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")


def free_name(folder: Path, word: str, moment: str) -> Path:
    """An unused name for a file that is kept aside because it is ``word``."""
    number, path = 1, folder / f"journal.{word}-{moment}.sqlite"
    while any(path.with_name(path.name + helper).exists() for helper in ("", *HELPER_SUFFIXES)):
        number += 1
        path = folder / f"journal.{word}-{moment}-{number}.sqlite"
    return path


@contextmanager
def fresh(part: Path) -> Iterator[Path]:
    """An empty file to build something in, readable only by its owner; deleted at the end if still there."""
    remove(part)
    try:
        os.close(private_files.create(part))
        yield part
    finally:
        remove(part)


def remove(path: Path) -> None:
    """Delete a database with its helper files, if they exist."""
    for helper in ("", *HELPER_SUFFIXES):
        path.with_name(f"{path.name}{helper}").unlink(missing_ok=True)


def put_in_place(part: Path, word: str) -> Path | None:
    """Make ``part``, complete and closed, the journal of its folder. Returns where the old one is kept."""
    sync(part)
    aside = free_name(part.parent, word, stamp())
    part.rename(part.with_name(f"{_NEXT}{aside.name.removeprefix('journal.')}"))
    sync(part.parent)
    return finish(part.parent)


def publish(part: Path, path: Path) -> None:
    """Rename ``part``, which is complete and closed, replacing any file of that name."""
    sync(part)
    part.replace(path)
    sync(path.parent)


def finish(folder: Path) -> Path | None:
    """Complete an interrupted :func:`put_in_place`. Returns where the old journal is kept; ``None`` if there
    was none, or nothing to do.

    The caller must hold the lock.
    """
    pending = sorted(folder.glob(f"{_NEXT}*.sqlite"))
    if not pending:
        return None
    new, journal = pending[0], folder / FILE_NAME
    aside = folder / f"journal.{new.name.removeprefix(_NEXT)}"
    for helper in ("", *HELPER_SUFFIXES):
        with suppress(FileNotFoundError):
            (folder / f"{FILE_NAME}{helper}").rename(folder / f"{aside.name}{helper}")
    # Synced before the new file is there: an old log beside it would be taken for its own.
    sync(folder)
    new.rename(journal)
    sync(folder)
    return aside if aside.exists() else None


def sync(path: Path) -> None:
    """Sync a file, or the names in a folder, to the disk."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
