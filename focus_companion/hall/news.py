"""What has changed, for any number of viewers: each is told what is new since it last looked, not every step.

Nothing is kept but who changed last: a viewer that lags behind gets the newest of every table, once.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

TOGETHER: Final = 0.05
"""Seconds for which news is gathered before viewers are told, all of them at once and of the same."""

_BATCHES: Final = 16
"""Newest batches that are kept for viewers who come for them a little later."""


@dataclass
class Batch:
    """What changed between two places: ``tables`` by name, those longest unchanged first, ``results`` the
    number of the last change of the list of games, ``broker`` whether it is reached. ``place`` is its end.
    """

    place: str
    tables: tuple[str, ...]
    results: int
    broker: bool
    _text: bytes | None = field(default=None, init=False)
    _making: threading.Lock = field(default_factory=threading.Lock, init=False)

    def text(self, write: Callable[[Batch], bytes]) -> bytes:
        """The batch as ``write`` gives it, which is asked once for all viewers."""
        with self._making:
            if self._text is None:
                self._text = write(self)
            return self._text


class News:
    """The order in which tables changed. ``run`` tells this hall from one started before or beside it.

    Changes are taken note of at once and told by a thread of its own, at most every ``TOGETHER`` seconds:
    whoever brings them need not wait until the viewers are awake.
    """

    def __init__(self) -> None:
        self.run = secrets.token_hex(4)
        self._condition = threading.Condition()
        self._stirred = threading.Event()
        self._crier: threading.Thread | None = None
        self._number = 0
        self._told = 0
        self._changed: dict[str, int] = {}
        self._results = 0
        self._broker = False
        self._batches: dict[tuple[int, int], Batch] = {}
        self._closing = threading.Event()

    @property
    def broker(self) -> bool:
        """Whether the broker is reached."""
        return self._broker

    def changed(self, table: str) -> None:
        """A table is not as it was."""
        with self._condition:
            self._number += 1
            # The newest stand last, so that a viewer who keeps up looks at few.
            self._changed.pop(table, None)
            self._changed[table] = self._number
        self._stirred.set()

    def results(self) -> None:
        """The list of games is not as it was."""
        with self._condition:
            self._number += 1
            self._results = self._number
        self._stirred.set()

    def line(self, up: bool) -> None:
        """The broker is reached, or not."""
        with self._condition:
            if up == self._broker:
                return
            self._number += 1
            self._broker = up
        self._stirred.set()

    def follow(self, after: str | None, *, heartbeat: float) -> Following:
        """What changes after the place named ``after`` (all, if this hall did not give it).

        ``heartbeat``: seconds of silence after which a sign of life is given.
        """
        run, _, number = (after or "").partition("-")
        known = int(number) if run == self.run and number.isascii() and number.isdigit() else 0
        with self._condition:
            if self._crier is None:
                self._crier = threading.Thread(target=self._cry_out, name="news", daemon=True)
                self._crier.start()
            return Following(self, known if known <= self._number else 0, heartbeat)

    def close(self) -> None:
        """End every following."""
        self._closing.set()
        self._stirred.set()
        self.wake()

    def wake(self) -> None:
        """Have every viewer look up, whether there is news or not."""
        with self._condition:
            self._condition.notify_all()

    def _cry_out(self) -> None:
        while not self._closing.is_set():
            self._stirred.wait()
            self._stirred.clear()
            with self._condition:
                self._told = self._number
                self._condition.notify_all()
            self._closing.wait(TOGETHER)

    def since(
        self, after: int, heartbeat: float, left: Callable[[], bool]
    ) -> tuple[int, Batch | None] | None:
        """The next place and what leads there, once there is any; no batch after a silent ``heartbeat``
        seconds, ``None`` at the end, which is also when ``left`` says so.
        """
        with self._condition:
            self._condition.wait_for(
                lambda: self._told > after or self._closing.is_set() or left(), heartbeat
            )
            if self._closing.is_set() or left():
                return None
            if self._told <= after:
                return after, None
            return self._told, self._batch(after)

    def now(self, after: int) -> tuple[int, Batch]:
        """How things stand, for a viewer who begins: what leads there from ``after``, be it nothing."""
        with self._condition:
            self._told = self._number
            return self._told, self._batch(after)

    def _batch(self, after: int) -> Batch:
        """From ``after`` to what is told by now; the condition is held."""
        way = (after, self._told)
        if way not in self._batches:
            found: list[str] = []
            for table in reversed(self._changed):
                if self._changed[table] <= after:
                    break
                # What has changed since is told with the next batch, and not with both.
                if self._changed[table] <= self._told:
                    found.append(table)
            place = f"{self.run}-{self._told}"
            self._batches[way] = Batch(place, tuple(reversed(found)), self._results, self._broker)
            while len(self._batches) > _BATCHES:
                del self._batches[next(iter(self._batches))]
        return self._batches[way]


class Following:
    """One viewer's way through the news: an iterator of ``(batch,)``, ``None`` in silence."""

    def __init__(self, news: News, after: int, heartbeat: float) -> None:
        self._news, self._after, self._heartbeat = news, after, heartbeat
        self._left = threading.Event()

    def __iter__(self) -> Iterator[tuple[Batch] | None]:
        # A new viewer hears at once how things stand, also if nothing happens.
        self._after, batch = self._news.now(self._after)
        yield (batch,)
        while (found := self._news.since(self._after, self._heartbeat, self._left.is_set)) is not None:
            self._after, told = found
            yield None if told is None else (told,)

    def close(self) -> None:
        """End the iteration, from any thread; may be called twice."""
        self._left.set()
        self._news.wake()
