"""Publishes events from the game thread to any number of subscribers, without gaps or repeats and with
bounded memory.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from .events import Event

_MAX_RECENT_EVENTS: Final = 1024
"""Maximum number of newest events held in memory; a subscriber further behind reads from the journal."""

HEARTBEAT: Final = 15.0
"""Seconds without an event after which a subscription yields ``None``."""

WAKE_BATCH_SIZE: Final = 8
"""Maximum number of subscribers woken at once. Hundreds woken at once would all compete with the game thread;
with batches it competes with a few at most."""

WAKE_BATCH_PAUSE: Final = 0.002
"""Seconds between two batches."""

_MAX_LOG_READ: Final = 200
"""Maximum number of events read from the log at once."""


class EventLog(Protocol):
    """Storage from which events that are no longer in memory can be read."""

    def events(self, after: int = 0, limit: int = 1000) -> list[tuple[int, Event]]: ...


class Feed:
    """Events published by one thread. ``last``: the id of the newest one; ``log`` holds the earlier ones."""

    def __init__(self, last: int = 0, log: EventLog | None = None, *, kept: int = _MAX_RECENT_EVENTS) -> None:
        self._log = log
        self._changed = threading.Condition()
        self._recent: deque[tuple[int, Event]] = deque()
        self._kept = kept
        # All events with ids above this one are in ``_recent``.
        self._floor = last
        self._last = last
        self._closed = False
        self._listeners = 0
        self._wake_up = threading.Event()
        self._waker: threading.Thread | None = None

    @property
    def last(self) -> int:
        """The id of the newest event."""
        return self._last

    def publish(self, numbered: Sequence[tuple[int, Event]]) -> None:
        """Publish these events to all subscribers; their ids increase."""
        with self._changed:
            for number, event in numbered:
                self._recent.append((number, event))
                self._last = number
            while len(self._recent) > self._kept:
                self._floor = self._recent.popleft()[0]
            if self._listeners <= WAKE_BATCH_SIZE:
                self._changed.notify_all()
                return
        if self._waker is None:
            self._waker = threading.Thread(target=self._wake_in_batches, name="events", daemon=True)
            self._waker.start()
        self._wake_up.set()

    def _wake_in_batches(self) -> None:
        """Wake the listeners in batches, those waiting longest first, until the feed is closed."""
        while not self._closed:
            self._wake_up.wait()
            self._wake_up.clear()
            left = self._listeners
            while left > 0 and not self._closed:
                with self._changed:
                    self._changed.notify(WAKE_BATCH_SIZE)
                left -= WAKE_BATCH_SIZE
                time.sleep(WAKE_BATCH_PAUSE)

    def subscribe(self, after: int | None = None, *, heartbeat: float = HEARTBEAT) -> Subscription:
        """Subscribe to the events with ids above ``after``; ``None``: only to new ones."""
        # An id that was never issued comes from another journal: nothing can be resumed from it.
        start = self._last if after is None or after > self._last else max(after, 0)
        with self._changed:
            self._listeners += 1
        return Subscription(self, start, heartbeat)

    def close(self) -> None:
        """End all subscriptions once they have delivered the events published so far."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._wake_up.set()

    def _next(
        self, subscription: Subscription, after: int, heartbeat: float
    ) -> list[tuple[int, Event]] | None:
        """Events above ``after``: ``[]`` after ``heartbeat`` seconds without one, ``None`` at the end."""
        with self._changed:
            subscription.waiting = True
            self._changed.wait_for(
                lambda: self._last > after or self._closed or subscription.closed, heartbeat
            )
            subscription.waiting = False
            if subscription.closed:
                return None
            if self._last <= after:
                return None if self._closed else []
            if after >= self._floor or self._log is None:
                # Search backwards from the newest: few steps for a subscriber that keeps up.
                found: list[tuple[int, Event]] = []
                for item in reversed(self._recent):
                    if item[0] <= after:
                        break
                    found.append(item)
                return found[::-1]
            newest = self._last
            floor = self._floor
        # Outside the lock, because reading the disk must not block the game.
        read = [item for item in self._log.events(after, _MAX_LOG_READ) if item[0] <= newest]
        # Events that are neither in memory nor in the log are skipped.
        return read or self._next(subscription, max(after, floor), heartbeat)

    def _unsubscribe(self, subscription: Subscription) -> None:
        with self._changed:
            if subscription.closed:
                return
            subscription.closed = True
            self._listeners -= 1
            # Waking it wakes all others, so do that only if it is waiting: of hundreds, some always
            # unsubscribe.
            if subscription.waiting:
                self._changed.notify_all()


class Subscription:
    """One subscriber's position in the events: an iterator of ``(id, event)``, or ``None`` as a heartbeat."""

    def __init__(self, feed: Feed, after: int, heartbeat: float) -> None:
        self._feed = feed
        self._after = after
        self._heartbeat = heartbeat
        self.closed = False
        self.waiting = False

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
        """End the iteration, from any thread, even while it waits; may be called twice."""
        self._feed._unsubscribe(self)
