"""A given start position, from a file or the camera, with reserves and captures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from .colours import LETTER, NAMES, names
from .nearest import nearest
from .position import MAX_HEIGHT, Position, PositionTextError, parse_position, position_text
from .squares import SQUARES

MAX_PIECES: Final = 99
"""Maximum number of pieces in any setting; more must be a mistake."""

_KEYS = ("position", "reserves", "captured", "out", "to_move")


class RulesError(ValueError):
    """Invalid rules; says which setting and why."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where a game with the set-up ``position`` begins. Players are counted in turn order."""

    stacks: tuple[str, ...]
    reserves: tuple[int, ...]
    captured: tuple[tuple[int, ...], ...]
    to_move: str
    out: str = ""

    @classmethod
    def make(
        cls,
        order: str,
        stacks: tuple[str, ...],
        *,
        reserves: Mapping[str, int] | None = None,
        captured: Mapping[str, Mapping[str, int]] | None = None,
        out: str = "",
        to_move: str = "",
    ) -> Start:
        """Return the start, with zeros for omitted values; colours are letters, the first in order begins.

        Raises RulesError for anything impossible in a game of these players.
        """
        kept, taken = reserves or {}, captured or {}
        tables = [("reserves", kept), ("captured", taken), *(("captured", row) for row in taken.values())]
        for place, table in tables:
            if strangers := [colour for colour in table if colour not in order]:
                who = NAMES.get(strangers[0], strangers[0])
                raise RulesError(f"the start's '{place}' names {who}, who does not play")
        return cls(
            stacks,
            tuple(kept.get(player, 0) for player in order),
            tuple(tuple(taken.get(a, {}).get(b, 0) for b in order) for a in order),
            to_move or next((player for player in order if player not in out), ""),
            out,
        )

    @classmethod
    def of(cls, position: Position) -> Start:
        """Return the start from which a game goes on as from this position.

        Raises RulesError where the game is over, or pieces in hand are still to be placed: no start has any.
        """
        if position.over:
            raise RulesError("the game is over in this position")
        if any(position.thirteenth) or any(position.placing):
            raise RulesError("pieces in hand are still to be placed in this position")
        return cls(
            position.stacks, position.reserves, position.captured, position.to_move, "".join(position.out)
        )

    def check(self, order: str) -> None:
        """Raise RulesError unless this can be the start of a game of these players."""
        if len(self.stacks) != len(SQUARES):
            raise RulesError(f"the start has {len(self.stacks)} squares, a board has {len(SQUARES)}")
        for name, stack in zip(SQUARES, self.stacks, strict=True):
            if len(stack) > MAX_HEIGHT:
                raise RulesError(f"the start has {len(stack)} pieces on {name}: no stack is higher than five")
            if strangers := set(stack) - set(order):
                raise RulesError(
                    f"the start has a {NAMES.get(min(strangers), min(strangers))} piece on {name}, "
                    f"but the players are {', '.join(names(order))}"
                )
        if len(self.reserves) != len(order) or len(self.captured) != len(order):
            raise RulesError("the start must give reserves and captures for every player")
        if any(len(row) != len(order) for row in self.captured):
            raise RulesError("the start must give for every player what was captured of every other")
        if min(self.reserves) < 0 or min(min(row) for row in self.captured) < 0:
            raise RulesError("the start has a negative number of pieces in reserve or captured")
        if any(row[index] for index, row in enumerate(self.captured)):
            raise RulesError(
                "the start says that a player captured pieces of their own: those go to the reserve"
            )
        if len(set(self.out)) != len(self.out) or set(self.out) - set(order):
            raise RulesError("the start's 'out' must name players of the game, each once")
        if len(self.out) > len(order) - 2:
            raise RulesError("the start leaves fewer than two players in the game")
        if self.to_move not in order or len(self.to_move) != 1 or self.to_move in self.out:
            raise RulesError("the start's 'to_move' must be a player who is not out")

    @classmethod
    def from_json(cls, data: Any, order: str) -> Start:
        """Return the start that the ``start`` object of a record describes. Raises RulesError."""
        if not isinstance(data, Mapping):
            raise RulesError("rules.start must be an object with a 'position'")
        if unknown := [key for key in data if key not in _KEYS]:
            meant = nearest(unknown[0], _KEYS)
            remedy = f"did you mean {meant!r}?" if meant else f"there are {', '.join(_KEYS)}"
            raise RulesError(f"rules.start has the unknown key {str(unknown[0])[:40]!r}; {remedy}")
        text = data.get("position")
        if not isinstance(text, str):
            raise RulesError("rules.start.position must be a position text")
        try:
            stacks = parse_position(text)
        except PositionTextError as error:
            raise RulesError(f"rules.start.position: {error}") from error
        captured = _object(data.get("captured"), "captured")
        start = cls.make(
            order,
            stacks,
            reserves=_counts(data.get("reserves"), "reserves"),
            captured={
                _letter(colour, "captured"): _counts(row, f"captured.{colour}")
                for colour, row in captured.items()
            },
            out="".join(_letter(name, "out") for name in _list(data.get("out"))),
            to_move="" if data.get("to_move") is None else _letter(data["to_move"], "to_move"),
        )
        start.check(order)
        return start

    def to_json(self, order: str) -> dict[str, Any]:
        """Return the ``start`` object of a record."""
        called = names(order)
        return {
            "position": position_text(self.stacks),
            "reserves": dict(zip(called, self.reserves, strict=True)),
            "captured": {
                a: {b: n for b, n in zip(called, row, strict=True) if b != a}
                for a, row in zip(called, self.captured, strict=True)
            },
            "out": names(self.out),
            "to_move": NAMES[self.to_move],
        }


def _letter(name: Any, place: str) -> str:
    if not isinstance(name, str) or name not in LETTER:
        raise RulesError(f"rules.start.{place}: {str(name)[:20]!r} is not a colour; use {', '.join(LETTER)}")
    return LETTER[name]


def _object(data: Any, place: str) -> Mapping[str, Any]:
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise RulesError(f"rules.start.{place} must be an object")
    return data


def _list(data: Any) -> list[Any]:
    if data is None:
        return []
    if not isinstance(data, list):
        raise RulesError("rules.start.out must be a list of colours")
    return data


def _counts(data: Any, place: str) -> dict[str, int]:
    counts = {}
    for name, count in _object(data, place).items():
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= MAX_PIECES:
            raise RulesError(f"rules.start.{place}.{name} must be a number of pieces")
        counts[_letter(name, place)] = count
    return counts
