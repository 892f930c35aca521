"""Square lattices among the blobs of a picture, by region growing.

A lattice is grown from one blob and its neighbours: first an affine grid of nine, then, ring by ring, a
homography that must continue to match blobs. There may be many (a gingham cloth has perfect ones); whether
one is a board is decided in :mod:`.cross` and :mod:`.site_classifier`.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from .blobs import Blobs

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

REACH = 9
"""A lattice is grown up to this many steps from its seed."""

BLOB_RATIO = 1.45
"""The blobs of one lattice have radii within this factor of the nominal radius."""

_TOLERANCE = 0.22
_FEWEST = 12
_BETWEEN = 0.4
"""Share of the midpoints between a lattice's sites with blobs from which it is a part of a finer lattice."""
_ARMS = 9
_TRIES = 30
_RINGS = (2, 3, 5, REACH, REACH)
_NEIGHBOURS = np.array([(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)])


@dataclass(frozen=True, eq=False)
class Lattice:
    """Sites (N, 2) of a square lattice, matched to ``points`` (N, 2) of the picture by a ``homography``
    (3, 3)."""

    sites: Integers
    points: Floats
    homography: Floats

    def at(self, sites: Floats) -> Floats:
        """Positions (N, 2) of ``sites`` (N, 2) in the picture."""
        return transform(self.homography, sites)


@dataclass(frozen=True)
class Lattices:
    """``grown``, and ``finer``: those of which a grown one has only every second site. The finer ones should
    be tried only if no grown one is a board, as growing them is less reliable."""

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
        free = np.full((height, width), 255, np.uint8)
        columns, rows = np.clip(np.rint(points).astype(int), 0, self._size - 1).T
        free[rows, columns] = 0
        _, labels = cv2.distanceTransformWithLabels(free, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
        index = np.zeros(int(labels.max()) + 1, int)
        index[labels[rows, columns]] = np.arange(len(points))
        self._index = index[labels]

    def to(self, places: Floats) -> Integers:
        """Indices (N,) of the points nearest to ``places`` (N, 2), which must be finite."""
        x, y = np.clip(np.rint(places), 0, self._size - 1).astype(int).T
        return np.asarray(self._index[y, x])


@dataclass(frozen=True, eq=False)
class _Seeds:
    """Points with neighbours on a parallelogram grid: ``index`` (N,) of the point, its basis ``u`` and ``v``
    (N, 2), and ``support`` (N,), how well the eight neighbours match, 0 … 8."""

    index: Integers
    u: Floats
    v: Floats
    support: Floats


def _seeds(nearest: _Nearest, shortest: float, longest: float) -> _Seeds:
    """The best grid around each point with steps of ``shortest`` to ``longest`` pixels, if there is a good
    one."""
    points = nearest.points
    gaps = points[None] - points[:, None]
    lengths = np.hypot(gaps[..., 0], gaps[..., 1])
    lengths[(lengths <= shortest) | (lengths >= longest)] = np.inf
    close = np.argsort(lengths, axis=1)[:, :_ARMS]
    arms = np.take_along_axis(gaps, close[..., None], 1)
    sizes = np.take_along_axis(lengths, close, 1)
    first, second = np.nonzero(~np.tri(close.shape[1], dtype=bool))
    u, v = arms[:, first], arms[:, second]
    lu, lv = sizes[:, first], sizes[:, second]
    with np.errstate(invalid="ignore"):
        sine = np.abs(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]) / (lu * lv)
        good = (sine > 0.75) & (np.maximum(lu, lv) < 1.75 * np.minimum(lu, lv))
    owner, pair = np.nonzero(good)
    if not len(owner):
        return _Seeds(owner, np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))
    u, v, side = u[owner, pair], v[owner, pair], np.sqrt(lu * lv)[owner, pair]
    targets = points[owner, None] + np.einsum("nk,pkc->pnc", _NEIGHBOURS, np.stack([u, v], 1))
    met = nearest.points[nearest.to(targets.reshape(-1, 2))].reshape(targets.shape)
    misfit = np.linalg.norm(met - targets, axis=2) / side[:, None]
    support = np.clip(1 - misfit / 0.3, 0, 1).sum(1)
    order = np.lexsort((side, -support, owner))
    best = order[np.unique(owner[order], return_index=True)[1]]
    best = best[support[best] > 2.4]
    return _Seeds(owner[best], u[best], v[best], support[best])


def _meet(homography: Floats, nearest: _Nearest, ring: int) -> tuple[Integers, Integers]:
    """Sites within ``ring`` of the origin that match a point, and those points' indices."""
    axis = np.arange(-ring, ring + 1)
    sites = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)
    grid = sites.astype(float)
    places = transform(homography, grid)
    beside = transform(homography, grid + np.array((0.5, 0.0))) - places
    across = transform(homography, grid + np.array((0.0, 0.5))) - places
    side = 2 * np.minimum(np.hypot(*beside.T), np.hypot(*across.T))
    known = np.isfinite(places).all(1) & np.isfinite(side) & (side > 4)
    sites, places, side = sites[known], places[known], side[known]
    if not len(sites):
        return np.zeros((0, 2), int), np.zeros(0, int)
    index = nearest.to(places)
    gap = np.hypot(*(nearest.points[index] - places).T)
    met = np.flatnonzero(gap < _TOLERANCE * side)
    # A point is assigned to the nearest site only.
    met = met[np.argsort(gap[met], kind="stable")]
    index, first = np.unique(index[met], return_index=True)
    return sites[met[first]], index


def _fit(sites: Integers, points: Floats) -> Floats | None:
    """The homography from sites to points by RANSAC; an affine least-squares fit if there are few."""
    source = sites.astype(np.float64)
    if len(sites) < 9:
        design = np.column_stack([source, np.ones(len(source))])
        solution, _, rank, _ = np.linalg.lstsq(design, points, rcond=None)
        return np.vstack([solution.T, (0, 0, 1)]) if rank == 3 else None
    side = float(np.median(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    homography, _ = cv2.findHomography(source, points, cv2.RANSAC, max(1.5, 0.08 * side), maxIters=150)
    return None if homography is None else np.asarray(homography, float)


def _grow(nearest: _Nearest, seed: int, u: Floats, v: Floats) -> tuple[Lattice, Integers] | None:
    """The lattice around a point with the initial basis ``u`` and ``v``, and the indices of its points."""
    x, y = nearest.points[seed]
    homography: Floats = np.array([(u[0], v[0], x), (u[1], v[1], y), (0, 0, 1)])
    sites, met = _meet(homography, nearest, 1)
    for ring in _RINGS:
        if len(sites) < 5:
            return None
        fitted = _fit(sites, nearest.points[met])
        if fitted is None:
            return None
        homography = fitted
        sites, met = _meet(homography, nearest, ring)
    if len(sites) < _FEWEST:
        return None
    return Lattice(sites, nearest.points[met], homography), met


def _finer(nearest: _Nearest, seed: int, lattice: Lattice) -> tuple[Lattice, Integers] | None:
    """The lattice of which this one has only every second site, as the white fields of a chess board: steps
    along the diagonals form a square lattice as well. None if it seems complete."""
    corners = np.array([(0, 0), (0.5, 0.5), (-0.5, 0.5)])
    origin, first, second = lattice.at(corners)
    between = lattice.at(lattice.sites + corners[1])
    between = between[np.isfinite(between).all(1)]
    side = float(np.hypot(*(first - origin)))
    if not np.isfinite(side) or not len(between):
        return None
    gap = np.hypot(*(nearest.points[nearest.to(between)] - between).T)
    if float((gap < 2 * _TOLERANCE * side).mean()) < _BETWEEN:
        return None
    finer = _grow(nearest, seed, first - origin, second - origin)
    return finer if finer is not None and len(finer[1]) > len(lattice.sites) else None


def _spread(places: Floats, support: Floats, width: int, height: int) -> Integers:
    """Indices in the order in which the best of each part of the picture come first, so that a patterned
    cloth does not displace the board."""
    cells = (places * (6 / width, 5 / height)).astype(int) @ (1, 100)
    order = np.lexsort((-support, cells))
    starts = np.unique(cells[order], return_index=True)[1]
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return np.asarray(order[np.lexsort((-support[order], rank))])


def lattices(blobs: Blobs, radius: float, width: int, height: int) -> Lattices:
    """Lattices of blobs of about one radius, largest first.

    Args:
        blobs: those of a picture of ``width`` × ``height``.
        radius: in pixels; blobs within a factor :data:`BLOB_RATIO` are used too.
    """
    chosen = blobs.near_radius(radius, BLOB_RATIO)
    points = chosen.points
    if len(points) < _FEWEST:
        return Lattices([], [])
    nearest = _Nearest(points, width, height)
    seeds = _seeds(nearest, 1.5 * radius, 3.6 * radius)
    taken, refined = np.zeros(len(points), bool), np.zeros(len(points), bool)
    grown: list[Lattice] = []
    finer: list[Lattice] = []
    tries = 0
    for k in _spread(points[seeds.index], seeds.support, width, height):
        index = int(seeds.index[k])
        if taken[index]:
            continue
        tries += 1
        if tries > _TRIES:
            break
        found = _grow(nearest, index, seeds.u[k], seeds.v[k])
        if found is None:
            continue
        lattice, met = found
        taken[met] = True
        grown.append(lattice)
        whole = None if refined[met].all() else _finer(nearest, index, lattice)
        if whole is not None:
            refined[whole[1]] = True
            finer.append(whole[0])
    for some in (grown, finer):
        some.sort(key=lambda lattice: -len(lattice.sites))
    return Lattices(grown, finer)
