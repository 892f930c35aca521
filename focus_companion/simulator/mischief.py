"""Finds realistic illegal acts that one or two legal turns cannot explain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import numpy as np

from ..game.moves import DISTANCE, Move, carried, legal_moves
from ..game.play import apply, untrimmed
from ..game.position import MAX_HEIGHT, Position
from ..game.rules import Rules
from ..game.squares import FILE, RANK, SQUARES

TURN_SLIPS = (
    "diagonal",
    "wrong_distance",
    "opponents_stack",
    "out_of_turn",
    "two_moves",
    "drop_no_reserve",
    "knocked",
)
"""Kinds of illegal acts instead of a turn."""

TRIMMING_SLIPS = ("forgot_trim", "trim_too_many", "trim_from_top")
"""Kinds of illegal acts while a stack awaits trimming."""

_MAX_TRIES = 12
"""Maximum number of acts of one kind that are considered in a position."""


@dataclass(frozen=True, slots=True)
class Carry:
    """Pieces carried from a square (None: from the player's reserve) to a square."""

    origin: int | None
    target: int
    pieces: str


@dataclass(frozen=True, slots=True)
class Slip:
    """An illegal act: its kind, who does it, what is carried, the stacks after it, and a sentence."""

    kind: str
    player: str
    carries: tuple[Carry, ...]
    stacks: tuple[str, ...]
    detail: str


def carried_out(stacks: tuple[str, ...], carries: tuple[Carry, ...]) -> tuple[str, ...]:
    """The stacks after the pieces were carried, without trimming."""
    now = list(stacks)
    for carry in carries:
        if carry.origin is not None:
            now[carry.origin] = now[carry.origin][: len(now[carry.origin]) - len(carry.pieces)]
        now[carry.target] += carry.pieces
    return tuple(now)


def legally_reachable(position: Position, rules: Rules, stacks: tuple[str, ...]) -> bool:
    """Whether zero, one or two legal turns, the last one trimmed or not, lead to these stacks."""
    if stacks == position.stacks:
        return True
    changed = {i for i, (a, b) in enumerate(zip(position.stacks, stacks, strict=True)) if a != b}
    for move in legal_moves(position, rules):
        after = apply(position, move, rules)
        if stacks in (after.stacks, untrimmed(position, move)):
            return True
        touched = {move.target} if move.origin is None else {move.origin, move.target}
        if not touched & changed:
            continue
        for reply in legal_moves(after, rules):
            if stacks == apply(after, reply, rules).stacks or stacks == untrimmed(after, reply):
                return True
    return False


def find_slip(
    position: Position,
    rules: Rules,
    kind: str,
    rng: np.random.Generator,
    earlier: Collection[tuple[str, ...]] = (),
) -> Slip | None:
    """An act of a kind in :data:`TURN_SLIPS` in this position; None if none is found.

    It never restores stacks from ``earlier`` in the game: that would be a turn taken back.
    """
    found = _KINDS[kind](position, rules, rng)
    for _, slip in zip(range(_MAX_TRIES), found, strict=False):
        if slip.stacks in earlier or legally_reachable(position, rules, slip.stacks):
            continue
        if max(map(len, slip.stacks)) <= MAX_HEIGHT:
            return slip
    return None


def _shuffled(rng: np.random.Generator, count: int) -> list[int]:
    return [int(i) for i in rng.permutation(count)]


def _own(position: Position, rng: np.random.Generator) -> list[int]:
    return [i for i in _shuffled(rng, len(SQUARES)) if position.stacks[i].endswith(position.to_move)]


def _slip(kind: str, position: Position, player: str, detail: str, *carries: Carry) -> Slip:
    return Slip(kind, player, carries, carried_out(position.stacks, carries), detail)


def _plural(count: int) -> str:
    return "1 piece" if count == 1 else f"{count} pieces"


def _diagonal(position: Position, rules: Rules, rng: np.random.Generator) -> Iterator[Slip]:
    for origin in _own(position, rng):
        for target in _shuffled(rng, len(SQUARES)):
            steps = abs(FILE[origin] - FILE[target])
            if steps == abs(RANK[origin] - RANK[target]) and 0 < steps <= len(position.stacks[origin]):
                pieces = position.stacks[origin][-steps:]
                detail = f"moved {_plural(steps)} {SQUARES[origin]}-{SQUARES[target]} diagonally"
                yield _slip("diagonal", position, position.to_move, detail, Carry(origin, target, pieces))


def _wrong_distance(position: Position, rules: Rules, rng: np.random.Generator) -> Iterator[Slip]:
    for origin in _own(position, rng):
        for target in _shuffled(rng, len(SQUARES)):
            straight = (FILE[origin] == FILE[target]) != (RANK[origin] == RANK[target])
            count = int(rng.integers(1, len(position.stacks[origin]) + 1))
            if straight and count != DISTANCE[origin][target]:
                pieces = position.stacks[origin][-count:]
                move = f"{SQUARES[origin]}-{SQUARES[target]}"
                detail = f"moved {_plural(count)} {move}, not exactly that many squares"
                yield _slip(
                    "wrong_distance", position, position.to_move, detail, Carry(origin, target, pieces)
                )


def _foreign_turns(position: Position, rng: np.random.Generator) -> Iterator[tuple[Carry, str]]:
    for origin in _shuffled(rng, len(SQUARES)):
        stack = position.stacks[origin]
        if not stack or stack[-1] == position.to_move or stack[-1] not in position.players:
            continue
        for target in _shuffled(rng, len(SQUARES)):
            straight = (FILE[origin] == FILE[target]) != (RANK[origin] == RANK[target])
            steps = DISTANCE[origin][target]
            if straight and steps <= len(stack):
                yield Carry(origin, target, stack[-steps:]), stack[-1]
                break


def _opponents_stack(position: Position, rules: Rules, rng: np.random.Generator) -> Iterator[Slip]:
    for carry, owner in _foreign_turns(position, rng):
        detail = f"{position.to_move} moved {owner}'s stack {_named(carry)}"
        yield _slip("opponents_stack", position, position.to_move, detail, carry)


def _out_of_turn(position: Position, rules: Rules, rng: np.random.Generator) -> Iterator[Slip]:
    for carry, owner in _foreign_turns(position, rng):
        detail = f"{position.to_move} to move, but {owner} moved {_named(carry)}"
        yield _slip("out_of_turn", position, owner, detail, carry)


def _named(carry: Carry) -> str:
    origin = "*" if carry.origin is None else SQUARES[carry.origin] + "-"
    return f"{origin}{SQUARES[carry.target]} ({len(carry.pieces)})"


def _two_moves(position: Position, rules: Rules, rng: np.random.Generator) -> Iterator[Slip]:
    moves = [move for move in legal_moves(position, rules) if move.origin is not None]
    for i in _shuffled(rng, len(moves)):
        for j in _shuffled(rng, len(moves))[:8]:
            first, second = moves[i], moves[j]
            squares = {first.origin, first.target, second.origin, second.target}
            if len(squares) == 4:
                carries = [Carry(m.origin, m.target, carried(position, m)) for m in (first, second)]
                detail = f"two moves in one turn: {_named(carries[0])} and {_named(carries[1])}"
                yield _slip("two_moves", position, position.to_move, detail, *carries)


def _drop_no_reserve(position: Position, rules: Rules, rng: np.random.Generator) -> Iterator[Slip]:
    me = position.to_move
    if position.reserve(me) or not any(other != me and n for other, n in _losses(position, me)):
        return
    for target in _shuffled(rng, len(SQUARES)):
        detail = f"{me} put a piece on {SQUARES[target]} without having a reserve"
        yield _slip("drop_no_reserve", position, me, detail, Carry(None, target, me))


def _losses(position: Position, player: str) -> list[tuple[str, int]]:
    """How many of a player's pieces each other player has captured."""
    return [(other, position.captures(other)[player]) for other in position.players if other != player]


def _knocked(position: Position, rules: Rules, rng: np.random.Generator) -> Iterator[Slip]:
    for origin in _shuffled(rng, len(SQUARES)):
        stack = position.stacks[origin]
        if len(stack) < 2:
            continue
        for target in _shuffled(rng, len(SQUARES)):
            if DISTANCE[origin][target] == 1:
                detail = (
                    f"the top piece ({stack[-1]}) of {SQUARES[origin]} was knocked onto {SQUARES[target]}"
                )
                yield _slip("knocked", position, position.to_move, detail, Carry(origin, target, stack[-1]))


_KINDS: dict[str, Callable[[Position, Rules, np.random.Generator], Iterator[Slip]]] = {
    "diagonal": _diagonal,
    "wrong_distance": _wrong_distance,
    "opponents_stack": _opponents_stack,
    "out_of_turn": _out_of_turn,
    "two_moves": _two_moves,
    "drop_no_reserve": _drop_no_reserve,
    "knocked": _knocked,
}


def find_trimming_slip(
    position: Position, move: Move, rules: Rules, kind: str, rng: np.random.Generator
) -> Slip | None:
    """An act of a kind in :data:`TRIMMING_SLIPS` while the stack of ``move`` is untrimmed; None if none is
    possible.
    """
    pending, after = untrimmed(position, move), apply(position, move, rules)
    stack, square = pending[move.target], move.target
    excess, name = len(stack) - MAX_HEIGHT, SQUARES[square]
    if excess <= 0:
        return None
    if kind == "forgot_trim":
        return _forgot(position, after, pending, move, rules, rng)
    left = stack[:-excess] if kind == "trim_from_top" else stack[excess + 1 :]
    stacks = (*pending[:square], left, *pending[square + 1 :])
    if legally_reachable(position, rules, stacks) or len(left) < 2:
        return None
    detail = (
        f"removed {excess} piece(s) from the top of {name} instead of the bottom"
        if kind == "trim_from_top"
        else f"removed {excess + 1} pieces from {name} instead of {excess}"
    )
    return Slip(kind, position.to_move, (), stacks, detail)


def _forgot(
    position: Position,
    after: Position,
    pending: tuple[str, ...],
    move: Move,
    rules: Rules,
    rng: np.random.Generator,
) -> Slip | None:
    """The next player moves elsewhere while the stack is still too high."""
    moves = [m for m in legal_moves(after, rules) if m.origin is not None]
    for i in _shuffled(rng, len(moves)):
        other = moves[i]
        height = len(untrimmed(after, other)[other.target])
        if {other.origin, other.target} & {move.origin, move.target} or height > MAX_HEIGHT:
            continue
        carry = Carry(other.origin, other.target, carried(after, other))
        detail = (
            f"{position.to_move} left {len(pending[move.target])} pieces on {SQUARES[move.target]} untrimmed "
            f"after {move}; {after.to_move} already moved {_named(carry)}"
        )
        return Slip("forgot_trim", after.to_move, (carry,), carried_out(pending, (carry,)), detail)
    return None
