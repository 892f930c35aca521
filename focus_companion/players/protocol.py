"""The protocol of ``think -``: a JSON object a line in, a JSON object a line out.

No clock and no stream in here: the caller hands in both. What programs at the other end rely on is in
docs/players.md.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from focus_companion.game.faults import IllegalMove
from focus_companion.game.position import Position
from focus_companion.game.record import Entry, GameRecord, steps
from focus_companion.game.rules import Rules, RulesError
from focus_companion.players.choosing import Budget, choose
from focus_companion.players.levels import BEST

LONGEST_LINE: Final = 1 << 20
"""Bytes of a line; a game of a hundred thousand turns fits."""

_OWN: Final = ("moves", "seconds", "nodes", "level")
_MOST_SECONDS: Final = 86_400.0
_MOST_NODES: Final = 1_000_000_000
_SLACK: Final = 0.001
"""Seconds between the end of a search and the answer on its way."""


class BadQuestion(ValueError):
    """A line that cannot be answered; the message is the sentence to answer with."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds for lines that do not say."""

    seconds: float | None = 1.0
    nodes: int | None = None
    level: int = BEST


@dataclass(frozen=True, slots=True)
class Question:
    """A line that was understood."""

    rules: Rules
    position: Position
    earlier: tuple[Position, ...]
    next_player: str
    """Who is to move; in a game that is over, who would have been."""
    seconds: float | None
    nodes: int | None
    level: int


def answer(line: bytes, clock: Callable[[], float], chance_seed: int, defaults: Defaults) -> str:
    """Return the answer to a line, without its line end.

    ``clock`` gives seconds and is read first of all. ``chance_seed`` makes searches by time differ from
    game to game; searches by nodes take their seed from the request itself.
    """
    began = clock()
    try:
        request = read_request(line, defaults)
    except BadQuestion as error:
        return json.dumps({"error": str(error)})
    if request.position.result is not None:
        return json.dumps(
            {"move": None, "value": final_value(request.position, request.rules, request.next_player)}
        )
    found = choose(
        request.position,
        request.rules,
        request.level,
        budget_of(request.seconds, request.nodes, began, clock),
        seed_of(request) if request.nodes is not None else chance_seed,
        request.earlier,
    )
    return json.dumps({"move": str(found.move), "value": round(found.value, 4)})


def budget_of(seconds: float | None, nodes: int | None, began: float, clock: Callable[[], float]) -> Budget:
    """Return the budget of a search that began at a moment of the clock, by nodes or else by seconds."""
    if nodes is not None:
        return Budget(nodes=nodes)
    until = began + (seconds or 0.0) - _SLACK
    return Budget(should_stop=lambda: clock() >= until)


def seed_of(request: Question) -> int:
    """Return a seed that follows from what is asked, the same on every machine."""
    text = f"{request.position!r} {request.rules.to_json()!r} {request.nodes} {request.level}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little")


def final_value(position: Position, rules: Rules, player: str) -> float:
    """Return what a game that is over was worth to a player: 1 won, 0 lost, a draw the same for all sides."""
    winners = position.result.winners if position.result is not None else ""
    return float(player in winners) if winners else round(1 / len(rules.sides), 4)


def read_request(line: bytes, defaults: Defaults) -> Question:
    """Return what a line asks. Raises BadRequest with a sentence that says what is wrong with it."""
    if len(line) > LONGEST_LINE:
        raise BadQuestion(f"The line is longer than {LONGEST_LINE} bytes; send one game a line.")
    try:
        data = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadQuestion("The line is no JSON object; send one object a line, in UTF-8.") from None
    if not isinstance(data, dict):
        raise BadQuestion("The line is JSON but no object; send an object with 'players' and 'moves'.")
    seconds, nodes = _seconds(data), _whole(data, "nodes", _MOST_NODES)
    if seconds is not None and nodes is not None:
        raise BadQuestion("Give 'seconds' or 'nodes', not both.")
    if seconds is None and nodes is None:
        seconds, nodes = defaults.seconds, defaults.nodes
    level = _whole(data, "level", BEST) or defaults.level
    rules = _rules(data)
    positions, next_player = _played(rules, data.get("moves", []))
    return Question(rules, positions[-1], tuple(positions[:-1]), next_player, seconds, nodes, level)


def _rules(data: Mapping[str, Any]) -> Rules:
    try:
        return Rules.from_json({key: value for key, value in data.items() if key not in _OWN})
    except RulesError as error:
        raise BadQuestion(_sentence(error)) from None


def _played(rules: Rules, moves: Any) -> tuple[list[Position], str]:
    if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
        raise BadQuestion('\'moves\' must be a list of texts such as "d5-d6" or "*d5".')
    record = GameRecord(rules, entries=tuple([Entry.parse(move) for move in moves]))
    try:
        positions = [step.position for step in steps(record)]
    except (IllegalMove, RulesError) as error:
        raise BadQuestion(_sentence(error)) from None
    return positions, positions[-1].to_move or following(positions, rules)


def following(positions: Sequence[Position], rules: Rules) -> str:
    """Return whose turn it would be, had the last of these positions not ended the game."""
    if len(positions) > 1:
        return rules.order[(rules.order.index(positions[-2].to_move) + 1) % rules.players]
    return rules.start.to_move if rules.start is not None else rules.order[0]


def _seconds(data: Mapping[str, Any]) -> float | None:
    seconds = data.get("seconds")
    if seconds is None:
        return None
    good = isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 < seconds <= _MOST_SECONDS
    if not good or not math.isfinite(seconds):
        raise BadQuestion(f"'seconds' must be a number above 0 and up to {_MOST_SECONDS:.0f}.")
    return float(seconds)


def _whole(data: Mapping[str, Any], name: str, most: int) -> int | None:
    number = data.get(name)
    if number is None:
        return None
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= most:
        raise BadQuestion(f"'{name}' must be a whole number from 1 to {most}.")
    return number


def _sentence(error: Exception) -> str:
    text = str(error)
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."
