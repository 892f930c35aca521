"""The camera of a still picture made right by its colours: where each stack's own colour ends.

Edges mislead where domes shine and shadows fall; what a stack's colour is has been learned, so the outline of
every stack is sought where, going outwards, its colour gives way to that of what stands behind it. Bare domes
have the board's own colour, so there it is edges or nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from ..detection.edge_fit import occluded, stack_outlines
from ..detection.edges import DIRECTIONS, NORMALS, Edges, OutlinePoints, nearest_edges
from ..geometry.pose import Prior, adjust
from ..geometry.scene import BoardProfile, Camera
from ..geometry.stack_masks import Window

Floats = NDArray[np.float64]

_BESIDE = 0.07
"""Distances, in squares, inside and outside an outline at which the painted classes are compared."""

_STEPS = 12
"""Places on either side of an outline at which the colour's end is sought."""

_SHARE = 0.35
"""What a step along an outline's normal counts beside its neighbours, which say much the same."""

_TRUST = 0.3
"""Neighbouring points of an outline err together: each counts as this much of an independent one."""

_EDGES = 0.02
"""The same of an edge about a bare dome, which may be a shadow's or a painted cell's."""

_FEWEST = 60
"""Minimum number of informative points for fitting a camera to them."""


def met_by_colours(
    camera: Camera,
    profile: BoardProfile,
    stacks: Sequence[str],
    scores: NDArray[np.float32],
    painted: NDArray[np.uint8],
    window: Window,
    edges: Edges,
    prior: Prior,
    reach: float,
) -> Camera:
    """The camera moved so that the outlines of ``stacks`` (52) meet the ends of their colours, bare domes
    edges.

    ``scores`` (h, w, CLASSES) are log-likelihoods of the window's pixels, ``painted`` (h, w) the classes that
    the stacks show there as seen by ``camera``; ``reach`` is how far, in squares, an end is sought.
    """
    heights = np.array([len(stack) for stack in stacks])
    shown = stack_outlines(camera, profile, heights)
    side = camera.pitch_pixels(profile)
    origin = np.array((window.left, window.top))
    beside = max(1.5, _BESIDE * side)
    inner = _looked_up(painted, shown.pixels - beside * DIRECTIONS - origin)
    outer = _looked_up(painted, shown.pixels + beside * DIRECTIONS - origin)
    clear = ~occluded(camera, profile, shown, heights)
    usable = (heights > 0)[:, None] & (inner > 0) & (outer >= 0) & (inner != outer) & clear
    if usable.sum() < _FEWEST:
        return camera
    far = max(2.0, reach * side)
    sigma = max(0.5, 0.25 * reach * side)
    offset, weight = np.zeros(usable.shape), np.zeros(usable.shape)
    offset[usable], spread = _ends(shown, usable, inner, outer, scores, origin, far)
    weight[usable] = _TRUST * sigma**2 / (sigma**2 + spread**2)
    bare = (heights == 0)[:, None] & (inner == 0) & (outer == 0) & clear
    met = nearest_edges(edges, shown, far)
    offset[bare], weight[bare] = met.offset[bare], _EDGES * met.weight[bare]
    used = weight > 0.01
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
    usable: NDArray[np.bool_],
    inner: NDArray[np.int64],
    outer: NDArray[np.int64],
    scores: NDArray[np.float32],
    origin: NDArray[np.int64],
    reach: float,
) -> tuple[Floats, Floats]:
    """For every usable point how far outwards, in pixels, its colour ends, and how unsure that is."""
    offsets = np.linspace(-reach, reach, 2 * _STEPS + 1)
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
    gain = (seen[inner[usable], :, points] - seen[outer[usable], :, points]).T.astype(float) * step * _SHARE
    # The end lies between two places: the colour holds at all before it.
    total = np.concatenate([np.zeros((1, gain.shape[1])), gain.cumsum(0)])
    ends = np.append(offsets, offsets[-1] + step) - step / 2
    total -= 0.5 * (ends / (0.7 * reach))[:, None] ** 2
    odds = np.exp(total - total.max(0))
    odds /= odds.sum(0)
    mean = (odds * ends[:, None]).sum(0)
    spread = np.sqrt((odds * (ends[:, None] - mean) ** 2).sum(0))
    return mean, spread


def _looked_up(painted: NDArray[np.uint8], places: Floats) -> NDArray[np.int64]:
    """The class painted at places (…, 2); -1 outside."""
    x, y = np.round(places[..., 0]).astype(int), np.round(places[..., 1]).astype(int)
    height, width = painted.shape
    inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    found = painted[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)].astype(np.int64)
    return np.where(inside, found, -1)
