"""Tells an arm or a head that rests over the board from the arm that acts: others play on beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from .change import CLEAR_SHARE
from .occluder import Occluder
from .regions import AddedObject

if TYPE_CHECKING:
    from .look import Look

_MIN_UNMOVED_SHARE: Final = 0.8
"""Share of an occluder's pixels that must look the same for it to have stayed: a forearm two squares wide may
move by a fifth of a square. Raising it, an arm that does not keep quite still holds the game up; lowering it,
another arm at nearly the same place counts as the same."""


@dataclass(frozen=True, eq=False)
class _Seen:
    """An occluder in a look: the blurred ``part`` (h, w, 3) of the picture in its window, the changed share
    of each square (52,), and the object that it would be if it belonged to the scene.
    """

    occluder: Occluder
    part: NDArray[np.uint8]
    touched: Floats
    added: AddedObject


class RestingOccluder:
    """The occluder of the last covered looks, as long as it stays at one place."""

    def __init__(self) -> None:
        self._last: _Seen | None = None
        """The occluder in the last look before somebody acted."""
        self._examined: tuple[int, AddedObject | None] = -1, None
        """The number of the look that was examined last, and the result."""

    def examine(self, look: Look, certain: Mapping[int, str]) -> AddedObject | None:
        """The occluder that has stayed where an earlier look showed it, while somebody acted on squares
        beside it: it is not the arm that acts. ``None`` if there is none.

        It is what that look showed. What has changed beside it since is no part of it, but may be an act.
        ``certain``: the stacks that turns have certainly left on some squares.
        """
        if self._examined[0] != look.number:
            self._examined = look.number, self._resting(look, certain)
        return self._examined[1]

    def forget(self) -> None:
        """The board is free, or what covers it has become part of the scene."""
        self._last = None

    def _resting(self, look: Look, certain: Mapping[int, str]) -> AddedObject | None:
        last, change = self._last, look.change
        if last is not None and change is not None and change.window == last.occluder.window:
            mask = last.occluder.mask
            unmoved = mask & ~change.differing(look.smoothed.part(change.window), last.part)
            if unmoved.sum() >= _MIN_UNMOVED_SHARE * mask.sum():
                # Fewer pixels change in the shadow of a finger that moves.
                acted = abs(look.touched - last.touched) > CLEAR_SHARE
                acted[list(last.occluder.squares)] = False
                if acted.any():
                    return last.added
        added, self._last = look.scene_object(certain), None
        if look.occluder is not None and added is not None:
            part = look.smoothed.part(look.occluder.window)
            self._last = _Seen(look.occluder, part, look.touched, added)
        return None
