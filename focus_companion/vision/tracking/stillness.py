"""When the picture stands still: motion energy on a small copy, against the camera's own noise.

A camera that shakes shifts the whole picture by a fraction of a pixel, and every edge in it differs: what
such a shift explains is no motion.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ..capture.frames import Picture
from ..capture.sampling import EVERYTHING, sampled
from ..geometry.stack_masks import Window

STEP = 12.0
"""Grey levels by which a pixel of the small copy must differ at least, to count as moving."""
MOVING = 0.0006
"""Share of the watched pixels that must differ for the picture to move."""
SHAKE = 0.6
"""Pixels of the small copy by which a shaking camera shifts it at most; more is a push."""
EDGES = 60 * MOVING
"""Share of the pixels that differ at most where it has done so."""
OTHER = 60.0
"""Grey levels by which a pixel shows something else than before, and says nothing about a shift."""

Small = NDArray[np.uint8]


class Stillness:
    """Fed with a small copy of every frame; tells for how long the watched part has not moved."""

    def __init__(self) -> None:
        self._window: Window | None = None
        self._previous: Small | None = None
        self._first: Small | None = None
        """The picture with which it came to rest: a push in small steps gets ever farther from it."""
        self._since = 0.0
        self.noise = 1.0
        """Mean grey level by which a still picture differs from the one before."""
        self.frames = 0

    def watch(self, window: Window | None) -> None:
        """Heed only this part of the picture, or all of it: what moves elsewhere is no matter."""
        self._window = window

    def small_copy(self, picture: Picture) -> Small:
        """Every few pixels of the watched part, smoothed: noise and a shaking camera barely show in it."""
        part = EVERYTHING if self._window is None else self._window.slices
        return np.asarray(cv2.blur(sampled(picture, part), (5, 5)), np.uint8)

    def differ(self, a: Small, b: Small) -> bool:
        """Do two small copies differ by more than the camera's noise, and its shaking?"""
        return a.shape != b.shape or not (
            self._energy(np.asarray(cv2.absdiff(a, b))) <= MOVING or self._shaken(a, b)
        )

    def _shaken(self, a: Small, b: Small) -> bool:
        """Do they differ by a small shift of the whole, and by nothing else?"""
        if a.shape != b.shape or self._energy(np.asarray(cv2.absdiff(a, b))) > EDGES:
            return False
        before, now = a.astype(np.float32), b.astype(np.float32)
        between, difference = (before + now) / 2, now - before
        right = cv2.Sobel(between, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
        down = cv2.Sobel(between, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
        alike = np.abs(difference) < OTHER
        slopes = np.column_stack([right[alike], down[alike]])
        # Least squares; a plain picture has no edges, and no shift that could be told.
        shift = np.linalg.pinv(slopes.T @ slopes) @ (slopes.T @ difference[alike])
        if np.abs(shift).max() > SHAKE:
            return False
        rest = np.abs(difference - shift[0] * right - shift[1] * down)
        return self._energy(np.asarray(np.minimum(rest, 255), np.uint8)) <= MOVING

    def _energy(self, difference: NDArray[np.uint8]) -> float:
        """Changes of a channel for every pixel: a piece may differ from the board in one colour alone."""
        # Whole grey levels: compared with a fraction, every pixel would become a long number first.
        step = int(min(60.0, max(STEP, 7.0 * self.noise)))
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
            self.noise += 0.1 * (float(cv2.mean(difference)[1]) - self.noise)
        elif not self._shaken(self._first, small):
            self._first, self._since, self.frames = small, time, 0
            return 0.0
        self.frames += 1
        return time - self._since
