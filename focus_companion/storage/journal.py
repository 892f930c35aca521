"""The journal: every event of every game in one SQLite file, on the disk before it is published."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from .. import private_files
from ..formats.strict_json import compact, is_seconds
from ..game.colours import NAMES
from ..game.record import GameRecord
from ..game.rules import Rules
from ..session.dates import local_date
from ..session.events import Corrected, Event, GameBegan, Moved, Result, TakenBack, event_from_json
from ..session.history import History
from . import opening, seals
from .errors import JournalDamaged, as_journal_error
from .lock import FolderLock
from .rebuilding import UNREADABLE
from .rescue import Rescued
from .swap import FILE_NAME

TIME: Final = "journal.time"
"""Holds the last event's id and a later time of the game, in a file of its own: written often, it is neither
synced nor sealed, and a damaged or missing one costs only that time."""
LOCK: Final = "journal.lock"
OPEN: Final = "open"
"""Written to the lock file while the journal must have its write-ahead log beside it."""

_MAX_ID: Final = 2**63 - 1
"""The greatest id that the database can store."""

_SUMMARIES: Final = (
    "SELECT games.id, began, ended, rules, players, plies, result, coalesce(title, ''), deleted"
    " FROM games LEFT JOIN marks ON marks.game = games.id"
)

T = TypeVar("T")


@dataclass(frozen=True)
class GameSummary:
    """One game of the journal; ``began``, ``ended``, ``deleted`` are ISO 8601 times; ``players`` maps letters
    to names; ``title`` is what people call the game, "" for most.
    """

    id: int
    began: str
    ended: str | None
    rules: Mapping[str, Any]
    players: Mapping[str, str]
    plies: int
    result: Mapping[str, Any] | None
    title: str = ""
    deleted: str | None = None

    @property
    def order(self) -> list[str]:
        """The colours that play, in turn order."""
        return self.rules.get("order") or [NAMES[letter] for letter in self.players]


@dataclass(frozen=True)
class KeptEvent:
    """One event as stored in the journal: ``wall`` is when it was written (ISO 8601), ``body`` its JSON."""

    id: int
    game: int
    wall: str
    body: str


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Journal:
    """The games in ``folder``. Any number of readers, one writer: the first write (or ``write=True``) locks.

    A damaged file is rescued when the lock is taken; :attr:`notices` reports that and everything else that
    whoever started the program should know. May be used from any thread. Every method raises
    :class:`JournalError` if the file cannot be used.
    """

    def __init__(self, folder: Path | str, *, write: bool = False) -> None:
        self.folder = Path(folder)
        self.path = self.folder / FILE_NAME
        self._writing = threading.Lock()
        self._reading = threading.Lock()
        self._lock: FolderLock | None = None
        self._writer: sqlite3.Connection | None = None
        self._reader: sqlite3.Connection | None = None
        self.notices: list[str] = []
        self.rescued: Rescued | None = None
        if write:
            with self._writing:
                self._open_writer()

    # Writing

    def begin(self, rules: Rules, players: Mapping[str, str]) -> int:
        """Begin a game; ``players`` maps letters to names. Returns its id."""
        row = (_now(), compact(rules.to_json()), compact(dict(players)))

        def insert(database: sqlite3.Connection) -> int:
            made = database.execute("INSERT INTO games (began, rules, players) VALUES (?, ?, ?)", row)
            return int(made.lastrowid or 0)

        return self._commit(insert)

    def append(self, game: int, event: Event) -> int:
        """Commit one event; returns its id, greater than all earlier ones. It is on the disk on return."""
        return self.append_all(game, [event])[0]

    def append_all(self, game: int, events: Sequence[Event]) -> list[int]:
        """Commit these events together, all or none; returns their ids."""
        now = _now()

        def insert(database: sqlite3.Connection) -> list[int]:
            ids = []
            seal = seals.last(database, game)
            for event in events:
                row = (event.type, float(event.time), now, compact(event.to_json()))
                seal = seals.seal(seal, *row)
                made = database.execute(
                    "INSERT INTO events (game, type, time, wall, body, seal) VALUES (?, ?, ?, ?, ?, ?)",
                    (game, *row, seal),
                )
                ids.append(int(made.lastrowid or 0))
                _summarise(database, game, event, now)
            return ids

        return self._commit(insert)

    def entitle(self, game: int, title: str) -> None:
        """Give a game a title; "" removes it. Raises LookupError if there is no such game."""
        self._mark(game, "title", title)

    def delete(self, game: int) -> None:
        """Hide a game from the lists. All of it stays in the file: see :meth:`undelete`.

        Raises LookupError if there is no such game.
        """
        self._mark(game, "deleted", _now())

    def undelete(self, game: int) -> None:
        """Bring a deleted game back to the lists. Raises LookupError if there is no such game."""
        self._mark(game, "deleted", None)

    def keep_time(self, event: int, time: float) -> None:
        """Note that it is ``time`` in the game whose last event is ``event``; failing is no fault."""
        with suppress(OSError):
            private_files.replace(self.folder / TIME, f"{event} {time:.3f}\n".encode())

    def kept_time(self) -> float:
        """The time last noted, if it follows the journal's last event, else 0."""
        try:
            event, time = (self.folder / TIME).read_bytes()[:64].decode("ascii").split()
            found = float(time)
        except (OSError, ValueError):
            return 0.0
        return found if is_seconds(found) and event == str(self.last_event()) else 0.0

    def _mark(self, game: int, column: str, value: str | None) -> None:
        self.summary(game)  # LookupError
        insert = f"INSERT INTO marks (game, {column}) VALUES (?, ?)"
        update = f"ON CONFLICT (game) DO UPDATE SET {column} = excluded.{column}"
        self._commit(lambda database: database.execute(f"{insert} {update}", (game, value)))

    def _commit(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._writing:
            database = self._open_writer()
            try:
                database.execute("BEGIN IMMEDIATE")
                done = work(database)
                database.execute("COMMIT")
                return done
            except sqlite3.Error as error:
                raise as_journal_error(error, self.path) from error
            finally:
                # Whatever the error, no transaction may stay open.
                if database.in_transaction:
                    database.execute("ROLLBACK")

    def _open_writer(self) -> sqlite3.Connection:
        if self._writer is not None:
            return self._writer
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise as_journal_error(error, self.folder) from error
        lock = FolderLock(self.folder / LOCK)
        try:
            if not lock.ended_well and opening.log_is_gone(self.path):
                self.notices.append(opening.LOG_GONE.format(path=self.path))
            self._writer, notices, self.rescued = opening.for_writing(self.path)
        except BaseException as error:
            lock.close()
            if isinstance(error, sqlite3.Error | OSError):
                raise as_journal_error(error, self.path) from error
            raise
        with self._reading:
            # What was read before may come from a file that has just been moved aside.
            if self._reader is not None:
                self._reader.close()
                self._reader = None
        self.notices += notices
        lock.note(OPEN)
        self._lock = lock
        return self._writer

    # Reading

    def events(self, after: int = 0, limit: int = 1000) -> list[tuple[int, Event]]:
        """At most ``limit`` events with ids above ``after``, oldest first, of all games."""
        rows = self._read("SELECT id, body FROM events WHERE id > ? ORDER BY id LIMIT ?", (after, limit))
        return [(number, self._event(number, body)) for number, body in rows]

    def kept(self, after: int = 0, limit: int = 1000, game: int | None = None) -> list[KeptEvent]:
        """At most ``limit`` events with ids above ``after``, oldest first, as stored.

        ``game``: of this game only.
        """
        only, values = ("", ()) if game is None else ("AND game = ? ", (game,))
        rows = self._read(
            f"SELECT id, game, wall, body FROM events WHERE id > ? {only}ORDER BY id LIMIT ?",
            (after, *values, limit),
        )
        return [KeptEvent(*row) for row in rows]

    def event_before(self, number: int) -> int:
        """The id of the last event before this one; 0 if there is none."""
        rows = self._read("SELECT max(id) FROM events WHERE id < ?", (number,))
        return int(rows[0][0] or 0) if rows else 0

    def began(self, game: int) -> str:
        """When a game began, ISO 8601. Raises LookupError if there is no such game."""
        return self.summary(game).began

    def identity(self) -> str:
        """Identifies this journal among all others; "" before its first event."""
        rows = self._read("SELECT began FROM games ORDER BY id LIMIT 1")
        rows += self._read("SELECT wall || body FROM events ORDER BY id LIMIT 1")
        if len(rows) < 2:
            return ""
        return hashlib.sha256("".join(str(row[0]) for row in rows).encode()).hexdigest()[:12]

    def last_event(self) -> int:
        """The id of the newest event; 0 in an empty journal."""
        rows = self._read("SELECT max(id) FROM events")
        return int(rows[0][0] or 0) if rows else 0

    def games(self, *, deleted: bool = False) -> list[GameSummary]:
        """All games, the newest first; with ``deleted``, also the deleted ones.

        Raises JournalDamaged if the row of one cannot be read.
        """
        there = "" if deleted else "WHERE deleted IS NULL "
        return [self._summary(*row) for row in self._read(f"{_SUMMARIES} {there}ORDER BY games.id DESC")]

    def summary(self, game: int) -> GameSummary:
        """One game, even if deleted. Raises LookupError if there is no such game."""
        return self._summary(*self._row_of(game, f"{_SUMMARIES} WHERE games.id = ?"))

    def last_positions(self) -> dict[int, Moved | TakenBack | Corrected | GameBegan]:
        """By game, its last event with a position: that of the board as the game's events leave it."""
        rows = self._read(
            "SELECT game, id, body FROM events WHERE id IN (SELECT max(id) FROM events"
            " WHERE type IN ('game', 'move', 'taken_back', 'corrected') GROUP BY game)"
        )
        found = {game: self._event(number, body) for game, number, body in rows}
        kinds = Moved | TakenBack | Corrected | GameBegan
        return {game: event for game, event in found.items() if isinstance(event, kinds)}

    def last_unfinished(self) -> int | None:
        """The newest game, if it has no result yet."""
        rows = self._read("SELECT id, result FROM games ORDER BY id DESC LIMIT 1")
        return int(rows[0][0]) if rows and rows[0][1] is None else None

    def last_game(self) -> int | None:
        """The newest game; ``None`` in an empty journal."""
        rows = self._read("SELECT max(id) FROM games")
        return rows[0][0] if rows else None

    def history(self, game: int, upto: int | None = None) -> History:
        """A game as folded from its events, ready to be continued; with ``upto``, as it was after that event.

        Raises:
            LookupError: the journal has no such game.
            JournalDamaged: its events contradict their seals or the rules.
        """
        began, rules, players = self._row_of(game, "SELECT began, rules, players FROM games WHERE id = ?")
        try:
            agreed = Rules.from_json(json.loads(rules), played=True)
            history = History.begin(agreed, json.loads(players), game=game, date=local_date(began))
            before = seals.START
            query = (
                "SELECT id, type, time, wall, body, seal FROM events WHERE game = ? AND id <= ? ORDER BY id"
            )
            newest = _MAX_ID if upto is None else upto
            for number, kind, time, wall, body, found in self._read(query, (game, newest)):
                before = seals.seal(before, kind, time, wall, body)
                if found != before:
                    raise JournalDamaged(self.path, f"event {number} of game {game}")
                history = history.take(self._event(number, body))
        except UNREADABLE as error:
            raise JournalDamaged(self.path, f"game {game} cannot be replayed: {error}") from error
        return history

    def record(self, game: int) -> GameRecord:
        """The record of a game.

        Raises:
            LookupError: the journal has no such game.
        """
        return self.history(game).record()

    def _row_of(self, game: int, query: str) -> tuple[Any, ...]:
        """The row of a game that the query selects. Raises LookupError if there is no such game."""
        # No game has a number that the database cannot even store.
        rows = self._read(query, (game,)) if 0 < game <= _MAX_ID else []
        if not rows:
            raise LookupError(f"the journal in {self.folder} has no game {game}")
        return rows[0]

    def _summary(
        self,
        number: int,
        began: str,
        ended: str | None,
        rules: str,
        players: str,
        plies: int,
        end: str | None,
        title: str,
        deleted: str | None,
    ) -> GameSummary:
        try:
            settings, named = json.loads(rules), json.loads(players)
            result = json.loads(end) if end else None
            return GameSummary(number, began, ended, settings, named, plies, result, title, deleted)
        except (ValueError, TypeError, RecursionError) as error:
            # A flipped bit may turn a text into NULL, which is of no type that JSON is read from.
            raise JournalDamaged(self.path, f"the beginning of game {number}") from error

    def _event(self, number: int, body: str) -> Event:
        try:
            return event_from_json(json.loads(body))
        except (ValueError, TypeError, RecursionError) as error:
            raise JournalDamaged(self.path, f"event {number} cannot be read: {error}") from error

    def _read(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._reading:
            try:
                if self._reader is None and self.path.is_file():
                    self._reader = opening.for_reading(self.path)
                return self._reader.execute(query, values).fetchall() if self._reader is not None else []
            except (sqlite3.Error, OSError) as error:
                raise as_journal_error(error, self.path) from error

    def close(self) -> None:
        """Close the file and release the lock; may be called twice."""
        with self._writing, self._reading:
            if self._lock is not None:
                self._lock.note("")
            for database in (self._reader, self._writer):
                if database is not None:
                    database.close()
            self._reader = self._writer = None
            if self._lock is not None:
                self._lock.close()
                self._lock = None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _summarise(database: sqlite3.Connection, game: int, event: Event, now: str) -> None:
    """Keep the game's row consistent with its events, within their transaction."""
    if isinstance(event, Result):
        result = compact({"winners": list(event.winners), "reason": event.reason})
        database.execute("UPDATE games SET result = ?, ended = ? WHERE id = ?", (result, now, game))
    elif isinstance(event, Moved | TakenBack):
        database.execute(
            "UPDATE games SET plies = ?, result = NULL, ended = NULL WHERE id = ?", (event.ply, game)
        )
    elif isinstance(event, Corrected):
        database.execute("UPDATE games SET plies = 0, result = NULL, ended = NULL WHERE id = ?", (game,))
