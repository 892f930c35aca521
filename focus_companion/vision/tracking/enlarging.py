"""Values known at the middles of a picture's cells, worked out for its every pixel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.float32]

_ROWS: Final = 96
"""Pixels, about, from the top of a strip to its foot: so many rows of a large picture stay in the cache."""


def enlarged(grid: Field, cell: int, width: int, height: int) -> Iterator[tuple[slice, Field]]:
    """The values of a grid (rows, columns[, channels]) for every pixel, linear between the middles of its
    cells of ``cell`` × ``cell`` pixels; it begins and ends a cell outside of the picture.

    Gives strips: which rows of the picture, and their values (rows, width[, channels]). The whole would take
    several times the memory of the picture.
    """
    cells = max(1, _ROWS // cell)
    for first in range(0, -(-height // cell), cells):
        part = grid[first : first + cells + 2]
        full = cv2.resize(part, (part.shape[1] * cell, part.shape[0] * cell), interpolation=cv2.INTER_LINEAR)
        rows = slice(first * cell, min(height, (first + cells) * cell))
        inside = full[cell : cell + rows.stop - rows.start, cell : cell + width]
        yield rows, np.ascontiguousarray(inside, np.float32)
