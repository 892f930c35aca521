"""A program that plays random legal turns over the protocol, with the faults named by its arguments.

random_player.py [hang|die|nonsense|illegal|late|slow|chatty] [from ply N]
"""

import json
import random
import sys
import time

from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import play
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position

OWN = ("moves", "seconds", "nodes", "level")


def main(fault: str = "", first: str = "0") -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        rules = Rules.from_json({key: value for key, value in asked.items() if key not in OWN})
        position = start_position(rules)
        for move in asked["moves"]:
            position = play(position, Move.parse(move), rules)
        legal = legal_moves(position, rules)
        answer = json.dumps({"move": str(random.choice(legal)) if legal else None, "value": 0.5})
        if len(asked["moves"]) >= int(first):
            if fault == "hang":
                time.sleep(3600)
            elif fault == "die":
                print("a fault of mine", file=sys.stderr)
                sys.exit(3)
            elif fault == "nonsense":
                answer = "I do not know"
            elif fault == "illegal":
                answer = json.dumps({"move": "a3-a4" if str(legal[0]) != "a3-a4" else "h3-h4"})
            elif fault == "slow":
                time.sleep(random.uniform(0, 0.3))
            elif fault == "late":
                time.sleep(asked["seconds"] + 2.5)
            elif fault == "chatty":
                answer = f"{answer}\n{json.dumps({'move': 'a3-a4'})}"
        print(answer, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
