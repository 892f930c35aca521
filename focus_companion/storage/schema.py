"""The journal's tables, by version. A migration that has shipped is never changed; new ones are added."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from . import seals
from .errors import JournalDamaged, JournalForeign

Step = str | Callable[[sqlite3.Connection], None]
"""An SQL statement, or a function for what SQL cannot do."""

APPLICATION_ID: Final = 0x466F4375
"""Marks the file as ours ("FoCu"), so that no foreign database is ever written to."""

MIGRATIONS: Final[Sequence[Sequence[Step]]] = (
    (
        """CREATE TABLE games (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            began TEXT NOT NULL,
            ended TEXT,
            rules TEXT NOT NULL,
            players TEXT NOT NULL,
            plies INTEGER NOT NULL DEFAULT 0,
            result TEXT
        )""",
        """CREATE TABLE events (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            game INTEGER NOT NULL REFERENCES games (id),
            type TEXT NOT NULL,
            time REAL NOT NULL,
            wall TEXT NOT NULL,
            body TEXT NOT NULL
        )""",
        "CREATE INDEX events_of_game ON events (game, id)",
    ),
    # SQLite itself does not detect a flipped bit within a text; the seal of each event does.
    ("ALTER TABLE events ADD COLUMN seal INTEGER", seals.seal_all),
    # What people add to a game afterwards; the game itself stays as it was played. A missing row means no
    # title and not deleted; ``deleted`` is the time of the deletion, ISO 8601.
    (
        """CREATE TABLE marks (
            game INTEGER PRIMARY KEY REFERENCES games (id),
            title TEXT NOT NULL DEFAULT '',
            deleted TEXT
        )""",
    ),
)
"""The migrations from version n to n + 1."""

MOVE: Final = "move it away or give another --data folder"

SEALED_VERSION: Final = 2
"""The first version whose events are sealed."""

MARKED_VERSION: Final = 3
"""The first version that has titles and deleted games."""

_VERSION_LIMIT: Final = 1000
"""No program will ever write this version or a higher one: such a number comes from damage."""


def version(database: sqlite3.Connection) -> int:
    """The schema's version in this file; 0 for a new one."""
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def check(database: sqlite3.Connection, path: Path, remedy: str = MOVE) -> None:
    """Refuse a file that is not a journal or that a newer program wrote.

    Raises:
        JournalForeign: we must not write to it.
        JournalDamaged: it is a journal whose header is damaged.
    """
    mark = int(database.execute("PRAGMA application_id").fetchone()[0])
    try:
        tables = {str(row[0]) for row in database.execute("SELECT name FROM sqlite_master")}
    except UnicodeDecodeError as error:
        # SQLite's own error cannot be decoded either: it quotes the damaged statement.
        raise JournalDamaged(path, "its list of tables cannot be read") from error
    if mark != APPLICATION_ID and (mark or tables):
        if {"games", "events", "events_of_game"} <= tables:
            raise JournalDamaged(path, "its marks are wrong")
        raise JournalForeign(f"{path} is not a journal of Focus Companion; {remedy}")
    found = version(database)
    if found >= _VERSION_LIMIT or found < 0:
        raise JournalDamaged(path, f"its version cannot be {found}")
    if found > len(MIGRATIONS):
        raise JournalForeign(
            f"{path} was written by a newer Focus Companion (journal version {found}, this one knows "
            f"{len(MIGRATIONS)}); install the newer one"
        )


def migrate(database: sqlite3.Connection, steps: Sequence[Sequence[Step]] = MIGRATIONS) -> None:
    """Migrate the file to the newest version in one transaction."""
    found = version(database)
    if found == len(steps):
        return
    database.execute("BEGIN IMMEDIATE")
    try:
        for step in (step for steps_of_version in steps[found:] for step in steps_of_version):
            if isinstance(step, str):
                database.execute(step)
            else:
                step(database)
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {len(steps)}")
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
