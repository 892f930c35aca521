"""What a program that plays is asked, and what it answers: one JSON object a line each way."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from ..game.colours import NAMES
from ..game.declarations import Declaration
from ..game.moves import Move
from ..game.position import Position
from ..session.history import History
from ..session.seat_kinds import SeatKind

LONGEST: Final = 10_000
"""Characters of an answer; a longer one is none."""


class BadAnswer(ValueError):
    """An answer that names no turn; the text says what came instead."""


def question(history: History, kind: SeatKind) -> str:
    """The line that asks for the turn of the player to move, its end included."""
    rules, moves = _game(history)
    asked: dict[str, Any] = rules | {"moves": moves, "seconds": history.pace}
    if kind.level is not None:
        asked["level"] = kind.level
    return json.dumps(asked, separators=(",", ":")) + "\n"


def answered(line: str) -> Move:
    """The turn that an answer names.

    Raises:
        Nonsense: it names none.
    """
    if len(line) > LONGEST:
        raise BadAnswer(f"an answer of {len(line)} characters")
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadAnswer(_shown(line)) from error
    if isinstance(said, dict) and isinstance(said.get("error"), str):
        raise BadAnswer(_shown(said["error"]))
    if not isinstance(said, dict) or not isinstance(said.get("move"), str):
        raise BadAnswer(_shown(line))
    try:
        return Move.parse(said["move"])
    except ValueError as error:
        raise BadAnswer(_shown(said["move"])) from error


def _shown(text: str) -> str:
    """The beginning of what a program said, fit for a line of the log."""
    return "".join(char if char.isprintable() else " " for char in text[:120]).strip() or "an empty line"


def _game(history: History) -> tuple[dict[str, Any], list[str]]:
    """The rules and the turns from the start.

    Whoever resigned or left is in no list of turns: after that the game is told from the position that it led
    to. Pieces in hand that are still to be placed cannot be told so; then the whole game is told without it.
    """
    last = max((at for at, e in enumerate(history.entries) if isinstance(e.what, Declaration)), default=-1)
    moves = [str(entry.what) for entry in history.entries[last + 1 :]]
    at = history.positions[history.ply - len(moves)]
    if last < 0 or any(at.thirteenth) or any(at.placing):
        return history.rules.to_json(), [str(entry.what) for entry in history.moves]
    return history.rules.to_json() | {"set_up": "position", "start": _start(at)}, moves


def _start(position: Position) -> dict[str, Any]:
    players = position.players
    return {
        "position": position.text,
        "reserves": {NAMES[p]: n for p, n in zip(players, position.reserves, strict=True)},
        "captured": {
            NAMES[a]: {NAMES[b]: n for b, n in zip(players, row, strict=True) if b != a}
            for a, row in zip(players, position.captured, strict=True)
        },
        "out": [NAMES[p] for p in position.out],
        "to_move": NAMES[position.to_move],
    }


def patience(seconds: float) -> float:
    """Seconds to wait for an answer that may take this long: programs start, and machines are busy."""
    return math.ceil(2 * seconds + 8)
