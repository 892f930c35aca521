"""Publishes changes to any number of viewers: each gets what is new to it, not every intermediate state.

Only the order of changes is stored: a viewer that lags behind gets the newest state of every table once.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

BATCH_SECONDS: Final = 0.05
"""Seconds for which changes are collected before they are published to all viewers in one batch."""

_MAX_BATCHES: Final = 16
"""Number of recent batches that are kept for viewers who fetch them a little later."""


@dataclass
class Batch:
    """A range of changes: ``tables``, the names of those that changed, least recently changed first;
    ``results``, the number of the last change to the list of games; ``broker``, whether it is connected;
    ``place``, the end of the range.
    """

    place: str
    tables: tuple[str, ...]
    results: int
    broker: bool
    _text: bytes | None = field(default=None, init=False)
    _making: threading.Lock = field(default_factory=threading.Lock, init=False)

    def text(self, write: Callable[[Batch], bytes]) -> bytes:
        """The batch as serialized by ``write``, which is called once for all viewers."""
        with self._making:
            if self._text is None:
                self._text = write(self)
            return self._text


class News:
    """The order in which tables changed. ``run`` identifies this process of the hall.

    Changes are recorded at once, and published by a separate thread at most every ``BATCH_SECONDS`` seconds,
    so that the caller need not wait until all viewers are woken.
    """

    def __init__(self) -> None:
        self.run = secrets.token_hex(4)
        self._condition = threading.Condition()
        self._pending = threading.Event()
        self._publisher: threading.Thread | None = None
        self._number = 0
        self._published = 0
        self._changed: dict[str, int] = {}
        self._results = 0
        self._broker = False
        self._batches: dict[tuple[int, int], Batch] = {}
        self._closing = threading.Event()

    @property
    def broker(self) -> bool:
        """Whether the broker is connected."""
        return self._broker

    def changed(self, table: str) -> None:
        """Record that a table has changed."""
        with self._condition:
            self._number += 1
            # The newest come last, so that few have to be examined for a viewer who keeps up.
            self._changed.pop(table, None)
            self._changed[table] = self._number
        self._pending.set()

    def results(self) -> None:
        """Record that the list of games has changed."""
        with self._condition:
            self._number += 1
            self._results = self._number
        self._pending.set()

    def line(self, up: bool) -> None:
        """Record whether the broker is connected."""
        with self._condition:
            if up == self._broker:
                return
            self._number += 1
            self._broker = up
        self._pending.set()

    def follow(self, after: str | None, *, heartbeat: float) -> Following:
        """Follow the changes after the place ``after`` (all changes if this process did not issue it).

        ``heartbeat``: seconds of silence after which ``None`` is yielded.
        """
        run, _, number = (after or "").partition("-")
        known = int(number) if run == self.run and number.isascii() and number.isdigit() else 0
        with self._condition:
            if self._publisher is None:
                self._publisher = threading.Thread(target=self._publish, name="news", daemon=True)
                self._publisher.start()
            return Following(self, known if known <= self._number else 0, heartbeat)

    def close(self) -> None:
        """End the iteration of every viewer."""
        self._closing.set()
        self._pending.set()
        self.wake()

    def wake(self) -> None:
        """Wake every viewer, whether there is news or not."""
        with self._condition:
            self._condition.notify_all()

    def _publish(self) -> None:
        while not self._closing.is_set():
            self._pending.wait()
            self._pending.clear()
            with self._condition:
                self._published = self._number
                self._condition.notify_all()
            self._closing.wait(BATCH_SECONDS)

    def since(
        self, after: int, heartbeat: float, abandoned: Callable[[], bool]
    ) -> tuple[int, Batch | None] | None:
        """Wait for the next batch: returns its end and the batch; no batch after ``heartbeat`` seconds of
        silence; and ``None`` at the end or if the viewer has ``abandoned`` it.
        """
        with self._condition:
            self._condition.wait_for(
                lambda: self._published > after or self._closing.is_set() or abandoned(), heartbeat
            )
            if self._closing.is_set() or abandoned():
                return None
            if self._published <= after:
                return after, None
            return self._published, self._batch(after)

    def now(self, after: int) -> tuple[int, Batch]:
        """The current state for a new viewer: everything since ``after``, even if that is nothing."""
        with self._condition:
            self._published = self._number
            return self._published, self._batch(after)

    def _batch(self, after: int) -> Batch:
        """The changes from ``after`` to the last published one; the caller holds the condition's lock."""
        span = (after, self._published)
        if span not in self._batches:
            found: list[str] = []
            for table in reversed(self._changed):
                if self._changed[table] <= after:
                    break
                # Later changes belong to the next batch.
                if self._changed[table] <= self._published:
                    found.append(table)
            place = f"{self.run}-{self._published}"
            self._batches[span] = Batch(place, tuple(reversed(found)), self._results, self._broker)
            while len(self._batches) > _MAX_BATCHES:
                del self._batches[next(iter(self._batches))]
        return self._batches[span]


class Following:
    """One viewer's progress: iterates over ``(batch,)``, with ``None`` after silence."""

    def __init__(self, news: News, after: int, heartbeat: float) -> None:
        self._news, self._after, self._heartbeat = news, after, heartbeat
        self._left = threading.Event()

    def __iter__(self) -> Iterator[tuple[Batch] | None]:
        # A new viewer gets the current state at once, even if nothing happens.
        self._after, batch = self._news.now(self._after)
        yield (batch,)
        while (found := self._news.since(self._after, self._heartbeat, self._left.is_set)) is not None:
            self._after, news = found
            yield None if news is None else (news,)

    def close(self) -> None:
        """End the iteration, from any thread; may be called twice."""
        self._left.set()
        self._news.wake()
