"""Fits the outlines of a board after it was pushed, or the camera nudged, in mid-game."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from ..capture.frames import Image
from ..detection.edge_fit import PARAMETER_COST, fit_outlines, negative_log_likelihoods, outline_agreement
from ..detection.edges import Edges, board_bounds
from ..detection.pixel_check import pixel_mismatch
from ..detection.refine import APPROXIMATE_REACHES, MAX_MISMATCH, MISMATCH_WEIGHT, RESTART_DISTANCE
from ..geometry.pose import Prior, displaced_cameras, pushed, rigid_motion
from ..geometry.resize import FINE_PIXELS, reduced, resized
from ..geometry.scene import BoardProfile, Camera, at_height, triple
from ..registration.motion import Motion

CERTAIN_AGREEMENT = 0.6
"""Agreement of the outlines above which a fit to a known position is certain."""

_LENS_SIGMAS = 0.004, 0.004
"""Standard deviations of the log focal length and of k1 between two pictures of the same camera."""

_PARAMETERS = np.array([0, 3, 3, 6])
"""Parameters of a displacement: none, a push, a rotation of the camera, or both."""


def fits(
    image: Image,
    held: Camera,
    start: Camera,
    profile: BoardProfile,
    stacks: Sequence[str],
    *,
    both: bool = True,
) -> list[tuple[Camera, float]]:
    """Poses of the board with the agreement of its outlines (0 … 0.8), best first by outlines and pixels.

    ``held`` is the previous camera, ``start`` the one that the colours indicate, which may be half a square
    off. Fits start from both, then from places around ``start``, until one is certain: its outlines agree,
    and so do the pixels, as the outlines of pieces may fit those of their shadows. ``both``: the board may
    have been pushed and the camera knocked at once; otherwise only one of them is considered. A push and a
    rotation that nearly cancel out hardly move the board in the picture, but tilt its stacks.
    """
    fine, _ = reduced(image, FINE_PIXELS)
    before = resized(held, fine)
    prior = Prior(before.lens.focal, before.lens.distortion[0], *_LENS_SIGMAS)
    heights = [len(stack) for stack in stacks]

    def fitted(edges: Edges, near: Camera) -> tuple[Camera, float]:
        free = fit_outlines(edges, near, profile, prior, heights, APPROXIMATE_REACHES)
        # A board that is pushed moves in the plane of its table, and a camera that is knocked rotates on its
        # stand. The other degrees of freedom are known more exactly from before.
        poses = (before, slid(before, free, profile), rotated(before, free, profile), free)
        number = len(poses) if both else len(poses) - 1
        costs = negative_log_likelihoods(edges, poses[:number], profile, heights)
        costs += _PARAMETERS[:number] * PARAMETER_COST
        camera = poses[int(costs.argmin())]
        return camera, outline_agreement(edges, camera, profile, heights)

    found: list[tuple[float, Camera, float]] = []
    for place in (start, held, *displaced_cameras(start, profile, RESTART_DISTANCE)):
        near = resized(place, fine)
        edges = Edges.of(fine, board_bounds(near, profile))
        camera, agrees = fitted(edges, near)
        if agrees > CERTAIN_AGREEMENT:
            # If the fit took a detour, one more from here improves it.
            camera, agrees = max((camera, agrees), fitted(edges, camera), key=lambda fit: fit[1])
        # It takes six megabytes.
        del edges
        mismatch = pixel_mismatch(fine, camera, profile, stacks)
        # A board that has not moved keeps its pose exactly.
        there = held if camera is before else resized(camera, image)
        found.append((agrees - MISMATCH_WEIGHT * mismatch, there, agrees))
        if agrees > CERTAIN_AGREEMENT and mismatch < MAX_MISMATCH:
            break
    return [(camera, agrees) for _, camera, agrees in sorted(found, key=lambda fit: -fit[0])]


def places(
    image: Image, held: Camera, start: Camera, profile: BoardProfile, stacks: Sequence[str]
) -> list[tuple[Camera, float]]:
    """Hypotheses for the board's pose with the agreement of its outlines, best first: fits from ``start``,
    and the previous pose ``held``.
    """
    found = fits(image, held, start, profile, stacks)
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
    centres = profile.centres
    dx, dy, turn = rigid_motion(centres, held.on_board(seen.project(at_height(centres)))).tolist()
    return pushed(held, dx, dy, turn)


def rotated(held: Camera, seen: Camera, profile: BoardProfile) -> Camera:
    """``held`` after the rotation about its own place that comes closest to the pose ``seen``.

    Source: the orthogonal Procrustes problem, solved by the singular value decomposition (Kabsch 1976).
    """
    level = at_height(profile.centres)
    before, after = (
        directions / np.linalg.norm(directions, axis=1, keepdims=True)
        for directions in (camera.lens.rays(camera.project(level)) for camera in (held, seen))
    )
    left, _, right = np.linalg.svd(after.T @ before)
    turn = left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right
    return Motion(triple(cv2.Rodrigues(turn)[0])).camera(held)
