"""Reads the learned weights of the evaluation, one set for each kind of game: ``weights/KIND.json``."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any, Final

from focus_companion.game.rules import Rules

ORBITS: Final = 8
"""Number of orbits: squares that rotations and reflections of the board map to each other share an orbit."""

SHAPES: Final = 64
"""Number of codes for the shape of a stack."""

RESERVES: Final = 24
"""Number of weights for pieces in reserve; the last one is for all larger numbers, too."""

PROGRESS: Final = 17
"""Number of steps of the progress to a fast win."""


@dataclass(frozen=True)
class Weights:
    """The terms of a player's value, in thousandths of a nat; see ``search/evaluate.h``."""

    stack: tuple[tuple[int, ...], ...]
    """By orbit of the square and shape of the stack."""
    reserve: tuple[int, ...]
    """By number of pieces in reserve."""
    unplaced: int
    progress: tuple[int, ...]
    tempo: int
    gone: int
    scale: float
    """Factor of a search's score (in nats) when it is converted to a chance of winning."""
    shift: float = 0.0
    """What is then added: the search is pessimistic if several opponents are assumed to play together."""

    @cached_property
    def packed(self) -> bytes:
        """The engine's ``Weights``."""
        flat = [number for row in self.stack for number in row]
        numbers = [*flat, *self.reserve, self.unplaced, *self.progress, self.tempo, self.gone]
        return struct.pack(f"<{len(numbers)}i", *numbers)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Weights:
        """Return one set of the file."""
        return cls(
            tuple(tuple(row) for row in data["stack"]),
            tuple(data["reserve"]),
            data["unplaced"],
            tuple(data["progress"]),
            data["tempo"],
            data["gone"],
            data["scale"],
            data.get("shift", 0.0),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the set as the file holds it."""
        return {
            "stack": [list(row) for row in self.stack],
            "reserve": list(self.reserve),
            "unplaced": self.unplaced,
            "progress": list(self.progress),
            "tempo": self.tempo,
            "gone": self.gone,
            "scale": self.scale,
            "shift": self.shift,
        }


def kind(rules: Rules) -> str:
    """Return the kind of game by these rules; each kind has its own weights."""
    return f"{rules.players}{'-partners' if rules.partners else ''}{'-fast' if rules.fast else ''}"


KINDS: Final[Sequence[str]] = ("2", "2-fast", "3", "3-fast", "4", "4-fast", "4-partners")


@lru_cache
def weights_of(name: str) -> Weights:
    """Return the weights for one of :data:`KINDS`."""
    text = files("focus_companion.players").joinpath("weights", f"{name}.json").read_text(encoding="utf-8")
    return Weights.from_json(json.loads(text))


def weights_for(rules: Rules) -> Weights:
    """Return the weights for games by these rules."""
    return weights_of(kind(rules))
