"""Publishes the journal to a broker for as long as the program runs.

The journal is authoritative. The broker confirms what it has received; everything else is sent again from the
journal, after an outage of any length, whether of the broker, the network or this program.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from . import homeassistant
from .account import Account, Memory, PublishedJournal, drain
from .broker import Broker
from .line import Line, LineDown, Message, Will
from .sending import Sending
from .topics import Topics

log = logging.getLogger(__name__)

_FIRST_RETRY_DELAY: Final = 0.5
"""Maximum seconds before the first attempt to reconnect after a connection that lasted."""
_MAX_RETRY_DELAY: Final = 15.0
"""Maximum seconds before an attempt to reconnect (the delay doubles each time); a connection that lasted
longer than this resets the delay."""
_REFUSED_RETRY_DELAY: Final = 30.0
"""Seconds before another attempt if the broker refused us, or after a fault of this program."""


class Publisher:
    """Publishes one table until ``close``. Faults of the broker are reported in one line and never reach the
    game.

    ``state``: returns the session's state. The first game that the broker gets is the one being played when
    we first connect; earlier ones are not sent.
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
        account = self._account
        wait = _FIRST_RETRY_DELAY
        while not account.closing.is_set():
            began = time.monotonic()
            try:
                account.recall()
                self._connect()
                return
            except LineDown as down:
                account.report_problem(str(down))
                stood = time.monotonic() - began > _MAX_RETRY_DELAY
                wait = _FIRST_RETRY_DELAY if stood else min(2 * wait, _MAX_RETRY_DELAY)
                account.closing.wait(
                    _REFUSED_RETRY_DELAY if down.refused else wait * random.uniform(0.7, 1.0)
                )
            except OSError as error:
                # The journal's error, which the game reports as well.
                account.report_problem(str(error))
                account.closing.wait(_MAX_RETRY_DELAY)
            except Exception:
                # A bug must not stop the game, nor publishing for the rest of the evening.
                broker = account.broker.shown
                log.exception("Publishing to %s stopped because of a fault; it is restarted", broker)
                account.closing.wait(_REFUSED_RETRY_DELAY)

    def _connect(self) -> None:
        """Publish until closed. Raises :class:`LineDown`."""
        account = self._account
        drain(account.inbox)
        drain(account.acks)
        status = Topics(account.table).status
        gone = account.status(online=False)
        line = Line(
            account.broker,
            # Always the same client id, so that the broker closes an earlier connection of ours.
            f"{homeassistant.device_id(account.table)[:48]}-{account.identity[:6]}",
            on_message=self._hear,
            on_confirmed=self._confirm,
            on_down=account.news.set,
            will=Will(status, gone),
        )
        try:
            Sending(account, line).run()
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
