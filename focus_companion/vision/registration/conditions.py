"""The conditions of a picture relative to an earlier one of the same scene: the camera's :mod:`motion
<.motion>` and the change of :mod:`light <.light>`. Both are undone, so that only what has happened makes a
difference.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from ..capture.frames import Image
from ..capture.sampling import STRIP_ROWS
from ..geometry.stack_masks import Window
from .light import Light
from .motion import STILL, Motion, Sampling
from .remapping import remap


@dataclass(frozen=True, eq=False)
class Conditions:
    """The conditions of a picture relative to an earlier one: the ``motion`` of the camera, and the ``light``
    over the window, ``None`` if it is the same. ``remaining``: the motion since the :class:`Baseline` that is
    left when ``motion`` is undone, as small motions are not undone.
    """

    sampling: Sampling
    motion: Motion
    light: Light | None
    remaining: Motion = STILL

    @property
    def same(self) -> bool:
        return self.motion is STILL and self.light is None

    @property
    def veiled(self) -> bool:
        """Whether a reflection came, or is gone."""
        return self.light is not None and self.light.veil is not None

    def veil_at(self, x: float, y: float) -> float:
        """By how many grey levels a reflection brightens a black surface at a pixel of the picture; negative
        if the reflection is gone.
        """
        if self.light is None:
            return 0.0
        window = self.sampling.window
        down = (y - window.top) / (window.bottom - window.top)
        return self.light.veil_at((x - window.left) / (window.right - window.left), down)

    def corner_displacement(self) -> float:
        """Maximum displacement of the window's corners, in pixels of the picture."""
        if self.motion is STILL:
            return 0.0
        window, lens = self.sampling.window, self.sampling.lens
        corners = np.array(
            [(x, y) for x in (window.left, window.right) for y in (window.top, window.bottom)], float
        )
        return float(np.abs(self.motion.project(lens.rays(corners), lens) - corners).max())

    def undo(self, image: Image, window: Window, before: Image) -> Image:
        """The picture under the conditions of the earlier picture ``before``. The motion is undone in
        ``window``, the light only in the part of it that was sampled to measure the light. What has moved out
        of the camera's view is taken from ``before``.
        """
        if self.same:
            return image
        undone, unseen = image.copy(), None
        if self.motion is not STILL:
            unseen = self._steady(image, window, undone[window.slices])
        if self.light is not None:
            part = self.sampling.window.slices
            self.light.undo(undone[part], before[part], undone[part])
        if unseen is not None:
            cv2.copyTo(before[window.slices], unseen, undone[window.slices])
        return undone

    def undo_around(self, picture: Image, window: Window, every: int) -> Image:
        """Undo the light outside the part in which it was measured, where :meth:`undo` leaves it: its gain
        there is assumed to be that at the nearest place in that part.

        ``picture``: the part of an undone picture in ``window``, subsampled by ``every``.
        """
        if self.light is None:
            return picture
        own = self.sampling.window
        across = (np.arange(window.left, window.right, every) - own.left) / (own.right - own.left)
        down = (np.arange(window.top, window.bottom, every) - own.top) / (own.bottom - own.top)
        inside = ((down >= 0) & (down < 1))[:, None] & ((across >= 0) & (across < 1))
        undone = np.empty_like(picture)
        for first in range(0, len(down), STRIP_ROWS):
            rows = slice(first, first + STRIP_ROWS)
            gain = self.light.gain_at(across, down[rows])
            factor = np.where(inside[rows, :, None], np.float32(1), 1 / gain)
            cv2.multiply(picture[rows], factor, undone[rows], dtype=cv2.CV_8U)
        return undone

    def _steady(self, image: Image, window: Window, shown: Image) -> Image | None:
        """Write the window with the motion undone to ``shown``; returns its pixels that are out of view."""
        lens, corner = self.sampling.lens, np.array([window.left, window.top])
        return remap(image, lambda points: self.motion.project(lens.rays(points + corner), lens), shown)
