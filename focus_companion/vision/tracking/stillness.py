"""When the picture stands still: motion energy on a small copy, against the camera's own noise.

A camera that sways or shakes shifts the whole picture, and every edge in it differs; a shadow or a lamp that
flickers changes its light. What such :mod:`conditions <.conditions>` explain is no motion.
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
from ..capture.sampling import EVERYTHING, sampled
from ..geometry.scene import Lens
from ..geometry.stack_masks import Window
from .conditions import STILL, Baseline, Motion, Sampling

STEP: Final = 12.0
"""Grey levels by which a pixel of the small copy must differ at least, to count as moving."""
MOVING: Final = 0.0006
"""Share of the watched pixels that must differ for the picture to move."""
STRAYS: Final = 5.0
"""Pixels of the small copy by which a camera that sways or shakes shifts it at most; more is a push."""
BESIDE: Final = 0.5
"""Pixels by which an edge may lie beside its place in a small copy, as it shows every few pixels only."""
REMAINS: Final = 0.04
"""Share of what a motion of the camera explains that remains for the same reason: a fingertip that moves by
less is not told from it."""
OTHERWISE: Final = 0.06
"""Share of the pixels that differ at most where the light has changed; where more do, something moves."""
BEYOND: Final = 0.008
"""Share of the pixels that differ at most from all that a sway could bring there: flickering lamps make half
as many do, an arm hardly ever fewer."""
CALMER: Final = 2.0
"""How many times less noise a small copy has whose pixels are means, as of a JPEG."""
ACROSS: Final = 14.0
"""Squares across a picture in which no board has been found yet."""

Small = NDArray[np.uint8]


@dataclass
class _Kept:
    """A small copy with which others are compared, and the motion that the last of them showed."""

    small: Small
    sampling: Sampling
    motion: Motion = STILL
    strayed: bool = False

    @cached_property
    def baseline(self) -> Baseline:
        return Baseline(self.small, self.sampling)

    @cached_property
    def slopes(self) -> NDArray[np.uint8]:
        """Grey levels by which a pixel differs from one :data:`BESIDE` it, in each channel."""
        grey = cv2.cvtColor(self.small, cv2.COLOR_BGR2GRAY)
        slopes = [
            cv2.Sobel(grey, cv2.CV_32F, dx, dy, ksize=3, scale=BESIDE / 8) for dx, dy in ((1, 0), (0, 1))
        ]
        steepest = cv2.convertScaleAbs(cv2.max(cv2.absdiff(slopes[0], 0.0), cv2.absdiff(slopes[1], 0.0)))
        return np.asarray(cv2.merge([steepest] * 3), np.uint8)

    @cached_property
    def _range(self) -> tuple[Small, Small]:
        """The lowest and the highest value within :data:`STRAYS` of each pixel."""
        around = np.ones((2 * int(STRAYS) + 1,) * 2, np.uint8)
        lowest, highest = cv2.erode(self.small, around), cv2.dilate(self.small, around)
        return np.asarray(lowest, np.uint8), np.asarray(highest, np.uint8)

    def beyond(self, small: Small) -> Small:
        """By how much each pixel of another copy differs from all that a sway could bring there."""
        lowest, highest = self._range
        return np.asarray(cv2.max(cv2.subtract(small, highest), cv2.subtract(lowest, small)), np.uint8)


class Stillness:
    """Fed with a small copy of every frame; tells for how long the watched part has not moved."""

    def __init__(self) -> None:
        self._window: Window | None = None
        self._lens: Lens | None = None
        self._square = 0.0
        self._shape = 0, 0
        self._previous: Small | None = None
        self._first: Small | None = None
        """The picture with which it came to rest: a push in small steps gets ever farther from it."""
        self._kept: list[_Kept] = []
        self._since = 0.0
        self._noise = 1.0
        """Mean grey level by which a still small copy differs from the one before."""
        self._coarse = 1.0
        self.frames = 0

    @property
    def noise(self) -> float:
        """The same of whole pictures, smoothed as much."""
        return self._noise * self._coarse

    def watch(self, window: Window | None, lens: Lens | None = None, square: float = 0.0) -> None:
        """Heed only this part of the picture, or all of it: what moves elsewhere is no matter. ``lens``: that
        of the whole picture, and ``square`` the pixels across a square, if they are known.
        """
        self._window, self._lens, self._square = window, lens, square
        self._kept = []

    def small_copy(self, picture: Picture) -> Small:
        """Every few pixels of the watched part, smoothed: noise barely shows in it."""
        self._shape = picture.shape[:2]
        self._coarse = CALMER if isinstance(picture, JpegPicture) else 1.0
        part = EVERYTHING if self._window is None else self._window.slices
        return np.asarray(cv2.blur(sampled(picture, part), (5, 5)), np.uint8)

    def differ(self, a: Small, b: Small) -> bool:
        """Do two small copies differ by more than the camera's noise, its motion and the light?"""
        if a.shape != b.shape:
            return True
        return self._energy(np.asarray(cv2.absdiff(a, b))) > MOVING and not self._explained(a, b)

    def _explained(self, a: Small, b: Small) -> bool:
        """Do they differ by how the camera moved and by the light, and by nothing else?"""
        kept = self._keep(a)
        if self._energy(kept.beyond(b)) > BEYOND:
            # An arm, mostly: told in a tenth of the time that the camera's motion takes.
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
        """Has the camera swayed on from the picture before, and not far from the first? That is easier to
        tell than how it has swayed since that.
        """
        return previous is not first and not self._keep(first).strayed and self._explained(previous, small)

    def _keep(self, small: Small) -> _Kept:
        """The pictures with which others were compared last are kept ready for it."""
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
        """Changes of a channel for every pixel: a piece may differ from the board in one colour alone."""
        # Whole grey levels: compared with a fraction, every pixel would become a long number first.
        step = int(min(60.0, max(STEP, 7.0 * self._noise)))
        return int(np.count_nonzero(difference > step)) * 3 / max(1, difference.size)

    def update(self, time: float, small: Small) -> float:
        """Seconds for which the picture has stood still, 0 while it moves."""
        previous, self._previous = self._previous, small
        if previous is None or self._first is None or previous.shape != small.shape:
            self._first, self._since, self.frames = small, time, 0
            return 0.0
        difference = np.asarray(cv2.absdiff(small, previous))
        if self._energy(difference) <= MOVING:
            # The mean of noise alone; follows the camera slowly, and only while nothing moves.
            self._noise += 0.1 * (float(cv2.mean(difference)[1]) - self._noise)
        elif not (self._explained(self._first, small) or self._swayed(self._first, previous, small)):
            self._first, self._since, self.frames = small, time, 0
            return 0.0
        self.frames += 1
        return time - self._since
