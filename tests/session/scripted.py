"""A pipeline that emits verdicts from a script, for sessions without a camera."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.referee.verdict import StartSeen, TurnSeen, Verdict


@dataclass(frozen=True)
class Still:
    """A frame without a meaningful picture; ten a second if no ``time`` is given."""

    index: int
    time: float = -1.0
    image: Any = None

    def __post_init__(self) -> None:
        if self.time < 0:
            object.__setattr__(self, "time", self.index / 10)

    @property
    def picture(self) -> Any:
        return self.image


class Unseeing:
    """The other methods of a pipeline, for one without pictures."""

    camera_state = "ok"
    at_rest = False
    lifted: tuple[int, int] | None = None

    def hurry(self, until: float) -> None:
        pass

    def vouch(self) -> None:
        return None

    def read(self, frame: Any, standing: Position | None) -> Sequence[Verdict]:
        return ()

    def read_again(self) -> None:
        return None

    def mount(self) -> None:
        return None

    def place(self, corners: Any, *, believed: bool = True) -> None:
        """Recorded in subclasses that need it."""

    def corners(self) -> None:
        return None

    any_shades = True

    def pieces(self) -> dict[str, dict[str, str]]:
        return {}

    def overlay(self, image: Any, stacks: Sequence[str], wrong: Sequence[int] = ()) -> Any:
        return image


class Script(Unseeing):
    """Verdicts by the number of the push, from 0."""

    def __init__(self, says: Mapping[int, Sequence[Verdict]]) -> None:
        self.says = says
        self.pushed = 0
        self.seen: list[tuple[Position, ...]] = []
        self.times: list[float] = []
        self.hurried: list[float] = []

    def push(self, frame: Any, history: Sequence[Position], asked: Any = None) -> Sequence[Verdict]:
        self.seen.append(tuple(history))
        self.times.append(frame.time)
        self.pushed += 1
        return self.says.get(self.pushed - 1, ())

    def hurry(self, until: float) -> None:
        self.hurried.append(until)

    def overlay(self, image: Any, stacks: Sequence[str], wrong: Sequence[int] = ()) -> Any:
        return image // 2


class Player(Unseeing):
    """Plays a legal turn every ``every`` frames, determined by the position alone: the same in
    every process.
    """

    def __init__(self, rules: Rules, every: int = 1) -> None:
        self.rules, self.every, self.pushed = rules, every, 0

    def push(self, frame: Any, history: Sequence[Position], asked: Any = None) -> Sequence[Verdict]:
        self.pushed += 1
        if self.pushed == 1:
            return [StartSeen()]
        if self.pushed % self.every or history[-1].result is not None:
            return []
        return [TurnSeen(chosen(history[-1], self.rules, len(history)), 0.9)]


def chosen(position: Position, rules: Rules, ply: int) -> Move:
    legal = legal_moves(position, rules)
    digest = hashlib.sha256(f"{ply} {position.text}".encode()).digest()
    return legal[int.from_bytes(digest[:4], "big") % len(legal)]


def play_on(push: Callable[[Any], Any], frames: int, first: int = 0) -> list[Any]:
    """Push some frames; returns all emitted events."""
    return [event for index in range(first, first + frames) for event in push(Still(index))]
