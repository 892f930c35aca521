"""From the one game thread to any number of listeners, without gap, repeat or growing memory."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from .events import Event

KEPT: Final = 1024
"""Newest events held in memory; who lags behind further re-reads from the journal."""

HEARTBEAT: Final = 15.0
"""Seconds of silence after which a subscription gives ``None``."""

WAVE: Final = 8
PAUSE: Final = 0.002
"""So many listeners are woken at a time, and so many seconds lie between two waves. Hundreds at once would
all stand in the game thread's way; in waves it waits for a few at most."""

_PAGE: Final = 200


class EventLog(Protocol):
    """Where events that are no longer in memory can be read again."""

    def events(self, after: int = 0, limit: int = 1000) -> list[tuple[int, Event]]: ...


class Feed:
    """Events published by one thread. ``last`` is the id of the newest one, ``log`` holds those before."""

    def __init__(self, last: int = 0, log: EventLog | None = None, *, kept: int = KEPT) -> None:
        self._log = log
        self._news = threading.Condition()
        self._recent: deque[tuple[int, Event]] = deque()
        self._kept = kept
        # All events with ids above this one are in ``_recent``.
        self._floor = last
        self._last = last
        self._closed = False
        self._listeners = 0
        self._cry = threading.Event()
        self._crier: threading.Thread | None = None

    @property
    def last(self) -> int:
        """The id of the newest event."""
        return self._last

    def publish(self, numbered: Sequence[tuple[int, Event]]) -> None:
        """Tell everyone of these events; their ids grow."""
        with self._news:
            for number, event in numbered:
                self._recent.append((number, event))
                self._last = number
            while len(self._recent) > self._kept:
                self._floor = self._recent.popleft()[0]
            if self._listeners <= WAVE:
                self._news.notify_all()
                return
        if self._crier is None:
            self._crier = threading.Thread(target=self._cry_out, name="events", daemon=True)
            self._crier.start()
        self._cry.set()

    def _cry_out(self) -> None:
        """Wake the listeners wave by wave, those first who have waited longest, until the feed is closed."""
        while not self._closed:
            self._cry.wait()
            self._cry.clear()
            left = self._listeners
            while left > 0 and not self._closed:
                with self._news:
                    self._news.notify(WAVE)
                left -= WAVE
                time.sleep(PAUSE)

    def subscribe(self, after: int | None = None, *, heartbeat: float = HEARTBEAT) -> Subscription:
        """Events with ids above ``after``; with ``None`` only those to come."""
        # An id that we never gave comes from another journal: nothing can be resumed from it.
        start = self._last if after is None or after > self._last else max(after, 0)
        with self._news:
            self._listeners += 1
        return Subscription(self, start, heartbeat)

    def close(self) -> None:
        """End all subscriptions once they have given what there is."""
        with self._news:
            self._closed = True
            self._news.notify_all()
        self._cry.set()

    def _next(
        self, subscription: Subscription, after: int, heartbeat: float
    ) -> list[tuple[int, Event]] | None:
        """Events above ``after``: some, none after a silent ``heartbeat``, or ``None`` at the end."""
        with self._news:
            subscription.waits = True
            self._news.wait_for(lambda: self._last > after or self._closed or subscription.closed, heartbeat)
            subscription.waits = False
            if subscription.closed:
                return None
            if self._last <= after:
                return None if self._closed else []
            if after >= self._floor or self._log is None:
                # Newest first until the one already given: a viewer who keeps up looks at few.
                found: list[tuple[int, Event]] = []
                for item in reversed(self._recent):
                    if item[0] <= after:
                        break
                    found.append(item)
                return found[::-1]
            newest = self._last
            floor = self._floor
        # Reading the disk must not hold up the game.
        read = [item for item in self._log.events(after, _PAGE) if item[0] <= newest]
        # Where the log lacks what is no longer in memory, there is nothing to wait for.
        return read or self._next(subscription, max(after, floor), heartbeat)

    def _leave(self, subscription: Subscription) -> None:
        with self._news:
            if subscription.closed:
                return
            subscription.closed = True
            self._listeners -= 1
            # Who ends between two events wakes nobody: of hundreds, somebody leaves all the time.
            if subscription.waits:
                self._news.notify_all()


class Subscription:
    """One listener's way through the events: an iterator of ``(id, event)``, or ``None`` as sign of life."""

    def __init__(self, feed: Feed, after: int, heartbeat: float) -> None:
        self._feed = feed
        self._after = after
        self._heartbeat = heartbeat
        self.closed = False
        self.waits = False

    def __iter__(self) -> Iterator[tuple[int, Event] | None]:
        while True:
            found = self._feed._next(self, self._after, self._heartbeat)
            if found is None:
                return
            if not found:
                yield None
            for number, event in found:
                self._after = number
                yield number, event
                if self.closed:
                    return

    def close(self) -> None:
        """End the iteration, from any thread, also while it waits; may be called twice."""
        self._feed._leave(self)
