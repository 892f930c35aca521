"""One table as known from the broker: its state, and the events of its games, each once and in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..game.colours import LETTER
from ..game.rules import Rules
from ..mqtt.messages import GAME_KEYS, GameLog, InvalidMessage, TableEvent, TableStatus
from ..session.dates import local_date
from ..session.events import event_from_json
from ..session.history import History

MAX_HELD_EVENTS: Final = 4096
"""Maximum number of held events, which arrived before their predecessors."""

SHOWN_KEYS: Final = (*GAME_KEYS, "alert_at", "seq")
"""The keys of a table's state that are passed on to the page."""


class Table:
    """What is known of a table. Not thread-safe.

    ``last`` is the event up to which nothing is missing. Events that arrive too early are held; missing ones
    must be requested (:meth:`missing`). The table's newest state contains the number of its last event:
    events with higher numbers are not the table's.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._begin("")

    def _begin(self, journal: str) -> None:
        self.journal = journal
        self.status: TableStatus | None = None
        self.state: Mapping[str, Any] | None = None
        self.logs: dict[int, GameLog] = {}
        self.last = 0
        self.taken = self.doubled = 0
        self._must_refetch = False
        self._tails: dict[int, list[TableEvent]] = {}
        self._waiting: dict[int, TableEvent] = {}

    @property
    def shown(self) -> bool:
        """Whether there is something to show; not any more once the table's status has been cleared."""
        return self.status is not None and self.state is not None

    @property
    def online(self) -> bool:
        return self.status is not None and self.status.online

    def take_status(self, status: TableStatus) -> None:
        """Take in whether the table is online."""
        if status.asking:
            # Another machine asks whether its name is free; until it is, the table is who it was.
            return
        self._adopt_journal(status.journal, leads=status.online)
        if status.journal != self.journal:
            return
        self.status = status
        self.last = max(self.last, status.floor)
        self._advance()

    def take_state(self, state: Mapping[str, Any]) -> bool:
        """Take in a state; the last one counts, because a broker keeps the order within a topic.

        Returns whether known events had higher numbers than its own and were dropped.
        """
        self._adopt_journal(state["journal"])
        if state["journal"] != self.journal:
            return False
        before, self.state = self.state, state
        # A table sends events before the state that results from them. But the first state may be an old,
        # retained one, and a repeated one changes nothing.
        advanced = before is not None and before["seq"] != state["seq"]
        if not advanced or self._newest() <= state["seq"]:
            return False
        self._forget_beyond(state["seq"])
        return True

    def take_event(self, event: TableEvent) -> bool:
        """Take in an event. Returns whether it was new."""
        self._adopt_journal(event.journal)
        if event.journal != self.journal or event.seq <= self.last or event.seq in self._waiting:
            self.doubled += 1
            return False
        if len(self._waiting) < MAX_HELD_EVENTS:
            self._waiting[event.seq] = event
        self._advance()
        return True

    def take_log(self, log: GameLog) -> bool:
        """Take in a complete game. Returns whether its result differs from what was known."""
        self._adopt_journal(log.journal)
        known = self.logs.get(log.game)
        if log.journal != self.journal or (known is not None and known.last > log.last):
            return False
        self.logs[log.game] = log
        self._tails[log.game] = [event for event in self._tails.get(log.game, []) if event.seq > log.last]
        self._must_refetch = False
        self._advance()
        # Turns of a running game do not change the list of results.
        return log.result != (known and known.result)

    def missing(self) -> int | None:
        """The number after which events are missing; ``None`` if none are known to be missing."""
        newest = self.state["seq"] if self.state else 0
        lacks = self._waiting or newest > self.last or self._must_refetch
        return self.last if self.status and lacks else None

    @property
    def games(self) -> list[int]:
        """The games of which anything is known, oldest first."""
        return sorted({*self.logs, *(game for game, tail in self._tails.items() if tail)})

    def events(self, game: int) -> list[TableEvent]:
        """The events of a game from its first one, up to the first gap.

        Raises:
            LookupError: nothing is known of the game.
            InvalidMessage: what the broker retains of it is invalid.
        """
        log, tail = self.logs.get(game), self._tails.get(game, [])
        if log is None and not tail:
            raise LookupError(f"{self.name} has no game {game}")
        events = log.events() if log else []
        if not events and tail[0].event.get("type") != "game":
            raise LookupError(f"the beginning of game {game} of {self.name} has not come yet")
        for event in tail:
            if events and event.prev != events[-1].seq:
                break
            events.append(event)
        return events

    def tile(self) -> dict[str, Any]:
        """The table as the page shows it among the others."""
        state = self.state or {}
        shown = {key: state.get(key) for key in SHOWN_KEYS}
        return {"table": self.name, "online": self.online, "last": self.last} | shown

    @property
    def caught_up(self) -> bool:
        """Whether every event up to the state has arrived, and none after it."""
        return self.state is not None and self.last == self.state["seq"]

    def _adopt_journal(self, journal: str, leads: bool = False) -> None:
        """Start afresh with another journal: a table has one at a time, that of whoever is online."""
        if journal != self.journal and (leads or not self.journal):
            self._begin(journal)

    def _newest(self) -> int:
        """The highest event number known of the table."""
        return max([self.last, *self._waiting, *(log.last for log in self.logs.values())])

    def _forget_beyond(self, seq: int) -> None:
        """Drop events with numbers above ``seq``, which are forged or were lost when the journal was restored
        from a backup. Events that may be true are kept, and the rest is requested.
        """
        known = [*self._waiting.values(), *(event for tail in self._tails.values() for event in tail)]
        self.logs = {game: log for game, log in self.logs.items() if log.last <= seq}
        self._waiting = {event.seq: event for event in known if event.seq <= seq}
        self._tails = {}
        floor = self.status.floor if self.status else 0
        self.last = floor if floor <= seq else 0
        self._must_refetch = True
        self._advance()

    def _advance(self) -> None:
        """Advance ``last`` as far as logs and held events reach without a gap."""
        if self.status is None:
            # It is not known yet which event the table sent first.
            return
        moved = True
        while moved:
            moved = False
            for log in self.logs.values():
                if log.prev <= self.last < log.last:
                    self.taken += 1
                    self.last, moved = log.last, True
            for event in sorted(self._waiting.values(), key=lambda event: event.seq):
                if event.seq <= self.last:
                    del self._waiting[event.seq]
                elif event.prev <= self.last:
                    del self._waiting[event.seq]
                    self._tails.setdefault(event.game, []).append(event)
                    self.taken += 1
                    self.last, moved = event.seq, True
                else:
                    break


def fold(events: list[TableEvent]) -> History:
    """The game folded from these events, which start with its beginning. Raises :class:`InvalidMessage`."""
    first = events[0]
    try:
        rules = Rules.from_json(dict(first.event["rules"]), played=True)
        players = {LETTER[colour]: player["name"] for colour, player in first.event["players"].items()}
        named = {letter: name for letter, name in players.items() if name}
        history = History.begin(rules, named, game=first.game, date=local_date(first.began))
        return history.take_all(event_from_json(event.event) for event in events)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidMessage(f"its events are not a game ({error})") from error
