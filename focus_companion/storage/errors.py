"""The errors of the journal, worded for people, and its counts of games and events."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path
from typing import Final

from ..session.ports import JournalUnusable

RESCUED_BY: Final = "focus-companion play, started on it, rescues what is whole and keeps the damaged file"
"""What to do about damage."""


def count(number: int, what: str) -> str:
    """``1 game``, ``2 games``."""
    return f"{number} {what}{'' if number == 1 else 's'}"


class JournalError(JournalUnusable):
    """The journal cannot be used: the text says what, where, and what to do. Nothing committed is lost."""


class JournalBusy(JournalError):
    """Another process holds the journal."""


class JournalDamaged(JournalError):
    """The journal at ``path`` is damaged: ``what`` is wrong with it. Its intact part can be rescued."""

    def __init__(self, path: Path, what: str, remedy: str = RESCUED_BY) -> None:
        self.what = what
        super().__init__(f"{path} is damaged ({what}); {remedy}", "damaged", str(path))


class JournalForeign(JournalError):
    """The file belongs to another program, or to a newer version of this one, so we must not write to it."""


_BY_DAMAGE: Final = (
    "Could not decode to UTF-8",
    "no such column",
    "no such table",
    "unsupported file format",
)
"""Errors without a code of their own; our own, fixed statements raise them only on a damaged file."""

_MAX_SHOWN_LENGTH: Final = 60
"""Characters of such an error that are shown."""


def as_journal_error(
    error: sqlite3.Error | OSError, path: Path, instead: str = "another --data folder"
) -> JournalError:
    """The error of the database or the file system, worded as a sentence about the journal at ``path``;
    ``instead``: what people may give if it cannot be used.
    """
    if isinstance(error, JournalError):
        return error
    if isinstance(error, OSError):
        return _of_the_system(error, path, instead)
    file = str(path)
    # The extended code's low byte is the kind of error.
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_FULL:
            return JournalError(f"the disk that holds {path} is full; free some space", "full", file)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            text = f"{path} may not be written; make it writable or give {instead}"
            return JournalError(text, "not_writable", file)
        case sqlite3.SQLITE_CANTOPEN:
            text = f"{path} cannot be opened; check that file and folder are there and yours"
            return JournalError(text, "not_there", file)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return JournalBusy(f"{path} is held by another program; close that one first", "busy", file)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return JournalDamaged(path, str(error))
        case _ if any(words in str(error) for words in _BY_DAMAGE):
            # Shortened: such an error quotes the whole text.
            return JournalDamaged(path, " ".join(str(error).split())[:_MAX_SHOWN_LENGTH])
        case sqlite3.SQLITE_IOERR:
            text = f"the disk that holds {path} fails ({error}); check it, or give {instead}"
            return JournalError(text, "fails", file)
        case _:
            return JournalError(f"{path} cannot be used ({error})")


def _of_the_system(error: OSError, path: Path, instead: str) -> JournalError:
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            kind, text = "full", f"the disk that holds {path} is full; free some space, or give {instead}"
        case errno.EROFS:
            kind, text = "not_writable", f"{path} is on a read-only disk; make it writable or give {instead}"
        case errno.EACCES | errno.EPERM:
            kind = "not_writable"
            text = f"{path} may not be used by this user; make it writable or give {instead}"
        case errno.EIO:
            kind, text = "fails", f"the disk that holds {path} fails; check it, or give {instead}"
        case _:
            kind = ""
            text = f"{path} cannot be used ({error.strerror or error}); free it or give {instead}"
    return JournalError(text, kind, str(path))
