"""Masks of the projected pieces of every square at every height.

A column is everything that may stand on one square: its bare dome (level 0) and pieces 1 …
:data:`TALLEST_UNTRIMMED`. The masks of a column share one small window of the picture. From above, a higher
piece occludes the lower ones, and a nearer column those behind it. So the painter's algorithm (columns far to
near, pieces bottom to top) renders what is visible.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, reduce, wraps
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

import cv2
import numpy as np
from numpy.typing import NDArray

from ...game.position import MAX_HEIGHT
from ..arrays import Mask
from .scene import CORNERS, BoardProfile, Camera, at_height, ring_points

Result = TypeVar("Result")
More = ParamSpec("More")

TALLEST_UNTRIMMED = 2 * MAX_HEIGHT
"""Pieces in the tallest stack before trimming: five placed on five."""
_NO_PIECE = 255
"""No class: nothing of a stack is visible at the pixel."""
MIN_VISIBLE_STEP = 1.9
"""Minimum :attr:`Outlines.step`, in pixels, at which one more piece is clearly visible: smaller steps are
lost in blurred edges and the play between pieces."""


@dataclass(frozen=True)
class Column:
    """What one square's stack may cover in its window: ``left``, ``top`` in pixels; ``tallest``: the maximum
    number of its pieces; ``solids`` (h, w): bit 0 is set where the bare dome covers the pixel, and bit l
    where piece l does. A mask for each would take six times the memory.
    """

    left: int
    top: int
    tallest: int
    solids: NDArray[np.uint16]

    def mask(self, level: int) -> Mask:
        """Pixels (h, w) that a single piece covers, counted from 1 upwards; for 0, the bare dome."""
        return np.asarray((self.solids & np.uint16(1 << level)) != 0)

    @property
    def any(self) -> Mask:
        """Pixels (h, w) that a stack of any height, or the dome, covers."""
        return np.asarray(self.solids != 0)

    @property
    def width(self) -> int:
        return int(self.solids.shape[1])

    @property
    def height(self) -> int:
        return int(self.solids.shape[0])

    def standing(self, pieces: int) -> Mask:
        """Pixels (h, w) that a stack of ``pieces`` pieces covers; for 0, the bare dome."""
        if not pieces:
            return self.mask(0)
        return np.asarray((self.solids & np.uint16((2 << min(pieces, self.tallest)) - 2)) != 0)

    def shown(self, pieces: Sequence[int], part: tuple[slice, slice]) -> NDArray[np.uint8]:
        """The class (h, w) of the piece that each pixel of a part of the window shows, :data:`_NO_PIECE`
        where none; ``pieces``: the classes of the stack's pieces, bottom first.
        """
        visible = pieces[: self.tallest]
        of_piece = np.array((_NO_PIECE, *visible), np.uint8)
        return of_piece.take(_topmost(self.tallest, len(visible))).take(self.solids[part])

    @cached_property
    def window(self) -> Window:
        """The window of the picture that the masks cover."""
        return Window(self.left, self.top, self.left + self.width, self.top + self.height)

    def cut_from(self, free: Mask, window: Window, pieces: int) -> None:
        """Clear, in place, the pixels of ``free`` (a mask of ``window``) that a stack of ``pieces`` pieces
        covers.
        """
        both = self.window.overlap(window)
        if both is not None:
            free[both.within(window)] &= ~self.standing(pieces)[both.within(self.window)]


class Window(NamedTuple):
    """A rectangle of the picture."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        return self.bottom - self.top, self.right - self.left

    @property
    def slices(self) -> tuple[slice, slice]:
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def within(self, other: Window) -> tuple[slice, slice]:
        """The rows and columns of another window, which contains this one, that this one covers."""
        left, top = other.left, other.top
        return slice(self.top - top, self.bottom - top), slice(self.left - left, self.right - left)

    def overlap(self, other: Window) -> Window | None:
        """What both cover; ``None`` if that is nothing."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return Window(left, top, right, bottom) if left < right and top < bottom else None

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
        distance = np.linalg.norm(at_height(profile.centres) - camera.centre, axis=1)
        self.far_to_near: tuple[int, ...] = tuple(int(s) for s in np.argsort(-distance))
        self._overlap_cache: dict[tuple[int, int, int, int], bool] = {}
        overlap = _windows_overlap(self.columns)
        self._overlaps = tuple(tuple(o for o in self.far_to_near if row[o]) for row in overlap)

    def window(self, squares: Sequence[int]) -> Window:
        """The bounding window of these squares' columns."""
        return reduce(Window.including, (self.columns[s].window for s in squares))

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

    def farther(self, square: int) -> tuple[int, ...]:
        """The squares behind this one whose columns overlap its own, far to near."""
        near = self._overlaps[square]
        return near[: near.index(square)]

    def nearer(self, square: int) -> tuple[int, ...]:
        """The squares in front of this one whose columns overlap its own, far to near."""
        near = self._overlaps[square]
        return near[near.index(square) + 1 :]

    def uncovered(self, square: int, stacks: Mapping[int, Sequence[int]] | Sequence[Sequence[int]]) -> Mask:
        """The pixels (h, w) of a square's column that no nearer one of these ``stacks`` covers."""
        column = self.columns[square]
        free = np.ones((column.height, column.width), np.bool_)
        for nearer in self.nearer(square):
            self.columns[nearer].cut_from(free, column.window, len(stacks[nearer]))
        return free

    def overlap(self, one: int, pieces: int, other: int, others: int) -> bool:
        """Whether stacks of ``pieces`` and ``others`` pieces on two squares overlap in the picture."""
        at = one, pieces, other, others
        if at not in self._overlap_cache:
            a, b = self.columns[one], self.columns[other]
            both = a.window.overlap(b.window)
            self._overlap_cache[at] = both is not None and bool(
                (a.standing(pieces)[both.within(a.window)] & b.standing(others)[both.within(b.window)]).any()
            )
        return self._overlap_cache[at]

    def paint(
        self,
        stacks: Mapping[int, Sequence[int]],
        window: Window,
        order: Sequence[int],
        tops: Sequence[Mask] = (),
        top: int = 0,
    ) -> NDArray[np.uint8]:
        """Class of every pixel of a window (h, w): that of the visible piece, or 0 where there is none.

        ``stacks`` has for each square of ``order`` (far to near) the classes of its pieces, bottom first.
        ``tops`` has for every square the masks (tallest, h, w) of each piece's top, whose class is that of
        the piece plus ``top``.
        """
        labels = np.zeros(window.shape, np.uint8)
        for square in order:
            pieces = stacks[square]
            column = self.columns[square]
            both = column.window.overlap(window)
            if both is None:
                continue
            part, own = labels[both.within(window)], both.within(column.window)
            if not pieces:
                # A bare dome occludes what stands behind it, and has the class of the board.
                part[column.mask(0)[own]] = 0
                continue
            shown = column.shown(pieces, own)
            np.copyto(part, shown, where=shown != _NO_PIECE)
            if tops:
                level = min(len(pieces), column.tallest)
                part[tops[square][level - 1][own]] = pieces[level - 1] + top
        return labels

    def standing(self, heights: Mapping[int, int], window: Window) -> Mask:
        """Mask of a window (h, w), which contains the columns: the pixels that stacks of these heights, given
        by square, cover; for 0, the bare dome.
        """
        mask = np.zeros(window.shape, np.bool_)
        for square, pieces in heights.items():
            column = self.columns[square]
            mask[column.window.within(window)] |= column.standing(pieces)
        return mask


def cached_per_outlines(
    make: Callable[Concatenate[Outlines, More], Result],
) -> Callable[Concatenate[Outlines, More], Result]:
    """Decorator that caches a function of outlines, and of further hashable arguments, for as long as the
    outlines exist.

    Outlines hold megabytes of masks and are made for each pose that is tried: strong references would keep
    those of old poses alive.
    """
    known: WeakKeyDictionary[Outlines, dict[object, Result]] = WeakKeyDictionary()

    @wraps(make)
    def made(outlines: Outlines, /, *args: More.args, **kwargs: More.kwargs) -> Result:
        results, more = known.setdefault(outlines, {}), (*args, *kwargs.items())
        if more not in results:
            results[more] = make(outlines, *args, **kwargs)
        return results[more]

    return made


@cached_per_outlines
def lattice_mask(outlines: Outlines, window: Window) -> Mask:
    """Mask (h, w) of the window's pixels on the lattice of squares; read-only."""
    return np.asarray(filled_fields(outlines, window) > 0)


@cached_per_outlines
def fields(outlines: Outlines, window: Window) -> NDArray[np.uint8]:
    """The field at each pixel of the window, ignoring occlusion, (h, w): the index of its square plus 1; 0
    outside the lattice; read-only.
    """
    return filled_fields(outlines, window)


@cached_per_outlines
def unused_fields(outlines: Outlines, window: Window) -> NDArray[np.uint8]:
    """The same for the twelve unused squares in the corners of the lattice, numbered from 1."""
    return filled_fields(outlines, window, unused=True)


def filled_fields(outlines: Outlines, window: Window, *, unused: bool = False) -> NDArray[np.uint8]:
    """:func:`fields` or :func:`unused_fields`, computed anew, for use once."""
    mask = np.zeros(window.shape, np.uint8)
    profile = outlines.profile
    centres = profile.unused_centres if unused else profile.centres
    corners = centres[:, None] + np.array(list(CORNERS.values())) * (profile.pitch / 2)
    pixels = outlines.camera.project(at_height(corners.reshape(-1, 2)))
    outline = np.round((pixels - (window.left, window.top)) * 16).astype(np.int32)
    for index, square in enumerate(outline.reshape(-1, len(CORNERS), 2), 1):
        cv2.fillConvexPoly(mask, square, index, cv2.LINE_8, 4)
    mask.flags.writeable = False
    return mask


def _columns(camera: Camera, profile: BoardProfile, tallest: int) -> tuple[Column, ...]:
    solids = [(profile.dome, profile.dome_base)]
    solids += [(profile.piece, level * profile.rise) for level in range(tallest)]
    rings = [ring_points(solid, (0.0, 0.0), base) for solid, base in solids]
    centres = at_height(profile.centres)
    points = (np.concatenate(rings) + centres[:, None]).reshape(-1, 3)
    pixels = camera.project(points).astype(np.float32)
    ends = np.cumsum([len(ring) for ring in rings] * len(centres))
    hulls = [cv2.convexHull(part).reshape(-1, 2) for part in np.split(pixels, ends[:-1])]
    together = pixels.reshape(len(centres), -1, 2)
    size = camera.lens.width, camera.lens.height
    low = np.clip(np.floor(together.min(1)).astype(int) - 1, 0, np.array(size) - 1)
    high = np.clip(np.ceil(together.max(1)).astype(int) + 2, low + 1, size)
    columns = []
    for square, ((left, top), (right, bottom)) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        own = hulls[square * len(solids) : (square + 1) * len(solids)]
        masks = filled([hull - low[square] for hull in own], (right - left, bottom - top))
        covered = np.zeros(masks.shape[1:], np.uint16)
        for level, mask in enumerate(masks):
            covered |= np.multiply(mask, np.uint16(1 << level))
        columns.append(Column(left, top, tallest, covered))
    return tuple(columns)


@cache
def _topmost(tallest: int, pieces: int) -> NDArray[np.intp]:
    """For each value of :attr:`Column.solids`, the topmost piece of a stack of so many that covers such a
    pixel, counted from 1; 0 if none does.
    """
    found = np.zeros(2 << tallest, np.intp)
    for level in range(1, pieces + 1):
        found[np.arange(len(found)) & (1 << level) > 0] = level
    return found


def filled(hulls: Sequence[NDArray[np.floating]], size: tuple[int, int]) -> Mask:
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


def _windows_overlap(columns: Sequence[Column]) -> Mask:
    """For each pair of N columns whether their windows overlap, (N, N)."""
    windows = np.array([column.window for column in columns])
    before = (windows[:, None, :2] < windows[:, 2:]).all(2)
    return np.asarray(before & before.T)
