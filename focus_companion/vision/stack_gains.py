"""What every stack on one square would gain, from one pass over the square's pixels.

For a square and a height the pixels fall into layers: those that would show piece 1, piece 2, …, and those
that would show what stands behind. With the nats that each pixel says for each class summed up layer by
layer, the gain of any stack of that height is a sum of a few numbers, where painting it would look at every
pixel again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .colours import CLASSES
from .outlines import TALLEST, Column, Outlines, Window, made_once

_LAYERS = TALLEST + 1

Floats = NDArray[np.float32]


class StackGains:
    """Sums for one ``square`` while all others show what stood.

    ``scores`` (h, w, CLASSES) are the log-likelihoods of the pixels in the window of the square's column,
    ``old`` (h, w) the classes visible there while ``standing`` (classes of all squares' pieces, bottom first)
    stood; one pixel says at most ``trust`` nats.
    """

    def __init__(
        self,
        outlines: Outlines,
        square: int,
        standing: Sequence[Sequence[int]],
        old: NDArray[np.uint8],
        scores: Floats,
        trust: float,
    ) -> None:
        column = outlines.columns[square]
        window = Window(column.left, column.top, column.left + column.width, column.top + column.height)
        order = outlines.touching((square,))
        place = order.index(square)
        free = column.any.copy()
        for nearer in order[place + 1 :]:
            _cut(free, window, outlines.columns[nearer], len(standing[nearer]))
        # Indices, which one pass finds, pick from further arrays faster than a mask does.
        self._free = np.flatnonzero(free)
        self._levels = _levels(outlines)[square]
        self._old = old.reshape(-1).take(self._free)
        self._scores = scores.reshape(-1, CLASSES).take(self._free, axis=0)
        self._at = np.arange(0, self._scores.size, CLASSES)
        self._shown = self._scores.reshape(-1).take(self._at + self._old)
        self._trust = trust
        base = outlines.paint(dict(enumerate(standing)), window, order[:place]).reshape(-1).take(self._free)
        self._behind = self._over(self._scores.reshape(-1).take(self._at + base))
        self._behind_differs = base != self._old
        dome = column.masks[0].reshape(-1).take(self._free)
        self._bare = (
            float(self._over(self._scores[dome, 0], dome).sum() + self._behind[~dome].sum()),
            int(np.count_nonzero(self._old[dome]) + np.count_nonzero(self._behind_differs & ~dome)),
        )
        self._label_nats: dict[int, Floats] = {}
        self._heights: dict[int, _Height] = {}

    def of(self, stack: Sequence[int]) -> tuple[float, int]:
        """Nats of showing ``stack`` (classes, bottom first), each pixel taken whole, and how many pixels
        would look different.
        """
        if not stack:
            return self._bare
        pieces = stack[:TALLEST]
        height = self._heights.get(len(pieces)) or self._height(len(pieces))
        nats, pixels = height.behind
        for layer, label in enumerate(pieces, 1):
            if label not in height.sums:
                sums = np.bincount(height.level, self._nats(label), minlength=_LAYERS)
                height.sums[label] = sums.tolist()
            nats += height.sums[label][layer]
            pixels += height.differing[layer][label]
        return nats, pixels

    def _over(self, scores: Floats, where: NDArray[np.bool_] | slice = slice(None)) -> Floats:
        """Nats by which these scores beat those of what was shown, held within what a pixel may say."""
        return np.asarray(np.clip(scores - self._shown[where], -self._trust, self._trust))

    def _nats(self, label: int) -> Floats:
        if label not in self._label_nats:
            self._label_nats[label] = self._over(self._scores[:, label])
        return self._label_nats[label]

    def _height(self, height: int) -> _Height:
        # Kept as bytes: a look against the rules asks for all heights on dozens of squares.
        level = self._levels[height].reshape(-1).take(self._free)
        counts = np.bincount(level * np.uint8(CLASSES) + self._old, minlength=_LAYERS * CLASSES)
        counts = counts.reshape(_LAYERS, CLASSES)
        left = level == 0
        behind = float(self._behind @ left), int(np.count_nonzero(self._behind_differs & left))
        differing = counts.sum(axis=1, keepdims=True) - counts
        self._heights[height] = made = _Height(level, differing.tolist(), behind)
        return made


@dataclass
class _Height:
    """Sums for stacks of one height: ``level`` (N,) the piece that each free pixel shows, ``differing`` how
    many of each layer did not show each class, ``behind`` nats and differing pixels of what is left to the
    squares behind, ``sums`` the nats of each layer, by class.
    """

    level: NDArray[np.uint8]
    differing: list[list[int]]
    behind: tuple[float, int]
    sums: dict[int, list[float]] = field(default_factory=dict)


@made_once
def _levels(outlines: Outlines) -> list[_Levels]:
    return [_Levels(column) for column in outlines.columns]


class _Levels:
    """For a stack of each height, which piece every pixel of the column's window shows; 0 is none of them."""

    def __init__(self, column: Column) -> None:
        self._column = column
        self._maps = [np.zeros(column.masks.shape[1:], np.uint8)]

    def __getitem__(self, height: int) -> NDArray[np.uint8]:
        while len(self._maps) <= height:
            level = len(self._maps)
            self._maps.append(np.where(self._column.masks[level], np.uint8(level), self._maps[-1]))
        return self._maps[height]


def _cut(free: NDArray[np.bool_], window: Window, column: Column, pieces: int) -> None:
    """Take out of ``free`` the pixels of ``window`` that a nearer stack hides."""
    x0, x1 = max(column.left, window.left), min(column.left + column.width, window.right)
    y0, y1 = max(column.top, window.top), min(column.top + column.height, window.bottom)
    if x0 >= x1 or y0 >= y1:
        return
    hidden = column.standing(pieces)[y0 - column.top : y1 - column.top, x0 - column.left : x1 - column.left]
    free[y0 - window.top : y1 - window.top, x0 - window.left : x1 - window.left] &= ~hidden
