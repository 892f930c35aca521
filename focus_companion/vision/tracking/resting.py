"""Tells an arm or a head that rests over the board from the arm that acts: others play on beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from .occluder import Occluder

if TYPE_CHECKING:
    from .look import Look

_MIN_UNMOVED_SHARE: Final = 0.8
"""Share of an occluder's pixels that must look the same for it to have stayed: a forearm two squares wide may
move by a fifth of a square. Raising it, an arm that does not keep quite still holds the game up; lowering it,
another arm at nearly the same place counts as the same."""

_MIN_ACTED_CHANGE: Final = 0.2
"""Difference of a square's changed share between two looks from which somebody has acted on it. Raising it,
acts that change little do not count; lowering it, the shadow of a finger that moves counts as an act."""


@dataclass(frozen=True, eq=False)
class _Seen:
    """An occluder in a look: the blurred ``part`` (h, w, 3) of the picture in its window, and the changed
    share of each square (52,).
    """

    occluder: Occluder
    part: NDArray[np.uint8]
    touched: NDArray[np.float64]


class RestingOccluder:
    """The occluder of the last covered looks, as long as it stays at one place."""

    def __init__(self) -> None:
        self._first: _Seen | None = None
        self._judged = -1, False
        """The number of the look that was examined last, and whether its occluder rests."""

    def rests(self, look: Look) -> bool:
        """Whether the occluder of this look has stayed where an earlier look showed it, while somebody acted
        on squares beside it: it is not the arm that acts.
        """
        if self._judged[0] != look.number:
            self._judged = look.number, self._has_rested(look)
        return self._judged[1]

    def _has_rested(self, look: Look) -> bool:
        if look.occluder is None or look.change is None:
            self._first = None
            return False
        window, first = look.occluder.window, self._first
        part = look.smoothed.part(window)
        if first is None or first.occluder.window != window:
            self._first = _Seen(look.occluder, part, look.touched)
            return False
        mask = first.occluder.mask & look.occluder.mask
        unmoved = mask & ~look.change.differing(part, first.part)
        if unmoved.sum() < _MIN_UNMOVED_SHARE * first.occluder.mask.sum():
            self._first = _Seen(look.occluder, part, look.touched)
            return False
        acted = abs(look.touched - first.touched) > _MIN_ACTED_CHANGE
        acted[list({*first.occluder.squares, *look.occluder.squares})] = False
        return bool(acted.any())
