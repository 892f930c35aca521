"""Sends over one connection: events in order, the state, games, answers to requests for missing events."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Mapping
from queue import Empty
from typing import Any, Final

from ..formats.strict_json import compact
from ..game.colours import NAMES
from ..game.match import game_points
from ..session.state_json import named
from . import homeassistant, messages
from .account import Account, StoredEvent, drain
from .line import MAX_IN_FLIGHT, Line, LineDown
from .messages import InvalidMessage
from .topics import Topics

log = logging.getLogger(__name__)

CHECKPOINT_EVENTS: Final = 16
"""Number of events after which the complete running game is published again; sooner if it ends or rests."""

REST_SECONDS: Final = 20.0
"""Seconds without an event after which a game counts as resting."""

RETENTION_SECONDS: Final = 7 * 24 * 3600
"""Seconds for which the broker retains a game; the journal keeps it for good."""

_STATE_INTERVAL: Final = 0.1
"""Minimum seconds between two states."""
_SAVE_INTERVAL: Final = 1.0
"""Minimum seconds between two writes of what the broker has confirmed."""
_ANSWER_INTERVAL: Final = 1.0
"""Minimum seconds between two answers to requests for missing events."""
_CHECK_INTERVAL: Final = 1.0
"""Maximum seconds between two checks of the connection."""
_RETAINED_STATE_TIMEOUT: Final = 0.5
"""Seconds to wait for the broker to send our retained state."""

_OBJECTION_TIMEOUT: Final = 1.5
"""Seconds to wait for another machine with the same table name to answer."""
_INSIST_INTERVAL: Final = 0.5
"""Minimum seconds between two messages that this table is online, in answer to others."""
_LEAVE_TIMEOUT: Final = 0.7
"""Seconds to wait at the end for the broker to confirm the last messages."""


class Sending:
    """The work of a publisher while it is connected, all on the publisher's own thread."""

    def __init__(self, account: Account, line: Line) -> None:
        self._account, self._line = account, line
        self._topics, self._journal = Topics(account.table), account.journal
        self._sent = account.confirmed
        self._under_way: deque[tuple[int, int]] = deque()
        self._done: set[int] = set()
        self._unlogged = 0
        self._due: set[int] = set()
        self._newest: tuple[int, float] | None = None
        self._published: Mapping[str, Any] = {}
        self._state_at = self._saved_at = self._answered_at = 0.0
        self._wanted: int | None = None
        self._begun: dict[int, str] = {}
        self._insisted_at = 0.0
        self._postponed = False
        self._alert_at: str | None = None

    def run(self) -> None:
        """Send until closed. Raises :class:`LineDown`."""
        account = self._account
        remembered, taken = self._greet()
        if taken:
            self._await_objection()
        self._line.publish(self._topics.status, account.status(online=True), retain=True)
        self._line.publish(
            homeassistant.discovery_topic(account.table),
            compact(homeassistant.discovery(account.table, account.version)).encode(),
            retain=True,
        )
        account.report_recovery()
        # Events that the broker once confirmed but has lost since.
        self._due |= self._games(max(remembered, account.floor), self._sent)
        while not account.closing.is_set():
            account.news.clear()
            more = self._round()
            self._line.check()
            if not more:
                account.news.wait(self._pause())
        self._leave()

    def _greet(self) -> tuple[int, bool]:
        """Ask the broker for our retained state.

        Returns the last event contained in that state, and whether another journal claims to be online under
        our name.
        """
        account = self._account
        self._line.subscribe(self._topics.status, self._topics.state, self._topics.ask)
        remembered, taken, end = 0, False, time.monotonic() + _RETAINED_STATE_TIMEOUT
        while (left := end - time.monotonic()) > 0:
            try:
                message = account.inbox.get(timeout=left)
            except Empty:
                break
            try:
                if message.topic == self._topics.status:
                    taken = self._is_other(messages.read_status(message.payload))
                elif message.topic == self._topics.state:
                    state = messages.read_state(message.payload)
                    remembered = state["seq"] if state["journal"] == account.identity else 0
                    break
            except InvalidMessage:
                # Somebody else's; our own message follows and replaces it.
                continue
        self._line.unsubscribe(self._topics.state)
        return remembered, taken

    def _is_other(self, status: messages.TableStatus) -> bool:
        return status.online and status.journal != self._account.identity

    def _await_objection(self) -> None:
        """Ask who is online under our name. Raises :class:`LineDown` if somebody answers."""
        # Not retained, and not as the table: that would take the other's place in every hall.
        self._line.publish(self._topics.status, self._account.status(online=True, asking=True))
        end = time.monotonic() + _OBJECTION_TIMEOUT
        while (left := end - time.monotonic()) > 0:
            try:
                message = self._account.inbox.get(timeout=left)
                other = message.topic == self._topics.status and self._is_other(
                    messages.read_status(message.payload)
                )
            except (Empty, InvalidMessage):
                continue
            if other and not message.retained:
                name = self._account.table
                raise LineDown(
                    f"another machine is connected as the table {name!r}; give one of them another name",
                    refused=True,
                )

    def _round(self) -> bool:
        """Do one round of pending work; returns whether there is more to do at once."""
        self._take_acks()
        self._take_messages()
        more = self._send_events()
        self._answer()
        self._send_logs()
        if not more:
            self._send_state()
        self._save()
        return more

    def _pause(self) -> float:
        waits = self._wanted is not None or self._due or self._postponed
        return _STATE_INTERVAL if waits else _CHECK_INTERVAL

    def _take_acks(self) -> None:
        for mid, fault in drain(self._account.acks):
            if fault is not None:
                broker = self._account.broker.shown
                raise LineDown(
                    f"{broker} does not take our messages ({fault}); correct its access list",
                    refused=True,
                )
            self._done.add(mid)
        self._confirm()
        # The ids of messages that are not events need not be kept.
        self._done &= {mid for mid, _ in self._under_way}

    def _confirm(self) -> None:
        """Advance the last event that the broker has, as far as all before it are confirmed, too."""
        while self._under_way and self._under_way[0][0] in self._done:
            self._account.confirmed = self._under_way.popleft()[1]

    def _take_messages(self) -> None:
        for message in drain(self._account.inbox):
            try:
                if message.topic == self._topics.ask and not message.retained:
                    after = max(messages.read_ask(message.payload), self._account.floor)
                    self._wanted = after if self._wanted is None else min(after, self._wanted)
                elif message.topic == self._topics.status and not message.retained:
                    status = messages.read_status(message.payload)
                    # Otherwise it is the delayed last will of an earlier connection, ours or another's, or a
                    # newcomer that uses our name.
                    if not status.online or self._is_other(status):
                        self._insist()
            except InvalidMessage as nonsense:
                log.info("MQTT: an invalid message on %s is ignored: %s", message.topic, nonsense)

    def _insist(self) -> None:
        now = time.monotonic()
        if now > self._insisted_at + _INSIST_INTERVAL:
            self._insisted_at = now
            self._line.publish(self._topics.status, self._account.status(online=True), retain=True)

    def _send_events(self) -> bool:
        """Send as many events as may be in flight; returns whether more can be sent now."""
        room = MAX_IN_FLIGHT - len(self._under_way)
        if room <= 0:
            return False
        kept = self._journal.kept(self._sent, room)
        for event in kept:
            payload = messages.write_event(
                self._account.table,
                self._account.identity,
                event.game,
                self._began(event.game),
                event.id,
                self._sent,
                event.wall,
                event.body,
            )
            self._under_way.append((self._line.publish(self._topics.events, payload), event.id))
            if self._newest is not None and self._newest[0] != event.game:
                self._due.add(self._newest[0])
                self._unlogged = 0
            self._sent, self._newest = event.id, (event.game, time.monotonic())
            self._unlogged += 1
            if self._unlogged >= CHECKPOINT_EVENTS or event.body.startswith('{"type":"result"'):
                self._due.add(event.game)
        return len(kept) == room

    def _began(self, game: int) -> str:
        if game not in self._begun:
            self._begun = {game: self._journal.began(game)}
        return self._begun[game]

    def _answer(self) -> None:
        """Answer a request for missing events: publish the games that contain them again."""
        now = time.monotonic()
        if self._wanted is None or now < self._answered_at + _ANSWER_INTERVAL:
            return
        self._due |= self._games(self._wanted, self._sent)
        self._wanted, self._answered_at = None, now

    def _games(self, after: int, to: int) -> set[int]:
        """The games with events above ``after`` and at most ``to``."""
        games: set[int] = set()
        while after < to:
            page = [event for event in self._journal.kept(after) if event.id <= to]
            if not page:
                break
            games |= {event.game for event in page}
            after = page[-1].id
        return games

    def _send_logs(self) -> None:
        if self._newest and self._unlogged and time.monotonic() - self._newest[1] > REST_SECONDS:
            self._due.add(self._newest[0])
        while self._due:
            game = min(self._due)
            self._due.discard(game)
            if self._newest is not None and game == self._newest[0]:
                self._unlogged = 0
            if payload := self._log(game):
                self._line.publish(self._topics.game(game), payload, retain=True, expiry=RETENTION_SECONDS)

    def _log(self, game: int) -> bytes:
        """The game up to the last event sent; empty if none of its events was sent yet."""
        events: list[StoredEvent] = []
        after = 0
        while page := self._journal.kept(after, game=game):
            events += page
            after = page[-1].id
        events = [event for event in events if event.id <= self._sent]
        if not events:
            return b""
        history = self._journal.history(game, events[-1].id)
        position = history.position
        head = {
            "table": self._account.table,
            "journal": self._account.identity,
            "game": game,
            "began": self._began(game),
            "prev": self._journal.event_before(events[0].id),
            "first": events[0].id,
            "last": events[-1].id,
            "plies": history.ply,
            "order": [NAMES[letter] for letter in position.players],
            "players": named(history.players),
            "points": {NAMES[p]: n for p, n in game_points(position, history.rules).items()},
            "result": position.result and position.result.to_json(),
        }
        return messages.write_log(head, ((event.id, event.wall, event.body) for event in events))

    def _send_state(self) -> None:
        now = time.monotonic()
        self._postponed = now < self._state_at + _STATE_INTERVAL
        if self._postponed:
            return
        state = self._account.state()
        current = {key: state.get(key) for key in messages.GAME_KEYS} | {"seq": state["event"]}
        if state["event"] > self._sent or _without_clock(current) == _without_clock(self._published):
            return
        if current["alert"] != self._published.get("alert"):
            self._alert_at = messages.wall_clock() if current["alert"] else None
        self._published, self._state_at = current, now
        more = {"table": self._account.table, "journal": self._account.identity, "alert_at": self._alert_at}
        self._line.publish(self._topics.state, compact(more | current).encode(), retain=True)

    def _save(self, *, now: bool = False) -> None:
        account = self._account
        is_due = now or time.monotonic() > self._saved_at + _SAVE_INTERVAL
        if account.confirmed == account.saved or not is_due:
            return
        account.memory.keep(account.identity, account.floor, account.confirmed)
        account.saved, self._saved_at = account.confirmed, time.monotonic()

    def _leave(self) -> None:
        """Send what is pending, then go offline."""
        if self._unlogged and self._newest:
            self._due.add(self._newest[0])
        self._state_at = 0.0
        self._round()
        last = self._line.publish(self._topics.status, self._account.status(online=False), retain=True)
        end = time.monotonic() + _LEAVE_TIMEOUT
        while time.monotonic() < end and self._line.up and last not in self._done:
            self._account.news.wait(0.05)
            for mid, _ in drain(self._account.acks):
                self._done.add(mid)
            self._confirm()
        self._save(now=True)


def _without_clock(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state without the clock, which changes by itself."""
    return {key: value for key, value in state.items() if key != "clock"}
