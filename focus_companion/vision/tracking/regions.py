"""The connected regions of a change.

A piece changes pixels within its own column. Changes elsewhere are foreign: an occluder (an arm, a head, a
mug) is not evidence of an act on the board, and it hides the squares under it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from ...game.squares import SQUARES
from ..arrays import Floats, Mask
from ..capture.frames import Image
from ..geometry.stack_masks import Window, lattice_mask
from ..masks import dilated, dilated_by_square, resampled
from ..registration.focus import SAMPLES_PER_SQUARE
from .change import AFFECTED_SHARE, MAX_BLOB_AREA, MIN_BLOB_AREA, Change
from .occluder import Occluder, SceneObject

_MIN_OCCLUDER_OVERLAP = 0.15
"""Minimum area on the lattice, in squares, for a change to count as an occluder."""
_MAX_GAP = 0.6
"""Width, in squares, of what looks unchanged between two changes, such as a dark dome under dark hair, for
both to belong to one object. Raising it hides more of what was done beside a resting arm."""
_MAX_LEDGE_OVERLAP = 0.5
"""Maximum area of the lattice, in squares, covered by pieces on the board's ledge and their shadows."""
_MAX_LEDGE_AREA = 5.0
"""Maximum total area of such pieces and their shadows, in squares."""
_ARM_REACH = 2.5
"""Distance in squares from the visible part of an arm to pieces that it may hide; raising it delays alerts
while an arm lies beside the board."""
_COLUMN_BORDER = 0.12
"""Width, in squares, of the border around an explained column that is not foreign."""
_MIN_FOREIGN_AREA = 0.4
"""Minimum area, in squares, outside the columns that explain a change; less is ignored."""
_SHADED_AREA_WEIGHT = 0.5
"""Weight of a foreign area that includes what may be a shadow."""
_SHADING_RANGE = 0.3, 2.2
"""Range of the factors by which a shadow dims a pixel, or the end of one brightens it."""
_MAX_SHADING_RESIDUAL = 0.09
"""Maximum deviation of a channel from the common factor of a shadow, relative to the brightest channel."""
_MIN_SHADING_LEVEL = 60
"""Lower limit of that brightest channel, in grey levels."""


AddedObject = tuple[SceneObject, Mask]
"""An object that is made part of the scene, and the mask (h, w) of the pixels of its window in which squares
that stay visible look different because of it."""


class Regions:
    """The connected regions of changed pixels in the board's window."""

    def __init__(self, change: Change) -> None:
        self._change, self._changed, self._window = change, change.changed, change.window
        self._outlines, self._pitch, self._standing = change.outlines, change.outlines.pitch, change.standing
        self._every = change.step
        self._sampled = change.changed[:: change.step, :: change.step]

    def lone_blob(self) -> Floats | None:
        """The centre, (2,) in pixels of the picture, of a change that may be a single piece put on the board
        or taken off it; ``None`` if anything else has changed as well.
        """
        # A piece that seems to lie on the ledge counts, as the pose may be wrong.
        parts, areas, square = self._components(self._sampled, on_ledge=True)
        piece = square * self._outlines.piece_pixels / self._pitch**2
        blobs = np.flatnonzero(areas)
        if len(blobs) != 1 or not MIN_BLOB_AREA < areas[blobs[0]] / piece < MAX_BLOB_AREA:
            return None
        centre = np.array(np.nonzero(parts == blobs[0]))[::-1].mean(1) + 0.5
        scale = np.array(self._changed.shape[::-1]) / parts.shape[::-1]
        return np.asarray((self._window.left, self._window.top) + centre * scale, np.float64)

    def foreign_area(self, explained: Collection[int], tallest: dict[int, int] | None = None) -> float:
        """Area, in squares, of the largest connected change outside the columns of ``explained`` squares.
        ``tallest``: by square, the maximum number of pieces if more may stand there than before.

        Only changes that overlap the lattice count: pieces put down beside the board are not an arm.
        """
        remaining = self._changed.copy()
        heights = tallest or {}
        border = max(3, round(self._pitch * _COLUMN_BORDER))
        for square in explained:
            column = self._outlines.columns[square]
            high = max(len(self._standing[square]), heights.get(square, 0), 1)
            mask = dilated_by_square(np.pad(column.standing(high), border), 2 * border + 1)
            left, top, right, bottom = column.window
            wider = Window(left - border, top - border, right + border, bottom + border)
            if (shown := wider.overlap(self._window)) is not None:
                remaining[shown.within(self._window)] &= ~mask[shown.within(wider)]
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
        neighbourhood of these squares. It may be an arm that hides them, even if its colour is that of the
        board between its visible part and the pieces.
        """
        parts, stats, area = self._labelled(self._sampled)
        pieces = self._outlines.standing(dict.fromkeys(squares, 1), self._window)
        near = resampled(dilated_by_square(pieces, 2 * round(_ARM_REACH * self._pitch) + 1), parts.shape)
        edge = np.concatenate([parts[0], parts[-1], parts[:, 0], parts[:, -1]])
        arms = set(edge.tolist()) & set(parts[near].tolist()) - {0}
        return max((float(stats[arm, cv2.CC_STAT_AREA]) / area for arm in arms), default=0.0)

    def occluder(self, *, in_shadow: bool = False) -> Occluder | None:
        """The occluder over the squares, if any: the changed component with the largest area outside all
        columns, as acts on the board change only pixels within the columns. ``in_shadow``: a shadow lies on
        much of the board, and pixels that it may have dimmed do not count.
        """
        parts, areas, area = self._components(self._sampled)
        off_stacks_mask = resampled(self._off_stacks(), parts.shape)
        if in_shadow:
            off_stacks_mask &= resampled(self._sampled & ~self._shading_mask(self._sampled), parts.shape)
        off_stacks = np.bincount(parts[off_stacks_mask], minlength=len(areas))
        off_stacks[areas == 0] = 0
        largest = int(off_stacks.argmax())
        if off_stacks[largest] <= _MIN_FOREIGN_AREA * area:
            return None
        blob_mask = parts == largest
        edge = np.concatenate([blob_mask[0], blob_mask[-1], blob_mask[:, 0], blob_mask[:, -1]])
        mask = resampled(dilated_by_square(blob_mask, 3), self._changed.shape)
        squares = (
            square for square in range(len(SQUARES)) if self._change.share_of(square, mask) > AFFECTED_SHARE
        )
        return Occluder(self._window, mask, bool(edge.any()), tuple(squares))

    def scene_object(
        self,
        occluder: Occluder,
        image: Image,
        hidden: Collection[int],
        visible: Collection[int],
        acted: Collection[int] = (),
    ) -> AddedObject:
        """The object of which ``occluder`` is a part, in the picture ``image``. It hides the ``hidden``
        squares, and may change how ``visible`` ones look. The ``acted`` ones are visible as well, but an act
        has changed them.
        """
        # What hides nothing is light, to which nothing else belongs.
        either = occluder.mask | self._changed if hidden else occluder.mask
        _, parts = cv2.connectedComponents(dilated(either, _MAX_GAP / 2 * self._pitch).view(np.uint8))
        mask = either & np.isin(parts, np.unique(parts[occluder.mask]))
        # An arm moves a little: on squares that counted as clear, its edge would look like a change.
        unchanged = self._columns([] if occluder.from_edge else visible)
        changed = self._columns(acted)
        seen = mask & unchanged & ~changed
        clear = unchanged | changed
        mask = mask & ~clear
        squares = tuple(s for s in range(len(SQUARES)) if self._change.share_of(s, mask) > 0)
        part = image[self._window.slices].copy()
        return SceneObject(self._window, part, mask, clear, squares, frozenset(hidden), self._pitch), seen

    def _columns(self, squares: Iterable[int]) -> Mask:
        """Mask of the window: where stacks of any height on these squares would be."""
        mask, columns = np.zeros(self._changed.shape, np.bool_), self._outlines.columns
        for square in squares:
            mask[self._change.column_slices(square)] |= columns[square].any
        return mask

    def _off_stacks(self) -> Mask:
        """Mask of the window: outside all stacks, even with one more piece on each."""
        heights = {square: len(stack) + 1 for square, stack in enumerate(self._standing)}
        return ~self._outlines.standing(heights, self._window)

    def _shading_mask(self, part: Mask) -> Mask:
        """Mask of those pixels in ``part`` (a subsampled mask of the window) that changed as in a shadow: all
        channels by nearly the same factor.
        """
        shaded = np.zeros(part.shape, bool)
        now, before = (
            picture[:: self._every, :: self._every][part].astype(np.float32) + 4
            for picture in self._change.shown
        )
        factor = (now * before).sum(1) / (before * before).sum(1)
        off = np.abs(now - before * factor[:, None]).max(1)
        darkest, brightest = _SHADING_RANGE
        alike = off < _MAX_SHADING_RESIDUAL * np.maximum(now.max(1), _MIN_SHADING_LEVEL)
        shaded[part] = alike & (factor > darkest) & (factor < brightest)
        return shaded

    def _largest_area(self, remaining: Mask) -> float:
        """Area in squares of the largest component of ``remaining`` (a subsampled mask of the window) that
        overlaps the lattice.
        """
        every = self._every
        if np.count_nonzero(remaining) * every * every < _MIN_FOREIGN_AREA * self._pitch * self._pitch:
            return 0.0
        _, areas, square = self._components(remaining)
        return float(areas.max()) / square

    def _components(
        self, remaining: Mask, *, on_ledge: bool = False
    ) -> tuple[NDArray[np.int32], Floats, float]:
        """The connected components of ``remaining`` (a subsampled mask of the window), labelled on a coarser
        grid; the area of each, 0 if it does not overlap the lattice or, unless ``on_ledge``, may be a piece
        on the board's ledge; and the area of a square.
        """
        parts, stats, square = self._labelled(remaining)
        # The mask excludes the corners, where there are no squares: when the light changes, the table there
        # changes as a region, and objects there hide nothing.
        lattice = resampled(lattice_mask(self._outlines, self._window), parts.shape)
        reach = np.bincount(parts[lattice], minlength=len(stats))
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

    def _labelled(self, remaining: Mask) -> tuple[NDArray[np.int32], NDArray[np.int32], float]:
        """The connected components of ``remaining`` (a subsampled mask of the window), labelled on a coarser
        grid, with OpenCV's statistics; and the area of a square there.
        """
        # Half the resolution: thin lines of noise vanish, an arm remains.
        factor = max(1, round(2 * self._pitch / SAMPLES_PER_SQUARE / self._every))
        small = cv2.resize(
            remaining.astype(np.uint8) * 255,
            (max(1, remaining.shape[1] // factor), max(1, remaining.shape[0] // factor)),
            interpolation=cv2.INTER_AREA,
        )
        solid = (np.asarray(small) > 127).astype(np.uint8)
        _, parts, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=8)
        square = (self._pitch / (factor * self._every)) ** 2
        return np.asarray(parts, np.int32), np.asarray(stats, np.int32), square
