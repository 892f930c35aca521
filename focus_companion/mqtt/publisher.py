"""Publishes the journal to a broker for as long as the program runs.

The journal is authoritative. The broker confirms what it has received; everything else is sent again from
the journal, after an outage of any length of the broker, the network or this program.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from . import homeassistant, messages
from .account import Account, Memory, PublishedJournal, drain
from .broker import Broker
from .line import Line, LineDown, Message, Will
from .sending import Sending
from .topics import Topics

log = logging.getLogger(__name__)

_FIRST_WAIT: Final = 0.5
_LONGEST_WAIT: Final = 15.0
_REFUSED_WAIT: Final = 30.0


class Publisher:
    """Publishes one table until ``close``. Broker faults are reported in one line and never reach the game.

    ``state``: the session's state. The first game that the broker gets is the one being played when we first
    connect; earlier ones are not sent.
    """

    def __init__(
        self,
        broker: Broker,
        table: str,
        journal: PublishedJournal,
        state: Callable[[], Mapping[str, Any]],
        memory: Memory,
        *,
        version: str,
        tell: Callable[[str], None] = log.warning,
    ) -> None:
        self._account = Account(broker, table, journal, state, memory, version, tell)
        self._thread = threading.Thread(target=self._run, name="mqtt", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def tell(self, event: object = None) -> None:
        """Notify of an event at the table. Never blocks."""
        self._account.news.set()

    @property
    def confirmed(self) -> int:
        """The id of the last event that the broker has."""
        return self._account.confirmed

    def close(self, timeout: float = 1.0) -> None:
        """Disconnect cleanly if that is quick; may be called twice."""
        self._account.closing.set()
        self._account.news.set()
        if self._thread.is_alive():
            self._thread.join(timeout)

    # The publisher's own thread

    def _run(self) -> None:
        of = self._account
        wait = _FIRST_WAIT
        while not of.closing.is_set():
            began = time.monotonic()
            try:
                of.recall()
                self._connect()
                return
            except LineDown as down:
                of.ill(str(down))
                stood = time.monotonic() - began > _LONGEST_WAIT
                wait = _FIRST_WAIT if stood else min(2 * wait, _LONGEST_WAIT)
                of.closing.wait(_REFUSED_WAIT if down.refused else wait * random.uniform(0.7, 1.0))
            except OSError as error:
                # The journal's own sentence; the game reports the same.
                of.ill(str(error))
                of.closing.wait(_LONGEST_WAIT)
            except Exception:
                # A bug of ours must not stop the game, nor publishing for the rest of the evening.
                log.exception("Publishing to %s: a fault of the program; it is restarted", of.broker.shown)
                of.closing.wait(_REFUSED_WAIT)

    def _connect(self) -> None:
        """Publish until closed. Raises :class:`LineDown`."""
        of = self._account
        drain(of.inbox)
        drain(of.acks)
        status = Topics(of.table).status
        gone = messages.write_status(False, of.identity, of.floor, of.version)
        line = Line(
            of.broker,
            # Always the same client id, so that the broker closes an earlier connection of ours.
            f"{homeassistant.device_id(of.table)[:48]}-{of.identity[:6]}",
            on_message=self._hear,
            on_confirmed=self._confirm,
            on_down=of.news.set,
            will=Will(status, gone),
        )
        try:
            Sending(of, line).run()
        except OSError:
            line.publish(status, gone, retain=True)
            raise
        finally:
            line.close()

    def _hear(self, message: Message) -> None:
        self._account.inbox.put(message)
        self._account.news.set()

    def _confirm(self, mid: int, fault: str | None) -> None:
        self._account.acks.put((mid, fault))
        self._account.news.set()
