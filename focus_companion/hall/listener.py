"""The hall's connection to the broker: listens to every table, requests what is missing, reconnects."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Final

from ..mqtt.broker import Broker
from ..mqtt.line import Line, LineDown, Message
from ..mqtt.topics import all_tables
from .evening import Evening

log = logging.getLogger(__name__)

_CHECK_INTERVAL: Final = 0.5
"""Seconds between two checks for missing events while the inbox is empty."""
_MAX_CHECK_INTERVAL: Final = 5.0
"""The same while the inbox is not empty."""
_FIRST_RETRY_DELAY: Final = 0.5
"""Half of the seconds before the first attempt to reconnect."""
_MAX_RETRY_DELAY: Final = 8.0
"""Maximum seconds before an attempt to reconnect; the delay doubles each time."""
_REFUSED_RETRY_DELAY: Final = 20.0
"""Seconds before another attempt if the broker refused us."""


class Listener:
    """Feeds an evening until ``close``. ``tell`` receives a sentence whenever the connection changes."""

    def __init__(
        self, broker: Broker, evening: Evening, *, tell: Callable[[str], None] = log.warning
    ) -> None:
        self._broker, self._evening, self._tell = broker, evening, tell
        self._inbox: SimpleQueue[Message] = SimpleQueue()
        self._down = threading.Event()
        self._closing = threading.Event()
        self._said = ""
        self._thread = threading.Thread(target=self._run, name="hall", daemon=True)

    def connect(self) -> None:
        """Start listening.

        Raises:
            LineDown: the broker refuses us. If it cannot be reached, attempts go on in the background.
        """
        try:
            line: Line | None = self._line()
        except LineDown as down:
            if down.refused:
                raise
            self._report_down(down)
            line = None
        self._first = line
        self._thread.start()

    def close(self, timeout: float = 1.0) -> None:
        """Stop listening; may be called twice."""
        self._closing.set()
        self._down.set()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def _line(self) -> Line:
        self._down.clear()
        line = Line(
            self._broker,
            f"focus-companion-hall-{secrets.token_hex(6)}",
            on_message=self._inbox.put,
            on_down=self._down.set,
        )
        line.subscribe(*all_tables())
        return line

    def _run(self) -> None:
        wait, line = _FIRST_RETRY_DELAY, self._first
        while not self._closing.is_set():
            try:
                line = line or self._line()
                self._report_up()
                wait = _FIRST_RETRY_DELAY
                self._follow(line)
            except LineDown as down:
                self._report_down(down)
                wait = _REFUSED_RETRY_DELAY if down.refused else min(2 * wait, _MAX_RETRY_DELAY)
                self._closing.wait(wait)
            finally:
                if line is not None:
                    line.close()
                line = None

    def _follow(self, line: Line) -> None:
        """Listen until closed. Raises :class:`LineDown`."""
        looked = 0.0
        while not self._closing.is_set():
            with suppress(Empty):
                self._take(self._inbox.get(timeout=_CHECK_INTERVAL))
            # Missing events may still be in the inbox; but an inbox that is never empty must not prevent it.
            apart = _CHECK_INTERVAL if self._inbox.empty() else _MAX_CHECK_INTERVAL
            now = time.monotonic()
            if now < looked + apart and (line.up or not self._inbox.empty()):
                continue
            looked = now
            for topic, payload in self._evening.asks():
                line.publish(topic, payload)
            line.check()

    def _take(self, message: Message) -> None:
        try:
            self._evening.take(message)
        except Exception:
            # A bug in handling one message must not affect the other tables.
            log.exception("A message on %s was skipped because of a fault in the program", message.topic)

    def _report_down(self, down: LineDown) -> None:
        self._evening.news.line(False)
        if str(down) != self._said:
            self._said = str(down)
            self._tell(f"MQTT: {down}; the tables are shown as they were last seen")

    def _report_up(self) -> None:
        self._evening.news.line(True)
        if self._said:
            self._said = ""
            self._tell(f"MQTT: {self._broker.shown} is reachable again")
