"""Find the board in a reduced picture: fit the most likely candidates and keep the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..geometry.lens_profiles import LensProfile
from ..geometry.orientation import like_its_mirror_image, mirrored_stacks
from ..geometry.pose import turned
from ..geometry.resize import resized
from ..geometry.scene import BoardProfile, Camera
from .candidates import CandidateSearch
from .edge_fit import outline_agreement
from .edges import Edges
from .moulded import moulded_evidence
from .quarter_turn import colour_agreement, top_chroma
from .refine import fitted
from .scored_fit import SHOWS, ScoredFit
from .site_classifier import board_odds

Image = NDArray[np.uint8]

_FITTED = 6
"""Number of candidates, the most likely ones, that are fitted."""

_ATTEMPTS = 3
"""Maximum number of further fits until the most regular candidate converges."""

_GAIN = 1.6
"""Upper bound of what fitting adds to the log odds."""


class BoardSearch:
    """The search for a board in a reduced picture; ``stacks``, if given, determine its orientation."""

    def __init__(
        self,
        image: Image,
        profile: BoardProfile,
        stacks: Sequence[str] | None,
        lens: LensProfile | None,
    ) -> None:
        self._image, self._profile, self._lens = image, profile, lens
        # On an empty board, nothing determines place and orientation better than the lattice does.
        self._stacks = stacks if stacks is not None and any(stacks) else None
        # There may be few pieces on a chess board, and the domes of an empty board may have little contrast.
        self._cold = stacks is None and not profile.flat
        chiral = self._stacks is not None and not like_its_mirror_image(self._stacks)
        self._mirror = mirrored_stacks(self._stacks) if self._stacks is not None and chiral else None
        self._edges = Edges.of(image)
        self._search = CandidateSearch(image, profile, lens)
        self._odds: dict[int, float] = {}
        self._fits: dict[int, ScoredFit] = {}

    def best(self, levels: Sequence[int] | None = None) -> ScoredFit | None:
        """The best fitted candidate; only from blobs of the radii ``levels``, if given."""
        best: ScoredFit | None = None
        tried: ScoredFit | None = None
        for level in self._search.levels() if levels is None else levels:
            self._search.look(level)
            best = self._likeliest()
            if best is not None and best.likely and not best.clear and best is not tried:
                # Pieces alone may form the lattice, and the true position may be a square beside it.
                tried, best = best, self._clearer(best)
            if best is not None and best.clear:
                break
        return best

    def _clearer(self, fit: ScoredFit) -> ScoredFit:
        """The neighbour of the fit if that one is certain, otherwise the fit."""
        beside = self.beside(fit)
        return beside if beside.clear else fit

    def best_of_finer(self) -> ScoredFit | None:
        """The best fitted candidate once lattices of which half the sites were missed are completed."""
        return self._likeliest() if self._search.look_finer() else None

    def best_of_regular(self, best: ScoredFit | None) -> ScoredFit | None:
        """The best so far or, if better, a fit that starts from the candidates with the highest scores,
        whatever their odds: next to another lattice, a candidate that is half a square off at its far end has
        low odds and does not converge at the first attempt.
        """
        regular = [self._fitted(guess) for guess in self._search.likeliest()[:_FITTED]]
        # Before it has converged, the known position is a better criterion than its odds.
        nearest = max(regular, key=lambda fit: fit.odds if fit.shows is None else fit.shows, default=None)
        for _ in range(_ATTEMPTS):
            if nearest is None or nearest.clear:
                break
            nearer = self._fit(nearest.camera)
            if nearer.liking <= nearest.liking:
                break
            nearest = nearer
        both = [fit for fit in (best, nearest) if fit is not None]
        return max(both, key=lambda fit: fit.liking, default=None)

    def beside(self, fit: ScoredFit) -> ScoredFit:
        """The fit, or one shifted by a square that shows the known position better: if domes have little
        contrast, pieces alone form the lattice, and there are as many in the next row.
        """
        if self._stacks is None or fit.mirrored:
            return fit
        camera, best = resized(fit.camera, self._image), fit
        places = [
            _turn_to(self._image, self._edges, place, self._profile, self._stacks)
            for place in places_beside(camera, self._profile)
        ]
        there, shows = max(places, key=lambda place: place[1])
        if shows > (fit.shows or 0.0):
            moved = self._fit(there)
            best = moved if moved.liking > fit.liking else fit
        return best

    def on_most_domes(self, fit: ScoredFit) -> ScoredFit:
        """The fit of an empty board, or one a square beside it where more domes show: on one side of a board
        that is off by a square there are none, and a label or a corner may look as regular.
        """
        profile, bare = self._profile, [0] * len(self._profile.centres)

        def domes(place: Camera) -> float:
            return outline_agreement(self._edges, place, profile, bare)

        camera = resized(fit.camera, self._image)
        best = max([camera, *places_beside(camera, profile)], key=domes)
        # The lattice has already shown that there is a board: only its place on the lattice changes.
        return fit if best is camera else replace(fit, camera=self._fit(best).camera)

    def _likeliest(self) -> ScoredFit | None:
        odds = self._odds
        maybe = self._search.likeliest()
        for guess in maybe:
            if id(guess) not in odds:
                odds[id(guess)] = board_odds(self._edges, guess, self._profile)
        maybe.sort(key=lambda guess: -odds[id(guess)])
        # Candidates that better ones have displaced since are no longer considered.
        best: ScoredFit | None = None
        for guess in maybe[:_FITTED]:
            if best is not None and odds[id(guess)] + (0 if best.clear else _GAIN) < best.odds:
                break
            now = self._fitted(guess)
            if best is None or now.liking > best.liking:
                best = now
        return best

    def _fitted(self, guess: Camera) -> ScoredFit:
        if id(guess) not in self._fits:
            self._fits[id(guess)] = self._fit(guess)
        return self._fits[id(guess)]

    def _fit(self, guess: Camera) -> ScoredFit:
        camera = fitted(self._edges, guess, self._profile, self._lens)
        odds = board_odds(self._edges, camera, self._profile)
        if self._stacks is None:
            cold = moulded_evidence(self._image, self._edges, camera, self._profile) if self._cold else None
            return ScoredFit(camera, odds, None, cold)
        turn, shows = _turn_to(self._image, self._edges, camera, self._profile, self._stacks)
        if self._mirror is not None and shows <= SHOWS:
            other, reverse = _turn_to(self._image, self._edges, camera, self._profile, self._mirror)
            if reverse > SHOWS:
                return ScoredFit(other, odds, reverse, mirrored=True)
        return ScoredFit(turn, odds, shows)


def _turn_to(
    image: Image, edges: Edges, camera: Camera, profile: BoardProfile, stacks: Sequence[str]
) -> tuple[Camera, float]:
    """The quarter turn at which the known position agrees best, and that agreement (about -1 … 2)."""
    heights = [len(stack) for stack in stacks]
    tops = [stack[-1:] for stack in stacks]
    choices = []
    for quarters in range(4):
        turn = turned(camera, quarters)
        # Unless the set's shades are known, the pieces on a chess board may have any.
        shown, any_shades = top_chroma(image, turn, profile, heights), profile.flat and not profile.shades
        colours = colour_agreement(shown, tops, profile.shades, any_shades=any_shades)
        choices.append((outline_agreement(edges, turn, profile, heights) + colours, turn))
    shows, turn = max(choices, key=lambda choice: choice[0])
    return turn, shows


def places_beside(camera: Camera, profile: BoardProfile) -> list[Camera]:
    """The poses at which the board lies a square from where ``camera`` sees it, in all eight directions."""
    steps = [(x, y) for x, y in product((-1, 0, 1), repeat=2) if x or y]
    return [turned(camera, 0, (x * profile.pitch, y * profile.pitch)) for x, y in steps]
