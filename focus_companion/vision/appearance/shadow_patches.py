"""Where a stack's shadow falls on the board, for any direction of the light.

Each square has a *patch*: samples around it on the plane z = 0. A *slant* is the tangent of the light's angle
from the vertical, along x and y of the board frame: a point at height z shades the board at slant · z. A
stack casts the shadow of a cylinder with the radius of its pieces.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ...game.moves import DISTANCE
from ...game.squares import FILE, RANK, SQUARES
from ..arrays import Floats, Mask, Singles
from ..geometry.scene import BoardProfile, at_height
from ..geometry.stack_masks import Outlines, cached_per_outlines
from ..masks import dilated_by_square

_HALF_WIDTH: Final = 1.75
"""Half of a patch's side, in squares: a shadow longer than that lies among other stacks."""
_SAMPLES_PER_SQUARE: Final = 8
"""Samples of a patch along the side of a square; doubling it quadruples the time."""
_SIDE: Final = round(2 * _HALF_WIDTH * _SAMPLES_PER_SQUARE) + 1
"""Samples along the side of a patch."""
_REACH: Final = int(2 * _HALF_WIDTH)
"""Squares, in any direction, within which patches overlap."""
_MAX_SLANT: Final = 2.0
"""Largest slant along x or y that is considered: light 27° above the horizon."""
_SLANT_STEP: Final = 0.2
"""Step between the slants that are considered."""
_SLANTS_PER_AXIS: Final = 2 * round(_MAX_SLANT / _SLANT_STEP) + 1
_EDGES: Final = 0.25, 0.5, 0.75
"""Heights of the edge that casts the end of the shadow, relative to a piece: that of a flat cap, of a dome,
and nearly of a cylinder."""
_NEARNESS: Final = 0.0, 0.05, 0.1
"""Change of the slant per square: 0 for a distant lamp, else 1 over its height in squares."""
LAMPS: Final = _SLANTS_PER_AXIS**2 * len(_EDGES) * len(_NEARNESS)
"""Number of lamps that are considered: a slant and an edge in the middle of the board, and a nearness."""

_LINE: Final = np.arange(_SIDE) / _SAMPLES_PER_SQUARE - _HALF_WIDTH
SAMPLES: Final = np.stack(np.meshgrid(_LINE, _LINE, indexing="ij"), -1).reshape(-1, 2)
"""The samples of a patch, (N, 2), in squares from its centre along x and y."""

_AXIS: Final = (np.arange(_SLANTS_PER_AXIS) - _SLANTS_PER_AXIS // 2) * _SLANT_STEP
RAYS: Final = np.stack(np.meshgrid(_AXIS, _AXIS, _EDGES, indexing="ij"), -1).reshape(-1, 3)
"""The rays (S, 3) for which shadows are computed: slants along x and y, and an edge."""

_PARTS: Final = tuple(
    tuple(slice(at * _SAMPLES_PER_SQUARE, at * _SAMPLES_PER_SQUARE + _SIDE) for at in place)
    for place in zip(FILE, RANK, strict=True)
)
"""The part of a grid over the whole board that the patch of each square covers."""


def shadows_may_overlap(one: int, other: int) -> bool:
    """Whether the shadows of stacks on two different squares may overlap."""
    return 0 < DISTANCE[one][other] <= _REACH


@cached_per_outlines
def patches(outlines: Outlines) -> tuple[Singles, Singles]:
    """The pixels x and y (52, N) of the samples of every square."""
    profile = outlines.profile
    points = profile.centres[:, None] + SAMPLES * profile.pitch
    pixels = outlines.camera.project(at_height(points.reshape(-1, 2)))
    x, y = pixels.reshape(len(SQUARES), -1, 2).transpose(2, 0, 1).astype(np.float32)
    return np.ascontiguousarray(x), np.ascontiguousarray(y)


def covered(outlines: Outlines, square: int, heights: Mapping[int, int]) -> Mask:
    """The samples (N,) of a square that other stacks of these ``heights``, given by square, cover."""
    packed = [_packed_covered(outlines, square, other, pieces) for other, pieces in heights.items()]
    return np.unpackbits(np.bitwise_or.reduce(packed), count=len(SAMPLES)).view(bool)


@cached_per_outlines
def covered_by_own(outlines: Outlines, pieces: int) -> Mask:
    """For every square, the samples (52, N) that a stack of this height on it covers."""
    packed = [_packed_covered(outlines, square, square, pieces) for square in range(len(SQUARES))]
    return np.unpackbits(np.stack(packed), axis=1, count=len(SAMPLES)).view(bool)


@cached_per_outlines
def _packed_covered(outlines: Outlines, square: int, other: int, pieces: int) -> NDArray[np.uint8]:
    """The samples of a square that the stack on another one covers: eight samples a byte, as there may be
    thousands of such masks.
    """
    column = outlines.columns[other]
    x, y = (pixels[square : square + 1] for pixels in patches(outlines))
    mask = widened(np.pad(column.standing(pieces), 1))
    found = cv2.remap(mask, x - (column.left - 1), y - (column.top - 1), cv2.INTER_NEAREST)
    return np.packbits(found[0] > 0)


def widened(mask: Mask) -> NDArray[np.uint8]:
    """The mask with a margin of one pixel: blurred pixels mix a stack with the board beside it."""
    return dilated_by_square(mask, 3).view(np.uint8)


@lru_cache(maxsize=4)
def rays_of_lamps(profile: BoardProfile) -> NDArray[np.int16]:
    """For each square and lamp, the index (52, :data:`LAMPS`) of the ray closest to the light there."""
    edges = np.tile(np.arange(len(_EDGES)), _SLANTS_PER_AXIS**2)
    rays = []
    for nearness in _NEARNESS:
        slants = RAYS[:, :2] + nearness * (profile.centres / profile.pitch)[:, None]
        at = np.rint(slants / _SLANT_STEP).astype(np.intp) + _SLANTS_PER_AXIS // 2
        at = np.clip(at, 0, _SLANTS_PER_AXIS - 1)
        rays.append((at[..., 0] * _SLANTS_PER_AXIS + at[..., 1]) * len(_EDGES) + edges)
    return np.concatenate(rays, axis=1, dtype=np.int16)


def growth(profile: BoardProfile, one: int, other: int) -> Mask:
    """For each ray, the samples (S, N) that the higher of two stacks of these heights shades and the lower
    one does not.
    """
    low, high = min(one, other), max(one, other)
    packed = _packed_shaded(profile, high) & ~_packed_shaded(profile, low)
    return np.unpackbits(packed, axis=1, count=len(SAMPLES)).view(bool)


@lru_cache(maxsize=16)
def _packed_shaded(profile: BoardProfile, pieces: int) -> NDArray[np.uint8]:
    """For each ray, the samples that a stack shades, with eight samples a byte: a hundred kilobytes."""
    # In parts, as the distances of all samples for all rays would take tens of megabytes.
    parts = np.split(RAYS, _SLANTS_PER_AXIS)
    return np.concatenate([np.packbits(_shaded(profile, pieces, rays), axis=1) for rays in parts])


@lru_cache(maxsize=32)
def growth_under(profile: BoardProfile, one: int, other: int, lamp: int) -> Mask:
    """The same for every square under one lamp, (52, N)."""
    low, high = min(one, other), max(one, other)
    rays = rays_of_lamps(profile)[:, lamp].tolist()
    shaded = ((_shaded_by_stack(profile, high, ray), _shaded_by_stack(profile, low, ray)) for ray in rays)
    return np.stack([(more & ~less).ravel() for more, less in shaded])


def _shaded(profile: BoardProfile, pieces: int, rays: Floats) -> Mask:
    """For each of the ``rays`` (R, 3), the samples (R, N) that a stack shades; for 0 pieces, those that the
    dome shades: the area that a disc sweeps from the foot of the stack to the end of its shadow.
    """
    solid = profile.piece if pieces else profile.dome
    tops = (max(pieces - 1, 0) * profile.rise + rays[:, 2] * solid.height) / profile.pitch
    ends = np.asarray(rays[:, :2] * tops[:, None], np.float32)
    x, y = np.asarray(SAMPLES.T, np.float32)
    along = np.clip(ends @ np.stack([x, y]) / np.maximum((ends**2).sum(1), 1e-12)[:, None], 0.0, 1.0)
    away = np.hypot(x - along * ends[:, :1], y - along * ends[:, 1:])
    return np.asarray(away <= solid.radius / profile.pitch)


@lru_cache(maxsize=1024)
def _shaded_by_stack(profile: BoardProfile, pieces: int, ray: int) -> Mask:
    """The samples (side, side) that a stack shades for the ray of this index."""
    return _shaded(profile, pieces, RAYS[ray : ray + 1]).reshape(_SIDE, _SIDE)


@lru_cache(maxsize=4)
def _shadow_counts(profile: BoardProfile, heights: tuple[int, ...], lamp: int) -> NDArray[np.uint8]:
    """How many of the stacks of these ``heights`` (52) shade each sample of a grid over the whole board, on
    which all patches have their samples.
    """
    side = 7 * _SAMPLES_PER_SQUARE + _SIDE
    counts = np.zeros((side, side), np.uint8)
    for square, height in enumerate(heights):
        counts[_PARTS[square]] += _shaded_on(profile, square, height, lamp)
    return counts


def _shaded_on(profile: BoardProfile, square: int, pieces: int, lamp: int) -> Mask:
    """The samples (side, side) of a square's patch that its stack shades under a lamp."""
    return _shaded_by_stack(profile, pieces, int(rays_of_lamps(profile)[square, lamp]))


@lru_cache(maxsize=4)
def shaded_by_others(profile: BoardProfile, heights: tuple[int, ...], lamp: int) -> Mask:
    """The samples (52, N) of every square in the shadows of stacks of these ``heights`` on other squares."""
    counts = _shadow_counts(profile, heights, lamp)
    own = [_shaded_on(profile, square, height, lamp) for square, height in enumerate(heights)]
    return np.stack([(counts[part] > shaded).ravel() for part, shaded in zip(_PARTS, own, strict=True)])


def shaded_around(
    profile: BoardProfile, heights: tuple[int, ...], changed: Mapping[int, int], lamp: int, square: int
) -> Mask:
    """The same for one square, (N,), if the heights of some stacks, given by square, have ``changed``."""
    counts = _shadow_counts(profile, heights, lamp).copy()
    for other, height in changed.items():
        counts[_PARTS[other]] -= _shaded_on(profile, other, heights[other], lamp)
        counts[_PARTS[other]] += _shaded_on(profile, other, height, lamp)
    own = _shaded_on(profile, square, changed.get(square, heights[square]), lamp)
    return np.asarray(counts[_PARTS[square]] > own).ravel()
