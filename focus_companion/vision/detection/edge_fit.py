"""Refine an approximate camera: fit the outlines of what stands on the board to the edges of the picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..geometry.pose import Prior, adjust
from ..geometry.scene import BoardProfile, Camera
from .edges import (
    DIRECTIONS,
    NORMALS,
    Edges,
    OutlinePoints,
    agreement,
    nearest_edges,
    outlines,
    stack_solid,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

HEIGHTS = range(6)

_TRUST = 0.05
"""Errors of edge points are correlated (a shadow shifts a whole side), so each counts as this fraction of an
independent observation."""


def likely_heights(edges: Edges, camera: Camera, profile: BoardProfile) -> tuple[Integers, Floats]:
    """For each of the 52 squares, the number of pieces whose outline agrees best, and that agreement."""
    heights, agrees, _ = _likely_outlines(edges, camera, profile)
    return heights, agrees


def _likely_outlines(
    edges: Edges, camera: Camera, profile: BoardProfile
) -> tuple[Integers, Floats, OutlinePoints]:
    """The same, with the outlines of so many pieces (:func:`stack_outlines`)."""
    reach = max(1.0, 0.05 * camera.pitch_pixels(profile))
    shown = [outlines(camera, stack_solid(profile, height), profile.centres) for height in HEIGHTS]
    table = np.stack([agreement(edges, some, reach) for some in shown])
    # Prior: the taller a stack, the rarer it is.
    liked = np.nan_to_num(table, nan=0.0) - 0.02 * np.arange(len(HEIGHTS))[:, None]
    heights, squares = liked.argmax(0), np.arange(table.shape[1])
    points = np.stack([shown[height].points[square] for square, height in enumerate(heights)])
    pixels = np.stack([shown[height].pixels[square] for square, height in enumerate(heights)])
    return heights, np.nan_to_num(table[heights, squares], nan=0.0), OutlinePoints(points, pixels)


def outline_agreement(
    edges: Edges,
    camera: Camera,
    profile: BoardProfile,
    heights: Sequence[int],
    squares: Floats | None = None,
) -> float:
    """Mean agreement, about 0 … 0.8, of the outlines of stacks of known ``heights`` (52) with the edges;
    ``squares`` (52) are the weights of the squares.
    """
    known = np.array(heights)
    shown = stack_outlines(camera, profile, known)
    values = agreement(edges, shown, max(1.0, 0.04 * camera.pitch_pixels(profile)))
    weights = _with_outline(profile, known) * (1.0 if squares is None else squares)
    if not weights.any():
        return 0.0
    return float(np.average(np.clip(np.nan_to_num(values, nan=0.0), 0, None), weights=weights))


def fit_outlines(
    edges: Edges,
    camera: Camera,
    profile: BoardProfile,
    prior: Prior,
    heights: Sequence[int] | None = None,
    reaches: Sequence[float] = (0.2, 0.14, 0.1, 0.07),
    squares: Floats | None = None,
) -> Camera:
    """The camera fitted so that outlines coincide with edges; one iteration for each of ``reaches``, the
    search distances in squares.

    With ``heights`` (52 numbers of pieces) those stacks are expected, without their occluded parts; otherwise
    the heights that agree best. ``squares`` (52) are the weights of the squares.
    """
    share = np.ones(len(profile.centres)) if squares is None else squares
    for reach in reaches:
        if heights is None:
            stand, trust, shown = _likely_outlines(edges, camera, profile)
        else:
            stand, trust = np.array(heights), np.ones(len(heights))
            shown = stack_outlines(camera, profile, stand)
        side = camera.pitch_pixels(profile)
        met = nearest_edges(edges, shown, max(1.5, reach * side))
        weight = met.weight * np.clip(trust, 0.05, 1)[:, None]
        if heights is not None:
            weight = weight * ~hidden(camera, profile, shown, stand)
        weight = weight * (_with_outline(profile, stand) * share)[:, None]
        used = weight > 0.02 * min(1.0, float(share[share > 0].min(initial=1.0)))
        if used.sum() < 60:
            return camera
        normals = np.broadcast_to(DIRECTIONS, (*shown.pixels.shape[:1], NORMALS, 2))[used]
        camera = adjust(
            camera,
            shown.points[used],
            shown.pixels[used] + met.offset[used][:, None] * normals,
            _TRUST * weight[used],
            prior,
            normals=normals,
            sigma=max(0.5, 0.25 * reach * side),
        )
    return camera


def _with_outline(profile: BoardProfile, heights: Integers) -> Floats:
    """(52) 1 where something has an outline, 0 where a square is bare and flat."""
    return np.where(heights > 0, 1.0, 0.0 if profile.flat else 1.0)


def stack_outlines(camera: Camera, profile: BoardProfile, heights: Integers) -> OutlinePoints:
    """Outlines of what stands on the 52 squares, for the numbers of pieces given (0: the dome)."""
    points = np.zeros((len(heights), NORMALS, 3))
    pixels = np.zeros((len(heights), NORMALS, 2))
    for height in np.unique(heights):
        here = heights == height
        some = outlines(camera, stack_solid(profile, int(height)), profile.centres[here])
        points[here], pixels[here] = some.points, some.pixels
    return OutlinePoints(points, pixels)


def hidden(
    camera: Camera, profile: BoardProfile, shown: OutlinePoints, heights: Integers
) -> NDArray[np.bool_]:
    """Mask of the outline points (S, NORMALS) that are occluded by a neighbour nearer to the camera."""
    centres = profile.centres
    place = camera.place[:2]
    distance = np.linalg.norm(centres - place, axis=1)
    support = (shown.pixels * DIRECTIONS).sum(2)
    behind = np.zeros(shown.pixels.shape[:2], bool)
    gaps = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    for index in np.flatnonzero(heights > 0):
        farther = (gaps[index] < 3.2 * profile.pitch) & (distance > distance[index])
        points = shown.pixels[farther]
        inside = (points @ DIRECTIONS.T <= support[index] + 0.5).all(2)
        behind[farther] |= inside
    return behind


def square_offsets(
    edges: Edges, camera: Camera, profile: BoardProfile, heights: Sequence[int], reach: float = 0.2
) -> Floats:
    """Residual shift in pixels (52, 2) of each square's outline against the edges around it.

    ``heights`` (52) are what stands there, ``reach`` is the search distance in squares; NaN where too little
    is visible. With the correct camera, all are small.
    """
    stand = np.array(heights)
    shown = stack_outlines(camera, profile, stand)
    met = nearest_edges(edges, shown, max(1.5, reach * camera.pitch_pixels(profile)))
    weight = met.weight * ~hidden(camera, profile, shown, stand)
    moved = np.full((len(stand), 2), np.nan)
    for square in np.flatnonzero((weight > 0.02).sum(1) >= NORMALS // 2):
        w = weight[square][:, None]
        information = DIRECTIONS.T @ (w * DIRECTIONS)
        pull = DIRECTIONS.T @ (w[:, 0] * met.offset[square])
        moved[square] = np.linalg.solve(information + 1e-6 * np.eye(2), pull)
    return moved
