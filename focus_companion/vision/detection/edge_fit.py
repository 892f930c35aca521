"""Refines an approximate camera: fits the outlines of domes and stacks to the edges of the picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...game.position import MAX_HEIGHT
from ..arrays import Floats, Integers, Mask
from ..geometry.pose import Prior, adjust
from ..geometry.scene import BoardProfile, Camera
from .edges import (
    DIRECTIONS,
    NORMALS,
    Edges,
    OutlinePoints,
    agreement,
    agreement_reach,
    nearest_edges,
    outlines,
)

HEIGHTS = range(MAX_HEIGHT + 1)
"""Numbers of pieces that may stand on a square."""

_HEIGHT_PENALTY = 0.02
"""Penalty for each piece of a stack, in agreement: taller stacks are rarer."""

_INDEPENDENT_SHARE = 0.05
"""Weight of an edge point, as a fraction of that of an independent observation: errors are correlated (a
shadow shifts a whole side)."""

_MIN_WEIGHT = 0.02
"""Minimum weight of an edge point that is used."""

_MIN_REACH = 1.5
"""Minimum search distance in pixels, about the width of a blurred edge. Raising it, small outlines are fitted
to edges of other things."""

MIN_EDGE_POINTS = 60
"""Minimum number of edge points for a fit."""

_OFFSET_REACH = 0.2
"""Search distance, in squares, for the residual shifts of outlines."""

_OFFSET_FREEDOM = 3.0
"""Degrees of freedom of the bivariate t-distribution of residual shifts: few, as its tails are heavy."""

_MEDIAN_LENGTH = float(np.sqrt(2 * np.log(2)))
"""Median length of a vector of two normally distributed components, in their standard deviations."""

_MIN_OFFSET_SCALE = 0.05
"""Minimum standard deviation of residual shifts, in pixels: edges are not located more accurately."""

PARAMETER_COST = float(np.log(2 * 52) / 2)
"""Log-likelihood that a parameter of a pose has to gain: the Bayesian information criterion for two
coordinates on each of 52 squares."""


_MAX_OCCLUDER_DISTANCE = 3.2
"""Maximum distance, in squares, between a stack and the outlines that it occludes."""


def sigma_of(reach: float) -> float:
    """Standard deviation, in pixels, of the distances from outlines to what is searched for within so many
    pixels around them.
    """
    return max(0.5, 0.25 * reach)


def likely_stacks(
    edges: Edges, camera: Camera, profile: BoardProfile
) -> tuple[Integers, Floats, OutlinePoints]:
    """For each of the 52 squares, the number of pieces whose outline agrees best, that agreement, and the
    outline.
    """
    reach, count = max(1.0, 0.05 * camera.pitch_pixels(profile)), len(profile.centres)
    every = np.repeat(HEIGHTS, count)
    shown = outlines(camera, profile, every, np.tile(profile.centres, (len(HEIGHTS), 1)))
    table = np.nan_to_num(agreement(edges, shown, reach)).reshape(-1, count)
    heights = (table - _HEIGHT_PENALTY * np.arange(len(HEIGHTS))[:, None]).argmax(0)
    best = heights * count + np.arange(count)
    return heights, table.ravel()[best], OutlinePoints(shown.points[best], shown.pixels[best])


def outline_agreement(
    edges: Edges, camera: Camera, profile: BoardProfile, heights: Sequence[int], squares: Floats | None = None
) -> float:
    """Mean agreement, about 0 … 0.8, of the outlines of stacks of known ``heights`` (52) with the edges,
    weighted by ``squares`` (52).
    """
    known = np.array(heights)
    shown = outlines(camera, profile, known, profile.centres)
    values = agreement(edges, shown, agreement_reach(camera, profile))
    weights = _with_outline(profile, known) * (1.0 if squares is None else squares)
    if not weights.any():
        return 0.0
    return float(np.average(np.fmax(values, 0.0), weights=weights))


def fit_outlines(
    edges: Edges,
    camera: Camera,
    profile: BoardProfile,
    prior: Prior,
    heights: Sequence[int] | None,
    reaches: Sequence[float],
    squares: Floats | None = None,
) -> Camera:
    """The camera fitted so that outlines coincide with edges.

    Args:
        reaches: the search distances in squares, one per iteration.
        heights: the numbers of pieces on the 52 squares, of which only visible outlines are fitted; None:
            those that agree best.
        squares: the weights of the 52 squares.
    """
    share = np.ones(len(profile.centres)) if squares is None else squares
    for reach in reaches:
        if heights is None:
            counts, trust, shown = likely_stacks(edges, camera, profile)
        else:
            counts, trust = np.array(heights), np.ones(len(heights))
            shown = outlines(camera, profile, counts, profile.centres)
        side = camera.pitch_pixels(profile)
        offset, clearness = nearest_edges(edges, shown, max(_MIN_REACH, reach * side))
        weight = clearness * np.clip(trust, 0.05, 1)[:, None]
        if heights is not None:
            weight = weight * ~occluded(camera, profile, shown, counts)
        weight = weight * (_with_outline(profile, counts) * share)[:, None]
        used = weight > _MIN_WEIGHT * share[share > 0].min(initial=1.0)
        if used.sum() < MIN_EDGE_POINTS:
            return camera
        normals = np.broadcast_to(DIRECTIONS, (*shown.pixels.shape[:1], NORMALS, 2))[used]
        camera = adjust(
            camera,
            shown.points[used],
            shown.pixels[used] + offset[used][:, None] * normals,
            _INDEPENDENT_SHARE * weight[used],
            prior,
            normals=normals,
            sigma=sigma_of(reach * side),
        )
    return camera


def _with_outline(profile: BoardProfile, heights: Integers) -> Mask:
    """Mask (52) of the squares with an outline: all but the empty ones without a dome."""
    return np.asarray((heights > 0) | (not profile.flat))


def occluded(camera: Camera, profile: BoardProfile, shown: OutlinePoints, heights: Integers) -> Mask:
    """Mask of the outline points (S, NORMALS) that a stack nearer to the camera occludes."""
    centres = profile.centres
    distance = np.linalg.norm(centres - camera.centre[:2], axis=1)
    gaps = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    hides = (gaps < _MAX_OCCLUDER_DISTANCE * profile.pitch) & (distance > distance[:, None])
    nearer, farther = np.nonzero(hides & (heights > 0)[:, None])
    reached = shown.pixels @ DIRECTIONS.T
    limit = (shown.pixels * DIRECTIONS).sum(2) + 0.5
    # Few points lie within the limits in four directions, and only these are compared in all.
    fourth = slice(None, None, NORMALS // 4)
    within = (reached[..., fourth][farther] <= limit[:, None, fourth][nearer]).all(2)
    pair, point = np.nonzero(within)
    inside = (reached[farther[pair], point] <= limit[nearer[pair]]).all(1)
    behind = np.zeros(shown.pixels.shape[:2], bool)
    behind[farther[pair[inside]], point[inside]] = True
    return behind


def square_offsets(edges: Edges, camera: Camera, profile: BoardProfile, heights: Sequence[int]) -> Floats:
    """Residual shift in pixels (52, 2) of each square's outline against the edges around it; NaN where too
    little is visible. With the correct camera, all are small. ``heights`` (52): the numbers of pieces.
    """
    counts = np.array(heights)
    shown = outlines(camera, profile, counts, profile.centres)
    reach = max(_MIN_REACH, _OFFSET_REACH * camera.pitch_pixels(profile))
    offset, weight = nearest_edges(edges, shown, reach)
    weight = weight * ~occluded(camera, profile, shown, counts)
    moved = np.full((len(counts), 2), np.nan)
    for square in np.flatnonzero((weight > _MIN_WEIGHT).sum(1) >= NORMALS // 2):
        w = weight[square][:, None]
        information = DIRECTIONS.T @ (w * DIRECTIONS)
        pull = DIRECTIONS.T @ (w[:, 0] * offset[square])
        moved[square] = np.linalg.solve(information + 1e-6 * np.eye(2), pull)
    return moved


def negative_log_likelihoods(
    edges: Edges, cameras: Sequence[Camera], profile: BoardProfile, heights: Sequence[int]
) -> Floats:
    """Negative log-likelihoods of poses of one board, up to a common constant: of the residual shifts
    (:func:`square_offsets`) of the outlines that are visible with at least one of them. Zeros if none is.

    They distinguish poses that differ by a fiftieth of a square, whose agreement hardly differs.
    """
    offsets = [square_offsets(edges, camera, profile, heights) for camera in cameras]
    lengths = np.linalg.norm(offsets, axis=2)
    visible = np.isfinite(lengths).any(0) & _with_outline(profile, np.array(heights))
    if not visible.any():
        return np.zeros(len(cameras))
    # An outline without edges nearby is at least as far off as was searched.
    lengths = np.nan_to_num(lengths[:, visible], nan=_OFFSET_REACH * cameras[0].pitch_pixels(profile))
    # What remains with the best pose is noise. Outlines that are partly hidden or in shadow are outliers.
    scale = max(float(np.median(lengths, axis=1).min()) / _MEDIAN_LENGTH, _MIN_OFFSET_SCALE)
    spread = np.log1p(np.square(lengths / scale) / _OFFSET_FREEDOM).sum(1)
    return np.asarray((_OFFSET_FREEDOM + 2) / 2 * spread)
