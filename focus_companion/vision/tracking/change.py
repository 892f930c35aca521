"""Differences between a still picture and the reference: on the squares, and pieces put down beside them."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from ...game.position import MAX_HEIGHT
from ...game.squares import SQUARES
from ..appearance.colour_model import CLASS, CLASSES, ColourModel
from ..arrays import Floats, Integers, Mask
from ..capture.sampling import STRIP_ROWS, blurred, blurred_and_subsampled, subsampled
from ..geometry.stack_masks import Outlines, Window, cached_per_outlines, filled_fields
from ..registration.conditions import Conditions
from ..registration.focus import SAMPLES_PER_SQUARE, blur_difference, focused_alike
from ..registration.levels import channel_sum
from ..robust_statistics import centre_and_deviation
from .occluder import SceneObject

_MIN_DIFFERENCE = 26
"""Difference in grey levels above which a pixel of the blurred pictures counts as changed: several times the
noise of a dark picture, as each of their pixels is a mean of 25."""
_MIN_DISC_SHARE = 0.75
"""Minimum share of a disc that a blob of new pieces must fill for it to be one of them: highlights leave
holes. Raising it misses pieces, lowering it counts shadows."""
_MIN_DISC_DISTANCE = 0.85
"""Minimum distance of the centres of two pieces in such a blob, in mean diameters of a piece: in perspective,
some are smaller. Lowering it counts the shadow of a piece."""
_BOARD_MARGIN = 2.0
"""Margin around the lattice, in squares, that is searched for an arm."""
_TABLE_MARGIN = 4.5
"""Margin around the lattice, in squares, that is searched for pieces that were put down."""
CLEAR_SHARE = 0.2
"""Changed share of a square's pixels above which the square has clearly changed; if an object covers these
pixels, it counts as covered. Raising it, a piece put down close beside a resting arm counts as not put
down."""
AFFECTED_SHARE = 0.08
"""Share of a square's pixels above which something there counts: a change of its stack, or an occluder."""
_MIN_PIECE_NATS = 0.5
"""Minimum log-likelihood of a piece's class at a pixel beside the board; 0 is that of a random colour."""
_MIN_NEW_PIECE_NATS = 1.0
"""Minimum increase of that log-likelihood for the piece to count as new."""
MIN_BLOB_AREA = 0.3
"""Minimum area of a blob of new pieces, relative to that of one piece."""
MAX_BLOB_AREA = 6
"""Maximum area of such a blob, relative to that of one piece: several pieces, or one with its shadow."""
_MIN_RELATIVE_SPREAD = 0.05
"""Lower limit of the standard deviation over all squares, relative to their median difference."""
_MIN_SPREAD = 0.15
"""Lower limit of that standard deviation, in grey levels (sum of the channels): the smallest one in 130 looks
of two recordings whose pictures were compressed one by one. A video codec repeats most of a still picture
exactly; the little that it changes would then be thousands of standard deviations. Raising it hides faint
changes."""


class Smoothed:
    """A picture with two cached blurred parts: the board's window, and the table's, which is subsampled."""

    def __init__(self, image: NDArray[np.uint8], undone: Conditions | None = None) -> None:
        """``undone``: the conditions that were undone in the picture."""
        self.image, self.undone = image, undone
        self._part: tuple[Window, NDArray[np.uint8]] | None = None
        self._subsampled: tuple[Window, int, NDArray[np.uint8]] | None = None

    def part(self, window: Window) -> NDArray[np.uint8]:
        """The blurred pixels of a window."""
        if self._part is None or self._part[0] != window:
            self._part = window, blurred(self.image[window.slices])
        return self._part[1]

    def forget_part(self) -> None:
        """Forget the blurred pixels of the last window, which take megabytes and little time to make."""
        self._part = None

    def subsampled(self, window: Window, every: int) -> NDArray[np.uint8]:
        """The blurred pixels of a window, subsampled by ``every`` in both directions. Outside the part in
        which the light was measured, it is undone as well.
        """
        if self._subsampled is None or self._subsampled[:2] != (window, every):
            part = blurred_and_subsampled(self.image[window.slices], every)
            if self.undone is not None:
                part = self.undone.undo_around(part, window, every)
            self._subsampled = window, every, part
        return self._subsampled[2]


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
        objects: Sequence[SceneObject] = (),
    ) -> None:
        """``objects``: those that have become part of the scene since ``before``."""
        self.outlines, self.standing = outlines, standing
        self._pictures = (now, before)
        self.window = board_window(outlines)
        parts = now.part(self.window), before.part(self.window)
        self._blur = blur_difference(*parts, outlines.pitch)
        self.shown = focused_alike(*parts, self._blur)
        """Both pictures in the window, blurred, and focused alike."""
        self.changed: Mask = self.differing(*self.shown)
        self.occluded = self._occluded_by(objects)
        """Mask (h, w) of what objects cover in the picture; it counts as unchanged. ``None`` without any."""
        self._under_objects: Mask | None = None
        """Mask of the window: the pixels that differ where objects cover them. ``None`` without any."""
        if self.occluded is not None:
            part = self.occluded[self.window.slices]
            self._under_objects = self.changed & part
            self.changed &= ~part
            self.shown = np.where(part[..., None], self.shown[1], self.shown[0]), self.shown[1]
        self.touched: Floats = np.array([self.share_of(s, self.changed) for s in range(len(SQUARES))])
        """For each square, (52,), the changed share of the pixels of its stack and one more piece."""

    def forget_pixels(self) -> None:
        """Delete :attr:`shown` and :attr:`changed`, which take megabytes; :attr:`touched` remains."""
        self._pictures[1].forget_part()
        del self.shown, self.changed

    @property
    def before(self) -> NDArray[np.uint8]:
        """The earlier picture."""
        return self._pictures[1].image

    def _occluded_by(self, objects: Sequence[SceneObject]) -> Mask | None:
        if not objects:
            return None
        occluded = np.zeros(self.before.shape[:2], np.bool_)
        for each in objects:
            now, before = (blurred(picture.image[each.window.slices]) for picture in self._pictures)
            occluded[each.window.slices] |= each.covered(now, before, self.differing(now, before))
        return occluded

    @staticmethod
    def differing(now: NDArray[np.uint8], before: NDArray[np.uint8]) -> Mask:
        """Mask (h, w) of the pixels in which two blurred pictures (h, w, 3) differ by more than noise."""
        differing = np.empty(now.shape[:2], np.bool_)
        for first in range(0, len(now), STRIP_ROWS):
            rows = slice(first, first + STRIP_ROWS)
            difference = cv2.absdiff(now[rows], before[rows])
            similar = cv2.inRange(difference, (0, 0, 0), (_MIN_DIFFERENCE,) * 3)
            np.equal(similar, 0, out=differing[rows])
        return differing

    @property
    def covered_squares(self) -> frozenset[int]:
        """Squares of which an object hides so much that they may have changed without being seen. An object
        moves a little, so what changes close beside it counts as its edge.
        """
        under = self._under_objects
        if under is None:
            return frozenset()
        return frozenset(s for s in range(len(SQUARES)) if self.share_of(s, under) > CLEAR_SHARE)

    def comparable(self, square: int) -> bool:
        """Whether a few changed pixels of the square tell whether its stack was touched: not if one of the
        pictures was out of focus, or a reflection was undone there.
        """
        return not self._blur and not any(
            reflected(self.outlines, square, each.undone) for each in self._pictures
        )

    def share_of(self, square: int, pixels: Mask) -> float:
        """Share of a square's stack, with one more piece, that ``pixels`` (a mask of the window) covers."""
        around = pixels[self.column_slices(square)]
        if not around.any():
            # True of nearly every square in nearly every look, and quick to check.
            return 0.0
        mask = self.outlines.columns[square].standing(len(self.standing[square]) + 1)
        return float(around[mask].mean()) if mask.any() else 0.0

    def appeared(self, colours: ColourModel) -> str:
        """Letters of the pieces that seem to have been put down beside the lattice: captured, or moved to the
        reserve.
        """
        step = self.step
        window = table_window(self.outlines)
        shown = [picture.subsampled(window, step) for picture in self._pictures]
        beside = self.differing(*shown) & ~_near_lattice(self.outlines)
        if self.occluded is not None:
            beside &= ~self.occluded[window.slices][::step, ::step]
        if not beside.any():
            return ""
        now, before = (colours.log_likelihood(picture[beside])[:, 1:] for picture in shown)
        labels = np.zeros(beside.shape, np.uint8)
        # A label or a cloth of a piece's colour is in both pictures; only a new piece increases the
        # likelihood of its colour. What a piece that was taken away has uncovered looks less like a piece.
        colour = now.argmax(1)
        each = np.arange(len(now))
        nats, nats_before = now[each, colour], before[each, colour]
        new_piece = (nats > _MIN_PIECE_NATS) & (nats > nats_before + _MIN_NEW_PIECE_NATS)
        new_piece &= nats > before.max(1)
        labels[beside] = np.where(new_piece, colour + 1, 0)
        mask = cv2.morphologyEx((labels > 0).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        _, blobs, stats, _ = cv2.connectedComponentsWithStats(np.asarray(mask), connectivity=8)
        pieces = ""
        diameter = 2 * float(np.sqrt(self.outlines.piece_pixels / np.pi)) / step
        for blob in range(1, len(stats)):
            area = stats[blob, cv2.CC_STAT_AREA] * (step * step / self.outlines.piece_pixels)
            if MIN_BLOB_AREA < area < MAX_BLOB_AREA:
                number = _discs(blobs == blob, diameter)
                pieces += _distributed(number, np.bincount(labels[blobs == blob], minlength=CLASSES)[1:])
        return "".join(sorted(pieces))

    def column_slices(self, square: int) -> tuple[slice, slice]:
        """The rows and columns of the window that a square's column covers."""
        return self.outlines.columns[square].window.within(self.window)

    def deviations(self) -> Floats:
        """The deviation of each square, (52,), in standard deviations: a z-score of the mean difference of
        its stack's pixels, by the median and the median absolute deviation over all squares.

        Much more sensitive than :attr:`touched`, to shadows too.
        """
        sampled = cv2.absdiff(*(subsampled(picture, self.step) for picture in self.shown))
        difference = channel_sum(np.asarray(sampled, np.float32))
        shape = difference.shape[:2]
        indices = [
            _stack_pixels(self.outlines, s, len(stack) + 1, shape) for s, stack in enumerate(self.standing)
        ]
        counts = np.array([len(each) for each in indices])
        # The indices are concatenated so that one cumulative sum serves all squares.
        ends = np.concatenate([[0], np.cumsum(difference.ravel()[np.concatenate(indices)], dtype=float)])
        last = np.cumsum(counts)
        means = (ends[last] - ends[last - counts]) / np.maximum(counts, 1)
        median, spread = centre_and_deviation(means)
        return np.asarray((means - median) / max(spread, _MIN_RELATIVE_SPREAD * median, _MIN_SPREAD))

    @property
    def step(self) -> int:
        """Sampling step in pixels."""
        return _step(self.outlines)


def _step(outlines: Outlines) -> int:
    return max(1, round(outlines.pitch / SAMPLES_PER_SQUARE))


def reflected(outlines: Outlines, square: int, conditions: Conditions | None) -> bool:
    """Whether these conditions include a reflection on a square that visibly changes a black surface."""
    if conditions is None:
        return False
    column = outlines.columns[square]
    x, y = column.left + column.width / 2, column.top + column.height / 2
    return abs(conditions.veil_at(x, y)) > _MIN_DIFFERENCE


def _discs(blob: Mask, diameter: float) -> int:
    """Number of discs of this ``diameter``, in pixels, that form the blob (h, w). A disc with its shadow
    counts as one.
    """
    size = round(diameter) | 1
    disc = np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.float32)
    filled = cv2.filter2D(
        blob.astype(np.float32), cv2.CV_32F, disc / disc.sum(), borderType=cv2.BORDER_CONSTANT
    )
    number = 0
    while True:
        _, share, _, place = cv2.minMaxLoc(filled)
        if share < _MIN_DISC_SHARE:
            return max(1, number)
        number += 1
        cv2.circle(filled, place, round(_MIN_DISC_DISTANCE * diameter), 0.0, cv2.FILLED)


def _distributed(number: int, shares: Integers) -> str:
    """Letters of ``number`` pieces, distributed in proportion to the ``shares`` of the colours in a blob."""
    exact = shares * (number / shares.sum())
    counts = exact.astype(int)
    for label in np.argsort(counts - exact)[: number - counts.sum()]:
        counts[label] += 1
    return "".join(letter * counts[label - 1] for letter, label in CLASS.items())


@cached_per_outlines
def _stack_pixels(outlines: Outlines, square: int, pieces: int, shape: tuple[int, int]) -> NDArray[np.intp]:
    """Flat indices of the subsampled pixels of the board's window, an array of this ``shape``, that a stack
    covers.
    """
    window, every, column = board_window(outlines), _step(outlines), outlines.columns[square]
    offset = np.array((column.top - window.top, column.left - window.left))
    places = np.argwhere(column.standing(pieces)) + offset
    sampled = places[(places % every == 0).all(1)] // every
    return np.asarray(sampled[(sampled < shape).all(1)] @ (shape[1], 1), np.intp)


@cached_per_outlines
def _near_lattice(outlines: Outlines) -> Mask:
    """Mask of the table's window, subsampled: the lattice's squares and whatever may stand on them."""
    window, step = table_window(outlines), _step(outlines)
    stacks = outlines.standing(dict.fromkeys(range(len(SQUARES)), MAX_HEIGHT), window)
    return ((filled_fields(outlines, window) > 0) | stacks)[::step, ::step].copy()


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
    whole = Window(0, 0, camera.lens.width, camera.lens.height)
    return columns.including(Window(*low.tolist(), *high.tolist())).overlap(whole) or whole
