"""Locks exposure, white balance and focus of a live camera once they have settled.

A camera that keeps adjusting itself changes every colour in the picture when an arm comes into view. A
:class:`Locker` gets every picture. It lets the camera settle, locks one control after the other, verifies the
result in the pictures, and unlocks again when the light has changed so much that the locked values no longer
fit.
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
"""Settle time: seconds for which the mean colour must stay within :data:`STEADY` before anything is locked.
"""
STEADY: Final = 0.03
PATIENCE: Final = 10.0
"""Seconds after which controls are locked anyway: somebody keeps moving."""
PROOF: Final = 0.6
"""Seconds after locking a control within which the picture must not jump by more than :data:`JUMP`."""
JUMP: Final = 0.16
OTHER_LIGHT: Final = 0.5
"""Change of the mean's logarithm that means different light, if it lasts for :data:`LASTS` seconds."""
LASTS: Final = 2.5
WASHED_OUT: Final = 0.25
"""Fraction of saturated pixels that, if it lasts as long, means the same."""

LOCKED: Final = "locked"
SETTLING: Final = "settling"


class Control(Protocol):
    """One automatic control of a camera."""

    name: str

    def release(self) -> None:
        """Set it to automatic."""

    def hold(self) -> str:
        """Lock the camera's current value, and read it back. Returns why that failed, or nothing."""


class Locker:
    """Locks the controls of one camera; to be used on the thread that reads the camera.

    ``state``, readable from any thread, is by control :data:`LOCKED`, :data:`SETTLING`, or why it cannot be
    locked.
    """

    def __init__(self, camera: str, controls: Sequence[Control]) -> None:
        self._camera, self._controls = camera, tuple(controls)
        self.state: Mapping[str, str] = {}
        self._step: Callable[[float, NDArray[np.float64], float], None] = self._settle
        self._released = False

    def tend(self, image: NDArray[np.uint8], now: float) -> None:
        """Process a picture (H, W, 3) read at ``now`` (s), and do what is due."""
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
        """Some cameras report a value other than the one in use; locking it then makes the picture jump."""
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
            log.info("%s: the light has changed; exposure and white balance settle again", self._camera)
            self._release(now)

    def _told(self) -> None:
        log.info("%s: %s", self._camera, "; ".join(f"{name} {text}" for name, text in self.state.items()))
