"""Compares outlines of domes and stacks with the edges of a picture: their agreement, and their offsets.

An outline is sampled at fixed directions of its normal: each sample is the support point of a convex solid in
that direction in the picture. So one matrix product gives the outlines of all solids of one kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from math import ceil

import cv2
import numpy as np
from numpy.typing import NDArray

from ...game.position import MAX_HEIGHT
from ..arrays import Floats, Integers, Mask, Singles
from ..geometry.scene import BoardProfile, Camera, Solid
from ..geometry.stack_masks import Window
from .blobs import gradients, normalized, strips, to_opponent

NORMALS = 32
"""Number of directions in which an outline is sampled."""

_ANGLES = np.linspace(0, 2 * np.pi, NORMALS, endpoint=False)
DIRECTIONS: Floats = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], 1)
"""The outward normals in the picture, (NORMALS, 2)."""

_DOUBLED_NORMALS: Singles = np.stack([np.cos(2 * _ANGLES), np.sin(2 * _ANGLES)]).astype(np.float32)


_BLUR_SIGMA = 1.0
"""Standard deviation in pixels of the blur before edge detection."""

_BLUR_REACH = ceil(4 * _BLUR_SIGMA) + 1
"""Maximum distance, in rows, of the pixels on which a blurred gradient depends: OpenCV's blur ends at four
standard deviations, and the gradient takes one more row."""

_AGREEMENT_REACH = 0.04
"""Distance, in squares, at which an outline still agrees with an edge. Raising it, poses that are off by that
much agree as well; the weights of the site classifier would have to be fitted anew."""

REACH_SIGMA = 0.7
"""Standard deviation of the preference for near edges, as a fraction of the search distance."""

_STEP_RANGE = (3, 12)
"""Minimum and maximum number of places on either side of an outline at which an edge is sought, one a pixel.
Raising the maximum takes time in large pictures."""


@cache
def stack_solid(profile: BoardProfile, height: int) -> Solid:
    """The convex hull of a stack of ``height`` pieces on z = 0, or of a bare dome on its base for 0."""
    if height == 0:
        return Solid(tuple((r, z + profile.dome_base) for r, z in profile.dome.rings))
    rings = [(r, z + k * profile.rise) for k in {0, height - 1} for r, z in profile.piece.rings]
    return Solid(tuple(rings))


@dataclass(frozen=True, eq=False)
class OutlinePoints:
    """Outlines of S solids: ``points`` (S, NORMALS, 3) in mm, projected to ``pixels`` (S, NORMALS, 2)."""

    points: Floats
    pixels: Floats

    def inside(self, size: tuple[int, int]) -> Mask:
        """Mask of the points (S, NORMALS) inside a picture of (width, height), with a margin of a pixel."""
        return np.asarray(((self.pixels >= 1) & (self.pixels < np.array(size) - 2)).all(2))


def outlines(camera: Camera, profile: BoardProfile, heights: Integers, centres: Floats) -> OutlinePoints:
    """Outlines of S stacks of ``heights`` (S,) pieces (0: the bare dome) at ``centres`` (S, 2), in mm.

    Locally, the projection is approximated as affine, which gives the tangent point on a ring to a fraction
    of a degree; the points themselves are then projected exactly. All stacks are projected at once, as small
    arrays take hardly less time than large ones.
    """
    count = len(centres)
    kinds, kind = np.unique(heights, return_inverse=True)
    solids = [stack_solid(profile, height) for height in kinds.tolist()]
    step = np.array([solid.radius / 2 for solid in solids])[kind, None, None]
    middle = np.column_stack([centres, np.array([solid.height / 2 for solid in solids])[kind]])
    probes = middle[:, None] + step * np.concatenate([np.eye(3), -np.eye(3)])
    shown = camera.project(probes.reshape(-1, 3)).reshape(count, 2, 3, 2)
    slopes = (shown[:, 0] - shown[:, 1]) / (2 * step)
    leaning = slopes @ DIRECTIONS.T
    ground = np.hypot(leaning[:, 0], leaning[:, 1])
    # Radius and height of the ring on which each point lies.
    tangent = np.empty((count, NORMALS, 2))
    for number, solid in enumerate(solids):
        rings, here = np.array(solid.rings), kind == number
        reach = ground[here, :, None] * rings[:, 0] + leaning[here, 2, :, None] * rings[:, 1]
        tangent[here] = rings[reach.argmax(2)]
    radius = tangent[..., 0] / np.maximum(ground, 1e-12)
    x, y = centres[:, :1] + leaning[:, 0] * radius, centres[:, 1:] + leaning[:, 1] * radius
    points = np.stack([x, y, tangent[..., 1]], axis=2)
    pixels = camera.project(points.reshape(-1, 3)).reshape(count, NORMALS, 2)
    return OutlinePoints(points, pixels)


@dataclass(frozen=True, eq=False)
class Edges:
    """The edges of a picture as doubled-angle directions, (H, W) each, length up to 1; none outside of it."""

    cosine: Singles
    sine: Singles
    size: tuple[int, int]
    """Width and height of the whole picture, of which the edges may cover a window only."""
    origin: tuple[int, int]
    """Left and top of that window."""

    @classmethod
    def of(cls, image: NDArray[np.uint8], window: Window | None = None) -> Edges:
        """The edges of a picture, or only of its ``window``."""
        height, width = image.shape[:2]
        window = window or Window(0, 0, width, height)
        cosine, sine = normalized(*_gradients(image[window.slices]), suppression=0.15)
        return cls(cosine, sine, (width, height), (window.left, window.top))

    def along(self, pixels: Floats, reach: float, steps: int) -> Singles:
        """Agreement (2 steps + 1, S, NORMALS) of the edge directions with the outlines through ``pixels`` (S,
        NORMALS, 2), at offsets of -``reach`` … ``reach`` pixels along the normals; 0 outside the picture.
        """
        offsets = np.linspace(-reach, reach, 2 * steps + 1)
        places = (pixels - self.origin).astype(np.float32) + (offsets[:, None, None] * DIRECTIONS).astype(
            np.float32
        )[:, None]
        flat = places.reshape(-1, NORMALS, 2)
        cosine = _sampled(self.cosine, flat)
        sine = _sampled(self.sine, flat)
        along = cosine * _DOUBLED_NORMALS[0] + sine * _DOUBLED_NORMALS[1]
        return np.asarray(along.reshape(places.shape[:3]))


def _gradients(image: NDArray[np.uint8]) -> tuple[Singles, Singles]:
    """The :func:`gradients` of a slightly blurred picture."""
    cosine, sine = np.empty((2, *image.shape[:2]), np.float32)
    for rows, around, own in strips(len(image), _BLUR_REACH):
        planes = cv2.GaussianBlur(to_opponent(image[around]), (0, 0), _BLUR_SIGMA)
        part = gradients(np.asarray(planes, np.float32))
        cosine[rows], sine[rows] = part[0][own], part[1][own]
    return cosine, sine


def board_bounds(camera: Camera, profile: BoardProfile) -> Window:
    """The window of the board with full stacks and a margin of a square; the whole picture if the board lies
    outside it.
    """
    half = profile.corners.max() + profile.pitch
    box = list(product((-half, half), (-half, half), (0.0, MAX_HEIGHT * profile.rise)))
    pixels = camera.project(np.array(box)).astype(int)
    whole = Window(0, 0, camera.lens.width, camera.lens.height)
    return Window(*pixels.min(0).tolist(), *pixels.max(0).tolist()).overlap(whole) or whole


def _sampled(plane: Singles, places: Singles) -> Singles:
    """A plane sampled at pixels (N, M, 2) with linear interpolation; 0 outside."""
    values = cv2.remap(plane, places, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0.0)
    return np.asarray(values, np.float32)


def agreement_reach(camera: Camera, profile: BoardProfile) -> float:
    """Search distance in pixels, at least one, for the :func:`agreement` of outlines with edges."""
    return max(1.0, _AGREEMENT_REACH * camera.pitch_pixels(profile))


def agreement(edges: Edges, shown: OutlinePoints, reach: float) -> Floats:
    """Mean agreement (S,), -1 … 1, of outlines with edges within ``reach`` pixels; NaN for outlines mostly
    outside the picture.
    """
    inside = shown.inside(edges.size)
    best = np.where(inside, edges.along(shown.pixels, reach, 2).max(0), 0.0)
    count = inside.sum(1)
    return np.where(count > NORMALS / 2, best.sum(1) / np.maximum(count, 1), np.nan)


def nearest_edges(edges: Edges, shown: OutlinePoints, reach: float) -> tuple[Floats, Floats]:
    """The best matching edge for each outline point within ``reach`` pixels, nearer ones being preferred: its
    signed distance (S, NORMALS) in pixels, positive outwards, and its weight (S, NORMALS), 0 … 1.
    """
    steps = int(np.clip(np.ceil(reach), *_STEP_RANGE))
    profile = edges.along(shown.pixels, reach, steps)
    offsets = np.linspace(-reach, reach, 2 * steps + 1)
    score = profile * np.exp(-0.5 * (offsets / (REACH_SIGMA * reach)) ** 2).astype(np.float32)[:, None, None]
    peak = score.argmax(0)
    safe = np.clip(peak, 1, 2 * steps - 1)
    at = np.take_along_axis(profile, np.stack([safe - 1, safe, safe + 1]), 0).astype(float)
    curvature = at[0] - 2 * at[1] + at[2]
    slope = at[2] - at[0]
    fine = np.where(curvature < -1e-6, np.clip(-0.5 * slope / np.minimum(curvature, -1e-6), -1, 1), 0.0)
    offset = offsets[safe] + np.where(safe == peak, fine, 0.0) * reach / steps
    strength = np.take_along_axis(profile, peak[None], 0)[0].astype(float)
    weight = np.where((peak == safe) & shown.inside(edges.size), np.clip(strength, 0, 1) ** 2, 0.0)
    return offset, weight
