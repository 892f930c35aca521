"""Fits the camera of a still picture to its colours: to where each stack's own colour ends.

Edges mislead where domes shine and shadows fall. But the colours have been learned, so the outline of a stack
is searched for where, from inside to outside, its colour changes to that of what is behind it. Bare domes
have the colour of the board, so for them only edges can be used.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Integers, Mask, Singles
from ..capture.sampling import nearest_pixels
from ..detection.edge_fit import MIN_EDGE_POINTS, occluded, sigma_of
from ..detection.edges import DIRECTIONS, NORMALS, REACH_SIGMA, Edges, OutlinePoints, nearest_edges, outlines
from ..geometry.pose import Prior, adjust
from ..geometry.scene import BoardProfile, Camera
from ..geometry.stack_masks import Window

_CLASS_OFFSET = 0.07
"""Distance from an outline, in squares, at which the painted classes inside and outside are looked up."""

_MIN_CLASS_OFFSET = 1.5
"""Minimum of that distance in pixels."""

_STEPS_PER_SIDE = 12
"""Number of steps on each side of an outline at which the end of the colour is searched for."""

_STEP_WEIGHT = 0.35
"""Weight of each pixel along an outline's normal, as neighbouring pixels are correlated."""

_POINT_WEIGHT = 0.3
"""Weight of each point of an outline, as the errors of neighbouring points are correlated."""

_BARE_EDGE_WEIGHT = 0.02
"""The same for an edge around a bare dome, which may be that of a shadow or of a painted cell."""


_MIN_WEIGHT = 0.01
"""Weight below which a point is ignored."""

_MIN_REACH = 2.0
"""Minimum search distance in pixels."""


def fit_to_colour_edges(
    camera: Camera,
    profile: BoardProfile,
    stacks: Sequence[str],
    scores: Singles,
    painted: NDArray[np.uint8],
    window: Window,
    edges: Edges,
    prior: Prior,
    reach: float,
) -> Camera:
    """The camera moved so that the outlines of ``stacks`` (52) match the ends of their colours, and those of
    bare domes match edges.

    ``scores`` (h, w, CLASSES): log-likelihoods of the window's pixels. ``painted`` (h, w): the classes that
    the stacks show there as seen by ``camera``. ``reach``: search distance in squares.
    """
    heights = np.array([len(stack) for stack in stacks])
    shown = outlines(camera, profile, heights, profile.centres)
    side = camera.pitch_pixels(profile)
    origin = np.array((window.left, window.top))
    beside = max(_MIN_CLASS_OFFSET, _CLASS_OFFSET * side)
    inner = _classes_at(painted, shown.pixels - beside * DIRECTIONS - origin)
    outer = _classes_at(painted, shown.pixels + beside * DIRECTIONS - origin)
    clear = ~occluded(camera, profile, shown, heights)
    usable = (heights > 0)[:, None] & (inner > 0) & (outer >= 0) & (inner != outer) & clear
    if usable.sum() < MIN_EDGE_POINTS:
        return camera
    far = max(_MIN_REACH, reach * side)
    sigma = sigma_of(reach * side)
    offset, weight = np.zeros(usable.shape), np.zeros(usable.shape)
    offset[usable], spread = _ends(shown, usable, inner, outer, scores, origin, far)
    weight[usable] = _POINT_WEIGHT * sigma**2 / (sigma**2 + spread**2)
    bare = (heights == 0)[:, None] & (inner == 0) & (outer == 0) & clear
    edge_offset, clearness = nearest_edges(edges, shown, far)
    offset[bare], weight[bare] = edge_offset[bare], _BARE_EDGE_WEIGHT * clearness[bare]
    used = weight > _MIN_WEIGHT
    normals = np.broadcast_to(DIRECTIONS, (len(heights), NORMALS, 2))[used]
    return adjust(
        camera,
        shown.points[used],
        shown.pixels[used] + offset[used][:, None] * normals,
        weight[used],
        prior,
        normals=normals,
        sigma=sigma,
    )


def _ends(
    shown: OutlinePoints,
    usable: Mask,
    inner: Integers,
    outer: Integers,
    scores: Singles,
    origin: Integers,
    reach: float,
) -> tuple[Floats, Floats]:
    """For every usable point, how far outside the outline its colour ends, in pixels, and the standard
    deviation of that distance."""
    offsets = np.linspace(-reach, reach, 2 * _STEPS_PER_SIDE + 1)
    normals = np.broadcast_to(DIRECTIONS, shown.pixels.shape)[usable]
    places = (shown.pixels[usable] - origin)[None] + offsets[:, None, None] * normals
    flat = places.astype(np.float32)
    planes = [
        cv2.remap(np.ascontiguousarray(scores[..., k]), flat, None, cv2.INTER_LINEAR, borderValue=0.0)
        for k in range(scores.shape[2])
    ]
    seen = np.stack(planes)
    points = np.arange(seen.shape[2])
    step = offsets[1] - offsets[0]
    difference = seen[inner[usable], :, points] - seen[outer[usable], :, points]
    gain = difference.T.astype(float) * step * _STEP_WEIGHT
    # The end lies between two places; all places before it show the colour.
    total = np.concatenate([np.zeros((1, gain.shape[1])), gain.cumsum(0)])
    ends = np.append(offsets, offsets[-1] + step) - step / 2
    total -= 0.5 * (ends / (REACH_SIGMA * reach))[:, None] ** 2
    odds = np.exp(total - total.max(0))
    odds /= odds.sum(0)
    mean = (odds * ends[:, None]).sum(0)
    spread = np.sqrt((odds * (ends[:, None] - mean) ** 2).sum(0))
    return mean, spread


def _classes_at(painted: NDArray[np.uint8], places: Floats) -> Integers:
    """The class painted at these places (…, 2); -1 outside the window."""
    found, inside = nearest_pixels(painted, places)
    return np.where(inside, found.astype(np.int64), -1)
