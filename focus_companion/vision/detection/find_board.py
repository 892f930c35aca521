"""Find the board in a single picture, without markers or manual corners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..geometry.lens_profiles import LensProfile
from ..geometry.orientation import SIDES, like_its_mirror_image, mirrored_stacks, upright
from ..geometry.pose import turned
from ..geometry.resize import FINE_PIXELS, reduced, resized
from ..geometry.scene import BoardProfile, Camera
from .blobs import WORK_PIXELS
from .candidates import SMALLER, Search
from .chess_board import find_chess_board
from .edge_fit import outline_agreement
from .edges import Edges
from .ground import share_of_one_shade
from .quarter_turn import colour_agreement, top_chroma
from .refine import fitted, made_exact
from .site_classifier import board_odds, share_plain

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

_FITTED = 6
"""Number of candidates, the most likely ones, that are fitted."""

_ATTEMPTS = 3
"""Maximum number of further fits until the most regular candidate converges."""

_GAIN = 1.6
"""Upper bound of what fitting adds to the log odds."""

_FAINTEST = 1.9
"""Log odds (:func:`.site_classifier.board_odds`) below which a candidate is rejected, unless the known
position is clearly visible there."""

_CLEAR = 6.0
_SHOWS = 1.55
"""Score (log odds plus twice the agreement of the known position) and that agreement alone, from which a
board is certain. With a shift by a square or a wrong quarter turn, the agreement is at most 1.5."""

_CLEAR_ALONE = 3.9
"""Log odds from which a board is certain if the position is not known."""

_LIKELY = 4.2
"""Score below which a candidate is rejected if the position is known."""

_MOULDED = 0.7
"""Share of the squares that plainly show a dome or a piece plus the share of the ground that is of one shade:
above this, a grid is taken for a moulded board if nothing is known of the position. Chess boards in
photographs reach 0.57; photo-like and simulated boards, some half hidden, chequered or in the dark, have 0.87
and more. Raising it refuses boards that are hard to see."""

_EVEN = 2.45
"""Log odds at which a board is as likely as another grid: real boards of other games, with round pieces on
ground of one shade, reach it."""


@dataclass(frozen=True, slots=True)
class FoundBoard:
    """A board in a picture: the camera in the board's frame, the best profile, and a confidence, 0 … 1.

    ``mirrored``: the known position is seen as in a mirror; the camera is then that of the mirrored board.
    """

    camera: Camera
    profile: BoardProfile
    confidence: float
    mirrored: bool = False


def find_board(
    image: Image,
    profiles: Sequence[BoardProfile],
    stacks: Sequence[str] | None = None,
    rank1: str = "bottom",
    lens: LensProfile | None = None,
) -> FoundBoard | None:
    """The board in a BGR picture, or None if none is visible.

    Args:
        image: (H, W, 3) uint8.
        profiles: the sets that are considered; at least one.
        stacks: what stands on the 52 squares, bottom to top, if known; it determines the orientation.
        rank1: the side of the picture (bottom, left, top, right) at which rank 1 lies if ``stacks`` leaves it
            open.
        lens: that of the camera, if known; otherwise it is estimated from the board.

    Raises:
        ValueError: a wrong shape of picture, number of stacks, side, or no profile.
    """
    _check(image, profiles, stacks, rank1)
    if profiles[0].flat and stacks is not None and not any(stacks):
        # There are no blobs to detect.
        chess = find_chess_board(image, profiles[0], lens)
        return None if chess is None else FoundBoard(*_upright(chess, profiles[0], rank1))
    hunts = [_Hunt(reduced(image, WORK_PIXELS)[0], profiles[0], stacks, lens)]
    best = hunts[0].best()
    if best is None or not best.sure:
        larger = reduced(image, FINE_PIXELS)[0]
        if larger.shape[0] * larger.shape[1] > 1.3 * WORK_PIXELS:
            # A small board, or noise: more pixels resolve more.
            hunts.append(_Hunt(larger, profiles[0], stacks, lens))
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
    if best is not None and stacks is not None and not any(stacks):
        best = hunts[0].on_most_domes(best)
    if best is None or not best.likely:
        return None
    confidence = float(1 / (1 + np.exp(-2.5 * (best.odds - _EVEN))))
    if best.mirrored:
        return FoundBoard(resized(best.camera, image), profiles[0], confidence, mirrored=True)
    camera, profile = made_exact(image, resized(best.camera, image), profiles, stacks, rank1, lens)
    if best.moulded is not None and not _confirmed(image, camera, profile):
        return None
    return FoundBoard(camera, profile, confidence)


def _upright(
    found: tuple[Camera, float], profile: BoardProfile, rank1: str
) -> tuple[Camera, BoardProfile, float]:
    camera, confidence = found
    return upright(camera, profile, [""] * len(profile.centres), rank1), profile, confidence


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A fitted candidate: its log odds, the agreement of the known position (None: not known), and the
    evidence that it is moulded, see :data:`_MOULDED` (None: a board is known to be there)."""

    camera: Camera
    odds: float
    shows: float | None
    moulded: float | None = None
    mirrored: bool = False
    """The mirror image of the known position agrees, and the position itself does not."""

    @property
    def liking(self) -> float:
        return self.odds + 2 * (self.shows or 0.0)

    @property
    def likely(self) -> bool:
        """Whether this may be returned as a detection."""
        if self.shows is None:
            return self._alone(_FAINTEST)
        return self.liking > _LIKELY and (self.odds > _FAINTEST or self.shows > _SHOWS)

    @property
    def sure(self) -> bool:
        """Whether no search in a larger picture is needed."""
        if self.shows is None:
            return self._alone(_EVEN)
        return self.clear or self.odds > _CLEAR_ALONE

    @property
    def clear(self) -> bool:
        """Whether the search can stop."""
        if self.shows is None:
            return self._alone(_CLEAR_ALONE)
        return self.shows > _SHOWS and self.liking > _CLEAR

    def _alone(self, odds: float) -> bool:
        """Whether this is a board with log odds above ``odds``, the position being unknown."""
        if self.moulded is None:
            return self.odds > odds
        return self.odds > max(odds, _EVEN) and self.moulded > _MOULDED


class _Hunt:
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
        self._search = Search(image, profile, lens)
        self._odds: dict[int, float] = {}
        self._fits: dict[int, _Fitted] = {}

    def best(self, levels: Sequence[int] | None = None) -> _Fitted | None:
        """The best fitted candidate; only from blobs of the radii ``levels``, if given."""
        best: _Fitted | None = None
        tried: _Fitted | None = None
        for level in self._search.levels() if levels is None else levels:
            self._search.look(level)
            best = self._likeliest()
            if best is not None and best.likely and not best.clear and best is not tried:
                # Pieces alone may form the lattice, and the true position may be a square beside it.
                tried, best = best, self._clearer(best)
            if best is not None and best.clear:
                break
        return best

    def _clearer(self, fit: _Fitted) -> _Fitted:
        """The neighbour of the fit if that one is certain, otherwise the fit."""
        beside = self.beside(fit)
        return beside if beside.clear else fit

    def best_of_finer(self) -> _Fitted | None:
        """The best fitted candidate once lattices of which half the sites were missed are completed."""
        return self._likeliest() if self._search.look_finer() else None

    def best_of_regular(self, best: _Fitted | None) -> _Fitted | None:
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

    def beside(self, fit: _Fitted) -> _Fitted:
        """The fit, or one shifted by a square that shows the known position better: if domes have little
        contrast, pieces alone form the lattice, and there are as many in the next row.
        """
        if self._stacks is None or fit.mirrored:
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
        profile, bare = self._profile, [0] * len(self._profile.centres)

        def domes(place: Camera) -> float:
            return outline_agreement(self._edges, place, profile, bare)

        camera = resized(fit.camera, self._image)
        best = max([camera, *places_beside(camera, profile)], key=domes)
        # That there is a board its lattice has told, wherever on it the domes begin.
        return fit if best is camera else replace(fit, camera=self._fit(best).camera)

    def _likeliest(self) -> _Fitted | None:
        odds = self._odds
        maybe = self._search.likeliest()
        for guess in maybe:
            if id(guess) not in odds:
                odds[id(guess)] = board_odds(self._edges, guess, self._profile)
        maybe.sort(key=lambda guess: -odds[id(guess)])
        # Candidates that better ones have displaced since are no longer considered.
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
            cold = _moulded(self._image, self._edges, camera, self._profile) if self._cold else None
            return _Fitted(camera, odds, None, cold)
        turn, shows = _turn_to(self._image, self._edges, camera, self._profile, self._stacks)
        if self._mirror is not None and shows <= _SHOWS:
            other, reverse = _turn_to(self._image, self._edges, camera, self._profile, self._mirror)
            if reverse > _SHOWS:
                return _Fitted(other, odds, reverse, mirrored=True)
        return _Fitted(turn, odds, shows)


def _moulded(image: Image, edges: Edges, camera: Camera, profile: BoardProfile) -> float:
    """See :data:`_MOULDED`."""
    return share_plain(edges, camera, profile) + share_of_one_shade(image, camera, profile)


def _confirmed(image: Image, camera: Camera, profile: BoardProfile) -> bool:
    """Whether a larger picture shows a board, too: with few pixels, small squares and letters look round."""
    fine, _ = reduced(image, FINE_PIXELS)
    edges, seen = Edges.of(fine), resized(camera, fine)
    odds = board_odds(edges, seen, profile)
    return odds > _FAINTEST and _moulded(fine, edges, seen, profile) > _MOULDED


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
    """The cameras that see the board a square beside where this one does, to all eight sides."""
    return [turned(camera, 0, shift) for shift in _next_squares(profile.pitch)]


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
