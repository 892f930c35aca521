"""Refinement of a detected board: the camera with subpixel accuracy, the set, and the squares."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..capture.frames import Image
from ..geometry.lens_profiles import LensProfile
from ..geometry.orientation import upright
from ..geometry.pose import Prior, around, lifted
from ..geometry.resize import FINE_PIXELS, reduced, resized
from ..geometry.scene import BoardProfile, Camera, Lens
from .edge_fit import fit_outlines, likely_heights, outline_agreement, square_offsets
from .edges import Edges, board_bounds
from .pixel_check import amiss

_COARSE = (0.25, 0.18, 0.12)
_CLOSER = (0.22, 0.15, 0.1, 0.07, 0.05)
_NEARER = _CLOSER[2:]
"""Search distances around outlines, in squares, one per iteration: for a rough candidate, for an approximate
camera, and for one that was fitted with another set."""

_ASTRAY = 0.028
"""Misfit from which the fit is repeated from starting points :data:`_ELSEWHERE` squares away on all sides."""

_AMISS, _WEIGHT = 0.02, 2.0
"""Nats per pixel (:func:`.pixel_check.amiss`) from which the fit is repeated as well, and the weight of a nat
against the agreement of the outlines."""

_HIGH = 0.87
"""Agreement of the outlines below which fits with the board a piece higher or lower are tried."""

_CLEARER = 0.008
"""Penalty of these: the outlines must agree better by this."""

_ELSEWHERE = 0.27
"""Distance, in squares, of the additional starting points."""

_SHADOWS = 0.18, 0.36
"""Distances, in squares, of the shadows of domes from the domes."""

_DOMES = 0.1
"""Weight of a dome relative to a piece in the fit of a pose while there are few pieces: enough to constrain
what a single piece leaves open."""


def refine(
    image: Image,
    camera: Camera,
    profile: BoardProfile,
    stacks: Sequence[str],
    lens: LensProfile | None = None,
) -> tuple[Camera, float]:
    """Fit an approximate camera to the outlines of a known position.

    Returns the camera and how well the outlines then agree with the edges (0 … 0.8); compare it between
    profiles to determine which set it is.
    """
    fine, _ = reduced(image, FINE_PIXELS)
    start = resized(camera, fine)
    edges = Edges.of(fine, board_bounds(start, profile))
    final, agrees = _refined(edges, start, profile, stacks, _CLOSER, lens)
    return resized(final, image), agrees


def _refined(
    edges: Edges,
    camera: Camera,
    profile: BoardProfile,
    stacks: Sequence[str],
    reaches: Sequence[float],
    lens: LensProfile | None,
) -> tuple[Camera, float]:
    heights = [len(stack) for stack in stacks]
    final = _refit(edges, camera, profile, heights, reaches, lens)
    return final, outline_agreement(edges, final, profile, heights)


def _refit(
    edges: Edges,
    camera: Camera,
    profile: BoardProfile,
    heights: Sequence[int] | None,
    reaches: Sequence[float],
    lens: LensProfile | None,
) -> Camera:
    prior = lens_prior(lens, camera.lens.width, camera.lens.height)
    return fit_outlines(edges, camera, profile, prior, heights, reaches)


def lens_prior(lens: LensProfile | None, width: int, height: int) -> Prior:
    """Prior of the lens parameters for pictures of that size."""
    if lens is None:
        guess = Lens.guess(width, height)
        return Prior(guess.focal, guess.distortion[0])
    known = lens.at(width, height)
    return Prior(known.focal, known.distortion[0], lens.spread, lens.distortion_spread)


def fitted(edges: Edges, camera: Camera, profile: BoardProfile, lens: LensProfile | None = None) -> Camera:
    """A candidate camera of a reduced picture after a fit that assumes no position."""
    return _refit(edges, camera, profile, None, _COARSE, lens)


@dataclass(frozen=True, slots=True)
class _Choice:
    """A hypothesis: a camera of the fine picture, a set, and the agreement of their outlines."""

    score: float
    camera: Camera
    profile: BoardProfile


def made_exact(
    image: Image,
    camera: Camera,
    profiles: Sequence[BoardProfile],
    stacks: Sequence[str] | None,
    rank1: str,
    lens: LensProfile | None,
) -> tuple[Camera, BoardProfile]:
    """Subpixel refinement, the choice of the profile, and the orientation if the position leaves it open."""
    fine, _ = reduced(image, FINE_PIXELS)
    start = resized(camera, fine)
    edges = Edges.of(fine, board_bounds(start, profiles[0]))
    if stacks is None:
        start = upright(start, profiles[0], [""] * len(profiles[0].centres), rank1)
        best = _by_outlines(edges, start, profiles, lens)
    else:
        best = _by_position(fine, edges, start, profiles, stacks, lens)
    return resized(best.camera, image), best.profile


def settled_by_pieces(
    image: Image,
    camera: Camera,
    profiles: Sequence[BoardProfile],
    stacks: Sequence[str],
    lens: LensProfile | None,
    doubtful: Collection[int] = (),
) -> tuple[Camera, BoardProfile]:
    """Pose and set from the first pieces, at least one, on a board that was found empty.

    An empty board does not show which set it is, and domes with little contrast are confused with their
    shadows: so pieces have more weight, and the search covers the surroundings of the previous pose.
    ``doubtful`` squares are excluded. On a chess board, the fields determine the pose better than pieces do.
    """
    if len(profiles) == 1 and profiles[0].flat:
        return camera, profiles[0]
    fine, _ = reduced(image, FINE_PIXELS)
    start = resized(camera, fine)
    edges = Edges.of(fine, board_bounds(start, profiles[0]))
    prior = lens_prior(lens, start.lens.width, start.lens.height)
    heights = [len(stack) for stack in stacks]
    sure = np.ones(len(heights))
    sure[list(doubtful)] = 0.0
    pieces = sure * np.where(np.array(heights) > 0, 1.0, _DOMES)
    # Shadows can be confused with domes on all squares alike: all domes together weigh as much as one piece.
    bare = sure * np.where(np.array(heights) > 0, 0.0, 1.0)
    weights = np.where(bare > 0, 1.0 / max(1.0, bare.sum()), sure)
    weight = _WEIGHT * len(heights) / float(weights.sum())
    choices: list[_Choice] = []
    painted: dict[_Choice, float] = {}

    def seek(near: Camera, profile: BoardProfile, squares: NDArray[np.float64]) -> None:
        there = fit_outlines(edges, near, profile, prior, heights, _CLOSER, squares)
        agrees = outline_agreement(edges, there, profile, heights, weights)
        choices.append(_Choice(agrees, there, profile))

    seek(start, profiles[0], sure)
    for far in (0.0, *_SHADOWS):
        for near in around(start, profiles[0], far) if far else (start,):
            seek(near, profiles[0], pieces)
    best, _ = _best_painted(fine, choices, stacks, painted, weight, doubtful)
    for profile, squares in product(profiles[1:], (sure, pieces)):
        seek(best.camera, profile, squares)
    best, _ = _best_painted(fine, choices, stacks, painted, weight, doubtful)
    return resized(best.camera, image), best.profile


def _by_outlines(
    edges: Edges, start: Camera, profiles: Sequence[BoardProfile], lens: LensProfile | None
) -> _Choice:
    """The set whose outlines agree best, without assuming a position."""
    choices = []
    for profile, reaches in _searches(profiles):
        start = _refit(edges, start, profile, None, reaches, lens)
        heights, _ = likely_heights(edges, start, profile)
        choices.append(_Choice(outline_agreement(edges, start, profile, heights.tolist()), start, profile))
    return max(choices, key=lambda choice: choice.score)


def _by_position(
    fine: Image,
    edges: Edges,
    start: Camera,
    profiles: Sequence[BoardProfile],
    stacks: Sequence[str],
    lens: LensProfile | None,
) -> _Choice:
    """The set and the camera with the best score for the known position; if the first fits leave a
    residual, the search continues around them.
    """
    choices: list[_Choice] = []
    painted: dict[_Choice, float] = {}

    def seek(near: Camera, profile: BoardProfile, reaches: Sequence[float], less: float = 0.0) -> Camera:
        camera, score = _refined(edges, near, profile, stacks, reaches, lens)
        choices.append(_Choice(score - less, camera, profile))
        return camera

    for profile, reaches in _searches(profiles):
        start = seek(start, profile, reaches)
    best = max(choices, key=lambda choice: choice.score)
    if best.score < _HIGH:
        # With single pieces only, one set at a lower level looks much like another one at a higher level.
        for profile, up in product(profiles, (-1, 1)):
            seek(lifted(best.camera, up * profile.rise), profile, _NEARER, _CLEARER)
    best, wrong = _best_painted(fine, choices, stacks, painted)
    # On an empty board, a wrong fit may go unnoticed: pads and shadows match its domes as well.
    bare = not any(stacks)
    if bare or misfit(edges, best.camera, best.profile, stacks) > _ASTRAY or wrong > _AMISS:
        for near in around(best.camera, best.profile, _ELSEWHERE):
            seek(near, best.profile, _CLOSER)
        there, _ = _best_painted(fine, choices, stacks, painted)
        if there is not best:
            for profile in profiles:
                if profile is not there.profile:
                    seek(there.camera, profile, _NEARER)
        best, _ = _best_painted(fine, choices, stacks, painted)
    return best


def _searches(profiles: Sequence[BoardProfile]) -> list[tuple[BoardProfile, tuple[float, ...]]]:
    """Each set with its search distances: sets differ little, so only the first needs a wide search."""
    return [(profile, _NEARER if number else _CLOSER) for number, profile in enumerate(profiles)]


def _best_painted(
    fine: Image,
    choices: Sequence[_Choice],
    stacks: Sequence[str],
    painted: dict[_Choice, float],
    weight: float = _WEIGHT,
    doubtful: Collection[int] = (),
) -> tuple[_Choice, float]:
    """The hypothesis with the best score from outlines and pixels, and its nats per pixel
    (:func:`.pixel_check.amiss`); ``weight`` is that of a nat against the agreement of the outlines.
    ``painted``: the nats that were computed so far; extended.
    """
    best, least, most = choices[0], 0.0, -np.inf
    for choice in sorted(choices, key=lambda choice: -choice.score):
        if choice.score <= most:
            # Even without any mismatch, it cannot exceed the best.
            break
        if choice not in painted:
            painted[choice] = amiss(fine, choice.camera, choice.profile, stacks, doubtful)
        wrong = painted[choice]
        if (liking := choice.score - weight * wrong) > most:
            best, least, most = choice, wrong, liking
    return best, least


def misfit(edges: Edges, camera: Camera, profile: BoardProfile, stacks: Sequence[str]) -> float:
    """Median distance, in squares, between the outlines of known stacks and the edges: up to 0.025 for the
    correct camera."""
    heights = [len(stack) for stack in stacks]
    off = np.linalg.norm(square_offsets(edges, camera, profile, heights), axis=1)
    measured = off[np.isfinite(off) & (np.array(heights) > 0)]
    return float(np.median(measured) / camera.pitch_pixels(profile)) if len(measured) else 0.0
