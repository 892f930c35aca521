"""Turns that one look could not tell apart: all are kept, and what happens after them decides."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ..game.moves import Move
from ..game.play import apply
from ..game.position import Position
from ..game.rules import Rules
from .acts import Act, Acts, Kind

MOST = 6
"""Rows of turns that are kept at most, the likeliest."""
DEEPEST = 4
"""Turns of a row; by then the players have long been asked."""

Row = tuple[Move, ...]
"""Turns that may have been made since the last position that was sure."""


def play(row: Row, position: Position, rules: Rules) -> list[Position]:
    """The positions after each turn of ``row``."""
    positions: list[Position] = []
    for move in row:
        position = apply(position, move, rules)
        positions.append(position)
    return positions


def after(
    rows: Sequence[Row], history: Sequence[Position], rules: Rules, open_squares: Collection[int]
) -> Iterator[Act]:
    """What may be seen if one of ``rows`` was played: just that, or one act more.

    The acts' changes are those against the last position of ``history``, which stood before the row.
    """
    stood = history[-1].stacks
    for row in rows:
        positions = play(row, history[-1], rules)
        base = {s: b for s, (a, b) in enumerate(zip(stood, positions[-1].stacks, strict=True)) if a != b}
        kind = Kind.TURN if len(row) == 1 else Kind.TURNS
        yield Act(kind, base, row, believed=len(row))
        if not positions[-1].to_move:
            continue
        then = Acts([*history, *positions], rules)
        inside = {*open_squares, *base}
        if len(row) < DEEPEST:
            for act in then.turns(inside):
                # Whether its stack is trimmed yet is for the next look, judged from the turn before it.
                yield replace(
                    act,
                    kind=Kind.TURNS,
                    changes=_from(stood, base, act),
                    moves=(*row, *act.moves),
                    believed=len(row),
                )
        for act in (*then.displacements(inside), *then.removals(inside)):
            yield replace(act, changes=_from(stood, base, act), moves=row, believed=len(row))


def _from(stood: Sequence[str], base: dict[int, str], act: Act) -> dict[int, str]:
    """The changes of an act after ``base``, against the board before it."""
    return {square: stack for square, stack in (base | act.changes).items() if stack != stood[square]}


def kept(acts: Sequence[Act]) -> tuple[Row, ...]:
    """The rows of turns of these acts, the likeliest first, that may explain the look."""
    rows = dict.fromkeys(act.moves for act in acts if act.kind in (Kind.TURN, Kind.TURNS) and act.legal)
    return tuple(rows)[:MOST]


def agree(rows: Sequence[Row], position: Position, rules: Rules) -> bool:
    """Do all rows end in the same position? Then nothing that can be seen later tells them apart."""
    return len({play(row, position, rules)[-1] for row in rows}) == 1
