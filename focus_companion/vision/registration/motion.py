"""The camera's small motion between two pictures of one scene, and how a coarse copy samples a picture.

The motion is a small rotation about the camera's centre and a change of zoom (a stand that sways or sags, a
lens that focuses).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from ..arrays import Floats
from ..geometry.scene import Camera, Lens
from ..geometry.stack_masks import Window


@dataclass(frozen=True)
class Sampling:
    """How a coarse copy samples a picture: the step ``every`` in pixels within the ``window``, the side of
    a ``square`` in pixels of the copy, and the lens of the whole picture.
    """

    window: Window
    every: int
    square: float
    lens: Lens

    def halved(self) -> Sampling:
        """The sampling of the copy reduced to half its size."""
        return replace(self, every=2 * self.every, square=self.square / 2)

    def pixels(self, points: Floats) -> Floats:
        """Convert points (N, 2) of the copy to pixels of the picture."""
        return np.asarray(points * self.every + (self.window.left, self.window.top))

    def points(self, pixels: Floats) -> Floats:
        """Convert pixels (N, 2) of the picture to points of the copy."""
        return np.asarray((pixels - (self.window.left, self.window.top)) / self.every)


@dataclass(frozen=True)
class Motion:
    """A motion of the camera: ``turn`` in radians about its axes, and the log of the ``zoom`` factor."""

    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)
    zoom: float = 0.0

    @classmethod
    def of(cls, vector: Floats) -> Motion:
        x, y, z, zoom = map(float, vector)
        return cls((x, y, z), zoom)

    @property
    def vector(self) -> Floats:
        return np.array([*self.turn, self.zoom])

    def __add__(self, other: Motion) -> Motion:
        """Both motions, one after the other; an approximation for small ones."""
        return Motion.of(self.vector + other.vector)

    def __sub__(self, other: Motion) -> Motion:
        return Motion.of(self.vector - other.vector)

    def camera(self, before: Camera) -> Camera:
        """The camera after this motion."""
        turn = np.asarray(cv2.Rodrigues(np.array(self.turn))[0])
        lens = replace(before.lens, focal=before.lens.focal * float(np.exp(self.zoom)))
        return Camera.posed(lens, turn @ before.rotation_matrix, turn @ np.array(before.translation))

    def project(self, rays: Floats, lens: Lens) -> Floats:
        """Pixels (N, 2), after the motion, of the viewing directions (N, 3) before it."""
        turned = rays @ np.asarray(cv2.Rodrigues(np.array(self.turn))[0]).T
        turned[:, :2] *= np.exp(self.zoom)
        pixels, _ = cv2.projectPoints(
            turned.reshape(-1, 1, 3), np.zeros(3), np.zeros(3), lens.matrix, np.array(lens.distortion)
        )
        return np.asarray(pixels, float).reshape(-1, 2)


STILL: Final = Motion()
