"""The protocol of ``think -``: a JSON object per line in, a JSON object per line out.

The module has no clock and no stream: the caller supplies them. docs/players.md documents the protocol for
programs at the other end.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from focus_companion.game.faults import IllegalMove
from focus_companion.game.position import Position
from focus_companion.game.record import Entry, GameRecord, steps
from focus_companion.game.rules import Rules, RulesError
from focus_companion.players.choosing import Budget, choose
from focus_companion.players.levels import BEST_LEVEL

MAX_LINE_BYTES: Final = 1 << 20
"""Maximum bytes of a line; a game of a hundred thousand turns fits."""

_REQUEST_KEYS: Final = ("moves", "seconds", "nodes", "level")
"""The keys of a request that are not rules."""

_MAX_SECONDS: Final = 86_400.0
"""Maximum seconds that a request may grant."""

_MAX_NODES: Final = 1_000_000_000
"""Maximum nodes that a request may grant."""

_RESERVED_FRACTION: Final = 0.06
"""Fraction of the time that a search leaves unused: on a busy machine the answer takes a while to arrive, and
whoever keeps the time at the other end is strict."""

_MAX_RESERVED_SECONDS: Final = 0.03
"""Maximum of that time, in seconds."""


class BadQuestion(ValueError):
    """A line that cannot be answered; the message is the sentence of the answer."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """The values that apply if a line omits them."""

    seconds: float | None = 1.0
    nodes: int | None = None
    level: int = BEST_LEVEL


@dataclass(frozen=True, slots=True)
class Question:
    """A parsed line."""

    rules: Rules
    position: Position
    earlier: tuple[Position, ...]
    next_player: str
    """The player to move; in a game that is over, whose turn it would have been."""
    seconds: float | None
    nodes: int | None
    level: int


def answer(line: bytes, clock: Callable[[], float], chance_seed: int, defaults: Defaults) -> str:
    """Return the answer to a line, without its line end.

    ``clock`` returns seconds and is read before anything else. ``chance_seed`` makes searches bounded by time
    differ from game to game; searches bounded by nodes derive their seed from the request itself.
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
    """Return the budget, in nodes or else in seconds, of a search that began at ``began`` by the clock."""
    if nodes is not None:
        return Budget(nodes=nodes)
    seconds = seconds or 0.0
    until = began + seconds - min(_RESERVED_FRACTION * seconds, _MAX_RESERVED_SECONDS)
    return Budget(should_stop=lambda: clock() >= until)


def seed_of(request: Question) -> int:
    """Return a seed that depends only on the request, and so is the same on every machine."""
    text = f"{request.position!r} {request.rules.to_json()!r} {request.nodes} {request.level}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little")


def final_value(position: Position, rules: Rules, player: str) -> float:
    """Return a finished game's value for a player: 1 if won, 0 if lost, equal for all sides in a draw."""
    winners = position.result.winners if position.result is not None else ""
    return float(player in winners) if winners else round(1 / len(rules.sides), 4)


def read_request(line: bytes, defaults: Defaults) -> Question:
    """Parse a line. Raises BadQuestion with a sentence that says what is wrong with it."""
    if len(line) > MAX_LINE_BYTES:
        raise BadQuestion(f"The line is longer than {MAX_LINE_BYTES} bytes; send one game a line.")
    try:
        data = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadQuestion("The line is not a JSON object; send one object a line, in UTF-8.") from None
    if not isinstance(data, dict):
        raise BadQuestion("The line is JSON, but not an object; send an object with 'players' and 'moves'.")
    seconds, nodes = _seconds(data), _whole_number(data, "nodes", _MAX_NODES)
    if seconds is not None and nodes is not None:
        raise BadQuestion("Give 'seconds' or 'nodes', not both.")
    if seconds is None and nodes is None:
        seconds, nodes = defaults.seconds, defaults.nodes
    level = _whole_number(data, "level", BEST_LEVEL) or defaults.level
    rules = _rules(data)
    positions, next_player = _replayed(rules, data.get("moves", []))
    return Question(rules, positions[-1], tuple(positions[:-1]), next_player, seconds, nodes, level)


def _rules(data: Mapping[str, Any]) -> Rules:
    try:
        return Rules.from_json({key: value for key, value in data.items() if key not in _REQUEST_KEYS})
    except RulesError as error:
        raise BadQuestion(_sentence(error)) from None


def _replayed(rules: Rules, moves: Any) -> tuple[list[Position], str]:
    if not isinstance(moves, list) or not all(isinstance(move, str) for move in moves):
        raise BadQuestion('\'moves\' must be a list of texts such as "d5-d6" or "*d5".')
    record = GameRecord(rules, entries=tuple([Entry.parse(move) for move in moves]))
    try:
        positions = [step.position for step in steps(record)]
    except (IllegalMove, RulesError) as error:
        raise BadQuestion(_sentence(error)) from None
    return positions, positions[-1].to_move or following(positions, rules)


def following(positions: Sequence[Position], rules: Rules) -> str:
    """Return whose turn it would be if the last of these positions had not ended the game."""
    if len(positions) > 1:
        return rules.order[(rules.order.index(positions[-2].to_move) + 1) % rules.players]
    return rules.start.to_move if rules.start is not None else rules.order[0]


def _seconds(data: Mapping[str, Any]) -> float | None:
    seconds = data.get("seconds")
    if seconds is None:
        return None
    good = isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 < seconds <= _MAX_SECONDS
    if not good or not math.isfinite(seconds):
        raise BadQuestion(f"'seconds' must be a number above 0 and up to {_MAX_SECONDS:.0f}.")
    return float(seconds)


def _whole_number(data: Mapping[str, Any], name: str, most: int) -> int | None:
    number = data.get(name)
    if number is None:
        return None
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= most:
        raise BadQuestion(f"'{name}' must be a whole number from 1 to {most}.")
    return number


def _sentence(error: Exception) -> str:
    # In a request, the keys of the rules stand beside the moves.
    text = re.sub(r"^rules\.([\w.]+)", r"'\1'", str(error))
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."
