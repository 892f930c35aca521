"""Find the board in a single picture: no markers, no corners by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..geometry.lens_profiles import LensProfile
from ..geometry.orientation import SIDES, upright
from ..geometry.pose import turned
from ..geometry.resize import FINE_PIXELS, reduced, resized
from ..geometry.scene import BoardProfile, Camera
from .blobs import WORK_PIXELS
from .candidates import SMALLER, Search
from .chess_board import find_chess_board
from .edge_fit import outline_agreement
from .edges import Edges
from .quarter_turn import colour_agreement, top_chroma
from .refine import fitted, made_exact
from .site_classifier import board_odds

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

_FITTED = 6
"""Guesses, the likeliest, that are fitted."""

_ATTEMPTS = 3
"""Further fits that may bring the most regular of them home."""

_GAIN = 1.6
"""Fitting does not raise the odds by more than this."""

_FAINTEST = 1.9
"""Odds (of :func:`find_sites.board_odds`) below which nothing is taken for a board, unless the known position
shows beyond doubt."""

_CLEAR = 6.0
_SHOWS = 1.55
"""Liking (odds, and twice the agreement of the known position) and that agreement alone, from which a board
is beyond doubt. A shift by a square or a wrong quarter turn agrees by 1.5 at the most."""

_CLEAR_ALONE = 3.9
"""Odds beyond doubt where the position is not known."""

_LIKELY = 4.2
"""Liking below which a known position is not believed to be there."""

_EVEN = 2.2
"""Odds at which a board is as likely as not."""


@dataclass(frozen=True, slots=True)
class FoundBoard:
    """A board in a picture: the camera in the board's frame, the profile that fits, and a confidence of 0 …
    1."""

    camera: Camera
    profile: BoardProfile
    confidence: float


def find_board(
    image: Image,
    profiles: Sequence[BoardProfile],
    stacks: Sequence[str] | None = None,
    rank1: str = "bottom",
    lens: LensProfile | None = None,
) -> FoundBoard | None:
    """The board in a BGR picture, or None when there is none to be seen.

    Args:
        image: (H, W, 3) uint8.
        profiles: the sets that it may be; at least one.
        stacks: what stands on the 52 squares, bottom to top, if known; it tells which way round the board
            lies.
        rank1: the side of the picture (bottom, left, top, right) at which rank 1 lies when ``stacks`` cannot
            tell.
        lens: the camera's, if it is known; else it is estimated from the board.

    Raises:
        ValueError: a wrong shape of picture, number of stacks, side, or no profile.
    """
    _check(image, profiles, stacks, rank1)
    if profiles[0].flat and stacks is not None and not any(stacks):
        # Nothing round is to be seen.
        chess = find_chess_board(image, profiles[0], lens)
        return None if chess is None else FoundBoard(*_upright(chess, profiles[0], rank1))
    # An empty board shows nothing by which its place or its turn could be told better than by its lattice.
    shown = stacks if stacks is not None and any(stacks) else None
    hunts = [_Hunt(reduced(image, WORK_PIXELS)[0], profiles[0], shown, lens)]
    best = hunts[0].best()
    if best is None or not best.sure:
        larger = reduced(image, FINE_PIXELS)[0]
        if larger.shape[0] * larger.shape[1] > 1.3 * WORK_PIXELS:
            # A small board, or noise: with more pixels more shows.
            hunts.append(_Hunt(larger, profiles[0], shown, lens))
            other = hunts[-1].best(SMALLER)
            if other is not None and other.sure and (best is None or other.liking > best.liking):
                best = other
    for hunt in hunts:
        if best is None or not best.likely:
            best = hunt.best_of_finer() or best
    for hunt in hunts:
        if best is None or not best.likely:
            best = hunt.best_of_regular(best)
    if best is not None and not best.clear:
        best = hunts[0].beside(best)
    if best is not None and stacks is not None and shown is None:
        best = hunts[0].on_most_domes(best)
    if best is None or not best.likely:
        return None
    camera, profile = made_exact(image, resized(best.camera, image), profiles, stacks, rank1, lens)
    return FoundBoard(camera, profile, float(1 / (1 + np.exp(-2.5 * (best.odds - _EVEN)))))


def _upright(
    found: tuple[Camera, float], profile: BoardProfile, rank1: str
) -> tuple[Camera, BoardProfile, float]:
    camera, confidence = found
    return upright(camera, profile, [""] * len(profile.centres), rank1), profile, confidence


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A fitted guess: its odds, how well the known position shows (None: not known), and how much it is liked
    for both."""

    camera: Camera
    odds: float
    shows: float | None

    @property
    def liking(self) -> float:
        return self.odds + 2 * (self.shows or 0.0)

    @property
    def likely(self) -> bool:
        """Whether this may be told to be a board."""
        if self.shows is None:
            return self.odds > _FAINTEST
        return self.liking > _LIKELY and (self.odds > _FAINTEST or self.shows > _SHOWS)

    @property
    def sure(self) -> bool:
        """Whether this is good enough not to look at a larger picture."""
        if self.shows is None:
            return self.odds > _EVEN
        return self.clear or self.odds > _CLEAR_ALONE

    @property
    def clear(self) -> bool:
        """Whether nothing better need be looked for."""
        if self.shows is None:
            return self.odds > _CLEAR_ALONE
        return self.shows > _SHOWS and self.liking > _CLEAR


class _Hunt:
    """The search for a board in a reduced picture; with ``stacks``, turned to show them."""

    def __init__(
        self,
        image: Image,
        profile: BoardProfile,
        stacks: Sequence[str] | None,
        lens: LensProfile | None,
    ) -> None:
        self._image, self._profile, self._stacks, self._lens = image, profile, stacks, lens
        self._edges = Edges.of(image)
        self._search = Search(image, profile, lens)
        self._odds: dict[int, float] = {}
        self._fits: dict[int, _Fitted] = {}

    def best(self, levels: Sequence[int] | None = None) -> _Fitted | None:
        """The best of all guesses, fitted; of round places of those sizes, if they are given."""
        best: _Fitted | None = None
        tried: _Fitted | None = None
        for level in self._search.levels() if levels is None else levels:
            self._search.look(level)
            best = self._likeliest()
            if best is not None and best.likely and not best.clear and best is not tried:
                # Pieces alone may make up the lattice, and what is clear lie a square beside it.
                tried, best = best, self._clearer(best)
            if best is not None and best.clear:
                break
        return best

    def _clearer(self, fit: _Fitted) -> _Fitted:
        """What lies beside the fit, if that is beyond doubt; else the fit."""
        beside = self.beside(fit)
        return beside if beside.clear else fit

    def best_of_finer(self) -> _Fitted | None:
        """The best once lattices of which half was overlooked have been made whole."""
        return self._likeliest() if self._search.look_finer() else None

    def best_of_regular(self, best: _Fitted | None) -> _Fitted | None:
        """The best so far, or of the guesses whose round places make up a board best, whatever their odds:
        where another lattice shows all around, one that is half a square off at its far end is neither likely
        nor brought home at the first attempt.
        """
        regular = [self._fitted(guess) for guess in self._search.likeliest()[:_FITTED]]
        # Before it is brought home the known position tells it better than its odds.
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

    def beside(self, fit: _Fitted) -> _Fitted:
        """The fit, or one a square beside it that shows the known position better: where domes hardly differ
        from their ground, pieces alone make up the lattice, and there are as many in the next row.
        """
        if self._stacks is None:
            return fit
        camera, best = resized(fit.camera, self._image), fit
        places = [
            _turn_to(self._image, self._edges, turned(camera, 0, shift), self._profile, self._stacks)
            for shift in _next_squares(self._profile.pitch)
        ]
        there, shows = max(places, key=lambda place: place[1])
        if shows > (fit.shows or 0.0):
            moved = self._fit(there)
            best = moved if moved.liking > fit.liking else fit
        return best

    def on_most_domes(self, fit: _Fitted) -> _Fitted:
        """The fit of an empty board, or one a square beside it where more domes show: on one side of a board
        that is off by a square there are none, and a label or a corner may look as regular.
        """
        camera, bare = resized(fit.camera, self._image), [0] * len(self._profile.centres)
        edges = self._edges

        def domes(place: Camera) -> float:
            return outline_agreement(edges, place, self._profile, bare)

        places = [camera, *(turned(camera, 0, shift) for shift in _next_squares(self._profile.pitch))]
        best = max(places, key=domes)
        # That there is a board its lattice has told, wherever on it the domes begin.
        return fit if best is camera else replace(fit, camera=self._fit(best).camera)

    def _likeliest(self) -> _Fitted | None:
        odds = self._odds
        maybe = self._search.likeliest()
        for guess in maybe:
            if id(guess) not in odds:
                odds[id(guess)] = board_odds(self._edges, guess, self._profile)
        maybe.sort(key=lambda guess: -odds[id(guess)])
        # What better guesses have crowded out since is not heard any more.
        best: _Fitted | None = None
        for guess in maybe[:_FITTED]:
            if best is not None and odds[id(guess)] + (0 if best.clear else _GAIN) < best.odds:
                break
            now = self._fitted(guess)
            if best is None or now.liking > best.liking:
                best = now
        return best

    def _fitted(self, guess: Camera) -> _Fitted:
        if id(guess) not in self._fits:
            self._fits[id(guess)] = self._fit(guess)
        return self._fits[id(guess)]

    def _fit(self, guess: Camera) -> _Fitted:
        camera = fitted(self._edges, guess, self._profile, self._lens)
        odds = board_odds(self._edges, camera, self._profile)
        if self._stacks is None:
            return _Fitted(camera, odds, None)
        camera, shows = _turn_to(self._image, self._edges, camera, self._profile, self._stacks)
        return _Fitted(camera, odds, shows)


def _turn_to(
    image: Image, edges: Edges, camera: Camera, profile: BoardProfile, stacks: Sequence[str]
) -> tuple[Camera, float]:
    """The quarter turn that shows the known position best, and how well it does (about -1 … 2)."""
    heights = [len(stack) for stack in stacks]
    tops = [stack[-1:] for stack in stacks]
    choices = []
    for quarters in range(4):
        turn = turned(camera, quarters)
        # Unless the set's shades are known, the pieces on a chess board may be of any.
        shown, any_shades = top_chroma(image, turn, profile, heights), profile.flat and not profile.shades
        colours = colour_agreement(shown, tops, profile.shades, any_shades=any_shades)
        choices.append((outline_agreement(edges, turn, profile, heights) + colours, turn))
    shows, turn = max(choices, key=lambda choice: choice[0])
    return turn, shows


def _next_squares(pitch: float) -> list[tuple[float, float]]:
    """Shifts in mm to the eight squares around."""
    return [(x * pitch, y * pitch) for x, y in product((-1, 0, 1), repeat=2) if x or y]


def _check(image: Image, profiles: Sequence[BoardProfile], stacks: Sequence[str] | None, rank1: str) -> None:
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
        raise ValueError(f"the picture must be (H, W, 3) uint8 BGR, not {image.shape} {image.dtype}")
    if not profiles:
        raise ValueError("at least one board profile is needed to look for a board")
    if stacks is not None and len(stacks) != len(profiles[0].centres):
        raise ValueError(f"a position has {len(profiles[0].centres)} stacks, not {len(stacks)}")
    if rank1 not in SIDES:
        raise ValueError(f"rank 1 lies at bottom, left, top or right of the picture, not at {rank1!r}")
