"""A game in which programs play every colour, until it is killed: ``life.py FOLDER [obey|wait]``.

``obey``: the table makes the requested turns after a moment; ``wait``: it makes none.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "session"))

from scripted import Still, Unseeing  # noqa: E402

from focus_companion.game.rules import Rules  # noqa: E402
from focus_companion.referee.verdict import StartSeen, TurnSeen  # noqa: E402
from focus_companion.seats.seats import Seats  # noqa: E402
from focus_companion.session.session import Session  # noqa: E402
from focus_companion.storage.journal import Journal  # noqa: E402

HANDS = 4
"""Number of pictures that a requested turn takes."""


class Table(Unseeing):
    def __init__(self, obeys: bool) -> None:
        self.obeys, self.pushed, self.since = obeys, 0, 0

    def push(self, frame: Any, history: Any, asked: Any = None) -> Any:
        self.pushed += 1
        if self.pushed == 1:
            return [StartSeen()]
        self.since = self.since + 1 if asked.turn is not None else 0
        return [TurnSeen(asked.turn, 0.9)] if self.obeys and self.since > HANDS else []


def main(folder: str, obey: str) -> None:
    player = f"{sys.executable} {HERE / 'random_player.py'}"
    played_by = {"g": f"engine:{player} slow", "r": f"engine:{player}"}
    journal = Journal(folder, write=True)
    session = Session(Rules.make(2), {}, journal, Table(obey == "obey"), again=0.5, played_by=played_by)
    seats = Seats(session, print)
    seats.start()
    index = 0
    while True:
        time.sleep(0.01)
        index += 1
        for event in session.push(Still(index)):  # type: ignore[arg-type]
            seats.notify()
            print(event.type, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
