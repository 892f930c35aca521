"""Finds the board in a reduced picture: fits the most likely candidates and keeps the best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice, product

import numpy as np

from ..capture.frames import Image
from ..geometry.lens_profiles import LensProfile
from ..geometry.orientation import looks_mirror_symmetric, mirrored_stacks
from ..geometry.pose import pushed, turned
from ..geometry.resize import resized
from ..geometry.scene import BoardProfile, Camera
from .candidates import CandidateSearch
from .coloured_pieces import colour_odds
from .edge_fit import outline_agreement
from .edges import Edges
from .moulded import moulded_evidence
from .quarter_turn import colour_agreement, top_tints
from .refine import fitted
from .scored_fit import CERTAIN_AGREEMENT, ScoredFit
from .site_classifier import board_odds

_MAX_FITTED = 6
"""Maximum number of candidates that are fitted, the most likely ones."""

_MAX_TRIED_FIRST = 10
"""Number of the most regular candidates that are tried first if the position is known. In 60 pictures, the
board was among the first nine. Lowering it below that takes time; it changes no result."""

_MAX_EXTRA_FITS = 3
"""Maximum number of further fits of the most regular candidate, if it has not converged."""

_MAX_FIT_GAIN = 1.6
"""Upper bound on the increase of the log odds by fitting."""


_MAX_DISPLACED = 2
"""Number of the most regular candidates that are displaced if nothing else is likely; each takes a quarter of
a second."""

_DISPLACEMENTS = (-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3)
"""Displacements along each axis, in squares: by up to the distance of a shadow's middle from its dome, in
steps from which a fit converges."""


class BoardSearch:
    """The search for a board in a reduced picture; ``stacks``, if given, determine its orientation."""

    def __init__(
        self, image: Image, profile: BoardProfile, stacks: Sequence[str] | None, lens: LensProfile | None
    ) -> None:
        self._image, self._profile, self._lens = image, profile, lens
        # On an empty board, the known position does not constrain the pose further than the lattice does.
        self._stacks = stacks if stacks is not None and any(stacks) else None
        # Not for a chess board, which may hold few pieces, nor for a board known to be empty, whose domes may
        # have little contrast.
        self._check_moulded = stacks is None and not profile.flat
        chiral = self._stacks is not None and not looks_mirror_symmetric(self._stacks)
        self._mirror = mirrored_stacks(self._stacks) if self._stacks is not None and chiral else None
        self._edges = Edges.of(image)
        self._search = CandidateSearch(image, profile, lens)
        self._odds: dict[int, float] = {}
        self._fits: dict[int, ScoredFit] = {}
        self._neighbours: dict[int, ScoredFit] = {}

    def best(self, levels: Iterable[int] | None = None, *, most: int | None = None) -> ScoredFit | None:
        """The best fitted candidate; only from blobs of the radii ``levels``, if given, or of so many radii
        at most, the most promising ones.
        """
        best: ScoredFit | None = None
        for level in islice(self._search.levels() if levels is None else levels, most):
            self._search.collect(level)
            best = self._best_fit()
            if best is not None and best.certain:
                break
        return best

    def best_of_finer(self) -> ScoredFit | None:
        """The best fitted candidate after completing the lattices of which every second site was missed."""
        return self._best_fit() if self._search.collect_finer() else None

    def best_of_regular(self, best: ScoredFit | None) -> ScoredFit | None:
        """The best so far or, if better, a fit that starts from the most regular candidates, whatever their
        odds: a candidate distorted by a neighbouring lattice, and so half a square off at its far end, has
        low odds and does not converge at the first attempt.
        """
        regular = [self._fitted(candidate) for candidate in self._search.best()[:_MAX_FITTED]]
        # Before it has converged, the known position is a better criterion than its odds.
        nearest = max(
            regular, key=lambda fit: fit.odds if fit.agreement is None else fit.agreement, default=None
        )
        for _ in range(_MAX_EXTRA_FITS):
            if nearest is None or nearest.certain:
                break
            nearer = self._fit(nearest.camera)
            if nearer.score <= nearest.score:
                break
            nearest = nearer
        both = [fit for fit in (best, nearest) if fit is not None]
        return max(both, key=lambda fit: fit.score, default=None)

    def best_displaced(self, best: ScoredFit | None) -> ScoredFit | None:
        """The best so far or, if it has higher odds, a fit that starts a fraction of a square beside it or
        beside one of the most regular candidates: under hard shadows, the blobs lie beside the domes, all on
        the same side and too far away for the fit to converge.
        """
        starts = [] if best is None else [resized(best.camera, self._image)]
        if best is None or not best.likely:
            starts += self._search.best()[:_MAX_DISPLACED]
        shifts = list(product(_DISPLACEMENTS, repeat=2))
        places = [place for start in starts for place in _displaced(start, self._profile, shifts)]
        if not places:
            return best
        place = max(places, key=lambda place: board_odds(self._edges, place, self._profile))
        fit = self._fit(place)
        return fit if fit.confident and (best is None or fit.score > best.score) else best

    def best_shifted(self, fit: ScoredFit) -> ScoredFit:
        """The fit, or one shifted by a square that agrees better with the known position: if domes have
        little contrast, pieces alone form the lattice, and the next row holds as many of them.
        """
        if self._stacks is None or fit.mirrored:
            return fit
        shifted, agreement = None, fit.agreement or 0.0
        for place in neighbouring_poses(resized(fit.camera, self._image), self._profile):
            turn, reached = self._best_quarter_turn(place, self._stacks, agreement)
            if turn is not None:
                shifted, agreement = turn, reached
        moved = fit if shifted is None else self._fit(shifted)
        return moved if moved.score > fit.score else fit

    def on_most_domes(self, fit: ScoredFit) -> ScoredFit:
        """The fit of an empty board, or one shifted by a square that covers more domes: a fit that is off by
        a square has none along one side, where a label or a corner of the board may look as regular.
        """
        profile, bare = self._profile, [0] * len(self._profile.centres)

        def domes(place: Camera) -> float:
            return outline_agreement(self._edges, place, profile, bare)

        camera = resized(fit.camera, self._image)
        best = max([camera, *neighbouring_poses(camera, profile)], key=domes)
        # That there is a board is already established: only its place on the lattice changes.
        return fit if best is camera else replace(fit, camera=self._fit(best).camera)

    def _best_fit(self) -> ScoredFit | None:
        """The best fit of the candidates so far. A certain one of a known position ends the search, so the
        most regular candidates are tried first.
        """
        candidates = self._search.best()
        best = self._best_fit_of(candidates if self._stacks is None else candidates[:_MAX_TRIED_FIRST])
        if self._stacks is not None and (best is None or not best.certain):
            best = self._best_fit_of(candidates)
        return best

    def _best_fit_of(self, candidates: Sequence[Camera]) -> ScoredFit | None:
        """The best fit of these candidates, of which only the most likely ones are fitted."""
        odds = self._odds
        for candidate in candidates:
            if id(candidate) not in odds:
                odds[id(candidate)] = board_odds(self._edges, candidate, self._profile)
        # Candidates that better ones have since displaced are no longer considered.
        best: ScoredFit | None = None
        for candidate in sorted(candidates, key=lambda candidate: -odds[id(candidate)])[:_MAX_FITTED]:
            if best is not None and odds[id(candidate)] + (0 if best.certain else _MAX_FIT_GAIN) < best.odds:
                break
            fit = self._fitted(candidate)
            if best is None:
                # The others are mostly on the same lattice, right or shifted.
                best = self._certain_neighbour_or(fit)
            elif fit.score > best.score:
                best = fit
        return None if best is None else self._certain_neighbour_or(best)

    def _certain_neighbour_or(self, fit: ScoredFit) -> ScoredFit:
        """The fit or, if pieces alone may form its lattice and the board in fact lies one square further, the
        one shifted by a square, if that is certain.
        """
        if not fit.likely or fit.certain:
            return fit
        if id(fit) not in self._neighbours:
            shifted = self.best_shifted(fit)
            self._neighbours[id(fit)] = shifted if shifted.certain else fit
        return self._neighbours[id(fit)]

    def _fitted(self, candidate: Camera) -> ScoredFit:
        if id(candidate) not in self._fits:
            self._fits[id(candidate)] = self._fit(candidate)
        return self._fits[id(candidate)]

    def _fit(self, candidate: Camera) -> ScoredFit:
        camera = fitted(self._edges, candidate, self._profile, self._lens)
        odds = board_odds(self._edges, camera, self._profile)
        if self._stacks is None:
            if not self._check_moulded:
                return ScoredFit(camera, odds, None)
            moulded = moulded_evidence(self._image, self._edges, camera, self._profile)
            return ScoredFit(camera, odds, None, moulded, colour_odds(self._image, camera, self._profile))
        turn, agreement = self._best_quarter_turn(camera, self._stacks)
        if self._mirror is not None and agreement <= CERTAIN_AGREEMENT:
            other, reverse = self._best_quarter_turn(camera, self._mirror, CERTAIN_AGREEMENT)
            if other is not None:
                return ScoredFit(other, odds, reverse, mirrored=True)
        return ScoredFit(turn or camera, odds, agreement)

    def _best_quarter_turn(
        self, camera: Camera, stacks: Sequence[str], above: float = -np.inf
    ) -> tuple[Camera | None, float]:
        """The quarter turn at which these stacks agree best, and that agreement (about -1 … 2); ``None`` if
        it does not exceed ``above``.
        """
        profile = self._profile
        heights = [len(stack) for stack in stacks]
        tops = [stack[-1:] for stack in stacks]
        # Unless the set's shades are known, the pieces on a chess board may have any shades.
        any_shades = profile.flat and not profile.shades
        turns = [turned(camera, quarters) for quarters in range(4)]
        shown = [top_tints(self._image, turn, profile, heights) for turn in turns]
        colours = [colour_agreement(tint, tops, profile.shades, any_shades=any_shades) for tint in shown]
        best: Camera | None = None
        # Colours take less time to compare than outlines, and mostly exclude three of the turns.
        for by_colours, turn in sorted(zip(colours, turns, strict=True), key=lambda pair: -pair[0]):
            if by_colours + 1 <= above:
                # No outlines agree by more than 1.
                break
            agreement = outline_agreement(self._edges, turn, profile, heights) + by_colours
            if agreement > above:
                best, above = turn, agreement
        return best, above


def _displaced(camera: Camera, profile: BoardProfile, shifts: Iterable[tuple[float, ...]]) -> list[Camera]:
    """The poses of a board displaced by each of these shifts (x, y), in squares."""
    return [pushed(camera, x * profile.pitch, y * profile.pitch) for x, y in shifts]


def neighbouring_poses(camera: Camera, profile: BoardProfile) -> list[Camera]:
    """The poses of a board shifted by one square in each of the eight directions."""
    return _displaced(camera, profile, [(x, y) for x, y in product((-1, 0, 1), repeat=2) if x or y])
