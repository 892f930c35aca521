"""What can go wrong with the journal, told to people."""

from __future__ import annotations

import sqlite3
from pathlib import Path


class JournalError(OSError):
    """The journal cannot be used: the text says what, where, and what to do. Nothing committed is lost."""


class JournalBusy(JournalError):
    """Another process holds the journal."""


class JournalDamaged(JournalError):
    """The file is no sound journal."""


def told(error: sqlite3.Error | OSError, path: Path) -> JournalError:
    """The error of the database or the file system as a sentence about the journal at ``path``."""
    if isinstance(error, JournalError):
        return error
    if isinstance(error, OSError):
        return JournalError(
            f"{path} cannot be used ({error.strerror or error}); free it or give another --data folder"
        )
    # The extended code's low byte is the kind of error.
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_FULL:
            return JournalError(f"the disk that holds {path} is full; free some space, the game then goes on")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return JournalError(f"{path} may not be written; make it writable or give another --data folder")
        case sqlite3.SQLITE_CANTOPEN:
            return JournalError(f"{path} cannot be opened; check that its folder is there and yours")
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return JournalBusy(f"{path} is held by another program; close that one first")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return JournalDamaged(f"{path} is damaged ({error}); it is left as it is")
        case sqlite3.SQLITE_IOERR:
            return JournalError(
                f"the disk that holds {path} fails ({error}); check it, or give another --data folder"
            )
        case _:
            return JournalError(f"{path} cannot be used ({error})")
