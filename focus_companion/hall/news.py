"""What has changed, for any number of viewers: each is told what is new since it last looked, not every step.

Nothing is kept but who changed last: a viewer that lags behind gets the newest of every table, once.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator

TOGETHER = 0.05
"""Seconds for which news is gathered before a viewer is told."""


class News:
    """The order in which tables changed. ``run`` tells this hall from one started before or beside it."""

    def __init__(self) -> None:
        self.run = secrets.token_hex(4)
        self._condition = threading.Condition()
        self._number = 0
        self._changed: dict[str, int] = {}
        self._results = 0
        self._broker = False
        self._closed = False

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
            self._condition.notify_all()

    def results(self) -> None:
        """The list of games is not as it was."""
        with self._condition:
            self._number += 1
            self._results = self._number
            self._condition.notify_all()

    def line(self, up: bool) -> None:
        """The broker is reached, or not."""
        with self._condition:
            if up != self._broker:
                self._number += 1
                self._broker = up
                self._condition.notify_all()

    def follow(self, after: str | None, *, heartbeat: float) -> Following:
        """What changes after the place named ``after`` (all, if this hall did not give it)."""
        run, _, number = (after or "").partition("-")
        known = int(number) if run == self.run and number.isascii() and number.isdigit() else 0
        return Following(self, known if known <= self._number else 0, heartbeat)

    def close(self) -> None:
        """End every following."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def _wake(self) -> None:
        with self._condition:
            self._condition.notify_all()

    def _next(
        self, after: int, heartbeat: float, left: Callable[[], bool]
    ) -> tuple[int, list[str], int, bool] | None:
        """(number, tables changed, number of the last change of results, broker); ``None`` at the end."""
        with self._condition:
            self._condition.wait_for(lambda: self._number > after or self._closed or left(), heartbeat)
            if self._closed or left():
                return None
            found: list[str] = []
            for table in reversed(self._changed):
                if self._changed[table] <= after:
                    break
                found.append(table)
            return self._number, found[::-1], self._results, self._broker


class Following:
    """One viewer's way through the news: gives ``(id, tables, results, broker)``, ``None`` in silence."""

    def __init__(self, news: News, after: int, heartbeat: float) -> None:
        self._news, self._after, self._heartbeat = news, after, heartbeat
        self._pause = threading.Event()

    def __iter__(self) -> Iterator[tuple[str, list[str], int, bool] | None]:
        # A new viewer hears at once how things stand, also if nothing happens.
        silence = 0.0
        while True:
            found = self._news._next(self._after, silence, self._pause.is_set)
            if found is None:
                return
            number, tables, results, broker = found
            if number == self._after and silence:
                yield None
                continue
            self._after, silence = number, self._heartbeat
            yield f"{self._news.run}-{number}", tables, results, broker
            # News of many tables in a moment are told together.
            if self._pause.wait(TOGETHER):
                return

    def close(self) -> None:
        """End the iteration, from any thread; may be called twice."""
        self._pause.set()
        self._news._wake()
