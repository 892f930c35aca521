"""How much of one table's journal a broker has confirmed, and what the publisher needs of other modules."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from ..session.history import History
from .broker import Broker
from .line import Message
from .messages import write_status


class StoredEvent(Protocol):
    """An event as stored in the journal."""

    @property
    def id(self) -> int: ...
    @property
    def game(self) -> int: ...
    @property
    def wall(self) -> str: ...
    @property
    def body(self) -> str: ...


class SentUpTo(Protocol):
    """What a broker has: the events after ``floor`` up to ``confirmed``, both ids."""

    @property
    def floor(self) -> int: ...
    @property
    def confirmed(self) -> int: ...


class PublishedJournal(Protocol):
    """The part of ``storage.journal.Journal`` that the publisher reads."""

    def identity(self) -> str: ...
    def last_event(self) -> int: ...
    def event_before(self, number: int) -> int: ...
    def kept(self, after: int = 0, limit: int = 1000, game: int | None = None) -> Sequence[StoredEvent]: ...
    def history(self, game: int, upto: int | None = None) -> History: ...
    def began(self, game: int) -> str: ...


class Memory(Protocol):
    """Stores what one broker has confirmed of one table across restarts."""

    def recall(self, journal: str) -> SentUpTo | None: ...
    def keep(self, journal: str, floor: int, confirmed: int) -> None: ...


@dataclass
class Account:
    """State shared by the publisher and its connections. ``confirmed`` is the last event that the broker has,
    ``floor`` the last of those that it is never sent, ``saved`` the value of ``confirmed`` in the memory,
    ``identity`` that of the journal.
    """

    broker: Broker
    table: str
    journal: PublishedJournal
    state: Callable[[], Mapping[str, Any]]
    memory: Memory
    version: str
    tell: Callable[[str], None]
    identity: str = ""
    floor: int = 0
    confirmed: int = 0
    saved: int = 0
    news: threading.Event = field(default_factory=threading.Event)
    closing: threading.Event = field(default_factory=threading.Event)
    inbox: SimpleQueue[Message] = field(default_factory=SimpleQueue)
    acks: SimpleQueue[tuple[int, str | None]] = field(default_factory=SimpleQueue)
    _said: str = ""

    def recall(self) -> None:
        """Find out how much of this journal this broker has. Raises :class:`OSError`."""
        identity = self.journal.identity()
        if identity and identity == self.identity:
            return
        self.identity = identity
        known = self.memory.recall(identity) if identity else None
        newest = self.journal.last_event()
        if known is not None and known.confirmed <= newest:
            self.floor, self.confirmed = known.floor, known.confirmed
        else:
            # The broker gets the running game and later ones.
            last = self.journal.kept(max(0, newest - 1), 1)
            first = self.journal.kept(0, 1, last[0].game) if last else []
            self.floor = self.confirmed = self.journal.event_before(first[0].id) if first else 0
        self.saved = self.confirmed

    def status(self, *, online: bool, asking: bool = False) -> bytes:
        """The message that the table is online, or not any more; ``asking``: see :class:`.TableStatus`."""
        return write_status(online, self.identity, self.floor, self.version, asking=asking)

    def report_problem(self, text: str) -> None:
        """Report a problem to people, once."""
        if text != self._said:
            self._said = text
            self.tell(f"MQTT: {text}; the game goes on, what is missing is sent later")

    def report_recovery(self) -> None:
        """Report that the problem is over, if it was reported."""
        if self._said:
            self._said = ""
            self.tell(f"MQTT: {self.broker.shown} is reachable again")


def drain(queue: SimpleQueue[Any]) -> list[Any]:
    found: list[Any] = []
    while True:
        try:
            found.append(queue.get_nowait())
        except Empty:
            return found
