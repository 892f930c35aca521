"""Divides the pixels of a square's column into the layers of its stack: those that would show piece 1,
piece 2, …, and those that would show what is behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..arrays import Floats, Mask
from ..geometry.stack_masks import TALLEST_UNTRIMMED, Column, Outlines, cached_per_outlines
from .flat_pieces import TOP, flat_tops

_LAYERS = TALLEST_UNTRIMMED + 1
"""Number of layers of a stack: what is behind it, and each of its pieces."""
TOP_LAYER = _LAYERS
"""The layer of the top of a stack, for pieces whose tops and sides are classes of their own."""
_DOME = 1 << TALLEST_UNTRIMMED
"""Bit of :attr:`ColumnLayers.patterns` for the dome. Bit l - 1 is for piece l, and bit
:data:`TALLEST_UNTRIMMED` + l for the top of piece l."""


class ColumnLayers:
    """A column's pixels grouped by which of its pieces cover them: each of the ``patterns`` (P,) has one bit
    per piece, and ``pattern`` (h, w) is the index of each pixel's pattern. ``tops`` (tallest, h, w): masks of
    the pieces' tops.
    """

    def __init__(self, column: Column, tops: Mask | None) -> None:
        covered = (column.solids >> 1).astype(np.uint32)
        covered[column.mask(0)] |= np.uint32(_DOME)
        self._tops = tops is not None
        for piece, mask in enumerate(() if tops is None else tops, 1):
            covered[mask] |= np.uint32(_DOME << piece)
        # Like np.unique, but in linear time.
        present = np.zeros(int(covered.max(initial=0)) + 1, np.bool_)
        present[covered] = True
        self.patterns = np.flatnonzero(present)
        numbers = np.empty(len(present), np.uint16)
        numbers[self.patterns] = np.arange(len(self.patterns))
        self.pattern = numbers[covered]
        self.dome = (self.patterns & _DOME) > 0
        self._of_height: dict[int, Mask] = {}

    def of(self, pieces: int) -> Floats:
        """For stacks of this many pieces, (layers, P) 0 or 1: which layer the pixels of each pattern show.
        The first row is for what is behind the stack; the last one, if tops are classes of their own, for its
        top.
        """
        if pieces not in self._of_height:
            level = np.zeros(len(self.patterns), int)
            for piece in range(1, pieces + 1):
                level[(self.patterns & (1 << (piece - 1))) > 0] = piece
            if pieces and self._tops:
                level[(self.patterns & (_DOME << pieces)) > 0] = TOP_LAYER
            self._of_height[pieces] = level == np.arange(_LAYERS + self._tops)[:, None]
        # Kept as one byte each: there are hundreds of them.
        return self._of_height[pieces].astype(np.float64)

    def classes_of(self, label: int) -> tuple[int, ...]:
        """The classes that the pixels of a piece of this class may have."""
        return (label, label + TOP) if self._tops else (label,)

    def visible(self, pieces: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The layers of a stack of these classes, bottom first, each with the class of its pixels."""
        yield from enumerate(pieces, 1)
        if self._tops:
            yield TOP_LAYER, pieces[-1] + TOP


@cached_per_outlines
def column_layers(outlines: Outlines) -> list[ColumnLayers]:
    """The layers of all squares' columns."""
    tops: Sequence[Mask | None] = flat_tops(outlines) or [None] * len(outlines.columns)
    return [ColumnLayers(*parts) for parts in zip(outlines.columns, tops, strict=True)]
