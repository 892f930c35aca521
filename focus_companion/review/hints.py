"""Finds the rule book's strategy hints that a turn illustrates; ``docs/rules.md`` lists them all for players.

Hints 5 and 7 are plans of many turns, which no single turn illustrates: they are only in the docs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from focus_companion.game.moves import DISTANCE, Move
from focus_companion.game.play import removed
from focus_companion.game.position import MAX_HEIGHT, Position
from focus_companion.game.rules import Rules
from focus_companion.game.squares import RAYS, SQUARES

Kind = Literal["pair", "between", "attacked_first", "left_to_attack", "part_saved", "reserve_back"]

NUMBERS: Final[dict[Kind, int]] = {
    "pair": 1,
    "between": 2,
    "attacked_first": 3,
    "left_to_attack": 3,
    "part_saved": 4,
    "reserve_back": 6,
}
"""The rule book's number of each hint."""

_WARNINGS: Final[frozenset[Kind]] = frozenset(("between", "left_to_attack"))
"""The hints that advise against a turn; the others recommend one."""

_MIN_LARGE_STACK: Final = 3
"""Minimum number of pieces in a large stack: two such stacks together can be too high."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint that a turn follows, or that advises against it. ``squares``: the indices concerned."""

    kind: Kind
    squares: tuple[int, ...]

    @property
    def number(self) -> int:
        return NUMBERS[self.kind]

    def to_json(self) -> dict[str, Any]:
        """Return the hint as ``docs/review.md`` describes it."""
        return {
            "hint": self.number,
            "kind": self.kind,
            "squares": [SQUARES[square] for square in self.squares],
            "good": self.kind not in _WARNINGS,
        }


def hints(before: Position, move: Move, after: Position, rules: Rules) -> tuple[Hint, ...]:
    """Return the hints that a turn illustrates, in the rule book's order; ``after``: its result."""
    mover = before.to_move
    if before.placing:
        return ()
    opponents = "".join(p for p in before.players if p not in rules.side_of(mover) and p not in before.out)
    return (
        *_pair(after, move, mover),
        *_between(before, move, opponents),
        *_large_stacks(before, move, after, rules, opponents),
        *_part_saved(before, move, after, opponents),
        *_reserve_back(before, move, opponents),
    )


def _pair(after: Position, move: Move, mover: str) -> Iterator[Hint]:
    """Hint 1: two stacks of two, two squares apart, so that either can be moved onto the other."""
    for end in (move.target, move.origin):
        if end is None or not _is_stack_of(after, end, mover, 2):
            continue
        for ray in RAYS[end]:
            if len(ray) > 1 and _is_stack_of(after, ray[1], mover, 2):
                yield Hint("pair", (end, ray[1]))
                return


def _is_stack_of(position: Position, square: int, colour: str, height: int) -> bool:
    stack = position.stacks[square]
    return len(stack) == height and stack[-1] == colour


def _between(before: Position, move: Move, opponents: str) -> Iterator[Hint]:
    """Hint 2: a move into a space beside two or more single pieces of one opponent."""
    if move.origin is None:
        return
    beside = [ray[0] for ray in RAYS[move.target] if ray and ray[0] != move.origin]
    for colour in opponents:
        singles = [square for square in beside if before.stacks[square] == colour]
        if len(singles) > 1:
            yield Hint("between", (move.target, *singles))


def _large_stacks(
    before: Position, move: Move, after: Position, rules: Rules, opponents: str
) -> Iterator[Hint]:
    """Hint 3: large stacks in one row or file, where whoever moves first takes from the other."""
    mover, stacks = before.to_move, before.stacks
    if move.origin is not None:
        ours, theirs = stacks[move.origin], stacks[move.target]
        large = len(ours) >= _MIN_LARGE_STACK and len(theirs) >= _MIN_LARGE_STACK
        if large and theirs[-1] in opponents and removed(before, move, rules):
            yield Hint("attacked_first", (move.origin, move.target))
    known = set(_exposed_stacks(before, mover, opponents))
    new = [pair for pair in _exposed_stacks(after, mover, opponents) if pair not in known]
    if new and after.result is None:
        yield Hint("left_to_attack", min(new))


def _exposed_stacks(position: Position, mover: str, opponents: str) -> Iterator[tuple[int, int]]:
    """The mover's large stacks, each with an opponent's large stack that can be moved onto it, making it too
    high.
    """
    for square, stack in enumerate(position.stacks):
        if len(stack) < _MIN_LARGE_STACK or stack[-1] != mover:
            continue
        for other in _squares_reaching(position, square, opponents):
            height = len(position.stacks[other])
            if height >= _MIN_LARGE_STACK and DISTANCE[other][square] + len(stack) > MAX_HEIGHT:
                yield square, other


def _squares_reaching(position: Position, square: int, colours: str) -> Iterator[int]:
    """The squares from which a stack of these colours can move to ``square``."""
    for ray in RAYS[square]:
        for steps, other in enumerate(ray[:MAX_HEIGHT], 1):
            stack = position.stacks[other]
            if len(stack) >= steps and stack[-1] in colours:
                yield other


def _part_saved(before: Position, move: Move, after: Position, opponents: str) -> Iterator[Hint]:
    """Hint 4: part of a threatened stack moved to safety, from where it can come back and take the stack."""
    if move.origin is None:
        return
    steps, height = DISTANCE[move.origin][move.target], len(before.stacks[move.origin])
    threatened = any(True for _ in _squares_reaching(before, move.origin, opponents))
    if (
        steps < height
        and threatened
        and not any(True for _ in _squares_reaching(after, move.target, opponents))
    ):
        yield Hint("part_saved", (move.origin, move.target))


def _reserve_back(before: Position, move: Move, opponents: str) -> Iterator[Hint]:
    """Hint 6: a reserve piece placed on an opponent's stack of five, whose bottom piece is the mover's own
    and returns to the reserve.
    """
    stack = before.stacks[move.target]
    own = len(stack) == MAX_HEIGHT and stack[0] == before.to_move
    if move.origin is None and own and stack[-1] in opponents:
        yield Hint("reserve_back", (move.target,))


SENTENCES: Final[dict[Kind, str]] = {
    "pair": "{squares} are two high and two apart, ready to be joined",
    "between": "{square} lies between the single pieces on {others}",
    "attacked_first": "of two large stacks in a line, that on {square} was the first to take from the other",
    "left_to_attack": "the large stack on {square} is exposed to that on {other}",
    "part_saved": "part of the threatened stack on {square} is safe on {other} and can come back",
    "reserve_back": "the reserve piece takes the five on {square} and wins a piece back",
}
"""What each hint says about a turn, in English; a translation replaces these and keeps the fields."""


def hint_text(hint: Hint) -> str:
    """Return a hint in words, with the rule book's number."""
    named = [SQUARES[square] for square in hint.squares]
    text = SENTENCES[hint.kind].format(
        square=named[0], other=named[-1], squares=" and ".join(named), others=" and ".join(named[1:])
    )
    return f"hint {hint.number}: {text}"
