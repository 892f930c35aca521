"""The journal's tables, by version. A migration is never changed once it has been shipped; new ones are
added.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from .errors import JournalDamaged, JournalError

APPLICATION_ID: Final = 0x466F4375
"""Marks the file as ours ("FoCu"), so that no foreign database is ever written to."""

MIGRATIONS: Final[Sequence[Sequence[str]]] = (
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
)
"""Statements that lead from version n to n + 1."""


def version(database: sqlite3.Connection) -> int:
    """The schema's version in this file; 0 for a new one."""
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def check(database: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is not a journal or that a newer program wrote.

    Raises:
        JournalError: it is not for us to touch.
    """
    mark = int(database.execute("PRAGMA application_id").fetchone()[0])
    tables = int(database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if mark != APPLICATION_ID and (mark or tables):
        raise JournalDamaged(
            f"{path} is no journal of Focus Companion; move it away or give another --data folder"
        )
    if (found := version(database)) > len(MIGRATIONS):
        raise JournalError(
            f"{path} was written by a newer Focus Companion (journal version {found}, this one knows "
            f"{len(MIGRATIONS)}); install the newer one"
        )


def migrate(database: sqlite3.Connection, steps: Sequence[Sequence[str]] = MIGRATIONS) -> None:
    """Bring the file to the newest version, all in one transaction: whole or not at all."""
    found = version(database)
    if found == len(steps):
        return
    database.execute("BEGIN IMMEDIATE")
    try:
        for statements in steps[found:]:
            for statement in statements:
                database.execute(statement)
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {len(steps)}")
        database.execute("COMMIT")
    except sqlite3.Error:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
