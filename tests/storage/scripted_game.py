"""A process that plays a scripted game as fast as it can and says on its output which events it told.

Run as ``python scripted_game.py FOLDER TESTS/SESSION``; meant to be killed.
"""

import sys

sys.path.insert(0, sys.argv[2])

from scripted import Player, Still

from focus_companion.game.rules import Rules
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal

rules = Rules.make(2)
journal = Journal(sys.argv[1], write=True)
session = Session(rules, {"g": "Ann"}, journal, Player, again=1.0)
walk = iter(session.subscribe(heartbeat=60))
print("at", session.state()["game"], session.state()["ply"], session.state()["event"], flush=True)
index = 0
while True:
    for _ in session.push(Still(index)):
        number, event = next(walk)
        print("told", number, event.type, getattr(event, "ply", "-"), flush=True)
    index += 1
