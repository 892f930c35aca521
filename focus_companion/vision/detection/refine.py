"""A board that was found made exact: its camera to parts of a pixel, the set that it is, and its squares."""

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
"""Searches for edges about outlines, in squares: of a guess, of a camera that is nearly right, and of one
that is right for another set."""

_ASTRAY = 0.028
"""Misfit from which a fit is tried again from :data:`_ELSEWHERE` squares away, to all sides, …"""

_AMISS, _WEIGHT = 0.02, 2.0
"""… and nats a pixel (:func:`find_painted.amiss`) from which it is as well; what each of them weighs against
the agreement of the outlines."""

_HIGH = 0.87
"""Agreement of the outlines up to which a fit is tried again with the board a piece higher or lower."""

_CLEARER = 0.008
"""By how much the outlines must agree better there."""

_ELSEWHERE = 0.27
"""How far, in squares, that is."""

_SHADOWS = 0.18, 0.36
"""How far, in squares, the shadows of domes lie beside them."""

_DOMES = 0.1
"""What a dome weighs against a piece when a pose is fitted while there are few pieces: enough to hold what
one leaves open."""


def refine(
    image: Image,
    camera: Camera,
    profile: BoardProfile,
    stacks: Sequence[str],
    lens: LensProfile | None = None,
) -> tuple[Camera, float]:
    """A nearly right camera made right by the outlines of a known position.

    Returns the camera and how well the outlines then agree with the edges (0 … 0.8); compare it between
    profiles to tell which set it is.
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
    """What is expected of the lens of pictures of that size."""
    if lens is None:
        guess = Lens.guess(width, height)
        return Prior(guess.focal, guess.distortion[0])
    known = lens.at(width, height)
    return Prior(known.focal, known.distortion[0], lens.spread, lens.distortion_spread)


def fitted(edges: Edges, camera: Camera, profile: BoardProfile, lens: LensProfile | None = None) -> Camera:
    """A guessed camera of a reduced picture after fitting whatever outlines agree."""
    return _refit(edges, camera, profile, None, _COARSE, lens)


@dataclass(frozen=True, slots=True)
class _Choice:
    """A camera of the fine picture and a set that may be the right ones; how well their outlines agree."""

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
    """Sub-pixel refinement, the choice of profile, and the turn where the position does not tell."""
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
    """The pose and the set by the first pieces on a board that was found empty, at least one of them.

    An empty board does not tell the set, and where its domes hardly differ from their ground, their shadows
    pass for them: so pieces weigh more, and the board is looked for around where it seemed to lie.
    ``doubtful`` squares are left out. The fields of a chess board tell its pose better than pieces do.
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
    # A shadow passes for its dome on all squares alike: together the domes tell no more than one piece.
    bare = sure * np.where(np.array(heights) > 0, 0.0, 1.0)
    told = np.where(bare > 0, 1.0 / max(1.0, bare.sum()), sure)
    weight = _WEIGHT * len(heights) / float(told.sum())
    choices: list[_Choice] = []

    def seek(near: Camera, profile: BoardProfile, squares: NDArray[np.float64]) -> None:
        there = fit_outlines(edges, near, profile, prior, heights, _CLOSER, squares)
        agrees = outline_agreement(edges, there, profile, heights, told)
        choices.append(_Choice(agrees, there, profile))

    seek(start, profiles[0], sure)
    for far in (0.0, *_SHADOWS):
        for near in around(start, profiles[0], far) if far else (start,):
            seek(near, profiles[0], pieces)
    best, _ = _best_painted(fine, choices, stacks, weight, doubtful)
    for profile, squares in product(profiles[1:], (sure, pieces)):
        seek(best.camera, profile, squares)
    best, _ = _best_painted(fine, choices, stacks, weight, doubtful)
    return resized(best.camera, image), best.profile


def _by_outlines(
    edges: Edges, start: Camera, profiles: Sequence[BoardProfile], lens: LensProfile | None
) -> _Choice:
    """The set whose outlines, whatever stands on the squares, agree best."""
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
    """The set and camera that show the known position best, sought around the first fits where those leave
    something amiss.
    """
    choices: list[_Choice] = []

    def seek(near: Camera, profile: BoardProfile, reaches: Sequence[float], less: float = 0.0) -> Camera:
        camera, score = _refined(edges, near, profile, stacks, reaches, lens)
        choices.append(_Choice(score - less, camera, profile))
        return camera

    for profile, reaches in _searches(profiles):
        start = seek(start, profile, reaches)
    best = max(choices, key=lambda choice: choice.score)
    if best.score < _HIGH:
        # Where all pieces are single, one set on a board too low looks much like another on a higher one.
        for profile, up in product(profiles, (-1, 1)):
            seek(lifted(best.camera, up * profile.rise), profile, _NEARER, _CLEARER)
    best, wrong = _best_painted(fine, choices, stacks)
    # An empty board has only its domes to tell a fit that has gone astray, which pads or shadows suit too.
    bare = not any(stacks)
    if bare or misfit(edges, best.camera, best.profile, stacks) > _ASTRAY or wrong > _AMISS:
        for near in around(best.camera, best.profile, _ELSEWHERE):
            seek(near, best.profile, _CLOSER)
        there, _ = _best_painted(fine, choices, stacks)
        if there is not best:
            for profile in profiles:
                if profile is not there.profile:
                    seek(there.camera, profile, _NEARER)
        best, _ = _best_painted(fine, choices, stacks)
    return best


def _searches(profiles: Sequence[BoardProfile]) -> list[tuple[BoardProfile, tuple[float, ...]]]:
    """Each set with how far to search for it: sets differ little, so only the first needs it widely."""
    return [(profile, _NEARER if number else _CLOSER) for number, profile in enumerate(profiles)]


def _best_painted(
    fine: Image,
    choices: Sequence[_Choice],
    stacks: Sequence[str],
    weight: float = _WEIGHT,
    doubtful: Collection[int] = (),
) -> tuple[_Choice, float]:
    """The choice that explains the picture best, outlines and pixels taken together, and how much is amiss
    with it; ``weight`` is what a nat a pixel weighs against the agreement of the outlines.
    """
    best, least, most = choices[0], 0.0, -np.inf
    for choice in sorted(choices, key=lambda choice: -choice.score):
        if choice.score <= most:
            # However well it is painted, it cannot come up to the best.
            break
        wrong = amiss(fine, choice.camera, choice.profile, stacks, doubtful)
        if (liking := choice.score - weight * wrong) > most:
            best, least, most = choice, wrong, liking
    return best, least


def misfit(edges: Edges, camera: Camera, profile: BoardProfile, stacks: Sequence[str]) -> float:
    """By how much the outlines of known stacks lie beside the edges, in squares, on the median: up to 0.025
    where the camera is right."""
    heights = [len(stack) for stack in stacks]
    off = np.linalg.norm(square_offsets(edges, camera, profile, heights), axis=1)
    told = off[np.isfinite(off) & (np.array(heights) > 0)]
    return float(np.median(told) / camera.pitch_pixels(profile)) if len(told) else 0.0
