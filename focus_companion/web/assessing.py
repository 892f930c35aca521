"""Rates some turns of a player against all legal ones, in a separate process."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from ..game.moves import Move
from ..seats.protocol import question
from ..session.history import History
from ..session.seat_kinds import COMPANION, SeatKind
from .child_process import SEARCH_TIMEOUT, run_module


def missed(history: History, turns: Sequence[Move]) -> float:
    """How much lower (0 to 1) the mover's chance is after the best of these turns than after the best of all.

    Raises:
        ChildFailed, ValueError: the process failed, or its output is not a number.
    """
    asked = json.loads(question(history, SeatKind(COMPANION)))
    given = json.dumps({"game": asked, "turns": [str(move) for move in turns]})
    return float(run_module(__name__, given=given.encode(), timeout=SEARCH_TIMEOUT))


def main() -> None:
    """Rate the turns given on standard input; the result goes to standard output."""
    from ..players.protocol import Defaults, read_request
    from ..players.rating import missed as rated

    given = json.load(sys.stdin.buffer)
    asked = read_request(json.dumps(given["game"]).encode(), Defaults())
    turns = [Move.parse(text) for text in given["turns"]]
    print(rated(asked.position, asked.rules, turns, asked.earlier))


if __name__ == "__main__":
    main()
