"""A board that was pushed, or a camera that was nudged, in mid-game: its place made right by the outlines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..capture.frames import Image
from ..detection.edge_fit import fit_outlines, outline_agreement
from ..detection.edges import Edges, board_bounds
from ..geometry.pose import Prior, around
from ..geometry.resize import FINE_PIXELS, reduced, resized
from ..geometry.scene import BoardProfile, Camera
from .push import pushed

REACHES = (0.22, 0.15, 0.1, 0.07, 0.05)
"""How far, in squares, edges are looked for: one search and solution each."""

AGREED = 0.6
"""Agreement of the outlines from which a fit to a known position is right beyond doubt."""

WORSE = 0.05
"""By how much outlines may agree less with a board that was merely pushed: freedom fits anything."""

SAME_LENS = 0.004, 0.004
"""Spread of the focal length's logarithm and of k1 between two pictures of one camera."""

ASIDE = 0.3
"""How far beside a place, in squares, the board is sought where its outlines do not agree there."""


def fits(
    image: Image, held: Camera, start: Camera, profile: BoardProfile, stacks: Sequence[str]
) -> list[tuple[Camera, float]]:
    """Places where the board may be, with the agreement of the outlines (0 … 0.8) there, best first.

    ``held`` is the camera before, ``start`` where the colours say that the board is; they may be half a
    square off, so it is sought from both places, and then from all sides, until it agrees beyond doubt.
    """
    fine, _ = reduced(image, FINE_PIXELS)
    before = resized(held, fine)
    prior = Prior(before.lens.focal, before.lens.distortion[0], *SAME_LENS)
    heights = [len(stack) for stack in stacks]

    def fitted(near: Camera) -> tuple[Camera, float]:
        edges = Edges.of(fine, board_bounds(near, profile))
        camera = fit_outlines(edges, near, profile, prior, heights, REACHES)
        agrees = outline_agreement(edges, camera, profile, heights)
        # On its table only the place has changed: how the camera leans is known better from before.
        merely = slid(before, camera, profile)
        agreed = outline_agreement(edges, merely, profile, heights)
        return (merely, max(agreed, agrees)) if agreed > agrees - WORSE else (camera, agrees)

    found: list[tuple[Camera, float]] = []
    for place in (start, held, *around(start, profile, ASIDE)):
        camera, agrees = fitted(resized(place, fine))
        if agrees > AGREED:
            # From so near it comes nearer still, if it was led astray on its way.
            camera, agrees = max((camera, agrees), fitted(camera), key=lambda fit: fit[1])
        found.append((resized(camera, image), agrees))
        if agrees > AGREED:
            break
    return sorted(found, key=lambda fit: -fit[1])


def places(
    image: Image, held: Camera, start: Camera, profile: BoardProfile, stacks: Sequence[str]
) -> list[tuple[Camera, float]]:
    """Where the outlines see the board, with their agreement there, the best first: as they fit from
    ``start``, and where it lay, which is where ``held`` sees it.
    """
    corners, near = held.project(profile.corners), 0.02 * held.pitch_pixels(profile)
    # The same place in another light that the colours still bear is the same to the last digit.
    found = [
        (held if np.abs(camera.project(profile.corners) - corners).max() <= near else camera, agrees)
        for camera, agrees in fits(image, held, start, profile, stacks)
    ]
    # The fit is sought from where the colours see the board: under another lamp, beside its place.
    (stayed,) = agreements(image, (held,), profile, stacks)
    if stayed > max(AGREED, found[0][1]):
        found.insert(0, (held, stayed))
    return found


def agreements(
    image: Image, cameras: Sequence[Camera], profile: BoardProfile, stacks: Sequence[str]
) -> list[float]:
    """How well the outlines agree (0 … 0.8) where each of the cameras sees them, none of them moved."""
    fine, _ = reduced(image, FINE_PIXELS)
    heights = [len(stack) for stack in stacks]
    seen = [resized(camera, fine) for camera in cameras]
    return [
        outline_agreement(Edges.of(fine, board_bounds(camera, profile)), camera, profile, heights)
        for camera in seen
    ]


def slid(held: Camera, seen: Camera, profile: BoardProfile) -> Camera:
    """The camera that sees the board pushed over its table from where ``held`` sees it to where it comes
    nearest to what ``seen`` sees."""
    level = np.column_stack([profile.centres, np.zeros(len(profile.centres))])
    there = held.on_board(seen.project(level))
    middle, here = there.mean(0), profile.centres.mean(0)
    a, b = profile.centres - here, there - middle
    turn = float(np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum()))
    c, s = np.cos(turn), np.sin(turn)
    moved = middle - np.array([(c, -s), (s, c)]) @ here
    return pushed(held, float(moved[0]), float(moved[1]), turn)
