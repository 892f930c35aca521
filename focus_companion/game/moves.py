"""Turns, written as their squares, and the list of legal ones.

A move of k pieces goes exactly k squares, so its two squares determine how many pieces move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .position import MAX_HEIGHT, Position
from .rules import Rules
from .squares import FILE, INDEX, RANK, RAYS, SQUARES


class MoveTextError(ValueError):
    """Raised for a text that is not a move."""


@dataclass(frozen=True, slots=True)
class Move:
    """One turn: from a square to a square; with ``origin`` None, a piece placed from the hand."""

    origin: int | None
    target: int

    @classmethod
    def parse(cls, text: str) -> Move:
        """Return the move that ``"d5-d6"`` or ``"*d5"`` names. Raises MoveTextError."""
        move = _BY_TEXT.get(text)
        if move is None:
            small = in_small_letters(text)
            remedy = (
                f"it has capital letters; write {small}"
                if small
                else "write the two squares, as d5-d6, or * and a square, as *d5"
            )
            raise MoveTextError(f"{text[:20]!r} is not a move: {remedy}")
        return move

    def __str__(self) -> str:
        return _TEXT[self]

    def __repr__(self) -> str:
        return f"Move.parse({str(self)!r})"


def in_small_letters(text: str) -> str:
    """Return the text in lower case if only capital letters keep it from being a move, else ``""``."""
    small = text.lower()
    return small if small != text and small in _BY_TEXT else ""


_TEXT: Final[dict[Move, str]] = {
    Move(origin, target): f"{'*' if origin is None else SQUARES[origin] + '-'}{SQUARES[target]}"
    for origin in (None, *range(len(SQUARES)))
    for target in range(len(SQUARES))
}
_BY_TEXT: Final[dict[str, Move]] = {text: move for move, text in _TEXT.items()}

DISTANCE: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(max(abs(FILE[a] - FILE[b]), abs(RANK[a] - RANK[b])) for b in range(len(SQUARES)))
    for a in range(len(SQUARES))
)
"""Steps between two squares; for a move, the number of pieces moved."""

_IN_TEXT_ORDER: Final[tuple[int, ...]] = tuple(INDEX[name] for name in sorted(SQUARES))

_DROPS: Final[tuple[Move, ...]] = tuple(_BY_TEXT[f"*{SQUARES[square]}"] for square in _IN_TEXT_ORDER)


def _moves_of(origin: int, height: int) -> tuple[Move, ...]:
    reached = [ray[k - 1] for ray in RAYS[origin] for k in range(1, height + 1) if k <= len(ray)]
    return tuple(sorted((_BY_TEXT[f"{SQUARES[origin]}-{SQUARES[t]}"] for t in reached), key=str))


_MOVES: Final[tuple[tuple[tuple[Move, ...], ...], ...]] = tuple(
    tuple(_moves_of(origin, height) for height in range(MAX_HEIGHT + 1)) for origin in range(len(SQUARES))
)
"""For each square and height, the moves of such a stack, sorted by text."""


def legal_moves(position: Position, rules: Rules) -> tuple[Move, ...]:
    """Return every legal turn of the player to move, sorted by text; none if the game is over."""
    player = position.to_move
    if not player:
        return ()
    me = position.players.index(player)
    stacks = position.stacks
    if position.placing and position.placing[me]:
        return tuple(
            [
                move
                for move in _DROPS
                if not (stack := stacks[move.target]) or (stack[-1] == player and len(stack) < MAX_HEIGHT)
            ]
        )
    if position.thirteenth[me]:
        return tuple([move for move in _DROPS if not stacks[move.target]])
    legal: list[Move] = []
    if position.reserves[me]:
        if rules.reserve_on == "anywhere":
            legal.extend(_DROPS)
        else:
            legal.extend([m for m in _DROPS if not (stack := stacks[m.target]) or stack[-1] == player])
    movable = movable_tops(position, rules, player)
    for square in _IN_TEXT_ORDER:
        stack = stacks[square]
        if stack and stack[-1] in movable:
            legal += _MOVES[square][len(stack)]
    return tuple(legal)


def count_legal(position: Position, rules: Rules) -> int:
    """Return ``len(legal_moves(position, rules))``, faster."""
    player = position.to_move
    if not player:
        return 0
    me = position.players.index(player)
    if (
        (position.placing and position.placing[me])
        or position.thirteenth[me]
        or (position.reserves[me] and rules.reserve_on != "anywhere")
    ):
        return len(legal_moves(position, rules))
    count = len(_DROPS) if position.reserves[me] else 0
    movable = movable_tops(position, rules, player)
    for stack, by_height in zip(position.stacks, _MOVES, strict=True):
        if stack and stack[-1] in movable:
            count += len(by_height[len(stack)])
    return count


def movable_tops(position: Position, rules: Rules, player: str) -> str:
    """Return the colours (letters) whose stacks a player may move, their own first.

    Nobody may move the stacks of a partner who is out until they are covered.
    """
    if rules.move_partner_stacks:
        partner = rules.partner_of(player)
        if partner and partner not in position.out:
            return player + partner
    return player


def carried(position: Position, move: Move) -> str:
    """Return the pieces that a move takes along, from bottom to top: one for each square it goes."""
    if move.origin is None:
        return position.to_move
    steps = DISTANCE[move.origin][move.target]
    return position.stacks[move.origin][-steps:] if steps else ""
