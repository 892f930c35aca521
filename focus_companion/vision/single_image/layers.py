"""Scores all stacks of a square at once, given its neighbours.

For each height of the stack, the square's pixels are divided into layers: those that would show piece 1,
piece 2, …, and those that would show what is behind it. So a table (height, layer, class) of summed
log-likelihoods contains the score of every stack, and the best stack of a height consists of the best class
of each layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...game.position import MAX_HEIGHT
from ..appearance.colour_model import BARE, CLASSES
from ..appearance.column_layers import TOP_LAYER, column_layers
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
        layers = column_layers(self.outlines)[square]
        seen = self.outlines.columns[square].any & self.outlines.uncovered(square, stacks)
        pattern, values = layers.pattern[seen], scores[self.slices(square)][seen].astype(np.float64)
        behind = values[np.arange(len(values)), self.behind(square, stacks)[seen]]
        # From here on, all pixels of a pattern count as one.
        sums = partial(np.bincount, pattern, minlength=len(layers.patterns))
        passed, shown = sums(behind), np.stack([sums(nats) for nats in values.T], 1)
        tops = shown[:, -TOP:]  # the sides, if tops are no classes of their own
        left = np.zeros(MAX_HEIGHT + 1)
        left[0] = passed[~layers.dome].sum() + shown[layers.dome, BARE].sum()
        nats = np.zeros((MAX_HEIGHT + 1, MAX_HEIGHT + 1, CLASSES))
        for height in range(1, MAX_HEIGHT + 1):
            showing = layers.of(height)
            left[height] = showing[0] @ passed
            nats[height] = showing[: MAX_HEIGHT + 1] @ shown[:, :CLASSES]
            nats[height, height, BARE + 1 :] += (showing[TOP_LAYER:] @ tops).sum(0)
        return LayerScores(nats, left)

    def slices(self, square: int) -> tuple[slice, slice]:
        """The rows and columns of :attr:`window` that the column of a square covers."""
        return self.outlines.columns[square].window.within(self.window)

    def behind(self, square: int, stacks: Sequence[tuple[int, ...]]) -> NDArray[np.uint8]:
        """The classes (h, w) of what the column of a square shows without its stack and nearer ones."""
        window, farther = self.outlines.columns[square].window, self.outlines.farther(square)
        return self.outlines.paint(dict(enumerate(stacks)), window, farther, self.tops, TOP)
