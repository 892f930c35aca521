"""The protocol of programs that play a colour: one JSON object per line in each direction."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from ..formats.errors import printable
from ..game.declarations import Declaration
from ..game.moves import Move
from ..game.start import Start
from ..session.history import History
from ..session.seat_kinds import SeatKind

MAX_ANSWER_LENGTH: Final = 10_000
"""Characters; a longer answer is invalid."""


class BadAnswer(ValueError):
    """An answer that contains no turn; the text quotes it."""


def question(history: History, kind: SeatKind) -> str:
    """The request for the turn of the player to move, with its line end."""
    rules, moves = _game(history)
    asked: dict[str, Any] = rules | {"moves": moves, "seconds": history.pace}
    if kind.level is not None:
        asked["level"] = kind.level
    return json.dumps(asked, separators=(",", ":")) + "\n"


def parse_answer(line: str) -> Move:
    """The turn in an answer.

    Raises:
        BadAnswer: there is none in it.
    """
    if len(line) > MAX_ANSWER_LENGTH:
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
    """The beginning of a program's output, cleaned for a line of the log."""
    return printable(text[:120]).strip() or "an empty line"


def _game(history: History) -> tuple[dict[str, Any], list[str]]:
    """The rules and the turns from the start.

    The protocol has no turn for resigning or leaving: after either, the request starts from the resulting
    position. If pieces in hand still have to be placed, which a start position cannot express, all turns of
    the game are given without the declaration.
    """
    last = max((at for at, e in enumerate(history.entries) if isinstance(e.what, Declaration)), default=-1)
    moves = [str(entry.what) for entry in history.entries[last + 1 :]]
    at = history.positions[history.ply - len(moves)]
    if last < 0 or any(at.thirteenth) or any(at.placing):
        return history.rules.to_json(), [str(entry.what) for entry in history.moves]
    start = Start.of(at).to_json("".join(at.players))
    return history.rules.to_json() | {"set_up": "position", "start": start}, moves


def answer_timeout(seconds: float) -> float:
    """Seconds to wait for an answer that should take ``seconds``: programs take time to start, and machines
    are busy.
    """
    return math.ceil(2 * seconds + 8)
