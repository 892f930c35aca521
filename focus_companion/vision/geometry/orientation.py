"""Which way round the board lies where the position cannot tell: an empty or a symmetric set-up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from ...game.squares import FILE, INDEX, RANK
from .pose import turned
from .scene import BoardProfile, Camera

T = TypeVar("T")

SIDES = {"bottom": (0.0, 1.0), "left": (-1.0, 0.0), "top": (0.0, -1.0), "right": (1.0, 0.0)}
"""Directions in the picture, x to the right and y down."""


def quarter(square: int) -> int:
    """The square that a quarter turn of the board, anticlockwise, brings this one to."""
    file, rank = 7 - RANK[square], FILE[square]
    return INDEX[f"{'abcdefgh'[file]}{rank + 1}"]


def turned_stacks(stacks: Sequence[T], quarters: int) -> tuple[T, ...]:
    """What the 52 squares show to a camera ``turned`` (see :mod:`.pose`) by so many quarter turns."""
    shown = tuple(stacks)
    for _ in range(quarters):
        shown = tuple(shown[quarter(square)] for square in range(len(shown)))
    return shown


def same_turns(stacks: Sequence[str], *, any_shades: bool = False) -> tuple[int, ...]:
    """Numbers of quarter turns, 0 among them, after which the position looks the same; with ``any_shades``,
    where it is not known which shade is whose, also those after which players have exchanged their pieces.
    """
    found = []
    places = list(range(len(stacks)))
    for turns in range(4):
        moved = [stacks[place] for place in places]
        if moved == list(stacks) or (any_shades and _exchanged(stacks, moved)):
            found.append(turns)
        places = [quarter(place) for place in places]
    return tuple(found)


def _exchanged(stacks: Sequence[str], others: Sequence[str]) -> bool:
    """Do two positions differ in nothing but which colour is which?"""
    if any(len(one) != len(other) for one, other in zip(stacks, others, strict=True)):
        return False
    pairs = set(zip("".join(stacks), "".join(others), strict=True))
    return len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})


def upright(
    camera: Camera, profile: BoardProfile, stacks: Sequence[str], rank1: str, *, any_shades: bool = False
) -> Camera:
    """Of the turns that show the position equally, the one with rank 1 at the named side of the picture;
    ``any_shades`` as in :func:`same_turns`.
    """
    side = np.array(SIDES[rank1])
    far = 4 * profile.pitch

    def lean(turn: Camera) -> float:
        first, last = turn.project(np.array([(0.0, -far, 0.0), (0.0, far, 0.0)]))
        away = first - last
        return float(away @ side / np.linalg.norm(away))

    choices = [turned(camera, turns) for turns in same_turns(stacks, any_shades=any_shades)]
    return choices[0] if len(choices) == 1 else max(choices, key=lean)
