"""Exchanges on request, before the first turn, which pieces belong to which player."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from ..game.squares import FILE, INDEX, RANK
from .history import History
from .ports import Sight
from .requests import NewGame, PlaceBoard, RequestRefused, SetPosition, SwapColours

_CORNERS: Final = ("a1", "h1", "h8", "a8")
"""The corners of the lattice, anticlockwise."""


def swaps(history: History, sight: Sight) -> Literal["pieces", "names"] | None:
    """What :func:`swapped` can exchange now: the pieces of the players, only their names, or nothing."""
    if history.entries or history.start_from or history.over:
        return None
    stacks = history.position.stacks
    if sight.any_shades and (
        _set_up_by_hand(history) or any(_exchange(stacks, turns) for turns in (1, 2, 3))
    ):
        return "pieces"
    return "names" if any(history.players.values()) else None


def swapped(request: SwapColours, history: History, sight: Sight) -> NewGame | PlaceBoard | SetPosition:
    """The request that exchanges the colours of two players, before the first turn.

    If any shades may stand for the colours, a start whose colours are exchanged by a rotation of the board
    makes the board count as lying that way round, and in a position set up by the players the two colours are
    exchanged. Otherwise the players' names are exchanged, with their seats.

    Raises:
        RequestRefused: a turn has been played, the board is not found, or nothing can be exchanged.
    """
    if history.entries:
        raise RequestRefused("The colours can be swapped only before the first turn.")
    stacks, players = history.position.stacks, history.position.players
    one, other = (request.one, request.other) if request.one else (players[0], players[-1])
    if (len(players) > 2 and not request.one) or one == other or not {one, other} <= set(players):
        raise RequestRefused("Say which two colours to swap.")
    exchanged = dict(zip(players, players, strict=True)) | {one: other, other: one}
    if sight.any_shades and _set_up_by_hand(history):
        now = history.position
        return SetPosition(
            tuple("".join(exchanged[piece] for piece in stack) for stack in stacks),
            reserves=dict(zip(players, now.reserves, strict=True)),
        )
    turns = next((turns for turns in (2, 1, 3) if _exchange(stacks, turns).get(one) == other), None)
    if sight.any_shades and turns is not None:
        if (corners := sight.corners()) is None:
            raise RequestRefused("The board is not seen yet.")
        return PlaceBoard(
            {
                name: (corners[old][0], corners[old][1])
                for name, old in zip(_CORNERS, _CORNERS[turns:] + _CORNERS[:turns], strict=True)
            }
        )
    if not history.players.get(one) and not history.players.get(other):
        raise RequestRefused("In this set-up no colours can be swapped.")
    return NewGame(players=_moved(history.players, exchanged), played_by=_moved(history.played_by, exchanged))


def _set_up_by_hand(history: History) -> bool:
    return history.rules.set_up == "position"


def _moved(of: Mapping[str, str], exchanged: Mapping[str, str]) -> dict[str, str]:
    return {exchanged[letter]: value for letter, value in of.items()}


def _exchange(stacks: Sequence[str], turns: int) -> dict[str, str]:
    """Which colour each colour becomes if the board is rotated by so many quarter turns; empty if it does not
    then show the same position with exchanged colours.
    """
    turned = list(stacks)
    for _ in range(turns):
        turned = [turned[_quarter(square)] for square in range(len(turned))]
    if [len(stack) for stack in stacks] != [len(stack) for stack in turned]:
        return {}
    pairs = set(zip("".join(turned), "".join(stacks), strict=True))
    one_to_one = len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    return dict(pairs) if one_to_one and any(a != b for a, b in pairs) else {}


def _quarter(square: int) -> int:
    return INDEX[f"{'abcdefgh'[7 - RANK[square]]}{FILE[square] + 1}"]
