"""Assigns the colours to the players if the start looks the same with the colours exchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ..game.squares import FILE, INDEX, RANK
from .history import History
from .requests import PlaceBoard, RequestRefused, SetPosition

_ROUND: Final = ("a1", "h1", "h8", "a8")
"""The corners of the lattice, anticlockwise."""


def swapped(history: History, corners: Mapping[str, Sequence[float]] | None) -> PlaceBoard | SetPosition:
    """The request that exchanges the players' colours, before the first turn.

    If rotating the board exchanges the colours of the start, the result is the board rotated that way;
    ``corners`` are its corners in the picture. A position set up by the players is kept, with the colours
    exchanged.

    Raises:
        RequestRefused: a turn has been played, the board is not found, or no rotation exchanges the colours.
    """
    if history.entries:
        raise RequestRefused("The colours can be swapped only before the first turn.")
    stacks, players = history.position.stacks, history.position.players
    if history.rules.set_up == "position" and len(players) == 2:
        exchange = str.maketrans(players, players[::-1])
        now = history.position
        return SetPosition(
            tuple(stack.translate(exchange) for stack in stacks),
            reserves=dict(zip(players, now.reserves, strict=True)),
        )
    quarters = next((quarters for quarters in (2, 1, 3) if _exchanges(stacks, quarters)), None)
    if quarters is None:
        raise RequestRefused("In this set-up no colours can be swapped.")
    if corners is None:
        raise RequestRefused("The board is not seen yet.")
    return PlaceBoard(
        {
            name: (corners[old][0], corners[old][1])
            for name, old in zip(_ROUND, _ROUND[quarters:] + _ROUND[:quarters], strict=True)
        }
    )


def _exchanges(stacks: Sequence[str], quarters: int) -> bool:
    """Whether the position rotated by these quarter turns is the same except for exchanged colours."""
    turned = list(stacks)
    for _ in range(quarters):
        turned = [turned[_quarter(square)] for square in range(len(turned))]
    if [len(stack) for stack in stacks] != [len(stack) for stack in turned]:
        return False
    pairs = set(zip("".join(stacks), "".join(turned), strict=True))
    one_to_one = len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    return one_to_one and any(a != b for a, b in pairs)


def _quarter(square: int) -> int:
    return INDEX[f"{'abcdefgh'[7 - RANK[square]]}{FILE[square] + 1}"]
