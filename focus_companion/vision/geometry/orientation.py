"""Chooses the board's orientation where the position leaves it open: it is empty or symmetric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from ...game.squares import FILE, RANK
from .pose import turned
from .scene import BoardProfile, Camera, at_height

T = TypeVar("T")

SIDES = {"bottom": (0.0, 1.0), "left": (-1.0, 0.0), "top": (0.0, -1.0), "right": (1.0, 0.0)}
"""Directions in the picture, x to the right and y down."""

_SQUARE_AT = {place: square for square, place in enumerate(zip(FILE, RANK, strict=True))}
"""Indices of the squares by file and rank, both 0 to 7."""


def quarter(square: int) -> int:
    """The square to which an anticlockwise quarter turn of the board maps this one."""
    return _SQUARE_AT[7 - RANK[square], FILE[square]]


def turned_stacks(stacks: Sequence[T], quarters: int) -> tuple[T, ...]:
    """The 52 squares as a camera ``turned`` (see :mod:`.pose`) by that many quarter turns sees them."""
    shown = tuple(stacks)
    for _ in range(quarters):
        shown = tuple(shown[quarter(square)] for square in range(len(shown)))
    return shown


def mirrored_stacks(stacks: Sequence[T]) -> tuple[T, ...]:
    """The 52 squares as in a mirrored picture: with the files in reverse order."""
    return tuple(stacks[_SQUARE_AT[7 - file, rank]] for file, rank in zip(FILE, RANK, strict=True))


def looks_mirror_symmetric(stacks: Sequence[str]) -> bool:
    """Whether the mirror image of the position equals the position itself in one of the board's four
    orientations. The start of two players is such a position.
    """
    mirrored = mirrored_stacks(stacks)
    return any(turned_stacks(mirrored, turns) == tuple(stacks) for turns in range(4))


def sides_beyond(camera: Camera, profile: BoardProfile) -> tuple[str, ...]:
    """The edges of the picture (left, right, top, bottom) beyond which centres of squares lie; none if all of
    them are in the picture.
    """
    x, y = camera.project(at_height(profile.centres)).T
    lens = camera.lens
    beyond = {"left": x < 0, "right": x >= lens.width, "top": y < 0, "bottom": y >= lens.height}
    return tuple(side for side, squares in beyond.items() if squares.any())


def same_turns(stacks: Sequence[str], *, any_shades: bool = False) -> tuple[int, ...]:
    """Numbers of quarter turns, including 0, under which the position is invariant. With ``any_shades`` (it
    is unknown which player has which shade), quarter turns that only permute the colours are included.
    """
    shown = [turned_stacks(stacks, turns) for turns in range(4)]
    return tuple(
        turns
        for turns, moved in enumerate(shown)
        if moved == tuple(stacks) or (any_shades and _exchanged(stacks, moved))
    )


def _exchanged(stacks: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two positions are equal up to a permutation of the colours."""
    if any(len(one) != len(other) for one, other in zip(stacks, others, strict=True)):
        return False
    pairs = set(zip("".join(stacks), "".join(others), strict=True))
    return len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})


def upright(
    camera: Camera, profile: BoardProfile, stacks: Sequence[str], rank1: str, *, any_shades: bool = False
) -> Camera:
    """Of the orientations in which the position looks the same, the one with rank 1 at the side ``rank1`` of
    the picture; ``any_shades`` as in :func:`same_turns`.

    Seen across a corner, perspective may bend ranks and files in the same direction: both count, so that each
    orientation belongs to one side.
    """
    x, y = SIDES[rank1]
    far = 4 * profile.pitch
    ends = np.array([(0.0, -far, 0.0), (0.0, far, 0.0), (far, 0.0, 0.0), (-far, 0.0, 0.0)])

    def lean(turn: Camera) -> float:
        rank1_end, rank8_end, last_file, first_file = turn.project(ends)
        down, right = rank1_end - rank8_end, last_file - first_file
        return float(down @ (x, y) / np.linalg.norm(down) + right @ (y, -x) / np.linalg.norm(right))

    choices = [turned(camera, turns) for turns in same_turns(stacks, any_shades=any_shades)]
    return choices[0] if len(choices) == 1 else max(choices, key=lean)
