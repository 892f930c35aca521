"""Masks of the projected pieces of every square at every height.

A column is everything that may stand on one square: its bare dome (level 0) and pieces 1 …
:data:`TALLEST_UNTRIMMED`. The masks of a column share one small window of the picture. From above, a higher
piece occludes the lower ones, and a nearer column those behind it. So the painter's algorithm (columns far to
near, pieces bottom to top) renders what is visible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

import cv2
import numpy as np
from numpy.typing import NDArray

from ...game.position import MAX_HEIGHT
from ...game.squares import SQUARES
from .scene import CORNERS, BoardProfile, Camera, ring_points

Mask = NDArray[np.bool_]
Result = TypeVar("Result")

TALLEST_UNTRIMMED = 2 * MAX_HEIGHT
"""Pieces in the tallest stack before trimming: five placed on five."""
NEVER_COVERED = 255
"""Value of :attr:`Column.covered` where no stack covers the pixel."""
MIN_VISIBLE_STEP = 1.9
"""Minimum :attr:`Outlines.step`, in pixels, at which one more piece is clearly visible: smaller steps are
lost in blurred edges and the play between pieces.
"""


@dataclass(frozen=True)
class Column:
    """One square's masks in its window: ``left``, ``top`` in pixels, ``masks`` (tallest + 1, h, w) bool."""

    left: int
    top: int
    masks: NDArray[np.bool_]
    covered: NDArray[np.uint8]
    """(h, w): the minimum number of pieces of a stack that covers the pixel, or ``NEVER_COVERED``."""

    @property
    def any(self) -> Mask:
        """Pixels (h, w) that a stack of any height, or the dome, covers."""
        return np.asarray(self.masks[0] | (self.covered != NEVER_COVERED))

    @property
    def width(self) -> int:
        return int(self.masks.shape[2])

    @property
    def height(self) -> int:
        return int(self.masks.shape[1])

    def standing(self, pieces: int) -> Mask:
        """Pixels (h, w) that a stack of ``pieces`` pieces covers; for 0, the bare dome."""
        return np.asarray(self.covered <= pieces) if pieces else self.masks[0]

    @property
    def window(self) -> Window:
        """The window of the picture that the masks cover."""
        return Window(self.left, self.top, self.left + self.width, self.top + self.height)

    def cut_from(self, free: Mask, window: Window, pieces: int) -> None:
        """Clear, in place, the pixels of ``free`` (a mask of ``window``) that a stack of ``pieces`` pieces
        covers.
        """
        x0, x1 = max(self.left, window.left), min(self.left + self.width, window.right)
        y0, y1 = max(self.top, window.top), min(self.top + self.height, window.bottom)
        if x0 >= x1 or y0 >= y1:
            return
        hidden = self.standing(pieces)[y0 - self.top : y1 - self.top, x0 - self.left : x1 - self.left]
        free[y0 - window.top : y1 - window.top, x0 - window.left : x1 - window.left] &= ~hidden


@dataclass(frozen=True)
class Window:
    """A rectangle of the picture."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def slices(self) -> tuple[slice, slice]:
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def including(self, other: Window) -> Window:
        """The smallest window that contains both."""
        return Window(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )


class Outlines:
    """The columns of all squares for one camera and profile, and the rendering of positions."""

    def __init__(self, camera: Camera, profile: BoardProfile, tallest: int = TALLEST_UNTRIMMED) -> None:
        """``tallest`` is the maximum number of pieces on a square; construction is faster with fewer."""
        self.camera, self.profile = camera, profile
        self.pitch = camera.pitch_pixels(profile)
        """Mean side of a square in pixels."""
        self.piece_pixels = float(np.pi * (profile.piece.radius / profile.pitch * self.pitch) ** 2)
        """Mean area of a piece in pixels."""
        self.step = profile.rise * float(np.tan(np.radians(camera.tilt))) * self.pitch / profile.pitch
        """Pixels by which one more piece shifts a stack's top in the picture, at the centre of the board."""
        self.columns = _columns(camera, profile, tallest)
        centres = np.column_stack([profile.centres, np.zeros(len(SQUARES))])
        distance = np.linalg.norm(centres - camera.place, axis=1)
        self.far_to_near: tuple[int, ...] = tuple(int(s) for s in np.argsort(-distance))
        self._overlap_cache: dict[tuple[int, int, int, int], bool] = {}
        overlap = _windows_overlap(self.columns)
        self._overlaps = tuple(tuple(o for o in self.far_to_near if row[o]) for row in overlap)

    def window(self, squares: Sequence[int]) -> Window:
        """The bounding window of these squares' columns."""
        columns = [self.columns[s] for s in squares]
        return Window(
            min(c.left for c in columns),
            min(c.top for c in columns),
            max(c.left + c.width for c in columns),
            max(c.top + c.height for c in columns),
        )

    def clusters(self, squares: Sequence[int]) -> list[tuple[int, ...]]:
        """Connected components of the squares; two squares are connected if their columns overlap."""
        left = list(squares)
        groups: list[tuple[int, ...]] = []
        while left:
            group = [left.pop()]
            for member in group:
                near = [s for s in left if s in self._overlaps[member]]
                group += near
                left = [s for s in left if s not in near]
            groups.append(tuple(sorted(group)))
        return groups

    def touching(self, squares: Sequence[int]) -> tuple[int, ...]:
        """All squares whose columns overlap those of ``squares``, far to near."""
        near = {o for s in squares for o in self._overlaps[s]}
        return tuple(s for s in self.far_to_near if s in near)

    def overlap(self, one: int, pieces: int, other: int, others: int) -> bool:
        """Whether stacks of ``pieces`` and ``others`` pieces on two squares overlap in the picture."""
        at = one, pieces, other, others
        if at not in self._overlap_cache:
            self._overlap_cache[at] = other in self._overlaps[one] and _masks_overlap(
                self.columns[one], pieces, self.columns[other], others
            )
        return self._overlap_cache[at]

    def paint(
        self,
        stacks: Mapping[int, Sequence[int]],
        window: Window,
        order: Sequence[int],
        tops: Sequence[NDArray[np.bool_]] = (),
        top: int = 0,
    ) -> NDArray[np.uint8]:
        """Class of every pixel of a window (h, w): that of the visible piece, or 0 where there is none.

        ``stacks`` has for each square of ``order`` (far to near) the classes of its pieces, bottom first.
        ``tops`` has for every square the masks (tallest, h, w) of each piece's top, whose class is that of
        the piece plus ``top``.
        """
        labels = np.zeros((window.bottom - window.top, window.right - window.left), np.uint8)
        for square in order:
            pieces = stacks[square]
            column = self.columns[square]
            x0, x1 = max(column.left, window.left), min(column.left + column.width, window.right)
            y0, y1 = max(column.top, window.top), min(column.top + column.height, window.bottom)
            if x0 >= x1 or y0 >= y1:
                continue
            part = labels[y0 - window.top : y1 - window.top, x0 - window.left : x1 - window.left]
            masks = column.masks[:, y0 - column.top : y1 - column.top, x0 - column.left : x1 - column.left]
            if not pieces:
                # A bare dome occludes what stands behind it, and has the class of the board.
                part[masks[0]] = 0
            for level, label in enumerate(pieces[: len(masks) - 1], 1):
                part[masks[level]] = label
            if pieces and tops:
                level = min(len(pieces), len(masks) - 1)
                seen = tops[square][level - 1]
                part[seen[y0 - column.top : y1 - column.top, x0 - column.left : x1 - column.left]] = (
                    pieces[level - 1] + top
                )
        return labels


def cached_per_outlines(make: Callable[[Outlines], Result]) -> Callable[[Outlines], Result]:
    """Decorator that caches a function of outlines for as long as these exist.

    Outlines hold megabytes of masks and are made for each pose that is tried: strong references would keep
    those of old poses alive.
    """
    known: WeakKeyDictionary[Outlines, Result] = WeakKeyDictionary()

    @wraps(make)
    def made(outlines: Outlines) -> Result:
        if outlines not in known:
            known[outlines] = make(outlines)
        return known[outlines]

    return made


@cached_per_outlines
def _lattice_masks(outlines: Outlines) -> dict[Window, Mask]:
    """The masks computed so far, by window."""
    return {}


def lattice_mask(outlines: Outlines, window: Window) -> Mask:
    """Mask (h, w) of the window's pixels on the lattice of squares; read-only."""
    masks = _lattice_masks(outlines)
    if window not in masks:
        masks[window] = filled_fields(outlines, window) > 0
    return masks[window]


def fields(outlines: Outlines, window: Window) -> NDArray[np.uint8]:
    """The field at each pixel of the window, ignoring occlusion, (h, w): the index of its square plus 1; 0
    outside the lattice; read-only.
    """
    return _cached_fields(outlines, window, unused=False)


def unused_fields(outlines: Outlines, window: Window) -> NDArray[np.uint8]:
    """The same for the twelve unused squares in the corners of the lattice, numbered from 1."""
    return _cached_fields(outlines, window, unused=True)


@cached_per_outlines
def _known_fields(outlines: Outlines) -> dict[tuple[Window, bool], NDArray[np.uint8]]:
    """The results of :func:`_cached_fields` so far, by window and whether the squares are the unused ones."""
    return {}


def _cached_fields(outlines: Outlines, window: Window, *, unused: bool) -> NDArray[np.uint8]:
    known = _known_fields(outlines)
    if (window, unused) not in known:
        known[window, unused] = filled_fields(outlines, window, unused=unused)
    return known[window, unused]


def filled_fields(outlines: Outlines, window: Window, *, unused: bool = False) -> NDArray[np.uint8]:
    """:func:`fields` or :func:`unused_fields`, computed anew, for use once."""
    mask = np.zeros((window.bottom - window.top, window.right - window.left), np.uint8)
    profile = outlines.profile
    centres = profile.unused_centres if unused else profile.centres
    corners = centres[:, None] + np.array(list(CORNERS.values())) * (profile.pitch / 2)
    pixels = outlines.camera.project(np.insert(corners.reshape(-1, 2), 2, 0.0, axis=1))
    outline = np.round((pixels - (window.left, window.top)) * 16).astype(np.int32)
    for index, square in enumerate(outline.reshape(-1, len(CORNERS), 2), 1):
        cv2.fillConvexPoly(mask, square, index, cv2.LINE_8, 4)
    mask.flags.writeable = False
    return mask


def _columns(camera: Camera, profile: BoardProfile, tallest: int) -> tuple[Column, ...]:
    solids = [(profile.dome, profile.dome_base)]
    solids += [(profile.piece, level * profile.rise) for level in range(tallest)]
    rings = [ring_points(solid, (0.0, 0.0), base) for solid, base in solids]
    centres = np.column_stack([profile.centres, np.zeros(len(SQUARES))])
    points = (np.concatenate(rings) + centres[:, None]).reshape(-1, 3)
    pixels = camera.project(points).astype(np.float32)
    ends = np.cumsum([len(ring) for ring in rings] * len(centres))
    hulls = [cv2.convexHull(part).reshape(-1, 2) for part in np.split(pixels, ends[:-1])]
    together = pixels.reshape(len(centres), -1, 2)
    size = camera.lens.width, camera.lens.height
    low = np.clip(np.floor(together.min(1)).astype(int) - 1, 0, np.array(size) - 1)
    high = np.clip(np.ceil(together.max(1)).astype(int) + 2, low + 1, size)
    # From the lowest piece to the highest: a mask times this is greatest for the lowest piece that covers.
    falling = np.arange(tallest, 0, -1, dtype=np.uint8)[:, None, None]
    columns = []
    for square, ((left, top), (right, bottom)) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        own = hulls[square * len(solids) : (square + 1) * len(solids)]
        masks = filled([hull - low[square] for hull in own], (right - left, bottom - top))
        lowest = (masks[1:] * falling).max(0)
        covered = np.where(lowest, tallest + 1 - lowest, NEVER_COVERED).astype(np.uint8)
        columns.append(Column(left, top, masks, covered))
    return tuple(columns)


def filled(hulls: Sequence[NDArray[np.floating]], size: tuple[int, int]) -> NDArray[np.bool_]:
    """For each of N convex outlines, the pixels (N, h, w) whose centre lies inside it.

    Rendered at four times the size, because OpenCV fills every pixel that the outline touches. That is half a
    pixel too much on every side, which from a steep angle is more than another piece adds.
    """
    width, height = size
    large = np.zeros((len(hulls), 4 * height, 4 * width), np.uint8)
    for part, hull in zip(large, hulls, strict=True):
        cv2.fillConvexPoly(part, np.round((hull * 4 + 1.5) * 16).astype(np.int32), 255, cv2.LINE_8, 4)
    # One below the other, they are reduced together. Halving twice is three times as fast as one step to a
    # quarter, and its rounding does not change which pixels are half covered.
    reduced = large.reshape(-1, 4 * width)
    for across, down in ((2 * width, 2 * height), (width, height)):
        reduced = np.asarray(cv2.resize(reduced, (across, len(hulls) * down), interpolation=cv2.INTER_AREA))
    return np.asarray(reduced > 127).reshape(len(hulls), height, width)


def _masks_overlap(a: Column, pieces: int, b: Column, others: int) -> bool:
    left, top = max(a.left, b.left), max(a.top, b.top)
    right, bottom = min(a.left + a.width, b.left + b.width), min(a.top + a.height, b.top + b.height)
    one, other = (
        column.standing(high)[
            top - column.top : bottom - column.top, left - column.left : right - column.left
        ]
        for column, high in ((a, pieces), (b, others))
    )
    return bool((one & other).any())


def _windows_overlap(columns: Sequence[Column]) -> Mask:
    """For each pair of N columns whether their windows overlap, (N, N)."""
    low = np.array([(column.left, column.top) for column in columns])
    high = low + [(column.width, column.height) for column in columns]
    before = (low[:, None] < high).all(2)
    return np.asarray(before & before.T)
