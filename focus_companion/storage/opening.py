"""Opening the journal's file: only a sound file is ever written to."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from . import pages, schema, seals, swap
from .errors import JournalDamaged, JournalError, as_journal_error
from .rebuilding import head_holds, replay
from .rescue import Rescued, rescue

LOG_GONE: Final = (
    "{path}-wal is gone although the program had no time to put its content into the journal: "
    "the newest turns may be missing"
)

_CHECK_TIMEOUT: Final = 1.0
"""Seconds for each of the two checks of the whole file, so that a journal of many years still opens quickly.
The newest games are checked first.
"""

_STEPS_PER_CLOCK_CHECK: Final = 20_000
"""SQLite's virtual machine steps between two checks of the clock."""


def for_writing(path: Path) -> tuple[sqlite3.Connection, list[str], Rescued | None]:
    """Open the journal at ``path``: created if missing, migrated if old, rescued if damaged.

    The caller must hold the lock. Returns the connection, notices for people, and what was rescued.

    Raises:
        JournalError, sqlite3.Error, OSError: it cannot be used, and is unchanged.
    """
    notices, rescued = [], None
    if (kept := swap.finish(path.parent)) is not None:
        notices.append(
            f"A change of the journal that had been cut off is done; the old one is kept as {kept}"
        )
    # We create it with these permissions before SQLite does; its helper files inherit them.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    try:
        found = _probe(path)
    except JournalDamaged as error:
        rescued = rescue(path, error.what)
        notices.append(str(rescued))
        found = _probe(path)
    if 0 < found < len(schema.MIGRATIONS):
        notices.append(f"The journal has a new format; the old one is kept as {_keep_copy(path, found)}")
    return _open(path), notices, rescued


def for_reading(path: Path) -> sqlite3.Connection | None:
    """``None`` for a file that its writer has just created and not filled yet."""
    # Where nothing can be written, SQLite cannot create its helper files.
    database = connect(path, "ro") if os.access(path.parent, os.W_OK) else to_look_at(path)
    try:
        schema.check(database, path)
        found = schema.version(database)
        if found == 0:
            database.close()
            return None
        if found < len(schema.MIGRATIONS):
            raise JournalError(
                f"{path} has an older format; start the companion on it once, which brings it up to date"
            )
    except (sqlite3.Error, JournalError):
        database.close()
        raise
    return database


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """A connection to an existing file; ``mode`` is ``ro`` or ``rw``, or ``ro&immutable=1`` for a file that
    nobody writes, in a folder that may be read-only.
    """
    uri = f"{path.resolve().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=5, isolation_level=None, check_same_thread=False)


def to_look_at(path: Path) -> sqlite3.Connection:
    """A read-only connection, which leaves no helper files beside a file that nobody writes."""
    # Without a log nobody is writing to it, and a copy may be in a read-only folder.
    return connect(path, "ro" if swap.log_of(path).exists() else "ro&immutable=1")


def log_is_gone(path: Path) -> bool:
    """Whether the log of a journal that was in use is missing."""
    return path.is_file() and path.stat().st_size > 0 and not swap.log_of(path).exists()


def check_sound(database: sqlite3.Connection, path: Path, timeout: float = _CHECK_TIMEOUT) -> None:
    """Check that a journal of the current or an older version is sound.

    Raises:
        JournalDamaged: it is damaged.
        sqlite3.DatabaseError: it is not even a database any more.
    """
    if problem := _structure(database, timeout):
        raise JournalDamaged(path, problem)
    if database.execute("SELECT 1 FROM events WHERE game NOT IN (SELECT id FROM games) LIMIT 1").fetchone():
        raise JournalDamaged(path, "a game is missing")
    if schema.version(database) >= schema.MARKED_VERSION:
        for game, title, deleted in database.execute("SELECT game, title, deleted FROM marks"):
            if not isinstance(title, str) or not isinstance(deleted, str | None):
                raise JournalDamaged(path, f"the title of game {game}")
    # A game that may be continued must follow the rules.
    newest = database.execute("SELECT id, result FROM games ORDER BY id DESC LIMIT 1").fetchone()
    if newest is not None and newest[1] is None:
        replay(database, path, newest[0])
    sealed = schema.version(database) >= schema.SEALED_VERSION
    until = time.monotonic() + timeout
    for (game,) in database.execute("SELECT id FROM games ORDER BY id DESC").fetchall():
        if not head_holds(database, game):
            raise JournalDamaged(path, f"the beginning of game {game}")
        if sealed and (event := seals.broken(database, game)) is not None:
            raise JournalDamaged(path, f"event {event} of game {game}")
        if time.monotonic() > until:
            break


def _probe(path: Path) -> int:
    """The schema version of the file, which is left untouched; 0 for a new one.

    A writable connection would, when closed, merge the log into a damaged file and delete it.
    """
    log = swap.log_of(path)
    if path.stat().st_size == 0 and not log.exists():
        return 0
    if pages.log_is_damaged(log):
        raise JournalDamaged(path, "in its log")
    # Interrupted while it was created: SQLite repairs that itself, but only if it may write.
    unfinished = path.with_name(f"{path.name}-journal").exists()
    database = connect(path, "rw" if unfinished else "ro")
    try:
        schema.check(database, path)
        found = schema.version(database)
        if found:
            check_sound(database, path)
        return found
    except sqlite3.DatabaseError as error:
        raise as_journal_error(error, path) from error
    finally:
        database.close()


def _structure(database: sqlite3.Connection, timeout: float) -> str | None:
    """What SQLite finds wrong with its file within ``timeout`` seconds; ``None`` if nothing."""
    until = time.monotonic() + timeout
    database.set_progress_handler(lambda: time.monotonic() > until, _STEPS_PER_CLOCK_CHECK)
    try:
        # Not quick_check: it misses a damaged index entry, which would hide an event.
        found = " ".join(str(database.execute("PRAGMA integrity_check(1)").fetchone()[0]).split())
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_INTERRUPT:
            raise
        return None
    finally:
        database.set_progress_handler(None, 0)
    return None if found == "ok" else found


def _keep_copy(path: Path, version: int) -> Path:
    """A copy of a journal that is about to be migrated."""
    folder = path.parent
    with swap.fresh(folder / swap.PART_NAME) as part:
        with closing(connect(path, "ro")) as old:
            copy(old, part)
        kept = swap.free_name(folder, f"version-{version}", swap.stamp())
        swap.publish(part, kept)
    return kept


def copy(source: sqlite3.Connection, target: Path) -> None:
    """Copy a database, its log included, into the empty file ``target``: one file without helpers."""
    with closing(sqlite3.connect(target, isolation_level=None)) as made:
        # In one step, so that no write of a running game makes it start over.
        source.backup(made)
        made.execute("PRAGMA journal_mode = DELETE")


def _open(path: Path) -> sqlite3.Connection:
    database = connect(path, "rw")
    try:
        database.execute("PRAGMA journal_mode = WAL")
        # FULL syncs the log at every commit: published events survive a power cut.
        database.execute("PRAGMA synchronous = FULL")
        database.execute("PRAGMA foreign_keys = ON")
        schema.migrate(database)
        # What was only in the log is now in the file too, should the log get lost.
        database.execute("PRAGMA wal_checkpoint(PASSIVE)")
        # What SQLite deleted while creating the file must not come back after a power cut, and undo it.
        swap.sync(path.parent)
    except BaseException:
        database.close()
        raise
    return database
