"""Casts rays on solids of revolution, for exact pictures of domes, pieces and stacks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from ..vision.geometry.scene import Camera, Solid

F32 = NDArray[np.float32]

MAX_SMOOTH_ANGLE = 40.0
"""Maximum angle in degrees between neighbouring facets of a smooth surface; a larger one is an edge."""


def pixel_rays(camera: Camera, pixels: NDArray[np.floating]) -> F32:
    """Directions (N, 3) in the board frame of the rays through ``pixels`` (N, 2), with depth 1."""
    lens = camera.lens
    normal = cv2.undistortPoints(
        np.ascontiguousarray(pixels, np.float64).reshape(-1, 1, 2),
        lens.matrix,
        np.array(lens.distortion, float),
    ).reshape(-1, 2)
    ahead = np.concatenate([normal, np.ones((len(normal), 1))], 1)
    return np.asarray(ahead @ camera.rotation_matrix, np.float32)


@dataclass(frozen=True)
class Body:
    """Solids of revolution about upright axes, as conical facets.

    ``facets`` (S, 10): axis x, axis y, lower radius and height, upper radius and height, and the normal's
    (outward, upward) components at the lower and the upper end. ``parts`` (S,) is the piece of each facet.
    """

    facets: F32
    parts: NDArray[np.intp]

    @property
    def foot(self) -> float:
        return float(self.facets[:, [3, 5]].min())

    @property
    def top(self) -> float:
        return float(self.facets[:, [3, 5]].max())


def _profile_facets(rings: list[tuple[float, float]]) -> list[tuple[float, ...]]:
    """Facets of one profile; neighbours at an angle below :data:`MAX_SMOOTH_ANGLE` share a normal."""
    sides = [(r0, z0, r1, z1) for (r0, z0), (r1, z1) in pairwise(rings) if (r0, z0) != (r1, z1)]
    angles = [np.arctan2(r0 - r1, z1 - z0) for r0, z0, r1, z1 in sides]
    facets: list[tuple[float, ...]] = []
    for i, (r0, z0, r1, z1) in enumerate(sides):
        low = high = angles[i]
        if i and abs(angles[i] - angles[i - 1]) < np.radians(MAX_SMOOTH_ANGLE):
            low = (angles[i] + angles[i - 1]) / 2
        if i + 1 < len(sides) and abs(angles[i + 1] - angles[i]) < np.radians(MAX_SMOOTH_ANGLE):
            high = (angles[i] + angles[i + 1]) / 2
        if r1 == 0.0:
            high = np.pi / 2
        facets.append((r0, z0, r1, z1, np.cos(low), np.sin(low), np.cos(high), np.sin(high)))
    return facets


def _cut(solid: Solid, height: float) -> list[tuple[float, float]]:
    """The rings of a solid up to ``height``; the rest is inside the piece above."""
    rings = list(solid.rings)
    kept = [ring for ring in rings if ring[1] < height]
    (r0, z0), (r1, z1) = kept[-1], rings[min(len(kept), len(rings) - 1)]
    return [*kept, (r0 + (r1 - r0) * (height - z0) / (z1 - z0), height)] if z1 > z0 else kept


def stack_body(solid: Solid, rise: float, places: F32, base: float) -> Body:
    """A stack of nested pieces: ``places`` (n, 2) are the axes of the pieces from the bottom up, in mm."""
    facets: list[tuple[float, ...]] = []
    parts: list[int] = []
    for level, (x, y) in enumerate(places.tolist()):
        rings = list(solid.rings) if level == len(places) - 1 else _cut(solid, rise)
        z = base + level * rise
        for r0, z0, r1, z1, *normals in _profile_facets(rings):
            facets.append((x, y, r0, z0 + z, r1, z1 + z, *normals))
            parts.append(level)
    return Body(np.array(facets, np.float32), np.array(parts, np.intp))


@dataclass(frozen=True)
class Hits:
    """Intersections of N rays with a body: ``met`` (N,) tells which rays hit it; ``points`` (M, 3),
    ``normals`` (M, 3) and ``parts`` (M,) are those of the M hits.
    """

    met: NDArray[np.bool_]
    points: F32
    normals: F32
    parts: NDArray[np.intp]


def trace(body: Body, place: NDArray[np.float64], rays: F32) -> Hits:
    """First hits of rays (N, 3) from ``place`` (3,) on the body."""
    # With origins near the body, single precision is exact to a few micrometres.
    heart = np.array([*body.facets[0, :2], (body.facets[:, 3].min() + body.top) / 2], np.float64)
    start = ((heart - place) @ rays.T / np.einsum("ij,ij->i", rays, rays)).astype(np.float32)
    origins = np.asarray(place - heart, np.float32) + start[:, None] * rays
    ox, oy, oz = np.ascontiguousarray(origins.T)
    dx, dy, dz = np.ascontiguousarray(rays.T)
    # With Python floats, arrays stay in single precision; numpy's would make them double.
    hx, hy, hz = heart.tolist()
    best = np.full(len(rays), np.inf, np.float32)
    which = np.full(len(rays), -1, np.intp)
    along = dx * dx + dy * dy
    with np.errstate(divide="ignore", invalid="ignore"):
        for i, (x, y, r0, z0, r1, z1) in enumerate(body.facets[:, :6].tolist()):
            px, py, pz0, pz1 = ox - (x - hx), oy - (y - hy), z0 - hz, z1 - hz
            if abs(pz1 - pz0) < 1e-6:
                t = np.asarray((pz0 - oz) / dz, np.float32)
                from_axis = (px + t * dx) ** 2 + (py + t * dy) ** 2
                good = (from_axis <= max(r0, r1) ** 2) & (from_axis >= min(r0, r1) ** 2) & (t < best)
                best[good], which[good] = t[good], i
                continue
            slope = (r1 - r0) / (pz1 - pz0)
            radius = r0 + slope * (oz - pz0)
            a = along - (slope * dz) ** 2
            b = px * dx + py * dy - radius * slope * dz
            root = np.sqrt(b * b - a * (px * px + py * py - radius * radius))
            for t in ((-b - root) / a, (-b + root) / a):
                z = oz + t * dz
                good = (z >= pz0 - 1e-3) & (z <= pz1 + 1e-3) & (t < best)
                best[good], which[good] = t[good], i
    met = which >= 0
    hit, f = best[met], body.facets[which[met]]
    points = origins[met] + hit[:, None] * rays[met] + heart.astype(np.float32)
    part = np.clip(
        (points[:, 2] - f[:, 3]) / np.where(f[:, 5] == f[:, 3], np.float32(1), f[:, 5] - f[:, 3]), 0, 1
    )
    out = f[:, 6] + (f[:, 8] - f[:, 6]) * part
    up = f[:, 7] + (f[:, 9] - f[:, 7]) * part
    away = points[:, :2] - f[:, :2]
    away /= np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-6)
    normals = np.concatenate([away * out[:, None], up[:, None]], 1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Hits(met, points.astype(np.float32), normals.astype(np.float32), body.parts[which[met]])
