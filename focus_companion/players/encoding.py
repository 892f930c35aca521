"""Converts positions, rules and turns to the engine's structs of ``search/position.h``, little-endian."""

from __future__ import annotations

import struct
from typing import Final

from focus_companion.game.moves import Move
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules

DROP: Final = 63
"""The origin of a piece that is placed from the hand."""

_RULES: Final = struct.Struct("<9B7x")
_POSITION: Final = struct.Struct("<52H4H4H4H16H4B6B2x4iQ")
POSITION_BYTES: Final = _POSITION.size

_MOVE_OF: Final[dict[int, Move]] = {
    (DROP if origin is None else origin) << 6 | target: Move(origin, target)
    for origin in (None, *range(52))
    for target in range(52)
}


def rules_bytes(rules: Rules) -> bytes:
    """Return the engine's ``Rules``."""
    return _RULES.pack(
        rules.players,
        rules.partners,
        rules.move_partner_stacks,
        rules.reserve_on == "empty_or_own",
        rules.stuck == "out",
        rules.fast,
        rules.fast_each,
        rules.fast_total or 0,
        rules.fast_own == "taken",
    )


def position_bytes(position: Position) -> bytes:
    """Return the engine's ``Position``; the engine itself fills in what follows from the stacks."""
    index = {player: number for number, player in enumerate(position.players)}

    def four(counts: tuple[int, ...]) -> tuple[int, ...]:
        return (*counts, *(0,) * (4 - len(counts)))

    rows = [four(row) for row in position.captured]
    rows += [(0, 0, 0, 0)] * (4 - len(rows))
    winners = position.result.winners if position.result is not None else ""
    return _POSITION.pack(
        *[_code(stack, index) for stack in position.stacks],
        *four(position.reserves),
        *four(position.taken or (0,)),
        *four(position.placing),
        *[count for row in rows for count in row],
        *(0, 0, 0, 0),
        0,
        sum(1 << number for number, held in enumerate(position.thirteenth) if held),
        sum(1 << index[player] for player in position.out),
        index.get(position.to_move, 0),
        position.result is not None,
        sum(1 << index[player] for player in winners),
        *(0, 0, 0, 0),
        0,
    )


def encoded(move: Move) -> int:
    """Return the engine's number of a turn."""
    return (DROP if move.origin is None else move.origin) << 6 | move.target


def decoded(number: int) -> Move:
    """Return the turn with the engine's ``number``. Raises KeyError if there is none."""
    return _MOVE_OF[number]


def _code(stack: str, index: dict[str, int]) -> int:
    code = 1
    for piece in reversed(stack):
        code = code << 2 | index[piece]
    return code
