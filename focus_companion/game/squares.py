"""The 52 squares of the board: an 8×8 lattice less three squares in each corner.

A square is an index into :data:`SQUARES`, which lists them in the order of the position text: rank 8 first,
each rank from its leftmost square.
"""

from typing import Final

FILES_OF_RANK: Final[dict[int, str]] = {
    8: "cdef",
    7: "bcdefg",
    6: "abcdefgh",
    5: "abcdefgh",
    4: "abcdefgh",
    3: "abcdefgh",
    2: "bcdefg",
    1: "cdef",
}

SQUARES: Final[tuple[str, ...]] = tuple(
    f"{file}{rank}" for rank in range(8, 0, -1) for file in FILES_OF_RANK[rank]
)
"""Names of the squares, by index."""

INDEX: Final[dict[str, int]] = {name: index for index, name in enumerate(SQUARES)}
"""Index of a square, by name."""

FILE: Final[tuple[int, ...]] = tuple("abcdefgh".index(name[0]) for name in SQUARES)
"""File of a square, 0 (a) to 7 (h), by index."""

RANK: Final[tuple[int, ...]] = tuple(int(name[1]) - 1 for name in SQUARES)
"""Rank of a square, 0 to 7, by index."""

SIDES: Final = ("bottom", "left", "top", "right")
"""Names of the sides of a picture or drawing of the board, where rank 1 may be and the players sit."""

DIRECTIONS: Final[tuple[tuple[int, int], ...]] = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""Steps of the four directions as (file, rank): up, right, down, left."""


def _ray(square: int, step: tuple[int, int]) -> tuple[int, ...]:
    file, rank = FILE[square], RANK[square]
    reached: list[int] = []
    while True:
        file, rank = file + step[0], rank + step[1]
        name = f"{'abcdefgh'[file]}{rank + 1}" if 0 <= file < 8 and 0 <= rank < 8 else ""
        if name not in INDEX:
            return tuple(reached)
        reached.append(INDEX[name])


RAYS: Final[tuple[tuple[tuple[int, ...], ...], ...]] = tuple(
    tuple(_ray(square, step) for step in DIRECTIONS) for square in range(len(SQUARES))
)
"""For each square and direction, the squares met on the way to the edge, nearest first."""
