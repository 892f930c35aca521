"""Rescues a damaged journal: copies every game, up to its first damaged event, into a new file, and keeps the
damaged ones.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from . import pages, schema, swap
from .errors import JournalError, as_journal_error, count
from .rebuilding import NO_SEAL, EventRow, GameBuilder

_SKIPPED_IDS: Final = 100_000
"""Ids skipped after a rescue: lost events had been published under some of them."""

_MAX_ID: Final = 10**12
"""A higher id can only come from damage."""


@dataclass(frozen=True)
class Rescued:
    """What was rescued from a damaged journal, and where the damaged one is kept."""

    reason: str
    games: int
    events: int
    lost: int
    """Events that could be read but do not continue the intact part; there may have been more."""
    kept: Path

    def __str__(self) -> str:
        saved = f"{count(self.events, 'event')} of {count(self.games, 'game')} rescued"
        lost = f", {count(self.lost, 'later event')} lost to the damage" if self.lost else ""
        return (
            f"The journal was damaged ({self.reason}): {saved}{lost}. "
            f"The damaged one is kept as {self.kept}; play goes on"
        )


def rescue(path: Path, reason: str) -> Rescued:
    """Replace the damaged journal at ``path`` by a sound one; the caller must hold the lock.

    Raises:
        JournalError: there is no space for it, or the disk fails; nothing has changed then.
    """
    folder = path.parent
    try:
        with swap.fresh(folder / swap.PART_NAME) as part:
            counts = _fill(part, path)
            kept = swap.put_in_place(part, "damaged")
    except (sqlite3.Error, OSError) as error:
        problem = as_journal_error(error, folder / swap.PART_NAME)
        raise JournalError(f"{path} is damaged ({reason}) and cannot be rescued now: {problem}") from error
    if kept is None:
        raise AssertionError("the rescued journal was not put in place")
    return Rescued(reason, *counts, kept)


def _fill(part: Path, path: Path) -> tuple[int, int, int]:
    """Write the intact part of ``path`` into ``part``. Returns the numbers of games, events, lost events."""
    database = sqlite3.connect(part, isolation_level=None)
    try:
        schema.migrate(database)
        database.execute("BEGIN")
        _gather(database, path)
        games = events = 0
        for game in _numbers(database):
            found = _whole(database, game)
            if found is not None:
                games, events = games + 1, events + found
        database.execute("INSERT INTO marks SELECT * FROM marked WHERE game IN (SELECT id FROM games)")
        seen = database.execute("SELECT count(DISTINCT id) FROM found").fetchone()[0]
        _leave_room(database)
        database.execute("COMMIT")
        return games, events, int(seen) - events
    finally:
        database.close()


def _gather(database: sqlite3.Connection, path: Path) -> None:
    """Copy everything that looks like a row of ours into temporary tables."""
    database.execute(
        "CREATE TEMP TABLE found (game INT, id INT, unsound INT, type TEXT, time REAL, wall TEXT, body TEXT,"
        " seal INT, PRIMARY KEY (game, id, unsound, type, time, wall, body, seal))"
    )
    database.execute(
        "CREATE TEMP TABLE headed (game INTEGER PRIMARY KEY, began TEXT, rules TEXT, players TEXT)"
    )
    database.execute("CREATE TEMP TABLE marked (game INTEGER PRIMARY KEY, title TEXT, deleted TEXT)")
    for row in pages.rows(path, swap.log_of(path)):
        if not 0 < row.id < _MAX_ID:
            continue
        match row.values:
            case (None, int(game), str(kind), int(time) | float(time), str(wall), str(body), *rest):
                mark = rest[0] if rest and rest[0] is not None else NO_SEAL
                values = (game, row.id, not row.sound, kind, float(time), wall, body, mark)
                database.execute("INSERT OR IGNORE INTO found VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
            case (None, str(began), str() | None, str(rules), str(players), int(), str() | None):
                if (
                    row.sound
                    or not database.execute("SELECT 1 FROM headed WHERE game = ?", (row.id,)).fetchone()
                ):
                    values_of_game = (row.id, began, rules, players)
                    database.execute("INSERT OR REPLACE INTO headed VALUES (?, ?, ?, ?)", values_of_game)
            case (None, str(title), str() | None as deleted):
                how = "REPLACE" if row.sound else "IGNORE"
                database.execute(f"INSERT OR {how} INTO marked VALUES (?, ?, ?)", (row.id, title, deleted))


def _numbers(database: sqlite3.Connection) -> list[int]:
    query = "SELECT game FROM found UNION SELECT game FROM headed ORDER BY game"
    return [int(row[0]) for row in database.execute(query) if 0 < row[0] < _MAX_ID]


def _whole(database: sqlite3.Connection, game: int) -> int | None:
    """Copy one game up to its first damaged event. Returns their number; ``None`` if it is no game."""
    head = database.execute("SELECT began, rules, players FROM headed WHERE game = ?", (game,)).fetchone()
    builder = GameBuilder(game, head)
    for choices in _candidates(database, game):
        if not any(builder.take(candidate) for candidate in choices):
            break
    if builder.history is None and not builder.begin():
        return None
    builder.write(database)
    return len(builder.rows)


def _candidates(database: sqlite3.Connection, game: int) -> Iterator[list[EventRow]]:
    """For every id of the game, in order, the rows found under it, those that SQLite would read first."""
    query = (
        "SELECT id, type, time, wall, body, seal FROM found WHERE game = ? ORDER BY id, unsound, seal = -1"
    )
    # All at once: a table that is being read cannot be written to safely.
    for _, group in groupby(database.execute(query, (game,)).fetchall(), key=itemgetter(0)):
        yield list(group)


def _leave_room(database: sqlite3.Connection) -> None:
    """Make new ids start above all that may have been published before."""
    events = database.execute("SELECT max(id) FROM events").fetchone()[0] or 0
    games = database.execute("SELECT max(id) FROM games").fetchone()[0] or 0
    for table, highest in (("events", events + _SKIPPED_IDS), ("games", games)):
        database.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        database.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, highest))
