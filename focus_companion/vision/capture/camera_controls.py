"""Exposure, white balance and focus of a live camera: left to the camera until they have settled, then held.

A camera that goes on adjusting itself changes every colour in the picture when an arm comes in. A
:class:`Locker` is told every picture; it lets the camera settle, holds one control after the other, looks at
the pictures whether that was well, and lets go again when the light has changed so much that what is held no
longer serves.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

log = logging.getLogger(__name__)

SETTLED: Final = 1.2
"""Seconds for which the picture's mean colour must stay within :data:`STEADY` before anything is held."""
STEADY: Final = 0.03
PATIENCE: Final = 10.0
"""Seconds after which it is held even so: somebody moves about without a rest."""
PROOF: Final = 0.6
"""Seconds after a control is held within which the picture must not jump by more than :data:`JUMP`."""
JUMP: Final = 0.16
OTHER_LIGHT: Final = 0.5
"""Change of the mean's logarithm that means another light, if it lasts for :data:`LASTS` seconds."""
LASTS: Final = 2.5
WASHED_OUT: Final = 0.25
"""Share of the picture at its brightest level that, lasting as long, means the same."""

LOCKED: Final = "locked"
SETTLING: Final = "settling"


class Control(Protocol):
    """One thing that a camera adjusts by itself."""

    name: str

    def release(self) -> None:
        """Leave it to the camera."""

    def hold(self) -> str:
        """Keep what the camera has chosen, and read it back. Returns why that cannot be, or nothing."""


class Locker:
    """Holds the controls of one camera; to be used on the thread that reads the camera.

    ``state`` tells any thread, by control, :data:`LOCKED`, :data:`SETTLING`, or why it cannot be locked.
    """

    def __init__(self, camera: str, controls: Sequence[Control]) -> None:
        self._camera, self._controls = camera, tuple(controls)
        self.state: Mapping[str, str] = {}
        self._step: Callable[[float, NDArray[np.float64], float], None] = self._settle
        self._released = False

    def tend(self, image: NDArray[np.uint8], now: float) -> None:
        """Take note of a picture (H, W, 3) read at ``now`` (s), and do what is due."""
        few = image[::16, ::16]
        levels = np.log(few.reshape(-1, 3).mean(0) + 8.0)
        if not self._released:
            self._release(now)
        self._step(now, levels, float((few >= 252).all(-1).mean()))

    def _release(self, now: float) -> None:
        for control in self._controls:
            control.release()
        self._released = True
        self.state = {control.name: SETTLING for control in self._controls}
        self._left = list(self._controls)
        self._since = now
        self._seen: deque[tuple[float, NDArray[np.float64]]] = deque()
        self._step = self._settle

    def _settle(self, now: float, levels: NDArray[np.float64], washed: float) -> None:
        self._seen.append((now, levels))
        while len(self._seen) > 1 and now - self._seen[1][0] >= SETTLED:
            self._seen.popleft()
        if now - self._seen[0][0] < SETTLED:
            return
        spread = np.ptp(np.array([seen for _, seen in self._seen]), axis=0).max()
        if spread > STEADY and now - self._since < PATIENCE:
            return
        if self._left:
            self._hold(now, levels)
        else:
            self._told()
            self._reference, self._fine = levels, now
            self._step = self._watch

    def _hold(self, now: float, levels: NDArray[np.float64]) -> None:
        self._trying = self._left.pop(0)
        why_not = self._trying.hold()
        self.state = {**self.state, self._trying.name: why_not or LOCKED}
        if not why_not:
            self._before, self._held = levels, now
            self._step = self._prove

    def _prove(self, now: float, levels: NDArray[np.float64], washed: float) -> None:
        """Some cameras tell a value that is not the one they use: then the picture jumps."""
        if np.abs(levels - self._before).max() > JUMP:
            self._trying.release()
            why_not = "cannot be locked: the picture changes when it is"
            self.state = {**self.state, self._trying.name: why_not}
        elif now - self._held < PROOF:
            return
        self._seen.clear()
        self._since = now
        self._step = self._settle

    def _watch(self, now: float, levels: NDArray[np.float64], washed: float) -> None:
        if np.abs(levels - self._reference).max() < OTHER_LIGHT and washed < WASHED_OUT:
            self._fine = now
        elif now - self._fine > LASTS:
            log.info("%s: the light has changed; exposure and white balance settle anew", self._camera)
            self._release(now)

    def _told(self) -> None:
        log.info("%s: %s", self._camera, "; ".join(f"{name} {text}" for name, text in self.state.items()))
