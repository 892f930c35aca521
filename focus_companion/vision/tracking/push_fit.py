"""Fits the outlines of a board after it was pushed, or the camera nudged, in mid-game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..capture.frames import Image
from ..detection.edge_fit import fit_outlines, outline_agreement
from ..detection.edges import Edges, board_bounds
from ..detection.refine import APPROXIMATE_REACHES
from ..geometry.pose import Prior, displaced_cameras
from ..geometry.resize import FINE_PIXELS, reduced, resized
from ..geometry.scene import BoardProfile, Camera
from .push import pushed

CERTAIN_AGREEMENT = 0.6
"""Agreement of the outlines above which a fit to a known position is certain."""

_IN_PLANE_BONUS = 0.05
"""Bonus in agreement for a pose displaced only in the plane of the table, as more degrees of freedom always
fit better."""

_LENS_SIGMAS = 0.004, 0.004
"""Standard deviations of the log focal length and of k1 between two pictures of the same camera."""

_START_OFFSET = 0.3
"""Distance, in squares, of further starting points if the outlines do not agree."""

_MAX_UNMOVED_SHIFT = 0.02
"""Shift of the corners, in squares, up to which the board counts as not having moved."""


def fits(
    image: Image, held: Camera, start: Camera, profile: BoardProfile, stacks: Sequence[str]
) -> list[tuple[Camera, float]]:
    """Poses of the board with the agreement of its outlines (0 … 0.8), best first.

    ``held`` is the previous camera, ``start`` the one that the colours indicate, which may be half a square
    off. Fits start from both, then from places around ``start``, until one is certain.
    """
    fine, _ = reduced(image, FINE_PIXELS)
    before = resized(held, fine)
    prior = Prior(before.lens.focal, before.lens.distortion[0], *_LENS_SIGMAS)
    heights = [len(stack) for stack in stacks]

    def fitted(near: Camera) -> tuple[Camera, float]:
        edges = Edges.of(fine, board_bounds(near, profile))
        camera = fit_outlines(edges, near, profile, prior, heights, APPROXIMATE_REACHES)
        agrees = outline_agreement(edges, camera, profile, heights)
        # A board moves only in the plane of its table; its tilt is known more exactly from before.
        in_plane = slid(before, camera, profile)
        in_plane_agrees = outline_agreement(edges, in_plane, profile, heights)
        return (
            (in_plane, max(in_plane_agrees, agrees))
            if in_plane_agrees > agrees - _IN_PLANE_BONUS
            else (camera, agrees)
        )

    found: list[tuple[Camera, float]] = []
    for place in (start, held, *displaced_cameras(start, profile, _START_OFFSET)):
        camera, agrees = fitted(resized(place, fine))
        if agrees > CERTAIN_AGREEMENT:
            # If the fit took a detour, one more from here improves it.
            camera, agrees = max((camera, agrees), fitted(camera), key=lambda fit: fit[1])
        found.append((resized(camera, image), agrees))
        if agrees > CERTAIN_AGREEMENT:
            break
    return sorted(found, key=lambda fit: -fit[1])


def places(
    image: Image, held: Camera, start: Camera, profile: BoardProfile, stacks: Sequence[str]
) -> list[tuple[Camera, float]]:
    """Hypotheses for the board's pose with the agreement of its outlines, best first: fits from ``start``,
    and the previous pose ``held``.
    """
    corners, near = held.project(profile.corners), _MAX_UNMOVED_SHIFT * held.pitch_pixels(profile)
    # A board that has not moved keeps its pose exactly.
    found = [
        (held if np.abs(camera.project(profile.corners) - corners).max() <= near else camera, agrees)
        for camera, agrees in fits(image, held, start, profile, stacks)
    ]
    # The fits start from where the colours indicate the board, which is off under another lamp.
    (stayed,) = agreements(image, (held,), profile, stacks)
    if stayed > max(CERTAIN_AGREEMENT, found[0][1]):
        found.insert(0, (held, stayed))
    return found


def agreements(
    image: Image, cameras: Sequence[Camera], profile: BoardProfile, stacks: Sequence[str]
) -> list[float]:
    """Agreement of the outlines (0 … 0.8) with each of the cameras, without a fit."""
    fine, _ = reduced(image, FINE_PIXELS)
    heights = [len(stack) for stack in stacks]
    seen = [resized(camera, fine) for camera in cameras]
    return [
        outline_agreement(Edges.of(fine, board_bounds(camera, profile)), camera, profile, heights)
        for camera in seen
    ]


def slid(held: Camera, seen: Camera, profile: BoardProfile) -> Camera:
    """``held`` after the displacement of the board in its plane that comes closest to the pose ``seen``."""
    level = np.column_stack([profile.centres, np.zeros(len(profile.centres))])
    there = held.on_board(seen.project(level))
    middle, here = there.mean(0), profile.centres.mean(0)
    a, b = profile.centres - here, there - middle
    turn = float(np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum()))
    c, s = np.cos(turn), np.sin(turn)
    moved = middle - np.array([(c, -s), (s, c)]) @ here
    return pushed(held, float(moved[0]), float(moved[1]), turn)
