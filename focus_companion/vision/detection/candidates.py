"""Guesses of where a board may lie, by the size of its round places: the usual sizes first."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..geometry.lens_profiles import LensProfile
from ..geometry.scene import BoardProfile, Camera, Lens
from .blobs import RADII, RoundnessMaps, blobs
from .cross import Guess, guesses, views
from .lattice import Lattice, lattices

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

LEVELS = (4, 2, 3, 5, 1, 6, 0)
"""The order in which the radii are searched, where nothing speaks for another."""

_SITES = 40
"""So many round places of one size are looked for: a board has 52, some of which may be hidden."""

SMALLER = (2, 4)
"""The radii that, in a picture of twice the width, are those of boards too small for the usual one."""

GUESSES = 40
"""No more guesses than this are worth a look."""

_SMALLEST = 15.0
"""Side in pixels of the working picture below which squares are too small to be told."""


class Search:
    """Guesses of where a board may lie in a reduced picture, gathered radius by radius."""

    def __init__(self, image: Image, profile: BoardProfile, lens: LensProfile | None = None) -> None:
        self._height, self._width = image.shape[:2]
        self._profile, self._maps, self._known = profile, RoundnessMaps(image), lens is not None
        at = (self._width, self._height)
        self._lens = Lens.guess(*at) if lens is None else lens.at(*at)
        self._found: list[tuple[Guess, Floats, float]] = []
        self._finer: list[Lattice] = []

    def levels(self) -> list[int]:
        """The radii in the order of how many clear round places of each there are."""

        def roundness(level: int) -> float:
            return float(np.sort(blobs(self._maps[level : level + 1]).strength)[-_SITES:].sum())

        return sorted(LEVELS, key=lambda level: -roundness(level))

    def look(self, level: int) -> None:
        """Gather the guesses with round places of the radius ``RADII[level]``."""
        places = blobs(self._maps[max(0, level - 1) : level + 2])
        found = lattices(places, RADII[level], self._width, self._height)
        self._finer += found.finer
        self._gather(found.grown)

    def look_finer(self) -> bool:
        """Gather the guesses of the lattices of which those looked at so far were but every second place.
        Returns whether there are any."""
        finer, self._finer = self._finer, []
        self._gather(finer)
        return bool(finer)

    def _gather(self, found: Iterable[Lattice]) -> None:
        profile, lens = self._profile, self._lens
        for lattice in found:
            for view in views(lattice, lens, profile, known=self._known):
                for guess in guesses(view, self._maps, profile):
                    side = guess.camera.pitch_pixels(profile)
                    if side >= _SMALLEST:
                        self._found.append((guess, guess.camera.project(profile.corners), side))
        self._found.sort(key=lambda found: -found[0].score)

    def likeliest(self) -> list[Camera]:
        """The best of all gathered so far, likeliest first; never two within a third of a square. The same
        guess is the same object every time."""
        kept: list[Camera] = []
        taken = np.zeros((0, 4, 2))
        for guess, corners, side in self._found:
            turns = np.stack([np.roll(corners, k, 0) for k in range(4)])
            gaps = np.linalg.norm(turns[:, None] - taken, axis=3).max(2)
            if gaps.min(initial=np.inf) > 0.3 * side:
                kept.append(guess.camera)
                taken = np.concatenate([taken, corners[None]])
            if len(kept) >= GUESSES:
                break
        return kept
