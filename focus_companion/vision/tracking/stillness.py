"""Motion detection by frame differences on a subsampled copy, relative to the camera's own noise.

A camera that sways or shakes shifts the whole picture, and every edge in it differs; a shadow or a flickering
lamp changes its light. Differences that such :mod:`conditions <.conditions>` explain do not count as motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ..capture.frames import Picture
from ..capture.jpeg import JpegPicture
from ..capture.planes import sampling_step
from ..capture.sampling import WHOLE_PICTURE, sampled
from ..geometry.scene import Lens
from ..geometry.stack_masks import Window
from .conditions import STILL, Baseline, Motion, Sampling

STEP: Final = 12.0
"""Minimum difference in grey levels for a pixel of the subsampled copy to count as changed."""
MOVING: Final = 0.0006
"""Share of changed pixels in the watched region from which there is motion."""
STRAYS: Final = 5.0
"""Maximum shift, in pixels of the subsampled copy, that is explained by sway; more is a push."""
BESIDE: Final = 0.5
"""Aliasing tolerance: displacement in pixels of an edge in a copy that samples every few pixels only."""
REMAINS: Final = 0.04
"""Share of the differences explained by the camera's motion that may remain because of aliasing: a smaller
motion, as of a fingertip, cannot be distinguished from it."""
OTHERWISE: Final = 0.06
"""Maximum share of changed pixels that a change of light may explain; if more change, something moves."""
BEYOND: Final = 0.008
"""Maximum share of pixels outside the range of values that sway could produce: flickering lamps cause half of
it, an arm nearly always more."""
CALMER: Final = 2.0
"""Factor by which a copy whose pixels are means, as of a JPEG, has less noise."""
ACROSS: Final = 14.0
"""Assumed width of the picture in squares until a board has been found."""

Small = NDArray[np.uint8]


@dataclass
class _Kept:
    """A subsampled copy that others are compared with, and the camera motion of the last comparison."""

    small: Small
    sampling: Sampling
    motion: Motion = STILL
    strayed: bool = False

    @cached_property
    def baseline(self) -> Baseline:
        return Baseline(self.small, self.sampling)

    @cached_property
    def slopes(self) -> NDArray[np.uint8]:
        """Difference in grey levels at each pixel caused by a shift of :data:`BESIDE`, in each channel."""
        grey = cv2.cvtColor(self.small, cv2.COLOR_BGR2GRAY)
        slopes = [
            cv2.Sobel(grey, cv2.CV_32F, dx, dy, ksize=3, scale=BESIDE / 8) for dx, dy in ((1, 0), (0, 1))
        ]
        steepest = cv2.convertScaleAbs(cv2.max(cv2.absdiff(slopes[0], 0.0), cv2.absdiff(slopes[1], 0.0)))
        return np.asarray(cv2.merge([steepest] * 3), np.uint8)

    @cached_property
    def _range(self) -> tuple[Small, Small]:
        """Minimum and maximum within :data:`STRAYS` of each pixel."""
        around = np.ones((2 * int(STRAYS) + 1,) * 2, np.uint8)
        lowest, highest = cv2.erode(self.small, around), cv2.dilate(self.small, around)
        return np.asarray(lowest, np.uint8), np.asarray(highest, np.uint8)

    def beyond(self, small: Small) -> Small:
        """Distance of each pixel of another copy from the range of values that sway could produce."""
        lowest, highest = self._range
        return np.asarray(cv2.max(cv2.subtract(small, highest), cv2.subtract(lowest, small)), np.uint8)


class Stillness:
    """Receives a subsampled copy of every frame and measures how long the watched region has been still."""

    def __init__(self) -> None:
        self._window: Window | None = None
        self._lens: Lens | None = None
        self._square = 0.0
        self._shape = 0, 0
        self._previous: Small | None = None
        self._first: Small | None = None
        """The first still picture, to which a push in small steps becomes ever less similar."""
        self._kept: list[_Kept] = []
        self._since = 0.0
        self._noise = 1.0
        """Mean difference in grey levels between still small copies in succession."""
        self._coarse = 1.0
        self.frames = 0

    @property
    def noise(self) -> float:
        """The same of whole pictures, smoothed as much."""
        return self._noise * self._coarse

    def watch(self, window: Window | None, lens: Lens | None = None, square: float = 0.0) -> None:
        """Restrict motion detection to this window, or to none. ``lens`` is that of the whole picture and
        ``square`` the side of a square in pixels, if known.
        """
        self._window, self._lens, self._square = window, lens, square
        self._kept = []

    def small_copy(self, picture: Picture) -> Small:
        """The watched region, subsampled and blurred to suppress noise."""
        self._shape = picture.shape[:2]
        self._coarse = CALMER if isinstance(picture, JpegPicture) else 1.0
        part = WHOLE_PICTURE if self._window is None else self._window.slices
        return np.asarray(cv2.blur(sampled(picture, part), (5, 5)), np.uint8)

    def differ(self, a: Small, b: Small) -> bool:
        """Do two subsampled copies differ by more than camera noise, camera motion and light explain?"""
        if a.shape != b.shape:
            return True
        return self._energy(np.asarray(cv2.absdiff(a, b))) > MOVING and not self._explained(a, b)

    def _explained(self, a: Small, b: Small) -> bool:
        """Are the differences explained by camera motion and light alone?"""
        kept = self._keep(a)
        if self._energy(kept.beyond(b)) > BEYOND:
            # Mostly an arm: this test takes a tenth of the time of estimating the camera's motion.
            return False
        kept.motion, _ = kept.baseline.motion(b, kept.motion)
        reach = kept.baseline.reach(kept.motion)
        kept.strayed = reach > STRAYS
        if kept.strayed:
            kept.motion = STILL
            return False
        margin = int(np.ceil(reach)) + 1
        inner = slice(margin, -margin), slice(margin, -margin)

        def energy(shown: Small) -> float:
            rest = cv2.subtract(cv2.absdiff(shown, a), kept.slopes) if reach else cv2.absdiff(shown, a)
            return self._energy(np.asarray(rest, np.uint8)[inner])

        held = kept.baseline.held(b, kept.motion)
        unlike, most = energy(held), MOVING
        if reach:
            most += REMAINS * self._energy(np.asarray(cv2.absdiff(a, b)))
        return unlike <= most or (unlike <= OTHERWISE and energy(kept.baseline.relit(held)) <= most)

    def _swayed(self, first: Small, previous: Small, small: Small) -> bool:
        """Does sway explain the difference to the previous picture, with the total sway in bounds? That is
        more reliable than an estimate against the first picture.
        """
        return previous is not first and not self._keep(first).strayed and self._explained(previous, small)

    def _keep(self, small: Small) -> _Kept:
        """A cache of the last two pictures that others were compared with."""
        for kept in self._kept:
            if kept.small is small:
                return kept
        self._kept = [*self._kept[-1:], _Kept(small, self._sampling(small))]
        return self._kept[-1]

    def _sampling(self, small: Small) -> Sampling:
        height, width = self._shape
        step = sampling_step(width)
        left, top = (0, 0) if self._window is None else (self._window.left, self._window.top)
        left, top = left // step * step, top // step * step
        window = Window(left, top, left + step * small.shape[1], top + step * small.shape[0])
        square = self._square or width / ACROSS
        return Sampling(window, step, square / step, self._lens or Lens.guess(width, height))

    def _energy(self, difference: Small) -> float:
        """Changed channels per pixel: a piece may differ from the board in one channel only."""
        # An integer threshold: with a fraction, every pixel would be converted to a float first.
        step = int(min(60.0, max(STEP, 7.0 * self._noise)))
        return int(np.count_nonzero(difference > step)) * 3 / max(1, difference.size)

    def update(self, time: float, small: Small) -> float:
        """Seconds for which the picture has been still, 0 while there is motion."""
        previous, self._previous = self._previous, small
        if previous is None or self._first is None or previous.shape != small.shape:
            self._first, self._since, self.frames = small, time, 0
            return 0.0
        difference = np.asarray(cv2.absdiff(small, previous))
        if self._energy(difference) <= MOVING:
            # The mean of the noise alone; it adapts slowly, and only while nothing moves.
            self._noise += 0.1 * (float(cv2.mean(difference)[1]) - self._noise)
        elif not (self._explained(self._first, small) or self._swayed(self._first, previous, small)):
            self._first, self._since, self.frames = small, time, 0
            return 0.0
        self.frames += 1
        return time - self._since
