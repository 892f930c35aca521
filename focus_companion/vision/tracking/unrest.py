"""Notices that no part of the picture comes to rest: the camera shakes, or the light flickers in patterns. An
arm always leaves a part at rest.
"""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np

from ..arrays import Mask

_TILES: Final = (6, 6)
"""Columns and rows of tiles that rest or move separately. With fewer, two players with both arms over the
board move in all of them."""
_REST: Final = 1.0
"""Seconds without motion after which a tile rests: more than between two blades of a fan that pass over it.
Raising it lets players who move everywhere count as unrest."""
_MAX_UNREST: Final = 10.0
"""Seconds without any tile at rest after which the players are told: longer than all reach over the board at
once, as when they set it up. Raising it leaves them longer without an explanation."""
_MAX_WITHOUT_STILL: Final = 60.0
"""Seconds without a still picture after which they are told although parts of it rest in between, as between
the blades of a slow fan. Lowering it, players whose hands move all the time are told, too."""


class Unrest:
    """Receives which pixels of the watched region have changed since the picture before."""

    def __init__(self) -> None:
        self._since: float | None = None
        """The last time at which some tile was at rest."""
        self._still_at: float | None = None
        """The time of the last still picture, or of the first one."""
        self._moved = np.full(_TILES[::-1], -math.inf)
        """The time of the last motion in each tile."""
        self.lasts = False
        """Whether nothing has come to rest for long. It ends with the first picture that is still."""

    def update(self, time: float, changed: Mask | None, *, still: bool) -> None:
        """``changed``: mask (h, w) of the picture taken at ``time``; ``None`` if nothing moves. ``still``:
        whether the picture has been still for long enough to be judged.
        """
        if changed is not None:
            tiles = cv2.resize(changed.astype(np.float32), _TILES, interpolation=cv2.INTER_AREA)
            self._moved[np.asarray(tiles) > 0] = time
        if still or self._since is None or time - float(self._moved.min()) >= _REST:
            self._since = time
        if still or self._still_at is None:
            self._still_at = time
        long = time - self._since >= _MAX_UNREST or time - self._still_at >= _MAX_WITHOUT_STILL
        self.lasts = not still and (self.lasts or long)
