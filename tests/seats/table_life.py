"""One of two tables that play one game: ``table_life.py FOLDER SEATS [NODES]``, SEATS as ``red=far,…``.

Prints its port and the link of its far seat, then plays without a camera: its own players and replies move at
once. It exits at the end of its input.
"""

from __future__ import annotations

import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "session"))

from scripted import Still, Unseeing  # noqa: E402

from focus_companion.commands.shared.seat_options import Seat, chosen_seats, play_seats  # noqa: E402
from focus_companion.game.rules import Rules  # noqa: E402
from focus_companion.players.choosing import Budget, choose  # noqa: E402
from focus_companion.referee.verdict import StartSeen, TurnSeen  # noqa: E402
from focus_companion.session.session import Session  # noqa: E402
from focus_companion.storage.journal import Journal  # noqa: E402
from focus_companion.web.app import create_app  # noqa: E402
from focus_companion.web.far import FarSeats  # noqa: E402
from focus_companion.web.server import PageServer  # noqa: E402

RULES = Rules.make(2)


class Table(Unseeing):
    """Makes the requested turns, and chooses turns for its own players quickly and randomly."""

    def __init__(self, nodes: int) -> None:
        self.pushed, self.nodes = 0, nodes
        self.session: Session

    def push(self, frame: Any, history: Any, asked: Any = None) -> Any:
        self.pushed += 1
        if self.pushed == 1 or not self.session.history.ready:
            return [StartSeen()]
        position = history[-1]
        if asked is not None and asked.turn is not None:
            return [TurnSeen(asked.turn, 0.9)]
        if position.over or position.to_move in self.session.history.played_by or self.pushed % 5:
            return []
        seed = int(time.time() * 1000)
        chosen = choose(position, RULES, 2, Budget(nodes=self.nodes), seed & 0xFFFF, history[:-1])
        return [TurnSeen(chosen.move, 0.9)]


def main(folder: str, seats: str, nodes: str = "400") -> None:
    played_by, words = chosen_seats([Seat().convert(seat, None, None) for seat in seats.split(",")])
    data = Path(folder)
    table = Table(int(nodes))
    with ExitStack() as closing:
        journal = Journal(data, write=True)
        closing.callback(journal.close)
        session = Session(RULES, {}, journal, table, played_by=played_by)
        table.session = session
        look = play_seats(session, data, words, closing)
        far = FarSeats(data)
        server = PageServer(create_app(session, journal, lan=True, pin="123456", far=far), port=0)
        server.start()
        links = far.links(session.state()["seats"])
        print(server.port, f"/seat#{next(iter(links.values()), '')}", flush=True)
        ended = threading.Event()
        threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
        index = 0
        while not ended.wait(0.01):
            index += 1
            for event in session.push(Still(index)):  # type: ignore[arg-type]
                look()
                print(event.type, flush=True)
        session.close()
        server.close(0.5)


if __name__ == "__main__":
    main(*sys.argv[1:])
