"""The small motion between two pictures of one scene, and how a coarse copy samples a picture.

The camera rotates a little about its centre and zooms (a stand that sways or sags, a lens that focuses), or
the board slides on the table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from ..arrays import Floats
from ..geometry.pose import pushed
from ..geometry.scene import Camera, Lens, at_height
from ..geometry.stack_masks import Window


@dataclass(frozen=True)
class Sampling:
    """How a coarse copy samples a picture: the step ``every`` in pixels within the ``window``, the side of
    a ``square`` in pixels of the copy, and the lens of the whole picture. ``camera``: the pose of the board,
    if known.
    """

    window: Window
    every: int
    square: float
    lens: Lens
    camera: Camera | None = None

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
class Slide:
    """A motion of the board in its plane, as seen by a ``camera`` that stands still: by ``dx`` and ``dy`` in
    mm after a rotation by ``turn`` in radians (:func:`.pose.pushed`).
    """

    camera: Camera
    dx: float
    dy: float
    turn: float

    def project(self, rays: Floats) -> Floats:
        """Pixels (N, 2), after the motion, of what the viewing directions (N, 3) showed before it."""
        after = pushed(self.camera, self.dx, self.dy, self.turn)
        return after.project(at_height(self.camera.board_points(rays)))


@dataclass(frozen=True)
class Motion:
    """A motion of the camera: ``turn`` in radians about its axes, and the log of the ``zoom`` factor.

    ``slide``: it is the board that moved; the motion of the camera is then the one that looks most like it.
    """

    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)
    zoom: float = 0.0
    slide: Slide | None = None

    @classmethod
    def of(cls, vector: Floats) -> Motion:
        x, y, z, zoom = map(float, vector)
        return cls((x, y, z), zoom)

    @property
    def vector(self) -> Floats:
        return np.array([*self.turn, self.zoom])

    def __add__(self, other: Motion) -> Motion:
        """Both motions, one after the other, as one of the camera; an approximation for small ones."""
        return Motion.of(self.vector + other.vector)

    def __sub__(self, other: Motion) -> Motion:
        return Motion.of(self.vector - other.vector)

    def camera(self, before: Camera) -> Camera:
        """The camera, in the frame of the board, after this motion."""
        if (slide := self.slide) is not None:
            return pushed(before, slide.dx, slide.dy, slide.turn)
        turn = np.asarray(cv2.Rodrigues(np.array(self.turn))[0])
        lens = replace(before.lens, focal=before.lens.focal * float(np.exp(self.zoom)))
        return Camera.posed(lens, turn @ before.rotation_matrix, turn @ np.array(before.translation))

    def directions(self, rays: Floats) -> Floats:
        """The viewing directions (N, 3) to what ``rays`` (N, 3) showed before the motion of the camera."""
        turned: Floats = rays @ np.asarray(cv2.Rodrigues(np.array(self.turn))[0]).T
        turned[:, :2] *= np.exp(self.zoom)
        return turned

    def project(self, rays: Floats, lens: Lens) -> Floats:
        """Pixels (N, 2), after the motion, of the viewing directions (N, 3) before it."""
        if self.slide is not None:
            return self.slide.project(rays)
        pixels, _ = cv2.projectPoints(
            self.directions(rays).reshape(-1, 1, 3),
            np.zeros(3),
            np.zeros(3),
            lens.matrix,
            np.array(lens.distortion),
        )
        return np.asarray(pixels, float).reshape(-1, 2)


STILL: Final = Motion()
