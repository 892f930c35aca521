"""Subscribers get every event once, in order, however late they subscribe and however slow they are."""

from __future__ import annotations

import threading
import time

import pytest
from waiting import until

from focus_companion.session import event_feed
from focus_companion.session.event_feed import WAKE_BATCH_SIZE, Feed, Subscription
from focus_companion.session.events import Event, Resolved


class Log:
    """A journal of events in memory, with increasing ids that have gaps."""

    def __init__(self) -> None:
        self.kept: list[tuple[int, Event]] = []
        self.reads = 0

    def add(self, count: int) -> list[tuple[int, Event]]:
        new = []
        for _ in range(count):
            number = self.kept[-1][0] + 1 + len(self.kept) % 2 if self.kept else 3
            new.append((number, Resolved(float(number))))
            self.kept.append(new[-1])
        return new

    def events(self, after: int = 0, limit: int = 1000) -> list[tuple[int, Event]]:
        self.reads += 1
        return [item for item in self.kept if item[0] > after][:limit]


def read(feed: Feed, after: int | None, count: int) -> list[tuple[int, Event]]:
    found = []
    subscription = feed.subscribe(after, heartbeat=2)
    for item in subscription:
        assert item is not None, "no event came in time"
        found.append(item)
        if len(found) == count:
            break
    subscription.close()
    return found


def waiting(feed: Feed, count: int) -> tuple[list[Subscription], list[tuple[int, Event] | None]]:
    """As many subscriptions, each waiting in a thread for its next event, and the list that receives them."""
    received: list[tuple[int, Event] | None] = []
    subscriptions = [feed.subscribe(heartbeat=120) for _ in range(count)]
    for subscription in subscriptions:
        threading.Thread(
            target=lambda s=subscription: received.append(next(iter(s), None)), daemon=True
        ).start()
    until(lambda: all(s.waiting for s in subscriptions))
    return subscriptions, received


def test_without_an_id_only_new_events_are_delivered() -> None:
    log = Log()
    feed = Feed(0, log)
    feed.publish(log.add(5))
    subscription = feed.subscribe(heartbeat=0.01)
    walk = iter(subscription)
    assert next(walk) is None
    later = log.add(2)
    feed.publish(later)
    assert [next(walk), next(walk)] == later


def test_resuming_at_every_id_has_no_gap_and_no_repeat() -> None:
    log = Log()
    old = log.add(7)
    feed = Feed(old[-1][0], log, kept=4)
    for _ in range(6):
        feed.publish(log.add(2))
    for place in range(len(log.kept)):
        after = log.kept[place][0] if place else 0
        expected = [item for item in log.kept if item[0] > after]
        if expected:
            assert read(feed, after, len(expected)) == expected


def test_an_id_never_issued_resumes_from_now() -> None:
    log = Log()
    feed = Feed(0, log)
    feed.publish(log.add(3))
    walk = iter(feed.subscribe(999, heartbeat=0.01))
    assert next(walk) is None
    new = log.add(1)
    feed.publish(new)
    assert next(walk) == new[0]


def test_committed_but_unpublished_events_are_not_delivered() -> None:
    log = Log()
    feed = Feed(0, log, kept=1)
    feed.publish(log.add(4))
    silent = log.add(1)
    walk = iter(feed.subscribe(0, heartbeat=0.01))
    assert [next(walk) for _ in range(4)] == log.kept[:4]
    assert next(walk) is None
    feed.publish(silent)
    assert next(walk) == silent[0]


def test_a_slow_listener_reads_again_from_the_log_and_memory_stays_bounded() -> None:
    log = Log()
    feed = Feed(0, log, kept=16)
    subscription = feed.subscribe(0, heartbeat=1)
    for _ in range(500):
        feed.publish(log.add(1))
    assert len(feed._recent) == 16
    walk = iter(subscription)
    assert [next(walk) for _ in range(500)] == log.kept
    # The log is read page by page, not repeatedly from its start.
    assert log.reads <= 5


def test_many_listeners_while_events_are_published() -> None:
    log = Log()
    feed = Feed(0, log, kept=8)
    got: dict[int, list[tuple[int, Event]]] = {}

    def listen(name: int) -> None:
        got[name] = read(feed, 0, 200)

    threads = [threading.Thread(target=listen, args=(i,)) for i in range(20)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        feed.publish(log.add(1))
    for thread in threads:
        thread.join(60)
    assert all(got[name] == log.kept for name in range(20))


def test_close_ends_a_waiting_listener_at_once() -> None:
    feed = Feed(0)
    for end in ("subscription", "feed"):
        subscription = feed.subscribe(heartbeat=60)
        ended = threading.Event()

        def listen(subscription=subscription, ended=ended) -> None:
            assert list(subscription) == []
            ended.set()

        threading.Thread(target=listen, daemon=True).start()
        until(lambda s=subscription: s.waiting)
        (subscription if end == "subscription" else feed).close()
        assert ended.wait(30)


def test_hundreds_receive_every_event_once_although_they_are_woken_in_batches() -> None:
    log = Log()
    feed = Feed(0, log)
    heard: list[list[int]] = [[] for _ in range(5 * WAKE_BATCH_SIZE)]
    subscriptions = [feed.subscribe(heartbeat=30) for _ in heard]

    def listen(subscription: Subscription, into: list[int]) -> None:
        for item in subscription:
            assert item is not None
            into.append(item[0])
            if len(into) == 30:
                break
        subscription.close()
        subscription.close()

    threads = [threading.Thread(target=listen, args=both) for both in zip(subscriptions, heard, strict=True)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        feed.publish(log.add(3))
        time.sleep(0.003)
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    assert all(mine == [number for number, _ in log.kept] for mine in heard)
    feed.close()


def test_of_many_waiting_listeners_one_batch_is_woken_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_feed, "WAKE_BATCH_PAUSE", 60.0)
    log = Log()
    feed = Feed(0, log)
    _, heard = waiting(feed, 3 * WAKE_BATCH_SIZE)
    feed.publish(log.add(1))
    until(lambda: len(heard) >= WAKE_BATCH_SIZE)
    time.sleep(0.2)
    assert len(heard) == WAKE_BATCH_SIZE
    feed.close()
    until(lambda: len(heard) == 3 * WAKE_BATCH_SIZE)
    assert heard == log.kept * (3 * WAKE_BATCH_SIZE)


@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="threads have no clocks of their own")
def test_after_waking_many_the_feed_uses_no_processor() -> None:
    log = Log()
    feed = Feed(0, log)
    subscriptions, received = waiting(feed, 2 * WAKE_BATCH_SIZE)
    feed.publish(log.add(1))
    until(lambda: len(received) == 2 * WAKE_BATCH_SIZE)
    for subscription in subscriptions:
        subscription.close()
    assert feed._waker is not None and feed._waker.ident is not None
    clock = time.pthread_getcpuclockid(feed._waker.ident)
    used = time.clock_gettime(clock)
    time.sleep(1.0)
    # Of this thread only, since others may have something left to do; one that spins would get more than that
    # on a machine with dozens of others.
    assert time.clock_gettime(clock) - used < 0.01, "a hundredth of a time in which nothing happens"
    assert feed._waker.is_alive()
    feed.close()


def test_many_waiting_listeners_are_ended_at_once() -> None:
    feed = Feed(0, Log())
    subscriptions = [feed.subscribe(heartbeat=30) for _ in range(3 * WAKE_BATCH_SIZE)]
    threads = [threading.Thread(target=lambda s=s: [*s], daemon=True) for s in subscriptions]
    for thread in threads:
        thread.start()
    until(lambda: all(s.waiting for s in subscriptions))
    subscriptions[0].close()
    threads[0].join(20)
    assert not threads[0].is_alive() and threads[1].is_alive()
    feed.close()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
