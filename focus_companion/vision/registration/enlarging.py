"""Upsampling: interpolates values at the centres of a picture's cells for every pixel."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from ..arrays import Singles
from ..capture.sampling import STRIP_ROWS


def enlarged(grid: Singles, cell: int, width: int, height: int) -> Iterator[tuple[slice, Singles]]:
    """The values of a grid (rows, columns[, channels]) for every pixel, by linear interpolation between the
    centres of its cells of ``cell`` × ``cell`` pixels; the grid has a border of one cell around the picture.

    Yields strips: the rows of the picture, and their values (rows, width[, channels]). All of them at once
    would take several times the memory of the picture.
    """
    cells = max(1, STRIP_ROWS // cell)
    for first in range(0, -(-height // cell), cells):
        part = grid[first : first + cells + 2]
        full = cv2.resize(part, (part.shape[1] * cell, part.shape[0] * cell), interpolation=cv2.INTER_LINEAR)
        rows = slice(first * cell, min(height, (first + cells) * cell))
        inside = full[cell : cell + rows.stop - rows.start, cell : cell + width]
        yield rows, np.ascontiguousarray(inside, np.float32)
