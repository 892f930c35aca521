"""Differences between a still picture and the reference.

A piece changes pixels within its own column. Changes elsewhere are foreign: an occluder (an arm, a head, a
mug) is no evidence for an act on the board, and hides the squares under it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ...game.squares import SQUARES
from ..appearance.colour_model import CLASS, CLASSES, ColourModel
from ..capture.sampling import thinned
from ..geometry.stack_masks import TALLEST_TRIMMED, Outlines, Window, cached_per_outlines, lattice_mask

STEP = 26
"""Minimum difference in grey levels of a changed pixel in blurred pictures; more if they are noisy."""
REACHES = 0.15
"""Minimum area on the lattice, in squares, for a change to count as an occluder."""
OFF_STACKS = 0.4
"""Minimum area of an occluder, in squares, outside all columns."""
HIDES = 0.08
"""Minimum share of a square's pixels under an occluder for the square to count as hidden."""
TAIL = 0.3
"""Share of a disc that may be missing in a row of discs; the shadow of a single disc adds less than the
rest."""
LEDGE, LAID = 0.5, 5.0
"""Maximum area of the lattice, in squares, that pieces on the ledge and their shadows may cover, and their
maximum total area."""
MARGIN, TABLE = 2.0, 4.5
"""Margins around the lattice, in squares, that are searched for an arm, and for pieces that were put down."""

_CHANNELS = np.ones((1, 3), np.float32)
"""Sums the channels of a pixel, in a tenth of the time that numpy takes."""


class Smoothed:
    """A picture with its blurred part around the board and, subsampled, around the table, both cached."""

    def __init__(self, image: NDArray[np.uint8]) -> None:
        self.image = image
        self._part: tuple[Window, NDArray[np.uint8]] | None = None
        self._thinned: tuple[Window, int, NDArray[np.uint8]] | None = None

    def part(self, window: Window) -> NDArray[np.uint8]:
        """The blurred pixels of a window."""
        if self._part is None or self._part[0] != window:
            self._part = window, blurred(self.image[window.slices])
        return self._part[1]

    def thinned(self, window: Window, every: int) -> NDArray[np.uint8]:
        """The blurred pixels of a window, subsampled by ``every`` in both directions."""
        if self._thinned is None or self._thinned[:2] != (window, every):
            # A copy: the rest of a large picture need not be kept.
            self._thinned = window, every, blurred(self.image[window.slices])[::every, ::every].copy()
        return self._thinned[2]


@dataclass(frozen=True, eq=False)
class Covering:
    """A presumed occluder: its slightly dilated ``mask`` (h, w) in the board's ``window``; whether it
    ``comes_in`` from the window's edge, as an arm does; and the squares at least partly ``under`` it.
    """

    window: Window
    mask: NDArray[np.bool_]
    comes_in: bool
    under: tuple[int, ...]

    def pasted(self, now: NDArray[np.uint8], before: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The picture ``before`` with the occluder pasted from ``now``."""
        picture = before.copy()
        picture[self.window.slices][self.mask] = now[self.window.slices][self.mask]
        return picture


class Change:
    """The change detection between two pictures of one scene, ``now`` and ``before``, in a window around the
    board.
    """

    def __init__(
        self,
        now: Smoothed,
        before: Smoothed,
        outlines: Outlines,
        standing: Sequence[str],
        noise: float,
    ) -> None:
        self._outlines, self._standing = outlines, standing
        self._pictures, self._like = (now, before), (max(STEP, 4.0 * noise),) * 3
        self.window = board_window(outlines)
        self._now, self._before = now.part(self.window), before.part(self.window)
        self.changed: NDArray[np.bool_] = self._unlike(self._now, self._before)
        self._pitch = outlines.pitch
        sums = np.asarray(cv2.integral(self.changed.view(np.uint8)))
        self.touched: NDArray[np.float64] = np.array([self._share(s, sums) for s in range(len(SQUARES))])
        """For each square, (52,), the changed share of the pixels of its stack and one more piece."""

    @property
    def before(self) -> NDArray[np.uint8]:
        """The earlier picture."""
        return self._pictures[1].image

    def _unlike(self, now: NDArray[np.uint8], before: NDArray[np.uint8]) -> NDArray[np.bool_]:
        alike = np.asarray(cv2.inRange(cv2.absdiff(now, before), (0, 0, 0), self._like), np.uint8)
        unlike: NDArray[np.bool_] = alike == 0
        return unlike

    def _share(self, square: int, sums: NDArray[np.int32]) -> float:
        rows, columns = self._slices(square)
        corners = sums[rows.stop, columns.stop] - sums[rows.start, columns.stop]
        if corners - sums[rows.stop, columns.start] + sums[rows.start, columns.start] == 0:
            # Nearly every square of nearly every look.
            return 0.0
        return self._share_of(square, self.changed)

    def _share_of(self, square: int, pixels: NDArray[np.bool_]) -> float:
        """The share of a square's stack, with one more piece, that these ``pixels`` of the window cover."""
        mask = self._outlines.columns[square].standing(len(self._standing[square]) + 1)
        return float(pixels[self._slices(square)][mask].mean()) if mask.any() else 0.0

    def appeared(self, colours: ColourModel) -> str:
        """The letters of the pieces that seem to have been put down beside the lattice: captured, or moved to
        the reserve.
        """
        step = self._every
        window = table_window(self._outlines)
        shown = [picture.thinned(window, step) for picture in self._pictures]
        beside = self._unlike(*shown) & ~_near_lattice(self._outlines)[::step, ::step]
        if not beside.any():
            return ""
        now, before = (colours.log_likelihood(picture[beside])[:, 1:] for picture in shown)
        labels = np.zeros(beside.shape, np.uint8)
        # A label or a cloth of a piece's colour is there before and after; only a new piece increases the
        # likelihood of its colour.
        laid = (now.max(1) > 0.5) & (now.max(1) > before.max(1) + 1.0)
        labels[beside] = np.where(laid, now.argmax(1) + 1, 0)
        mask = cv2.morphologyEx((labels > 0).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        _, blobs, stats, _ = cv2.connectedComponentsWithStats(np.asarray(mask), connectivity=8)
        pieces = ""
        for blob in range(1, len(stats)):
            area = stats[blob, cv2.CC_STAT_AREA] * (step * step / self._outlines.piece_pixels)
            if 0.3 < area < 6:
                number = max(1, min(round(area), _in_a_row(blobs == blob)))
                pieces += _shared_out(number, np.bincount(labels[blobs == blob], minlength=CLASSES)[1:])
        return "".join(sorted(pieces))

    def part(self, square: int) -> NDArray[np.bool_]:
        """The changed pixels in a square's window."""
        return self.changed[self._slices(square)]

    def _slices(self, square: int) -> tuple[slice, slice]:
        """The rows and columns of the window that a square's column covers."""
        column = self._outlines.columns[square]
        top, left = column.top - self.window.top, column.left - self.window.left
        return slice(top, top + column.height), slice(left, left + column.width)

    def differs(self) -> NDArray[np.float64]:
        """The difference of each square, (52,): the mean difference of its stack's pixels, normalized by
        the median and the standard deviation (from the median absolute deviation) over all squares.

        Much more sensitive than :attr:`touched`, but also to shadows.
        """
        every = self._every
        few = cv2.absdiff(thinned(self._now, every), thinned(self._before, every))
        difference = np.asarray(cv2.transform(np.asarray(few, np.float32), _CHANNELS))
        height, width = difference.shape[:2]
        places = [self._places(s, len(self._standing[s]) + 1, height, width) for s in range(len(SQUARES))]
        counts = np.array([len(each) for each in places])
        # The indices are concatenated, so that one cumulative sum serves all squares.
        ends = np.concatenate([[0], np.cumsum(difference.ravel()[np.concatenate(places)], dtype=float)])
        last = np.cumsum(counts)
        means = (ends[last] - ends[last - counts]) / np.maximum(counts, 1)
        usual = float(np.median(means))
        spread = 1.48 * float(np.median(np.abs(means - usual)))
        return np.asarray((means - usual) / max(spread, 0.05 * usual, 1e-6))

    def _places(self, square: int, pieces: int, height: int, width: int) -> NDArray[np.intp]:
        """Flat indices of the window's subsampled pixels (height, width) that ``pieces`` pieces cover."""
        known = _places_of_stacks(self._outlines)
        if (square, pieces) not in known:
            every, column = self._every, self._outlines.columns[square]
            top, left = column.top - self.window.top, column.left - self.window.left
            mask = column.standing(pieces)[-top % every :: every, -left % every :: every]
            rows, columns = np.nonzero(mask)
            rows, columns = rows - (-top // every), columns - (-left // every)
            inside = (rows < height) & (columns < width)
            known[square, pieces] = rows[inside] * width + columns[inside]
        return known[square, pieces]

    def foreign(self, explained: Collection[int], tallest: dict[int, int] | None = None) -> float:
        """Area, in squares, of the largest connected change outside the columns of ``explained``.

        Only changes that reach onto the lattice count: pieces put down beside the board are no arm.
        """
        rest = self.changed.copy()
        tall = tallest or {}
        grow = max(3, round(self._pitch * 0.12))
        for square in explained:
            column = self._outlines.columns[square]
            high = max(len(self._standing[square]), tall.get(square, 0), 1)
            mask = np.pad(column.standing(high).astype(np.uint8), grow)
            mask = np.asarray(cv2.dilate(mask, np.ones((2 * grow + 1, 2 * grow + 1), np.uint8)))
            top, left = column.top - self.window.top - grow, column.left - self.window.left - grow
            y0, x0 = max(0, top), max(0, left)
            part = rest[y0 : top + mask.shape[0], x0 : left + mask.shape[1]]
            part &= mask[y0 - top : y0 - top + part.shape[0], x0 - left : x0 - left + part.shape[1]] == 0
        few = rest[:: self._every, :: self._every]
        if np.count_nonzero(few) * self._every**2 < 0.4 * self._pitch * self._pitch:
            return 0.0
        # A shadow dims a region by one factor, an arm does not. Very large ones count, if only half.
        return max(self._largest(few & ~self._shading(few)), 0.5 * self._largest(few))

    def covering(self) -> Covering | None:
        """The occluder over the squares, if any: the changed component with the largest area outside all
        columns. Acts on the board change pixels within the columns only.
        """
        parts, areas, area = self._parts(self.changed[:: self._every, :: self._every])
        size = parts.shape[1], parts.shape[0]
        bare = cv2.resize(self._off_stacks(), size, interpolation=cv2.INTER_NEAREST)
        off_stacks = np.bincount(parts.ravel(), np.asarray(bare, float).ravel(), len(areas))
        off_stacks[areas == 0] = 0
        largest = int(off_stacks.argmax())
        if off_stacks[largest] <= OFF_STACKS * area:
            return None
        thing = parts == largest
        edge = np.concatenate([thing[0], thing[-1], thing[:, 0], thing[:, -1]])
        grown = cv2.dilate(thing.astype(np.uint8), np.ones((3, 3), np.uint8))
        height, width = self.changed.shape
        mask = np.asarray(cv2.resize(grown, (width, height), interpolation=cv2.INTER_NEAREST)) > 0
        under = (square for square in range(len(SQUARES)) if self._share_of(square, mask) > HIDES)
        return Covering(self.window, mask, bool(edge.any()), tuple(under))

    def _off_stacks(self) -> NDArray[np.uint8]:
        """Mask of the window, 1 where no stack is, even with one more piece."""
        mask = np.ones(self.changed.shape, np.uint8)
        for square, stack in enumerate(self._standing):
            mask[self._slices(square)] &= ~self._outlines.columns[square].standing(len(stack) + 1)
        return mask

    @property
    def _every(self) -> int:
        """Sampling step, in pixels, that still resolves a piece."""
        return max(1, round(self._pitch / 28))

    def _shading(self, part: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mask of the pixels in ``part`` (a subsampled mask of the window) that changed as in a shadow: all
        channels by nearly the same factor.
        """
        shaded = np.zeros(part.shape, bool)
        now, before = (
            picture[:: self._every, :: self._every][part].astype(np.float32) + 4
            for picture in (self._now, self._before)
        )
        factor = (now * before).sum(1) / (before * before).sum(1)
        off = np.abs(now - before * factor[:, None]).max(1)
        shaded[part] = (off < 0.09 * np.maximum(now.max(1), 60)) & (factor > 0.3) & (factor < 2.2)
        return shaded

    def _largest(self, rest: NDArray[np.bool_]) -> float:
        """Area in squares of the largest component of ``rest`` (a subsampled mask of the window) that reaches
        onto the lattice.
        """
        every = self._every
        if np.count_nonzero(rest) * every * every < 0.4 * self._pitch * self._pitch:
            return 0.0
        _, areas, square = self._parts(rest)
        return float(areas.max()) / square

    def _parts(self, rest: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.float64], float]:
        """The connected components of ``rest`` (a subsampled mask of the window), labelled on a coarser grid;
        the area of each, 0 if it does not reach onto the lattice; and the area of a square.
        """
        every = self._every
        # Reduced further: thin lines of noise vanish, an arm remains.
        factor = max(1, round(self._pitch / 14 / every))
        small = cv2.resize(
            rest.astype(np.uint8) * 255,
            (max(1, rest.shape[1] // factor), max(1, rest.shape[0] // factor)),
            interpolation=cv2.INTER_AREA,
        )
        solid = (np.asarray(small) > 127).astype(np.uint8)
        count, parts, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=8)
        lattice = cv2.resize(
            # Without the corners, where there are no squares: in another light the table there changes as a
            # region, and objects there hide nothing.
            lattice_mask(self._outlines, self.window).view(np.uint8),
            (solid.shape[1], solid.shape[0]),
            interpolation=cv2.INTER_NEAREST,
        )
        reach = np.bincount(parts.ravel(), np.asarray(lattice, float).ravel(), count)
        areas = stats[:, cv2.CC_STAT_AREA].astype(float)
        square = (self._pitch / (factor * every)) ** 2
        areas[0] = 0
        areas[reach < max(3, REACHES * square)] = 0
        # An arm is connected to the edge; pieces on the ledge are isolated in front of the nearest squares.
        left, top = stats[:, cv2.CC_STAT_LEFT], stats[:, cv2.CC_STAT_TOP]
        right, bottom = left + stats[:, cv2.CC_STAT_WIDTH], top + stats[:, cv2.CC_STAT_HEIGHT]
        apart = (left > 0) & (top > 0) & (right < solid.shape[1]) & (bottom < solid.shape[0])
        areas[apart & (reach < LEDGE * square) & (areas < LAID * square)] = 0
        return np.asarray(parts, np.int32), areas, square


def _in_a_row(blob: NDArray[np.bool_]) -> int:
    """How many discs in a row form the blob; a disc with its shadow counts as one."""
    points = np.column_stack(np.nonzero(blob)[::-1]).astype(np.int32)
    _, sides, _ = cv2.minAreaRect(points)
    width = min(sides) + 1.0
    return int(len(points) / (np.pi / 4 * width * width) + TAIL)


def _shared_out(number: int, shares: NDArray[np.int64]) -> str:
    """Letters of ``number`` pieces, distributed in proportion to the colours' ``shares`` of a blob."""
    exact = shares * (number / shares.sum())
    counts = exact.astype(int)
    for label in np.argsort(counts - exact)[: number - counts.sum()]:
        counts[label] += 1
    return "".join(letter * counts[label - 1] for letter, label in CLASS.items())


@cached_per_outlines
def _places_of_stacks(outlines: Outlines) -> dict[tuple[int, int], NDArray[np.intp]]:
    """The indices computed so far, by square and number of pieces."""
    return {}


@cached_per_outlines
def _near_lattice(outlines: Outlines) -> NDArray[np.bool_]:
    """In the table's window, the lattice's squares and whatever may stand on them."""
    window = table_window(outlines)
    mask = lattice_mask(outlines, window).copy()
    for column in outlines.columns:
        top, left = column.top - window.top, column.left - window.left
        mask[top : top + column.height, left : left + column.width] |= column.standing(TALLEST_TRIMMED)
    return mask


def blurred(part: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A little smoothing: the camera's noise and its smallest shake are no change."""
    return np.asarray(cv2.blur(part, (5, 5)), np.uint8)


@cached_per_outlines
def board_window(outlines: Outlines) -> Window:
    """The board with :data:`MARGIN` squares around it, within the picture."""
    return _around(outlines, MARGIN)


@cached_per_outlines
def table_window(outlines: Outlines) -> Window:
    """The board and as much of the table, :data:`TABLE` squares, as pieces are laid down on."""
    return _around(outlines, TABLE)


def _around(outlines: Outlines, margin: float) -> Window:
    camera, profile = outlines.camera, outlines.profile
    half = (4 + margin) * profile.pitch
    corners = np.array([(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)])
    pixels = camera.project(corners)
    columns = outlines.window(range(len(SQUARES)))
    low = np.floor(pixels.min(0)).astype(int)
    high = np.ceil(pixels.max(0)).astype(int)
    return Window(
        int(max(0, min(low[0], columns.left))),
        int(max(0, min(low[1], columns.top))),
        int(min(camera.lens.width, max(high[0], columns.right))),
        int(min(camera.lens.height, max(high[1], columns.bottom))),
    )
