"""The gains of all stacks on one square, computed in one pass over the square's pixels.

For a square and a height, the pixels fall into layers: those that would show piece 1, piece 2, …, and those
that would show what is behind. Once each pixel's nats for each class are summed per layer, the gain of any
stack of that height is the sum of a few numbers, whereas rendering the stack would visit every pixel again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Singles
from ..geometry.stack_masks import TALLEST_UNTRIMMED, Outlines, cached_per_outlines
from .colour_model import BARE, CLASSES
from .column_layers import column_layers
from .flat_pieces import TOP, flat_tops
from .pixel_scores import MAX_PIXEL_NATS, PixelScores


class StackGains:
    """The gains of stacks on one square, with all other squares unchanged.

    ``scores`` (h, w) are those of the pixels in the window of the square's column.
    """

    def __init__(self, around: Surroundings, scores: PixelScores) -> None:
        self._around, self._scores = around, scores.at(around.places)
        self._shown = self._scores.shown(around.old)
        self._behind = self._by_pattern(self._scores.shown(around.behind))
        self._label_nats: dict[int, Floats] = {}
        self._sums: dict[tuple[int, int], list[float]] = {}
        self._uncovered: dict[int, float] = {}

    def of(self, stack: Sequence[int]) -> float:
        """The unweighted nats of ``stack`` (classes, bottom first)."""
        around = self._around
        if not stack:
            dome = around.layers.dome
            return float(self._of_label(BARE)[dome].sum() + self._behind[~dome].sum())
        pieces = stack[:TALLEST_UNTRIMMED]
        height = len(pieces)
        if height not in self._uncovered:
            self._uncovered[height] = float(around.layers.of(height)[0] @ self._behind)
        nats = self._uncovered[height]
        for layer, label in around.layers.visible(pieces):
            at = height, label
            if at not in self._sums:
                self._sums[at] = (around.layers.of(height) @ self._of_label(label)).tolist()
            nats += self._sums[at][layer]
        return nats

    def at_most(self, heights: Iterable[int], labels: Iterable[int]) -> float:
        """An upper bound of the unweighted nats of all stacks of these heights, of the classes ``labels``."""
        layers = self._around.layers
        shown = [part for label in labels for part in layers.classes_of(label)]
        likeliest = np.max([self._of_label(label) for label in shown], axis=0)
        uncovered = np.stack([layers.of(pieces)[0] for pieces in heights])
        return float((uncovered @ self._behind + (1 - uncovered) @ likeliest).max())

    def _of_label(self, label: int) -> Floats:
        """The nats of this class, by pattern."""
        if label not in self._label_nats:
            self._label_nats[label] = self._by_pattern(self._scores.of(label))
        return self._label_nats[label]

    def _by_pattern(self, scores: Singles) -> Floats:
        """The nats by which these scores of the free pixels exceed those of the previous classes, clipped for
        each pixel and summed by pattern.
        """
        over = np.clip(scores - self._shown, -MAX_PIXEL_NATS, MAX_PIXEL_NATS)
        sums = np.bincount(self._around.pattern, over, minlength=len(self._around.layers.patterns))
        return np.asarray(sums, np.float64)


class Surroundings:
    """One square among the stacks around it: which of its column's pixels are visible, and what they show.
    This is the same for every picture of a position.

    ``places`` are the indices (N,) of the pixels that no nearer stack occludes, in the window of the column;
    ``pattern`` are their patterns in ``layers``; ``old`` are the classes visible there, and ``behind`` those
    visible if the square were empty, without even its dome.
    """

    def __init__(self, outlines: Outlines, square: int, standing: Mapping[int, Sequence[int]]) -> None:
        """``standing``: classes of the pieces, bottom first, on the square and on all that overlap it."""
        column = outlines.columns[square]
        window = column.window
        # Indices, found once, index further arrays faster than a mask.
        rows, columns = np.nonzero(column.any & outlines.uncovered(square, standing))
        self.places = (rows * column.width + columns).astype(np.int32)
        self.layers = column_layers(outlines)[square]
        self.pattern = self.layers.pattern[rows, columns]
        tops = flat_tops(outlines)
        self.old = outlines.paint(standing, window, outlines.touching((square,)), tops, TOP)[rows, columns]
        self.behind = outlines.paint(standing, window, outlines.farther(square), tops, TOP)[rows, columns]
        number = len(self.layers.patterns)
        shown = CLASSES + TOP if tops else CLASSES
        counts = np.bincount(self.pattern * shown + self.old, minlength=number * shown)
        self._counts = counts.reshape(number, shown)
        self._differing = np.bincount(self.pattern[self.behind != self.old], minlength=number)
        dome = self.layers.dome
        self._bare_differing = int(self._counts[dome, BARE + 1 :].sum() + self._differing[~dome].sum())
        self._heights: dict[int, _Height] = {}
        self._differing_of: dict[tuple[int, ...], int] = {}

    def differing(self, stack: tuple[int, ...]) -> int:
        """The number of pixels that would look different with ``stack`` (classes, bottom first) there."""
        if stack not in self._differing_of:
            self._differing_of[stack] = self._computed_differing(stack)
        return self._differing_of[stack]

    def _computed_differing(self, stack: tuple[int, ...]) -> int:
        if not stack:
            return self._bare_differing
        pieces = stack[:TALLEST_UNTRIMMED]
        height = self.height(len(pieces))
        visible = self.layers.visible(pieces)
        return height.behind_differing + sum(height.differing[layer][label] for layer, label in visible)

    def height(self, pieces: int) -> _Height:
        """The pixels that a stack of this many pieces would cover."""
        if pieces not in self._heights:
            layers = self.layers.of(pieces)
            counts = layers @ self._counts
            differing = (counts.sum(axis=1, keepdims=True) - counts).round().astype(int)
            left = round(float(layers[0] @ self._differing))
            self._heights[pieces] = _Height(differing.tolist(), left)
        return self._heights[pieces]


@dataclass(frozen=True)
class _Height:
    """Stacks of one height: ``differing`` is, for each layer and class, the number of pixels that showed
    another class; and ``behind_differing`` is the number of pixels not covered by the stack in which what is
    behind it would show another class.
    """

    differing: list[list[int]]
    behind_differing: int


@cached_per_outlines
def _known(outlines: Outlines) -> dict[int, tuple[object, Surroundings]]:
    """Cache of the latest surroundings of each square, with the stacks there."""
    return {}


def surroundings(outlines: Outlines, square: int, standing: Mapping[int, Sequence[int]]) -> Surroundings:
    """The :class:`Surroundings` of a square in a position (classes of all squares' pieces, bottom first).

    Cached while the stacks there are unchanged: a turn changes few of them.
    """
    stacks = {other: tuple(standing[other]) for other in outlines.touching((square,))}
    known = _known(outlines)
    if square not in known or known[square][0] != stacks:
        known[square] = stacks, Surroundings(outlines, square, stacks)
    return known[square][1]
