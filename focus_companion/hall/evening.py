"""All tables together: takes in the broker's messages, and returns tiles, results and records."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable
from typing import Any, Final

from ..formats.strict_json import compact
from ..game.record import GameRecord
from ..mqtt import messages, topics
from ..mqtt.line import Message
from ..mqtt.messages import GameLog, InvalidMessage
from ..session.history import History
from .news import News
from .table import Table, fold

log = logging.getLogger(__name__)

MAX_TABLES: Final = 2000
"""Further tables are ignored, because a foreign client could invent any number."""

_REQUEST_DELAY: Final = 0.7
"""Seconds for which events may be missing before they are requested: they may be on their way."""
_REQUEST_INTERVAL: Final = 4.0
"""Seconds between two requests to the same table."""

_MAX_REPORTED: Final = 100
"""Number of tables and kinds of messages whose invalid messages are logged."""


class Evening:
    """Every table on the broker. May be used from any thread."""

    def __init__(self) -> None:
        self.news = News()
        self._lock = threading.Lock()
        self._tables: dict[str, Table] = {}
        self._asked: dict[str, tuple[float, float]] = {}
        self._nonsense: set[tuple[str, str]] = set()
        self._texts: dict[str, str] = {}

    # Input from the broker

    def take(self, message: Message) -> None:
        """Take in a message on one of our topics; an invalid one is logged once per table and kind."""
        where = topics.parse(message.topic)
        if where is None:
            self._foreign("", "", f"{message.topic[:80]!r} is not a topic of ours")
            return
        name, kind, game = where
        try:
            with self._lock:
                changed = self._take(name, kind, game, message.payload)
                if "tile" in changed:
                    self._texts.pop(name, None)
        except InvalidMessage as nonsense:
            self._foreign(name, kind, str(nonsense))
            return
        if "tile" in changed:
            self.news.changed(name)
        if "results" in changed:
            self.news.results()

    def _take(self, name: str, kind: str, game: int, payload: bytes) -> frozenset[str]:
        if not payload:
            # A retained message was cleared; clearing a table's status removes the table from the hall.
            if kind != "status" or self._tables.pop(name, None) is None:
                return frozenset()
            return frozenset({"tile", "results"})
        match kind:
            # Parsed first: an invalid message must not create a table.
            case "status":
                status = messages.read_status(payload)
                table = self._table(name)
                known = table.status is not None
                table.take_status(status)
                return frozenset({"tile"} if known else {"tile", "results"})
            case "state":
                state = messages.read_state(payload)
                forgotten = self._table(name).take_state(state)
                return frozenset({"tile", "results"} if forgotten else {"tile"})
            case "events":
                event = messages.read_event(payload, name)
                table = self._table(name)
                new = table.take_event(event)
                # A state usually follows, and brings the news; none does if the event was late.
                return frozenset({"tile"}) if new and table.caught_up else frozenset()
            case _:
                whole = messages.read_log(payload, name, game)
                table = self._table(name)
                results = frozenset({"results"}) if table.take_log(whole) else frozenset()
                return results | {"tile"} if table.caught_up else results

    def _table(self, name: str) -> Table:
        if name not in self._tables:
            if len(self._tables) >= MAX_TABLES:
                raise InvalidMessage(f"there are {MAX_TABLES} tables already")
            self._tables[name] = Table(name)
        return self._tables[name]

    def _foreign(self, name: str, kind: str, why: str) -> None:
        key = (name, kind)
        if key not in self._nonsense and len(self._nonsense) < _MAX_REPORTED:
            self._nonsense.add(key)
            log.warning(
                "An invalid message of a foreign client on %s %s is ignored: %s",
                name or "our topics",
                kind,
                why,
            )

    def asks(self) -> list[tuple[str, bytes]]:
        """The requests (topic, payload) to send to tables now, for events that have been missing a while."""
        now = time.monotonic()
        found: list[tuple[str, bytes]] = []
        with self._lock:
            for name, table in self._tables.items():
                after = table.missing() if table.online else None
                if after is None:
                    self._asked.pop(name, None)
                    continue
                since, asked = self._asked.setdefault(name, (now, 0.0))
                if now >= since + _REQUEST_DELAY and now >= asked + _REQUEST_INTERVAL:
                    self._asked[name] = (since, now)
                    found.append((topics.Topics(name).ask, compact({"after": after}).encode()))
        return found

    # Output

    def tile(self, name: str) -> dict[str, Any] | None:
        """A table as the page shows it; ``None`` if there is none of that name (any more)."""
        with self._lock:
            table = self._tables.get(name)
            return table.tile() if table and table.shown else None

    def tile_text(self, name: str) -> str | None:
        """The same as JSON, serialized once for all viewers."""
        with self._lock:
            if (text := self._texts.get(name)) is None:
                table = self._tables.get(name)
                if table is None or not table.shown:
                    return None
                text = self._texts[name] = compact(table.tile())
            return text

    def names(self) -> list[str]:
        with self._lock:
            return sorted(name for name, table in self._tables.items() if table.shown)

    def logs(self) -> list[GameLog]:
        """The games that the broker has completely, the one that began first comes first."""
        with self._lock:
            shown = [table for table in self._tables.values() if table.status is not None]
            found = [log for table in shown for log in table.logs.values()]
        return sorted(found, key=lambda log: (log.began, log.table, log.game))

    def games(self, name: str) -> list[int]:
        """The games of a table, oldest first."""
        with self._lock:
            table = self._tables.get(name)
            return table.games if table else []

    def record(self, name: str, game: int) -> GameRecord:
        """A game's record, the same as from the table's own journal.

        Raises:
            LookupError: there is no such game.
            InvalidMessage: what the broker retains of it is invalid.
        """
        return self.history(name, game).record()

    def history(self, name: str, game: int) -> History:
        """A game, folded from its events. Raises the same errors as :meth:`record`."""
        with self._lock:
            table = self._tables.get(name)
            if table is None:
                raise LookupError(f"there is no table {name!r}")
            events = table.events(game)
        return fold(events)

    def counts(self) -> dict[str, int]:
        """Counts: events taken in order, duplicate events, tables with missing events."""
        with self._lock:
            tables: Iterable[Table] = list(self._tables.values())
            return {
                "tables": len(self._tables),
                "taken": sum(table.taken for table in tables),
                "doubled": sum(table.doubled for table in tables),
                "incomplete": sum(table.missing() is not None for table in tables),
            }
