"""Differences between a still picture and the reference.

A piece changes pixels within its own column. Changes elsewhere are foreign: an occluder (an arm, a head, a
mug) is not evidence of an act on the board, and it hides the squares under it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ...game.position import MAX_HEIGHT
from ...game.squares import SQUARES
from ..appearance.colour_model import CLASS, CLASSES, ColourModel
from ..capture.sampling import thinned
from ..geometry.stack_masks import Outlines, Window, cached_per_outlines, lattice_mask

_MIN_DIFFERENCE = 26
"""Difference in grey levels above which a pixel of the blurred pictures counts as changed."""
_MIN_DIFFERENCE_TO_NOISE = 4.0
"""The same as a multiple of the noise, if that is more."""
_MIN_OCCLUDER_OVERLAP = 0.15
"""Minimum area on the lattice, in squares, for a change to count as an occluder."""
_MIN_AREA_OFF_STACKS = 0.4
"""Minimum area of an occluder, in squares, outside all columns."""
_MIN_HIDDEN_SHARE = 0.08
"""Minimum share of a square's pixels under an occluder for the square to count as hidden."""
_MAX_MISSING_DISC_SHARE = 0.3
"""Share of a disc that may be missing from a row of discs for it still to be counted; the shadow of a single
disc adds less than the rest."""
_MAX_LEDGE_OVERLAP = 0.5
"""Maximum area of the lattice, in squares, covered by pieces on the board's ledge and their shadows."""
_MAX_LEDGE_AREA = 5.0
"""Maximum total area of such pieces and their shadows, in squares."""
_ARM_REACH = 2.5
"""Distance in squares from the visible part of an arm to pieces that it may hide; raising it delays alerts
while an arm lies beside the board.
"""
_BOARD_MARGIN = 2.0
"""Margin around the lattice, in squares, that is searched for an arm."""
_TABLE_MARGIN = 4.5
"""Margin around the lattice, in squares, that is searched for pieces that were put down."""
_MIN_PIECE_NATS = 0.5
"""Minimum log-likelihood of a piece's class at a pixel beside the board; 0 is that of a random colour."""
_MIN_NEW_PIECE_NATS = 1.0
"""Minimum increase of that log-likelihood for the piece to count as new."""
_MIN_BLOB_AREA = 0.3
"""Minimum area of a blob of new pieces, relative to that of one piece."""
_MAX_BLOB_AREA = 6
"""Maximum area of such a blob, relative to that of one piece: several pieces, or one with its shadow."""
_MIN_RELATIVE_SPREAD = 0.05
"""Lower limit of the standard deviation over all squares, relative to their median difference."""
_MAD_TO_SIGMA = 1.48
"""Standard deviation of a normal distribution, relative to its median absolute deviation."""
_COLUMN_BORDER = 0.12
"""Width, in squares, of the border around an explained column that is not foreign."""
_MIN_FOREIGN_AREA = 0.4
"""Minimum foreign area in squares; less is ignored."""
_SHADED_AREA_WEIGHT = 0.5
"""Weight of a foreign area that includes what may be a shadow."""
_SAMPLES_PER_SQUARE = 28
"""Approximate sampling resolution, in pixels per square, that still resolves a piece."""
_COARSE_SAMPLES_PER_SQUARE = 14
"""The same for connected components: thin lines of noise vanish, an arm remains."""
_MIN_SHADING = 0.3
"""Minimum factor by which a shadow dims a pixel."""
_MAX_SHADING = 2.2
"""Maximum factor by which the end of a shadow brightens a pixel."""
_MAX_SHADING_RESIDUAL = 0.09
"""Maximum deviation of a channel from the common factor of a shadow, relative to the brightest channel."""
_MIN_SHADING_LEVEL = 60
"""Lower limit of that brightest channel, in grey levels."""

_CHANNEL_SUM = np.ones((1, 3), np.float32)
"""Kernel that sums the channels of a pixel in a tenth of the time that numpy takes."""


class Smoothed:
    """A picture with two cached blurred parts: the board's window, and the table's, which is subsampled."""

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
            # A copy, so that the rest of a large picture is released.
            self._thinned = window, every, blurred(self.image[window.slices])[::every, ::every].copy()
        return self._thinned[2]


@dataclass(frozen=True, eq=False)
class Occluder:
    """A presumed occluder: its slightly dilated ``mask`` (h, w) in the board's ``window``; whether it comes
    ``from_edge`` of the window, as an arm does; and the ``squares`` at least partly under it.
    """

    window: Window
    mask: NDArray[np.bool_]
    from_edge: bool
    squares: tuple[int, ...]

    def pasted(self, now: NDArray[np.uint8], before: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The picture ``before`` with the occluder pasted from ``now``."""
        picture = before.copy()
        picture[self.window.slices][self.mask] = now[self.window.slices][self.mask]
        return picture


class Change:
    """Change detection between two pictures of one scene, ``now`` and ``before``, in a window around the
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
        self._pictures = (now, before)
        self._tolerance = (max(_MIN_DIFFERENCE, _MIN_DIFFERENCE_TO_NOISE * noise),) * 3
        self.window = board_window(outlines)
        self._now, self._before = now.part(self.window), before.part(self.window)
        self.changed: NDArray[np.bool_] = self._differing(self._now, self._before)
        self._pitch = outlines.pitch
        sums = np.asarray(cv2.integral(self.changed.view(np.uint8)))
        self.touched: NDArray[np.float64] = np.array([self._share(s, sums) for s in range(len(SQUARES))])
        """For each square, (52,), the changed share of the pixels of its stack and one more piece."""

    @property
    def before(self) -> NDArray[np.uint8]:
        """The earlier picture."""
        return self._pictures[1].image

    def _differing(self, now: NDArray[np.uint8], before: NDArray[np.uint8]) -> NDArray[np.bool_]:
        similar = np.asarray(cv2.inRange(cv2.absdiff(now, before), (0, 0, 0), self._tolerance), np.uint8)
        differing: NDArray[np.bool_] = similar == 0
        return differing

    def _share(self, square: int, sums: NDArray[np.int32]) -> float:
        rows, columns = self._slices(square)
        corners = sums[rows.stop, columns.stop] - sums[rows.start, columns.stop]
        if corners - sums[rows.stop, columns.start] + sums[rows.start, columns.start] == 0:
            # A shortcut that serves nearly every square of nearly every look.
            return 0.0
        return self._share_of(square, self.changed)

    def _share_of(self, square: int, pixels: NDArray[np.bool_]) -> float:
        """Share of a square's stack, with one more piece, that ``pixels`` (a mask of the window) covers."""
        mask = self._outlines.columns[square].standing(len(self._standing[square]) + 1)
        return float(pixels[self._slices(square)][mask].mean()) if mask.any() else 0.0

    def lone_blob(self) -> NDArray[np.float64] | None:
        """The centre, (2,) in pixels of the picture, of a change that may be a single piece put on the board
        or taken off it; ``None`` if anything else has changed as well.
        """
        # A piece that seems to lie on the ledge counts, as the pose may be wrong.
        parts, areas, square = self._components(self.changed[:: self._every, :: self._every], on_ledge=True)
        piece = square * self._outlines.piece_pixels / self._pitch**2
        blobs = np.flatnonzero(areas)
        if len(blobs) != 1 or not _MIN_BLOB_AREA < areas[blobs[0]] / piece < _MAX_BLOB_AREA:
            return None
        centre = np.array(np.nonzero(parts == blobs[0]))[::-1].mean(1) + 0.5
        scale = np.array(self.changed.shape[::-1]) / parts.shape[::-1]
        return np.asarray((self.window.left, self.window.top) + centre * scale, np.float64)

    def appeared(self, colours: ColourModel) -> str:
        """Letters of the pieces that seem to have been put down beside the lattice: captured, or moved to the
        reserve.
        """
        step = self._every
        window = table_window(self._outlines)
        shown = [picture.thinned(window, step) for picture in self._pictures]
        beside = self._differing(*shown) & ~_near_lattice(self._outlines)[::step, ::step]
        if not beside.any():
            return ""
        now, before = (colours.log_likelihood(picture[beside])[:, 1:] for picture in shown)
        labels = np.zeros(beside.shape, np.uint8)
        # A label or a cloth of a piece's colour is in both pictures; only a new piece increases the
        # likelihood of its colour.
        new_piece = (now.max(1) > _MIN_PIECE_NATS) & (now.max(1) > before.max(1) + _MIN_NEW_PIECE_NATS)
        labels[beside] = np.where(new_piece, now.argmax(1) + 1, 0)
        mask = cv2.morphologyEx((labels > 0).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        _, blobs, stats, _ = cv2.connectedComponentsWithStats(np.asarray(mask), connectivity=8)
        pieces = ""
        for blob in range(1, len(stats)):
            area = stats[blob, cv2.CC_STAT_AREA] * (step * step / self._outlines.piece_pixels)
            if _MIN_BLOB_AREA < area < _MAX_BLOB_AREA:
                number = max(1, min(round(area), _discs_in_a_row(blobs == blob)))
                pieces += _distributed(number, np.bincount(labels[blobs == blob], minlength=CLASSES)[1:])
        return "".join(sorted(pieces))

    def part(self, square: int) -> NDArray[np.bool_]:
        """The changed pixels in a square's window."""
        return self.changed[self._slices(square)]

    def _slices(self, square: int) -> tuple[slice, slice]:
        """The rows and columns of the window that a square's column covers."""
        column = self._outlines.columns[square]
        top, left = column.top - self.window.top, column.left - self.window.left
        return slice(top, top + column.height), slice(left, left + column.width)

    def deviations(self) -> NDArray[np.float64]:
        """The deviation of each square, (52,), in standard deviations: a z-score of the mean difference of
        its stack's pixels, by the median and the median absolute deviation over all squares.

        Much more sensitive than :attr:`touched`, to shadows too.
        """
        every = self._every
        sampled = cv2.absdiff(thinned(self._now, every), thinned(self._before, every))
        difference = np.asarray(cv2.transform(np.asarray(sampled, np.float32), _CHANNEL_SUM))
        height, width = difference.shape[:2]
        indices = [
            self._stack_pixels(s, len(self._standing[s]) + 1, height, width) for s in range(len(SQUARES))
        ]
        counts = np.array([len(each) for each in indices])
        # The indices are concatenated so that one cumulative sum serves all squares.
        ends = np.concatenate([[0], np.cumsum(difference.ravel()[np.concatenate(indices)], dtype=float)])
        last = np.cumsum(counts)
        means = (ends[last] - ends[last - counts]) / np.maximum(counts, 1)
        median = float(np.median(means))
        spread = _MAD_TO_SIGMA * float(np.median(np.abs(means - median)))
        return np.asarray((means - median) / max(spread, _MIN_RELATIVE_SPREAD * median, 1e-6))

    def _stack_pixels(self, square: int, pieces: int, height: int, width: int) -> NDArray[np.intp]:
        """Flat indices of the window's subsampled pixels (height, width) that ``pieces`` pieces cover."""
        known = _stack_pixel_cache(self._outlines)
        if (square, pieces) not in known:
            every, column = self._every, self._outlines.columns[square]
            top, left = column.top - self.window.top, column.left - self.window.left
            mask = column.standing(pieces)[-top % every :: every, -left % every :: every]
            rows, columns = np.nonzero(mask)
            rows, columns = rows - (-top // every), columns - (-left // every)
            inside = (rows < height) & (columns < width)
            known[square, pieces] = rows[inside] * width + columns[inside]
        return known[square, pieces]

    def foreign_area(self, explained: Collection[int], tallest: dict[int, int] | None = None) -> float:
        """Area, in squares, of the largest connected change outside the columns of ``explained`` squares.
        ``tallest``: by square, the maximum number of pieces if more may stand there than before.

        Only changes that overlap the lattice count: pieces put down beside the board are not an arm.
        """
        remaining = self.changed.copy()
        heights = tallest or {}
        border = max(3, round(self._pitch * _COLUMN_BORDER))
        for square in explained:
            column = self._outlines.columns[square]
            high = max(len(self._standing[square]), heights.get(square, 0), 1)
            mask = np.pad(column.standing(high).astype(np.uint8), border)
            mask = np.asarray(cv2.dilate(mask, np.ones((2 * border + 1, 2 * border + 1), np.uint8)))
            top, left = column.top - self.window.top - border, column.left - self.window.left - border
            y0, x0 = max(0, top), max(0, left)
            part = remaining[y0 : top + mask.shape[0], x0 : left + mask.shape[1]]
            part &= mask[y0 - top : y0 - top + part.shape[0], x0 - left : x0 - left + part.shape[1]] == 0
        sampled = remaining[:: self._every, :: self._every]
        if np.count_nonzero(sampled) * self._every**2 < _MIN_FOREIGN_AREA * self._pitch * self._pitch:
            return 0.0
        # A shadow dims a region by one factor, an arm does not. Very large shadows count too, at half weight.
        return max(
            self._largest_area(sampled & ~self._shading_mask(sampled)),
            _SHADED_AREA_WEIGHT * self._largest_area(sampled),
        )

    def arm_area(self, squares: Collection[int]) -> float:
        """Area, in squares, of the largest change that extends from the edge of the window to the
        neighbourhood of these squares. It may be an arm that hides them, even if it is as dark as the board
        between its visible part and the pieces.
        """
        parts, stats, area = self._labelled(self.changed[:: self._every, :: self._every])
        near = np.zeros(self.changed.shape, np.uint8)
        for square in squares:
            near[self._slices(square)] |= self._outlines.columns[square].standing(1)
        wide = 2 * round(_ARM_REACH * self._pitch) + 1
        near = np.asarray(cv2.dilate(near, np.ones((wide, wide), np.uint8)))
        near = np.asarray(cv2.resize(near, parts.shape[::-1], interpolation=cv2.INTER_NEAREST))
        edge = np.concatenate([parts[0], parts[-1], parts[:, 0], parts[:, -1]])
        arms = set(edge.tolist()) & set(parts[near > 0].tolist()) - {0}
        return max((float(stats[arm, cv2.CC_STAT_AREA]) / area for arm in arms), default=0.0)

    def occluder(self, *, in_shadow: bool = False) -> Occluder | None:
        """The occluder over the squares, if any: the changed component with the largest area outside all
        columns, as acts on the board change only pixels within the columns. ``in_shadow``: a shadow lies on
        much of the board, and pixels that it may have dimmed do not count.
        """
        sampled = self.changed[:: self._every, :: self._every]
        parts, areas, area = self._components(sampled)
        size = parts.shape[1], parts.shape[0]
        off_stacks_mask = cv2.resize(self._off_stacks(), size, interpolation=cv2.INTER_NEAREST)
        if in_shadow:
            unshaded = (sampled & ~self._shading_mask(sampled)).view(np.uint8)
            off_stacks_mask &= cv2.resize(unshaded, size, interpolation=cv2.INTER_NEAREST)
        off_stacks = np.bincount(parts.ravel(), np.asarray(off_stacks_mask, float).ravel(), len(areas))
        off_stacks[areas == 0] = 0
        largest = int(off_stacks.argmax())
        if off_stacks[largest] <= _MIN_AREA_OFF_STACKS * area:
            return None
        blob_mask = parts == largest
        edge = np.concatenate([blob_mask[0], blob_mask[-1], blob_mask[:, 0], blob_mask[:, -1]])
        grown = cv2.dilate(blob_mask.astype(np.uint8), np.ones((3, 3), np.uint8))
        height, width = self.changed.shape
        mask = np.asarray(cv2.resize(grown, (width, height), interpolation=cv2.INTER_NEAREST)) > 0
        squares = (
            square for square in range(len(SQUARES)) if self._share_of(square, mask) > _MIN_HIDDEN_SHARE
        )
        return Occluder(self.window, mask, bool(edge.any()), tuple(squares))

    def _off_stacks(self) -> NDArray[np.uint8]:
        """Mask of the window, 1 outside all stacks, even with one more piece on each."""
        mask = np.ones(self.changed.shape, np.uint8)
        for square, stack in enumerate(self._standing):
            mask[self._slices(square)] &= ~self._outlines.columns[square].standing(len(stack) + 1)
        return mask

    @property
    def _every(self) -> int:
        """Sampling step in pixels."""
        return max(1, round(self._pitch / _SAMPLES_PER_SQUARE))

    def _shading_mask(self, part: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mask of those pixels in ``part`` (a subsampled mask of the window) that changed as in a shadow: all
        channels by nearly the same factor.
        """
        shaded = np.zeros(part.shape, bool)
        now, before = (
            picture[:: self._every, :: self._every][part].astype(np.float32) + 4
            for picture in (self._now, self._before)
        )
        factor = (now * before).sum(1) / (before * before).sum(1)
        off = np.abs(now - before * factor[:, None]).max(1)
        shaded[part] = (
            (off < _MAX_SHADING_RESIDUAL * np.maximum(now.max(1), _MIN_SHADING_LEVEL))
            & (factor > _MIN_SHADING)
            & (factor < _MAX_SHADING)
        )
        return shaded

    def _largest_area(self, remaining: NDArray[np.bool_]) -> float:
        """Area in squares of the largest component of ``remaining`` (a subsampled mask of the window) that
        overlaps the lattice.
        """
        every = self._every
        if np.count_nonzero(remaining) * every * every < _MIN_FOREIGN_AREA * self._pitch * self._pitch:
            return 0.0
        _, areas, square = self._components(remaining)
        return float(areas.max()) / square

    def _components(
        self, remaining: NDArray[np.bool_], *, on_ledge: bool = False
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], float]:
        """The connected components of ``remaining`` (a subsampled mask of the window), labelled on a coarser
        grid; the area of each, 0 if it does not overlap the lattice or, unless ``on_ledge``, may be a piece
        on the board's ledge; and the area of a square.
        """
        parts, stats, square = self._labelled(remaining)
        lattice = cv2.resize(
            # The mask excludes the corners, where there are no squares: when the light changes, the table
            # there changes as a region, and objects there hide nothing.
            lattice_mask(self._outlines, self.window).view(np.uint8),
            (parts.shape[1], parts.shape[0]),
            interpolation=cv2.INTER_NEAREST,
        )
        reach = np.bincount(parts.ravel(), np.asarray(lattice, float).ravel(), len(stats))
        areas = stats[:, cv2.CC_STAT_AREA].astype(float)
        areas[0] = 0
        areas[reach < max(3, _MIN_OCCLUDER_OVERLAP * square)] = 0
        if on_ledge:
            return parts, areas, square
        # An arm extends to the window's edge; pieces on the ledge are isolated in front of the near squares.
        left, top = stats[:, cv2.CC_STAT_LEFT], stats[:, cv2.CC_STAT_TOP]
        right, bottom = left + stats[:, cv2.CC_STAT_WIDTH], top + stats[:, cv2.CC_STAT_HEIGHT]
        isolated = (left > 0) & (top > 0) & (right < parts.shape[1]) & (bottom < parts.shape[0])
        areas[isolated & (reach < _MAX_LEDGE_OVERLAP * square) & (areas < _MAX_LEDGE_AREA * square)] = 0
        return parts, areas, square

    def _labelled(self, remaining: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.int32], float]:
        """The connected components of ``remaining`` (a subsampled mask of the window), labelled on a coarser
        grid, with OpenCV's statistics; and the area of a square there.
        """
        factor = max(1, round(self._pitch / _COARSE_SAMPLES_PER_SQUARE / self._every))
        small = cv2.resize(
            remaining.astype(np.uint8) * 255,
            (max(1, remaining.shape[1] // factor), max(1, remaining.shape[0] // factor)),
            interpolation=cv2.INTER_AREA,
        )
        solid = (np.asarray(small) > 127).astype(np.uint8)
        _, parts, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=8)
        square = (self._pitch / (factor * self._every)) ** 2
        return np.asarray(parts, np.int32), np.asarray(stats, np.int32), square


def _discs_in_a_row(blob: NDArray[np.bool_]) -> int:
    """Number of discs in a row that form the blob; a disc with its shadow counts as one."""
    points = np.column_stack(np.nonzero(blob)[::-1]).astype(np.int32)
    _, sides, _ = cv2.minAreaRect(points)
    width = min(sides) + 1.0
    return int(len(points) / (np.pi / 4 * width * width) + _MAX_MISSING_DISC_SHARE)


def _distributed(number: int, shares: NDArray[np.int64]) -> str:
    """Letters of ``number`` pieces, distributed in proportion to the ``shares`` of the colours in a blob."""
    exact = shares * (number / shares.sum())
    counts = exact.astype(int)
    for label in np.argsort(counts - exact)[: number - counts.sum()]:
        counts[label] += 1
    return "".join(letter * counts[label - 1] for letter, label in CLASS.items())


@cached_per_outlines
def _stack_pixel_cache(outlines: Outlines) -> dict[tuple[int, int], NDArray[np.intp]]:
    """Cached pixel indices by square and number of pieces."""
    return {}


@cached_per_outlines
def _near_lattice(outlines: Outlines) -> NDArray[np.bool_]:
    """Mask of the table's window: the lattice's squares and whatever may stand on them."""
    window = table_window(outlines)
    mask = lattice_mask(outlines, window).copy()
    for column in outlines.columns:
        top, left = column.top - window.top, column.left - window.left
        mask[top : top + column.height, left : left + column.width] |= column.standing(MAX_HEIGHT)
    return mask


def blurred(part: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Slightly smoothed, so that the camera's noise and slightest shake are not taken for changes."""
    return np.asarray(cv2.blur(part, (5, 5)), np.uint8)


@cached_per_outlines
def board_window(outlines: Outlines) -> Window:
    """The board with :data:`_BOARD_MARGIN` squares around it, within the picture."""
    return _window_around(outlines, _BOARD_MARGIN)


@cached_per_outlines
def table_window(outlines: Outlines) -> Window:
    """The board with the :data:`_TABLE_MARGIN` squares of table around it on which pieces are put down."""
    return _window_around(outlines, _TABLE_MARGIN)


def _window_around(outlines: Outlines, margin: float) -> Window:
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
