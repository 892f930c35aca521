"""Which of the journal's events each broker has confirmed: a small database beside the journal.

It is only an optimization: without it, events are sent again, and receivers recognize them by their numbers.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .errors import JournalDamaged, as_journal_error
from .swap import remove

log = logging.getLogger(__name__)

FILE_NAME: Final = "outbox.sqlite"

_TABLE: Final = """CREATE TABLE IF NOT EXISTS sent (
    broker TEXT NOT NULL,
    name TEXT NOT NULL,
    journal TEXT NOT NULL,
    floor INTEGER NOT NULL,
    confirmed INTEGER NOT NULL,
    PRIMARY KEY (broker, name)
)"""


@dataclass(frozen=True)
class Sent:
    """``floor``: events up to it were never meant for the broker; ``confirmed``: it has all up to this."""

    floor: int
    confirmed: int


class Outbox:
    """What the database in ``folder`` holds of one ``broker``, for the table called ``name`` there.

    May be used from any thread. A damaged file is recreated; every method raises :class:`JournalError` if it
    cannot be used.
    """

    def __init__(self, folder: Path, broker: str, name: str) -> None:
        self.path = folder / FILE_NAME
        self._broker, self._name = broker, name
        self._lock = threading.Lock()
        try:
            self._database = _opened(self.path)
        except JournalDamaged as damage:
            log.warning("%s is damaged (%s) and recreated; events are sent again", self.path, damage.what)
            remove(self.path)
            self._database = _opened(self.path)

    def recall(self, journal: str) -> Sent | None:
        """What the broker has received of this journal; ``None`` if unknown."""
        query = "SELECT floor, confirmed FROM sent WHERE broker = ? AND name = ? AND journal = ?"
        with self._lock:
            try:
                row = self._database.execute(query, (self._broker, self._name, journal)).fetchone()
            except sqlite3.Error as error:
                raise as_journal_error(error, self.path) from error
        return Sent(*row) if row else None

    def keep(self, journal: str, floor: int, confirmed: int) -> None:
        """Store it; what was known of another journal under that name is dropped."""
        with self._lock:
            try:
                self._database.execute(
                    "INSERT OR REPLACE INTO sent (broker, name, journal, floor, confirmed) "
                    "VALUES (?, ?, ?, ?, ?)",
                    (self._broker, self._name, journal, floor, confirmed),
                )
            except sqlite3.Error as error:
                raise as_journal_error(error, self.path) from error

    def close(self) -> None:
        """Close the file; may be called twice."""
        with self._lock:
            self._database.close()


def _opened(path: Path) -> sqlite3.Connection:
    """The database at ``path``, created if missing. Raises JournalError; JournalDamaged if it is damaged."""
    try:
        database = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
        try:
            database.execute("PRAGMA journal_mode = WAL")
            # What a power cut loses is sent again; the game must not wait for this file.
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute(_TABLE)
            found = str(database.execute("PRAGMA integrity_check(1)").fetchone()[0])
            if found != "ok":
                raise JournalDamaged(path, found)
            # What will be read must have the expected types.
            database.execute("SELECT broker, name, journal, floor, confirmed FROM sent").fetchall()
        except BaseException:
            database.close()
            raise
    except sqlite3.Error as error:
        raise as_journal_error(error, path) from error
    return database
