"""Pixels that change all the time: a running clock that the camera draws into the picture, a screen or a fan
in view. Nobody moves there.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask
from ..masks import dilated_by_square

_MEMORY: Final = 3.0
"""Time constant, in seconds, of the running mean of how often a pixel changes. Raising it delays the
recognition of a clock that appears; lowering it, a hand that moves on the spot counts as restless."""
_MIN_SHARE: Final = 0.2
"""Share of the pictures in which a restless pixel differs from the one before. The digits of hundredths of a
second change in half of the pictures at least; a sign that blinks once a second in an eighth."""
_REST: Final = 0.05
"""Share from which it is no longer restless: a mask that changes looks like motion itself."""
_MAX_SIZE: Final = 0.02
"""Largest share of the pixels that changes at once without an arm or a swaying camera; large digits change a
quarter of it. Raising it lets larger things be restless, and arms, too."""
_MIN_PICTURES: Final = 8
"""Number of pictures from which the shares are known. Raising it delays the first search for a board;
lowering it, a hand that sets up the board counts as restless."""
_NEIGHBOURHOOD: Final = 5
"""Side, in pixels, of the square around a restless pixel that is restless, too: digits differ in which pixels
they change."""


class RestlessPixels:
    """Learns which pixels of successive subsampled copies of one view never rest, and blanks them."""

    def __init__(self, shape: tuple[int, int], squares: Mask | None) -> None:
        """``shape``: height and width of the copies. ``squares``: their pixels where hands play, which are
        never blanked; ``None`` if no board is known. The first result then takes half a second, otherwise
        longer.
        """
        self._squares = squares
        self._time: float | None = None
        self._pictures = 0
        self._share = np.zeros(shape, np.float32)
        self._restless = np.zeros(shape, np.bool_)
        self._blanked: Mask | None = None

    def learn(self, time: float, changed: Mask | None, *, moves: bool) -> None:
        """The pixels (h, w) that have ``changed`` in the copy taken at ``time``, if any. Unless something
        small ``moves``, only pixels that are restless already count: a swaying camera changes every edge.
        """
        elapsed = 0.0 if self._time is None else max(0.0, time - self._time)
        self._time = time
        self._pictures += 1
        # Limited, so that a single picture after a pause does not decide.
        weight = min(-float(np.expm1(-elapsed / _MEMORY)), 1 / _MIN_PICTURES)
        if self._squares is None:
            weight = max(weight, 1 / self._pictures)
        self._share *= np.float32(1 - weight)
        if changed is None:
            return
        if not moves or changed.mean() > _MAX_SIZE:
            if self._blanked is not None:
                self._share[changed & self._blanked] += np.float32(weight)
            return
        self._share[changed] += np.float32(weight)
        # While nothing moves, the mask is kept: where it changes, so do the blanked copies.
        self._restless = self._share > np.where(self._restless, _REST, _MIN_SHARE)
        self._blanked = None
        if self._restless.any() and (self._squares is not None or self._pictures >= _MIN_PICTURES):
            self._blanked = dilated_by_square(self._restless, _NEIGHBOURHOOD)
            if self._squares is not None:
                self._blanked &= ~self._squares

    def blank(self, small: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The copy (h, w, 3) with its restless pixels black."""
        if self._blanked is None:
            return small
        blanked = small.copy()
        blanked[self._blanked] = 0
        return blanked
