"""A process that plays a scripted game as fast as it can and prints the events it emits; meant to be killed.

Run as ``python scripted_game.py FOLDER TESTS/SESSION``, or as the target of a forked process.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    sys.path.insert(0, sys.argv[2])

from scripted import Player, Still

from focus_companion.game.rules import Rules
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal

RULES = Rules.make(2, fast=True, fast_total=1)
"""A game ends with the first capture, after 57 turns, so games also end and begin between the kills."""


def play(folder: str, output: int) -> None:
    """Play on and write to the file descriptor ``output``: ``at GAME PLY EVENT``, then ``emitted ID TYPE
    PLY`` for every event when it is emitted.
    """

    def say(*words: object) -> None:
        os.write(output, f"{' '.join(map(str, words))}\n".encode())

    journal = Journal(folder, write=True)
    for notice in journal.notices:
        say("notice", notice)
    session = Session(RULES, {"g": "Ann"}, journal, Player, again=1.0)
    walk = iter(session.subscribe(heartbeat=60))
    say("at", session.state()["game"], session.state()["ply"], session.state()["event"])
    index = 0
    while True:
        for _ in session.push(Still(index)):
            item = next(walk)
            assert item is not None
            number, event = item
            say("emitted", number, event.type, getattr(event, "ply", "-"))
        index += 1


if __name__ == "__main__":
    play(sys.argv[1], sys.stdout.fileno())
