"""Locks exposure, white balance and focus of a live camera once they have settled.

A camera that keeps adjusting itself changes every colour in the picture when an arm comes into view. A
:class:`Locker` processes every picture: it lets the camera settle, locks one control after the other,
verifies the result in the pictures, and unlocks them again when the light has changed so much that the locked
values no longer fit.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from .frames import MAX_USABLE_LEVEL

log = logging.getLogger(__name__)

SETTLE_TIME: Final = 1.2
"""Seconds for which the picture must be steady before a control is locked."""
MAX_SETTLED_SPREAD: Final = 0.03
"""Maximum spread of the mean colour's logarithm while the picture is steady."""
SETTLE_TIMEOUT: Final = 10.0
"""Seconds after which controls are locked even if the picture is not steady, as somebody keeps moving."""
VERIFY_TIME: Final = 0.6
"""Seconds after locking a control during which the picture must not jump."""
MAX_JUMP: Final = 0.16
"""Maximum change of the mean colour's logarithm that is no jump."""
LIGHT_CHANGE_THRESHOLD: Final = 0.5
"""Change of the mean colour's logarithm that means different light, if it lasts."""
SATURATED_SHARE_THRESHOLD: Final = 0.25
"""Fraction of saturated pixels that means different light, if it lasts."""
LIGHT_CHANGE_TIME: Final = 2.5
"""Seconds for which a change of light must last."""

_LOG_OFFSET: Final = 8.0
"""Grey levels added before taking logarithms, which limits the effect of noise in the dark."""

MAX_ROUNDING: Final = 0.05
"""Maximum relative difference between a value that is set and the value that the camera then uses."""

LOCKED: Final = "locked"
SETTLING: Final = "settling"


class Control(Protocol):
    """One automatic control of a camera."""

    name: str

    def release(self) -> None:
        """Set it to automatic."""

    def hold(self) -> str:
        """Lock the camera's current value, and read it back. Returns why that failed, or ""."""


class Locker:
    """Locks the controls of one camera; to be used on the thread that reads the camera.

    ``state``, which may be read from any thread, maps each control to :data:`LOCKED`, :data:`SETTLING`, or
    the reason why it cannot be locked.
    """

    def __init__(self, camera: str, controls: Sequence[Control]) -> None:
        self._camera, self._controls = camera, tuple(controls)
        self.state: Mapping[str, str] = {}
        self._step: Callable[[float, NDArray[np.float64], float], None] = self._settle
        self._released = False

    def process(self, image: NDArray[np.uint8], now: float) -> None:
        """Process a picture (H, W, 3) read at ``now`` (s)."""
        few = image[::16, ::16]
        levels = np.log(few.reshape(-1, 3).mean(0) + _LOG_OFFSET)
        if not self._released:
            self._release(now)
        self._step(now, levels, float((few > MAX_USABLE_LEVEL).all(-1).mean()))

    def _release(self, now: float) -> None:
        for control in self._controls:
            control.release()
        self._released = True
        self.state = {control.name: SETTLING for control in self._controls}
        self._unlocked = list(self._controls)
        self._since = now
        self._recent: deque[tuple[float, NDArray[np.float64]]] = deque()
        self._step = self._settle

    def _settle(self, now: float, levels: NDArray[np.float64], saturated: float) -> None:
        self._recent.append((now, levels))
        while len(self._recent) > 1 and now - self._recent[1][0] >= SETTLE_TIME:
            self._recent.popleft()
        if now - self._recent[0][0] < SETTLE_TIME:
            return
        spread = np.ptp(np.array([seen for _, seen in self._recent]), axis=0).max()
        if spread > MAX_SETTLED_SPREAD and now - self._since < SETTLE_TIMEOUT:
            return
        if self._unlocked:
            self._hold(now, levels)
        else:
            self._log_state()
            self._reference, self._light_unchanged_since = levels, now
            self._step = self._watch

    def _hold(self, now: float, levels: NDArray[np.float64]) -> None:
        self._verifying = self._unlocked.pop(0)
        why_not = self._verifying.hold()
        self.state = {**self.state, self._verifying.name: why_not or LOCKED}
        if not why_not:
            self._levels_before, self._locked_at = levels, now
            self._step = self._verify

    def _verify(self, now: float, levels: NDArray[np.float64], saturated: float) -> None:
        """Verify the last control: some cameras report a value other than the one in use, and locking that
        makes the picture jump.
        """
        if np.abs(levels - self._levels_before).max() > MAX_JUMP:
            self._verifying.release()
            why_not = "cannot be locked: the picture changes when it is"
            self.state = {**self.state, self._verifying.name: why_not}
        elif now - self._locked_at < VERIFY_TIME:
            return
        self._recent.clear()
        self._since = now
        self._step = self._settle

    def _watch(self, now: float, levels: NDArray[np.float64], saturated: float) -> None:
        if (
            np.abs(levels - self._reference).max() < LIGHT_CHANGE_THRESHOLD
            and saturated < SATURATED_SHARE_THRESHOLD
        ):
            self._light_unchanged_since = now
        elif now - self._light_unchanged_since > LIGHT_CHANGE_TIME:
            log.info("%s: the light has changed; exposure and white balance settle again", self._camera)
            self._release(now)

    def _log_state(self) -> None:
        log.info("%s: %s", self._camera, "; ".join(f"{name} {text}" for name, text in self.state.items()))
