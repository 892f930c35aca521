"""Refines a detected board: the camera to subpixel accuracy, the set, and the place on the lattice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ..arrays import Floats
from ..capture.frames import Image
from ..geometry.lens_profiles import LensProfile
from ..geometry.orientation import upright
from ..geometry.pose import Prior, displaced_cameras, lifted
from ..geometry.resize import FINE_PIXELS, reduced, resized
from ..geometry.scene import BoardProfile, Camera, Lens
from .dome_shading import best_shaded, shading_misfit
from .edge_fit import fit_outlines, likely_stacks, outline_agreement, square_offsets
from .edges import Edges, board_bounds
from .pixel_aspect import PixelAspects, with_aspect
from .pixel_check import pixel_mismatch

_CANDIDATE_REACHES = (0.25, 0.18, 0.12)
"""Search distances around the outlines of a rough candidate, in squares, one per iteration."""
APPROXIMATE_REACHES = (0.22, 0.15, 0.1, 0.07, 0.05)
"""The same for an approximate camera."""
_NEARBY_REACHES = APPROXIMATE_REACHES[2:]
"""The same for a camera that was fitted with another set, or by shading."""

_MAX_MISFIT = 0.028
"""Misfit (:func:`misfit`) above which the fit is repeated from displaced starting points."""

MAX_MISMATCH = 0.02
"""Nats per pixel (:func:`.pixel_check.pixel_mismatch`) above which the fit is repeated as well."""

MISMATCH_WEIGHT = 2.0
"""Weight of a nat per pixel against the agreement of the outlines."""

RESTART_DISTANCE = 0.27
"""Distance, in squares, of the displaced starting points of a fit that does not agree."""

_GOOD_AGREEMENT = 0.87
"""Agreement of the outlines below which fits with the board a piece higher or lower are tried."""

_LIFT_PENALTY = 0.008
"""Penalty of a fit with the board a piece higher or lower, in agreement of the outlines."""


_SHADOW_DISTANCES = 0.18, 0.36
"""Distances, in squares, between domes and their shadows."""

_DOME_WEIGHT = 0.1
"""Weight of a dome relative to a piece in a fit to few pieces: enough to constrain what a single piece leaves
open."""


def refine(
    image: Image,
    camera: Camera,
    profile: BoardProfile,
    stacks: Sequence[str],
    lens: LensProfile | None = None,
) -> tuple[Camera, float]:
    """Fit an approximate camera to the outlines of a known position.

    Returns the camera and the agreement of the outlines with the edges (0 … 0.8), which is highest for the
    profile of the right set.
    """
    fine, _ = reduced(image, FINE_PIXELS)
    start = resized(camera, fine)
    edges = Edges.of(fine, board_bounds(start, profile))
    prior = lens_prior(lens, start.lens)
    final, agreement = _refined(edges, start, profile, stacks, APPROXIMATE_REACHES, prior)
    return resized(final, image), agreement


def _refined(
    edges: Edges,
    camera: Camera,
    profile: BoardProfile,
    stacks: Sequence[str],
    reaches: Sequence[float],
    prior: Prior,
) -> tuple[Camera, float]:
    heights = [len(stack) for stack in stacks]
    final = fit_outlines(edges, camera, profile, prior, heights, reaches)
    return final, outline_agreement(edges, final, profile, heights)


def lens_prior(profile: LensProfile | None, lens: Lens) -> Prior:
    """Prior of the lens parameters for pictures of the size of those of ``lens``."""
    if profile is None:
        guess = Lens.guess(lens.width, lens.height)
        return Prior(guess.focal, guess.distortion[0])
    known = profile.at(lens.width, lens.height)
    return Prior(known.focal, known.distortion[0], profile.spread, profile.distortion_spread)


def fitted(edges: Edges, camera: Camera, profile: BoardProfile, lens: LensProfile | None = None) -> Camera:
    """A candidate camera of a reduced picture, fitted without assuming a position."""
    return fit_outlines(edges, camera, profile, lens_prior(lens, camera.lens), None, _CANDIDATE_REACHES)


@dataclass(frozen=True, slots=True)
class _Hypothesis:
    """A hypothesis: a camera of the fine picture, a set, and the agreement of their outlines."""

    score: float
    camera: Camera
    profile: BoardProfile


def refine_detection(
    image: Image,
    camera: Camera,
    profiles: Sequence[BoardProfile],
    stacks: Sequence[str] | None,
    rank1: str,
    lens: LensProfile | None,
) -> tuple[Camera, BoardProfile]:
    """The camera refined to subpixel accuracy, and the best profile; ``rank1`` determines the orientation if
    the position is unknown.
    """
    fine, _ = reduced(image, FINE_PIXELS)
    start = resized(camera, fine)
    edges, prior = Edges.of(fine, board_bounds(start, profiles[0])), lens_prior(lens, start.lens)
    if stacks is None:
        start = upright(start, profiles[0], [""] * len(profiles[0].centres), rank1)
        best = _by_outlines(edges, start, profiles, prior)
    else:
        aspects = PixelAspects() if lens else PixelAspects.of(image.shape[1], image.shape[0])
        search = _PositionSearch(fine, edges, profiles, stacks, prior)
        best = _by_position(search, start, aspects)
    return resized(best.camera, image), best.profile


def refine_by_pieces(
    image: Image,
    camera: Camera,
    profiles: Sequence[BoardProfile],
    stacks: Sequence[str],
    lens: LensProfile | None,
    doubtful: Collection[int] = (),
) -> tuple[Camera, BoardProfile, float]:
    """Pose and set from the first pieces (at least one) on a board that was empty when it was detected, and
    how well they explain the picture: the agreement of the outlines (0 … 0.8), less what the pixels say.

    An empty board does not show which set it is, and the shadows of domes may be mistaken for domes with
    little contrast: so pieces have more weight, and the search covers the surroundings of the previous pose.
    ``doubtful`` squares are excluded. A chess board keeps its pose, which its fields determine better than
    pieces do.
    """
    if len(profiles) == 1 and profiles[0].flat:
        return camera, profiles[0], 0.0
    fine, _ = reduced(image, FINE_PIXELS)
    start = resized(camera, fine)
    edges = Edges.of(fine, board_bounds(start, profiles[0]))
    prior = lens_prior(lens, start.lens)
    heights = [len(stack) for stack in stacks]
    sure = np.ones(len(heights))
    sure[list(doubtful)] = 0.0
    pieces = sure * np.where(np.array(heights) > 0, 1.0, _DOME_WEIGHT)
    # Shadows may be mistaken for domes on all squares alike: all domes together weigh as much as one piece.
    bare = sure * np.where(np.array(heights) > 0, 0.0, 1.0)
    weights = np.where(bare > 0, 1.0 / max(1.0, bare.sum()), sure)
    weight = MISMATCH_WEIGHT * len(heights) / float(weights.sum())
    choices: list[_Hypothesis] = []
    mismatches: dict[_Hypothesis, float] = {}

    def seek(near: Camera, profile: BoardProfile, squares: Floats) -> None:
        fitted_camera = fit_outlines(edges, near, profile, prior, heights, APPROXIMATE_REACHES, squares)
        agreement = outline_agreement(edges, fitted_camera, profile, heights, weights)
        choices.append(_Hypothesis(agreement, fitted_camera, profile))

    seek(start, profiles[0], sure)
    for far in (0.0, *_SHADOW_DISTANCES):
        for near in displaced_cameras(start, profiles[0], far) if far else (start,):
            seek(near, profiles[0], pieces)
    best, _ = _best_rendered(fine, choices, stacks, mismatches, weight, doubtful)
    for profile, squares in product(profiles[1:], (sure, pieces)):
        seek(best.camera, profile, squares)
    best, mismatch = _best_rendered(fine, choices, stacks, mismatches, weight, doubtful)
    return resized(best.camera, image), best.profile, best.score - weight * mismatch


def _by_outlines(edges: Edges, start: Camera, profiles: Sequence[BoardProfile], prior: Prior) -> _Hypothesis:
    """The set and the camera whose outlines agree best, without assuming a position."""
    choices = []
    for profile, reaches in _searches(profiles):
        start = fit_outlines(edges, start, profile, prior, None, reaches)
        heights, _, _ = likely_stacks(edges, start, profile)
        choices.append(
            _Hypothesis(outline_agreement(edges, start, profile, heights.tolist()), start, profile)
        )
    return max(choices, key=lambda choice: choice.score)


def _by_position(search: _PositionSearch, start: Camera, aspects: PixelAspects) -> _Hypothesis:
    """The set and the camera with the best score for the known position; if the first fits leave a
    residual, the search continues around them.
    """
    best, mismatch = search.around(start)
    if not any(search.stacks):
        return search.by_shading(best)
    other = search.with_other_pixels(best, aspects)
    if other is not None and search.converged(*other):
        return other[0]
    if search.converged(best, mismatch):
        return best
    restarted = search.restarted(best)
    if restarted is not best:
        best, other = restarted, search.with_other_pixels(restarted, aspects)
    # Even if nothing has converged, the likelier pixels are the better guess.
    return best if other is None else other[0]


class _PositionSearch:
    """Fits of the sets to a known position in a fine picture, and the best of them so far."""

    def __init__(
        self,
        fine: Image,
        edges: Edges,
        profiles: Sequence[BoardProfile],
        stacks: Sequence[str],
        prior: Prior,
    ) -> None:
        self._fine, self._edges, self._profiles = fine, edges, profiles
        self.stacks, self._prior = stacks, prior
        self._choices: list[_Hypothesis] = []
        self._mismatches: dict[_Hypothesis, float] = {}

    def around(self, start: Camera) -> tuple[_Hypothesis, float]:
        """The best hypothesis of fits from ``start``, and its mismatch."""
        for profile, reaches in _searches(self._profiles):
            start = self._seek(start, profile, reaches)
        best = max(self._choices, key=lambda choice: choice.score)
        if best.score < _GOOD_AGREEMENT:
            # With single pieces only, one set at a lower level looks much like another at a higher level.
            for profile, up in product(self._profiles, (-1, 1)):
                near = lifted(best.camera, up * profile.rise)
                self._seek(near, profile, _NEARBY_REACHES, _LIFT_PENALTY)
        return self._best(self._choices)

    def with_other_pixels(
        self, found: _Hypothesis, aspects: PixelAspects
    ) -> tuple[_Hypothesis, float] | None:
        """The best hypothesis with another of the ``aspects``, and its mismatch; ``None`` if it is less
        likely.
        """
        heights = [len(stack) for stack in self.stacks]
        near = with_aspect(
            self._edges, found.camera, found.profile, self._prior, heights, APPROXIMATE_REACHES, aspects
        )
        if near is found.camera:
            return None
        return self._best([self._fitted(near, profile, _NEARBY_REACHES) for profile in self._profiles])

    def restarted(self, best: _Hypothesis) -> _Hypothesis:
        """The best hypothesis after further fits that start around ``best``, which has not converged."""
        for near in displaced_cameras(best.camera, best.profile, RESTART_DISTANCE):
            self._seek(near, best.profile, APPROXIMATE_REACHES)
        restarted, _ = self._best(self._choices)
        if restarted is best:
            return best
        for profile in self._profiles:
            if profile is not restarted.profile:
                self._seek(restarted.camera, profile, _NEARBY_REACHES)
        return self._best(self._choices)[0]

    def by_shading(self, found: _Hypothesis) -> _Hypothesis:
        """The pose of an empty moulded board by outlines and shading: outlines alone match pads and
        shadows.
        """
        profile, shaded = found.profile, best_shaded(self._fine, found.camera, found.profile)
        starts: tuple[tuple[Camera, Sequence[float]], ...]
        # Without search distances, a camera is judged as it is.
        starts = (found.camera, ()), (shaded, ()), (shaded, _NEARBY_REACHES)
        choices = [self._fitted(near, profile, reaches) for near, reaches in starts]
        return max(choices, key=lambda each: each.score - shading_misfit(self._fine, each.camera, profile))

    def converged(self, choice: _Hypothesis, mismatch: float) -> bool:
        """Whether outlines and pixels leave no more than the usual residual."""
        off = misfit(self._edges, choice.camera, choice.profile, self.stacks)
        return off <= _MAX_MISFIT and mismatch <= MAX_MISMATCH

    def _seek(
        self, near: Camera, profile: BoardProfile, reaches: Sequence[float], penalty: float = 0.0
    ) -> Camera:
        found = self._fitted(near, profile, reaches)
        self._choices.append(_Hypothesis(found.score - penalty, found.camera, profile))
        return found.camera

    def _fitted(self, near: Camera, profile: BoardProfile, reaches: Sequence[float]) -> _Hypothesis:
        camera, score = _refined(self._edges, near, profile, self.stacks, reaches, self._prior)
        return _Hypothesis(score, camera, profile)

    def _best(self, choices: Sequence[_Hypothesis]) -> tuple[_Hypothesis, float]:
        return _best_rendered(self._fine, choices, self.stacks, self._mismatches)


def _searches(profiles: Sequence[BoardProfile]) -> list[tuple[BoardProfile, tuple[float, ...]]]:
    """Each set with its search distances: sets differ little, so only the first needs a wide search."""
    return [
        (profile, _NEARBY_REACHES if number else APPROXIMATE_REACHES)
        for number, profile in enumerate(profiles)
    ]


def _best_rendered(
    fine: Image,
    choices: Sequence[_Hypothesis],
    stacks: Sequence[str],
    mismatches: dict[_Hypothesis, float],
    weight: float = MISMATCH_WEIGHT,
    doubtful: Collection[int] = (),
) -> tuple[_Hypothesis, float]:
    """The hypothesis with the best score from outlines and pixels, and its mismatch in nats per pixel
    (:func:`.pixel_check.pixel_mismatch`). ``weight`` is that of a nat against the agreement of the outlines;
    ``mismatches`` holds those computed by earlier calls, and is extended.
    """
    best, best_mismatch, best_score = choices[0], 0.0, -np.inf
    for choice in sorted(choices, key=lambda choice: -choice.score):
        if choice.score <= best_score:
            # Even without any mismatch, it cannot exceed the best.
            break
        if choice not in mismatches:
            mismatches[choice] = pixel_mismatch(fine, choice.camera, choice.profile, stacks, doubtful)
        mismatch = mismatches[choice]
        if (score := choice.score - weight * mismatch) > best_score:
            best, best_mismatch, best_score = choice, mismatch, score
    return best, best_mismatch


def misfit(edges: Edges, camera: Camera, profile: BoardProfile, stacks: Sequence[str]) -> float:
    """Median distance, in squares, between the outlines of known stacks and the edges: up to 0.025 for the
    correct camera.
    """
    heights = [len(stack) for stack in stacks]
    off = np.linalg.norm(square_offsets(edges, camera, profile, heights), axis=1)
    measured = off[np.isfinite(off) & (np.array(heights) > 0)]
    return float(np.median(measured) / camera.pitch_pixels(profile)) if len(measured) else 0.0
