"""Generates pose candidates for a board from blobs, one blob size after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..arrays import Floats
from ..capture.frames import Image
from ..geometry.lens_profiles import LensProfile
from ..geometry.scene import BoardProfile, Camera, Lens
from .blobs import RADII, RoundnessMaps, blobs
from .cross import Guess, guesses, views
from .lattice import Lattice, lattices

_USUAL_LEVEL = 2
"""Index into :data:`RADII` of the smallest radius that is tried first. Lowering it takes a tenth of the time
to find a board; raising it finds small boards at the second attempt."""

_RANKING_BLOBS = 40
"""Number of strongest blobs by which a radius is ranked: a board has 52, some of them occluded."""

SMALL_BOARD_LEVELS = (2, 4)
"""Indices of the radii at which a picture of twice the width shows boards too small for the usual width."""

MAX_CANDIDATES = 40
"""Maximum number of candidates."""

_MIN_SQUARE_SIDE = 15.0
"""Minimum side of a square, in pixels of the working picture, that can be resolved."""

_MIN_CANDIDATE_SHIFT = 0.3
"""Distance, in squares, below which two candidates count as the same."""


_MAX_SIZE_RATIO = 1.6
"""Maximum ratio, either way, of a blob's radius to that of the expected pieces. Detected ones have 0.8 to 1.1
times the radius, and a camera that was moved may show the board larger or smaller by a third."""


def levels_near(profile: BoardProfile, pitch: float) -> list[int]:
    """Indices of the radii of pieces on squares with about this ``pitch`` in pixels, the nearest first."""
    ratios = np.abs(np.log(np.array(RADII) * profile.pitch / (profile.piece.radius * pitch)))
    return [int(level) for level in np.argsort(ratios) if ratios[level] < np.log(_MAX_SIZE_RATIO)]


class CandidateSearch:
    """Candidates for the board's pose in a reduced picture, collected radius by radius."""

    def __init__(self, image: Image, profile: BoardProfile, lens: LensProfile | None = None) -> None:
        self._height, self._width = image.shape[:2]
        self._profile, self._maps, self._known = profile, RoundnessMaps(image), lens is not None
        at = (self._width, self._height)
        self._lens = Lens.guess(*at) if lens is None else lens.at(*at)
        self._found: list[tuple[Guess, Floats, float]] = []
        self._finer: list[Lattice] = []

    def levels(self) -> Iterator[int]:
        """Indices of the radii, by decreasing total strength of their strongest blobs. None of the smallest
        comes first: their maps take most of the time, and are made only if the first radius shows no board.
        """

        def roundness(level: int) -> float:
            return float(np.sort(blobs(self._maps, [level]).strength)[-_RANKING_BLOBS:].sum())

        levels = range(len(RADII))
        first = max(levels[_USUAL_LEVEL:], key=roundness)
        yield first
        yield from sorted((level for level in levels if level != first), key=lambda k: -roundness(k))

    def collect(self, level: int) -> None:
        """Collect the candidates from blobs of the radius ``RADII[level]``."""
        places = blobs(self._maps, range(max(0, level - 1), min(level + 2, len(RADII))))
        found = lattices(places, RADII[level], self._width, self._height)
        self._finer += found.finer
        self._gather(found.grown)

    def collect_finer(self) -> bool:
        """Collect the candidates from the finer lattices, of which the lattices used so far are only every
        second site. Returns whether there are any.
        """
        finer, self._finer = self._finer, []
        self._gather(finer)
        return bool(finer)

    def _gather(self, found: Iterable[Lattice]) -> None:
        profile, lens = self._profile, self._lens
        for lattice in found:
            for view in views(lattice, lens, profile, known=self._known):
                for guess in guesses(view, self._maps, profile):
                    side = guess.camera.pitch_pixels(profile)
                    if side >= _MIN_SQUARE_SIDE:
                        self._found.append((guess, guess.camera.project(profile.corners), side))
        self._found.sort(key=lambda found: -found[0].score)

    def best(self) -> list[Camera]:
        """The best candidates so far by decreasing score, without near duplicates. The same candidate is the
        same object in every call.
        """
        kept: list[Camera] = []
        taken = np.zeros((0, 4, 2))
        for guess, corners, side in self._found:
            turns = np.stack([np.roll(corners, k, 0) for k in range(4)])
            gaps = np.linalg.norm(turns[:, None] - taken, axis=3).max(2)
            if gaps.min(initial=np.inf) > _MIN_CANDIDATE_SHIFT * side:
                kept.append(guess.camera)
                taken = np.concatenate([taken, corners[None]])
            if len(kept) >= MAX_CANDIDATES:
                break
        return kept
