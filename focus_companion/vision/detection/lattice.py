"""Finds square lattices among the blobs of a picture, by region growing.

A lattice is grown from one blob and its neighbours: first an affine grid of nine sites, then, ring by ring, a
homography that must continue to match blobs. There may be many lattices (a gingham cloth has perfect ones);
:mod:`.cross` and :mod:`.site_classifier` decide whether one is a board.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from ..arrays import Floats, Integers
from .blobs import Blobs

MAX_STEPS = 9
"""Maximum number of steps from its seed to which a lattice is grown."""

BLOB_RATIO = 1.45
"""Maximum factor between the radius of a lattice's blobs and its nominal radius."""

_STEP_RADII = (1.5, 3.6)
"""Steps of a lattice, in nominal radii of its blobs, between which its own lies."""
_TOLERANCE = 0.22
"""Maximum distance of a blob from its lattice site, in steps."""
_MIN_SITES = 12
"""Minimum number of matched sites of a lattice."""
_MIN_GROWING_SITES = 5
"""Minimum number of matched sites with which a lattice is grown further."""
_MAX_FIT_ERROR = 0.08
"""Maximum distance, in steps, of an inlier of a homography from its site, at least 1.5 pixels. Raising it,
blobs beside the sites distort the fit."""
_MIN_HOMOGRAPHY_SITES = 9
"""Minimum number of matched sites for a homography; with fewer, an affine map is fitted."""
_MIN_FINER_SHARE = 0.4
"""Minimum share of midpoints between a lattice's sites that have blobs if it is part of a finer lattice."""
_MAX_NEIGHBOURS = 9
"""Maximum number of a seed's neighbours that are tried as its basis vectors, the nearest ones."""
_MAX_SEEDS = 30
"""Maximum number of seeds from which lattices are grown."""
_PARTS = (6, 5)
"""Parts of the picture, across and down, that take turns with their seeds. With more, fewer seeds of each are
tried; with fewer, all of them may lie on a patterned cloth."""
_MIN_SINE = 0.75
"""Minimum sine of the angle between a seed's basis vectors."""
_MAX_LENGTH_RATIO = 1.75
"""Maximum ratio between the lengths of a seed's basis vectors."""
_MAX_NEIGHBOUR_OFFSET = 0.3
"""Distance, in steps, from which a neighbour does not support a seed."""
_MIN_SUPPORT = 2.4
"""Minimum support of a seed by its eight neighbours, each of which contributes up to 1."""
_GROWTH_RINGS = (2, 3, 5, MAX_STEPS, MAX_STEPS)
"""Steps from the seed to which the lattice is matched, one per iteration."""
_NEIGHBOUR_STEPS = np.array([(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)])
"""Steps from a seed to its eight neighbours."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """Sites (N, 2) of a square lattice, matched to ``points`` (N, 2) of the picture by a ``homography``
    (3, 3).
    """

    sites: Integers
    points: Floats
    homography: Floats

    def at(self, sites: Floats) -> Floats:
        """Positions (N, 2) of ``sites`` (N, 2) in the picture."""
        return transform(self.homography, sites)


@dataclass(frozen=True)
class Lattices:
    """``grown`` lattices, and ``finer`` ones, of which a grown one has only every second site. Finer ones
    are less reliable, so they should be tried only if no grown one is a board.
    """

    grown: list[Lattice]
    finer: list[Lattice]


def transform(homography: Floats, points: Floats) -> Floats:
    """Points (N, 2) mapped by a homography; NaN for those at or beyond infinity."""
    moved = points @ homography[:, :2].T + homography[:, 2]
    depth = moved[:, 2:]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(depth > 1e-9, moved[:, :2] / depth, np.nan))


class _Nearest:
    """Nearest neighbour queries by a lookup table over all pixels."""

    def __init__(self, points: Floats, width: int, height: int) -> None:
        self.points = points
        self._size = np.array([width, height])
        free = np.ones((height, width), np.uint8)
        columns, rows = np.clip(np.rint(points).astype(int), 0, self._size - 1).T
        free[rows, columns] = 0
        _, labels = cv2.distanceTransformWithLabels(
            free, cv2.DIST_L2, cv2.DIST_MASK_5, labelType=cv2.DIST_LABEL_PIXEL
        )
        index = np.zeros(int(labels.max()) + 1, int)
        index[labels[rows, columns]] = np.arange(len(points))
        self._index = index[labels]

    def to(self, places: Floats) -> Integers:
        """Indices (N,) of the points nearest to ``places`` (N, 2), which must be finite."""
        x, y = np.clip(np.rint(places), 0, self._size - 1).astype(int).T
        return np.asarray(self._index[y, x])


def _seeds(nearest: _Nearest, shortest: float, longest: float) -> tuple[Integers, Floats, Floats, Floats]:
    """The best parallelogram grid around each point with steps of ``shortest`` to ``longest`` pixels, where
    it is good: the index (N,) of the point, the basis (N, 2) and (N, 2), and how well the eight neighbours
    match (N,), 0 … 8.
    """
    points = nearest.points
    gaps = points[None] - points[:, None]
    lengths = np.hypot(gaps[..., 0], gaps[..., 1])
    lengths[(lengths <= shortest) | (lengths >= longest)] = np.inf
    close = np.argsort(lengths, axis=1)[:, :_MAX_NEIGHBOURS]
    arms = np.take_along_axis(gaps, close[..., None], 1)
    sizes = np.take_along_axis(lengths, close, 1)
    first, second = np.nonzero(~np.tri(close.shape[1], dtype=bool))
    u, v = arms[:, first], arms[:, second]
    lu, lv = sizes[:, first], sizes[:, second]
    with np.errstate(invalid="ignore"):
        sine = np.abs(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]) / (lu * lv)
        good = (sine > _MIN_SINE) & (np.maximum(lu, lv) < _MAX_LENGTH_RATIO * np.minimum(lu, lv))
    owner, pair = np.nonzero(good)
    if not len(owner):
        return owner, np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0)
    u, v, side = u[owner, pair], v[owner, pair], np.sqrt(lu * lv)[owner, pair]
    targets = points[owner, None] + np.einsum("nk,pkc->pnc", _NEIGHBOUR_STEPS, np.stack([u, v], 1))
    matched = nearest.points[nearest.to(targets.reshape(-1, 2))].reshape(targets.shape)
    misfit = np.linalg.norm(matched - targets, axis=2) / side[:, None]
    support = np.maximum(1 - misfit / _MAX_NEIGHBOUR_OFFSET, 0).sum(1)
    order = np.lexsort((side, -support, owner))
    best = order[np.unique(owner[order], return_index=True)[1]]
    best = best[support[best] > _MIN_SUPPORT]
    return owner[best], u[best], v[best], support[best]


def _match(homography: Floats, nearest: _Nearest, ring: int) -> tuple[Integers, Integers]:
    """Sites within ``ring`` of the origin that match a point, and those points' indices."""
    axis = np.arange(-ring, ring + 1)
    sites = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)
    grid = sites.astype(float)
    places = transform(homography, grid)
    half_u = transform(homography, grid + np.array((0.5, 0.0))) - places
    half_v = transform(homography, grid + np.array((0.0, 0.5))) - places
    side = 2 * np.minimum(np.hypot(*half_u.T), np.hypot(*half_v.T))
    visible = np.isfinite(places).all(1) & np.isfinite(side)
    sites, places, side = sites[visible], places[visible], side[visible]
    if not len(sites):
        return np.zeros((0, 2), int), np.zeros(0, int)
    index = nearest.to(places)
    gap = np.hypot(*(nearest.points[index] - places).T)
    matched = np.flatnonzero(gap < _TOLERANCE * side)
    # A point is assigned to the nearest site only.
    matched = matched[np.argsort(gap[matched], kind="stable")]
    index, first = np.unique(index[matched], return_index=True)
    return sites[matched[first]], index


def _fit(sites: Integers, points: Floats) -> Floats | None:
    """The homography from sites to points by RANSAC; an affine least-squares fit if there are few."""
    source = sites.astype(np.float64)
    if len(sites) < _MIN_HOMOGRAPHY_SITES:
        design = np.column_stack([source, np.ones(len(source))])
        solution, _, rank, _ = np.linalg.lstsq(design, points, rcond=None)
        return np.vstack([solution.T, (0, 0, 1)]) if rank == 3 else None
    side = float(np.median(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    homography, _ = cv2.findHomography(
        source, points, cv2.RANSAC, max(1.5, _MAX_FIT_ERROR * side), maxIters=150
    )
    return None if homography is None else np.asarray(homography, float)


def _grow(nearest: _Nearest, seed: int, u: Floats, v: Floats) -> tuple[Lattice, Integers] | None:
    """The lattice around a point with the initial basis ``u`` and ``v``, and the indices of its points."""
    x, y = nearest.points[seed]
    homography: Floats = np.array([(u[0], v[0], x), (u[1], v[1], y), (0, 0, 1)])
    sites, matched = _match(homography, nearest, 1)
    for ring in _GROWTH_RINGS:
        if len(sites) < _MIN_GROWING_SITES:
            return None
        fitted = _fit(sites, nearest.points[matched])
        if fitted is None:
            return None
        homography = fitted
        sites, matched = _match(homography, nearest, ring)
    if len(sites) < _MIN_SITES:
        return None
    return Lattice(sites, nearest.points[matched], homography), matched


def _finer(nearest: _Nearest, seed: int, lattice: Lattice) -> tuple[Lattice, Integers] | None:
    """The lattice of which this one has only every second site, like the white fields of a chess board, which
    form a square lattice along the diagonals. None if this one seems complete.
    """
    corners = np.array([(0, 0), (0.5, 0.5), (-0.5, 0.5)])
    origin, first, second = lattice.at(corners)
    between = lattice.at(lattice.sites + corners[1])
    between = between[np.isfinite(between).all(1)]
    side = float(np.hypot(*(first - origin)))
    if not np.isfinite(side) or not len(between):
        return None
    gap = np.hypot(*(nearest.points[nearest.to(between)] - between).T)
    if float((gap < 2 * _TOLERANCE * side).mean()) < _MIN_FINER_SHARE:
        return None
    finer = _grow(nearest, seed, first - origin, second - origin)
    return finer if finer is not None and len(finer[1]) > len(lattice.sites) else None


def _spread(places: Floats, support: Floats, width: int, height: int) -> Integers:
    """Indices ordered such that the best of each part of the picture come first, so that a patterned cloth
    does not displace the board.
    """
    columns, rows = (places * _PARTS / (width, height)).astype(int).T
    cells = rows * _PARTS[0] + columns
    order = np.lexsort((-support, cells))
    starts = np.unique(cells[order], return_index=True)[1]
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return np.asarray(order[np.lexsort((-support[order], rank))])


def lattices(blobs: Blobs, radius: float, width: int, height: int) -> Lattices:
    """Lattices of blobs of about one radius, largest first.

    Args:
        blobs: those of a picture of ``width`` × ``height``.
        radius: the nominal radius in pixels; blobs within a factor of :data:`BLOB_RATIO` are used.
    """
    chosen = blobs.near_radius(radius, BLOB_RATIO)
    points = chosen.points
    if len(points) < _MIN_SITES:
        return Lattices([], [])
    nearest = _Nearest(points, width, height)
    seeds, u, v, support = _seeds(nearest, *(step * radius for step in _STEP_RADII))
    taken, refined = np.zeros(len(points), bool), np.zeros(len(points), bool)
    grown: list[Lattice] = []
    finer: list[Lattice] = []
    tries = 0
    for k in _spread(points[seeds], support, width, height):
        index = int(seeds[k])
        if taken[index]:
            continue
        tries += 1
        if tries > _MAX_SEEDS:
            break
        found = _grow(nearest, index, u[k], v[k])
        if found is None:
            continue
        lattice, matched = found
        taken[matched] = True
        grown.append(lattice)
        whole = None if refined[matched].all() else _finer(nearest, index, lattice)
        if whole is not None:
            refined[whole[1]] = True
            finer.append(whole[0])
    for some in (grown, finer):
        some.sort(key=lambda lattice: -len(lattice.sites))
    return Lattices(grown, finer)
