"""The contestants of tournaments: this program at its levels, and the opponents in ``sparring.c``."""

from __future__ import annotations

import atexit
import json
import struct
import time
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, Final, Protocol

from focus_companion.game.moves import Move
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.players.encoding import decoded, rules_bytes
from focus_companion.players.engine import Engine, Machine, compiled
from focus_companion.players.levels import BEST_LEVEL, LEVELS, Level
from focus_companion.players.weights import Weights

KINDS: Final = {"alpha-beta": 0, "paranoid": 1, "brs": 2, "mcts": 3}
"""The opponents' numbers in ``sparring.c`` by name."""

_WANTED: Final = struct.Struct("<2iI")
_FOUND: Final = struct.Struct("<3iH")


class Player(Protocol):
    """A contestant in a tournament."""

    def move(self, game: Sequence[Position], rules: Rules, seconds: float, seed: int) -> Move:
        """Return a legal turn in the last of a game's positions, within the time."""


class Ours:
    """This program, optionally with other weights, levels or nodes for comparison."""

    def __init__(
        self,
        level: Level,
        weights: Weights | None = None,
        nodes: int = 2_000_000_000,
        *,
        best_reply: bool = False,
    ) -> None:
        self._engine = Engine()
        self._level, self._weights, self._nodes, self._brs = level, weights, nodes, best_reply

    def move(self, game: Sequence[Position], rules: Rules, seconds: float, seed: int) -> Move:
        until = time.process_time() + seconds
        self._engine.set_up(game[-1], rules, self._weights, game[:-1])
        return self._engine.search(
            nodes=min(self._nodes, self._level.nodes),
            depth=self._level.depth,
            noise=self._level.noise,
            seed=seed,
            best_reply=self._brs,
            should_stop=lambda: time.process_time() >= until,
        ).move


@lru_cache(maxsize=1)
def _sparring_code() -> Any:
    return compiled(Path(__file__).with_name("sparring.wasm").read_bytes())


atexit.register(_sparring_code.cache_clear)


class Sparring:
    """An opponent from ``players/sparring.c``; with fixed depth it ignores the time limit."""

    def __init__(self, kind: str, depth: int = 60) -> None:
        self._machine = Machine(_sparring_code())
        self._kind, self._depth = KINDS[kind], depth
        self._rules: Rules | None = None

    def move(self, game: Sequence[Position], rules: Rules, seconds: float, seed: int) -> Move:
        until = time.process_time() + seconds
        if rules != self._rules:
            self._machine.write("rules", rules_bytes(rules))
            self._machine.call("prepare")
            self._rules = rules
        self._machine.place(game[-1])
        self._machine.write("wanted", _WANTED.pack(self._kind, self._depth, seed & 0xFFFFFFFF))
        # The first call comes before it has examined any turn.
        asked = count()
        self._machine.think(lambda: next(asked) > 0 and time.process_time() >= until)
        *_, move = _FOUND.unpack(self._machine.read("found", _FOUND.size))
        return decoded(move)


def player(text: str) -> Player:
    """Return the contestant that a text names.

    ``ours``, ``ours:LEVEL``, ``ours:brs``, ``ours:nodes=N``, ``ours:weights=FILE``, ``ours:noise=N`` and
    ``ours:depth=N`` (several joined by commas); ``alpha-beta:DEPTH``, ``paranoid``, ``brs``, ``mcts``. Raises
    ValueError.
    """
    name, _, rest = text.partition(":")
    if name in KINDS:
        return Sparring(name, int(rest) if rest else 60)
    if name != "ours":
        raise ValueError(f"{text!r}: nobody of that name; there are ours, {', '.join(KINDS)}")
    more: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, _, value = part.partition("=")
        if key == "weights":
            more["weights"] = Weights.from_json(json.loads(Path(value).read_text()))
        elif key == "brs":
            more["best_reply"] = True
    return Ours(_level(rest), **more)


def _level(limits: str) -> Level:
    """The level that the part of a contestant's name after "ours:" gives."""
    level = LEVELS[BEST_LEVEL]
    bounds: dict[str, int] = {}
    for part in filter(None, limits.split(",")):
        key, _, value = part.partition("=")
        if key in ("noise", "depth", "nodes"):
            bounds[key] = int(value)
        elif key not in ("weights", "brs"):
            level = LEVELS[int(part)]
    return replace(level, **bounds)


def full_name(text: str) -> str:
    """The name of a contestant with its level spelled out, so that it means the same if the levels change."""
    name, _, rest = text.partition(":")
    if name != "ours":
        return text
    level = _level(rest)
    kept = [part for part in rest.split(",") if part.partition("=")[0] in ("weights", "brs")]
    limits = [
        f"{field.name}={getattr(level, field.name)}"
        for field in fields(level)
        if field.default != getattr(level, field.name)
    ]
    return f"ours:{','.join(limits + kept)}"
