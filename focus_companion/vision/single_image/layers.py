"""Scores all stacks of a square at once, given its neighbours.

For each height of the stack, the square's pixels are divided into layers: those that would show piece 1,
piece 2, …, and those that would show what is behind it. So a table (height, layer, class) of summed
log-likelihoods contains the score of every stack, and the best stack of a height consists of the best class
of each layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...game.position import MAX_HEIGHT
from ..appearance.colour_model import CLASSES
from ..appearance.flat_pieces import TOP
from ..arrays import Floats, Mask, Singles
from ..geometry.stack_masks import Outlines, Window

_MIN_HIDDEN_SHARE = 0.4
"""Minimum share of a piece that a stack in front of it must cover to be confused with it."""


@dataclass(frozen=True)
class LayerScores:
    """The evidence for every stack on one square, given its neighbours.

    ``layers`` (MAX_HEIGHT + 1, MAX_HEIGHT + 1, CLASSES): nats if layer k (1 …) of a stack of h
    pieces shows a class. ``behind`` (MAX_HEIGHT + 1,): nats of the pixels that show what is behind such a
    stack.
    """

    layers: Floats
    behind: Floats


class Layers:
    """The layers of every square for one camera and board. ``tops``: for every square the masks of
    :func:`.flat_tops`, if the tops of pieces are classes of their own. ``area``: a part of the picture that
    :attr:`window` shall contain in addition to the board.
    """

    def __init__(self, outlines: Outlines, tops: Sequence[Mask] = (), area: Window | None = None) -> None:
        self.outlines = outlines
        board = outlines.window(range(len(outlines.columns)))
        self.window = board if area is None else board.including(area)
        self.tops = tops
        self._level: dict[int, NDArray[np.uint8]] = {}
        self._hiding: dict[int, tuple[int, ...]] = {}

    def neighbours(self, square: int) -> tuple[int, ...]:
        """The squares whose stacks affect the scores of this one."""
        return self.outlines.nearer(square) + self.outlines.farther(square)

    def hiding(self, square: int) -> tuple[int, ...]:
        """The squares whose tallest stack would hide most of a piece on this one."""
        if square not in self._hiding:
            piece = self.outlines.columns[square].mask(1)
            least = _MIN_HIDDEN_SHARE * np.count_nonzero(piece)
            self._hiding[square] = tuple(
                near for near in self.outlines.nearer(square) if self._shared(square, near, piece) > least
            )
        return self._hiding[square]

    def _shared(self, square: int, near: int, piece: Mask) -> int:
        """Number of pixels of a piece on a square that the tallest stack on ``near`` covers."""
        left = piece.copy()
        columns = self.outlines.columns
        columns[near].cut_from(left, columns[square].window, MAX_HEIGHT)
        return int(np.count_nonzero(piece) - np.count_nonzero(left))

    def scores(self, square: int, scores: Singles, stacks: Sequence[tuple[int, ...]]) -> LayerScores:
        """The layer scores of ``square``.

        ``scores``: log-likelihoods of the pixels of :attr:`window`, (h, w, CLASSES), or (h, w, CLASSES + TOP)
        if there are :attr:`tops`. ``stacks``: the classes of all squares' pieces, bottom first.
        """
        column = self.outlines.columns[square]
        if square not in self._level:
            self._level[square] = _level_maps(column.masks)
        free = (self._level[square] != 0).any(0) | column.mask(0)
        free &= self.outlines.uncovered(square, stacks)
        behind = self.behind(square, stacks)[free]
        values = scores[self.slices(square)][free].astype(np.float64)
        passed = values[np.arange(len(values)), behind]
        layers = np.zeros((MAX_HEIGHT + 1, MAX_HEIGHT + 1, CLASSES))
        left = np.zeros(MAX_HEIGHT + 1)
        dome = column.mask(0)[free]
        left[0] = np.where(dome, values[:, 0], passed).sum()
        for height in range(1, MAX_HEIGHT + 1):
            level = self._level[square][height][free]
            left[height] = passed[level == 0].sum()
            top = self.tops[square][height - 1][free] if self.tops else None
            for label in range(1, CLASSES):
                shown = values[:, label]
                if top is not None:
                    shown = np.where(top, values[:, label + TOP], shown)
                layers[height, :, label] = np.bincount(level, shown, minlength=MAX_HEIGHT + 1)
        return LayerScores(layers, left)

    def slices(self, square: int) -> tuple[slice, slice]:
        """The rows and columns of :attr:`window` that the column of a square covers."""
        return self.outlines.columns[square].window.within(self.window)

    def behind(self, square: int, stacks: Sequence[tuple[int, ...]]) -> NDArray[np.uint8]:
        """The classes (h, w) of what the column of a square shows without its stack and nearer ones."""
        window, farther = self.outlines.columns[square].window, self.outlines.farther(square)
        return self.outlines.paint(dict(enumerate(stacks)), window, farther, self.tops, TOP)


def _level_maps(masks: Mask) -> NDArray[np.uint8]:
    """(MAX_HEIGHT + 1, h, w): for a stack of each height, the number (1 …) of the piece that each pixel
    shows, or 0.
    """
    maps = np.zeros((MAX_HEIGHT + 1, *masks.shape[1:]), np.uint8)
    for height in range(1, MAX_HEIGHT + 1):
        maps[height] = maps[height - 1]
        maps[height][masks[height]] = height
    return maps
