"""A table without a camera: a session that a scripted pipeline plays, its journal and publisher."""

from __future__ import annotations

from pathlib import Path

from scripted import Player, Still
from waiting import until

from focus_companion.game.rules import Rules
from focus_companion.mqtt.broker import parse_broker
from focus_companion.mqtt.publisher import Publisher
from focus_companion.session.requests import Resign
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal
from focus_companion.storage.outbox import Outbox

NAMES = {"g": "Ann", "r": "Bob"}


class Table:
    """The table ``name`` on the broker at ``address``; ``said``: the publisher's messages for people."""

    def __init__(
        self, folder: Path, address: str, name: str = "Table 1", names: dict[str, str] | None = None
    ) -> None:
        self.name = name
        self.journal = Journal(folder, write=True)
        self.session = Session(
            Rules.make(2), NAMES if names is None else names, self.journal, Player, again=1.0
        )
        self.said: list[str] = []
        self._index = 0
        broker = parse_broker(address)
        self.outbox = Outbox(folder, broker.shown, name)
        self.publisher = Publisher(
            broker,
            name,
            self.journal,
            self.session.state,
            self.outbox,
            version="test",
            tell=self.said.append,
        )

    def play(self, frames: int = 1) -> None:
        for _ in range(frames):
            for event in self.session.push(Still(self._index)):
                self.publisher.tell(event)
            self._index += 1

    def another_game(self) -> None:
        """End the game (random play rarely does) and begin the next."""
        self.session.submit(Resign(self.session.position.to_move))
        before = self.session.history.game
        while self.session.history.game == before:
            self.play()

    def wait_confirmed(self, seconds: float = 120) -> None:
        until(lambda: self.publisher.confirmed == self.journal.last_event(), seconds, self.publisher)

    def close(self) -> None:
        self.publisher.close(5)
        self.session.close()
        self.outbox.close()
        self.journal.close()
