"""Registration of a picture to a baseline of the same scene: the small motion of the camera in between, and
the change of :mod:`light <.light>`. With both undone, the pictures differ only by what has happened.

The motion is a small rotation about the camera's centre and a change of zoom (a stand that sways or sags, a
lens that focuses). The fit is robust: acts on the board affect a part of the picture only, and are outliers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ..capture.frames import Image
from ..geometry.scene import Camera, Lens
from ..geometry.stack_masks import Window
from .enlarging import enlarged
from .light import Light

Floats = NDArray[np.float64]
Field = NDArray[np.float32]

POINTS: Final = 600
"""Number of pixels, those with the largest gradients, from which a motion is estimated: more, with smaller
gradients, make the estimate less accurate."""
STEPS: Final = 20
"""Maximum number of iterations of least squares; each takes a tenth of a millisecond."""
AT_REST: Final = 0.005
"""Convergence threshold: motion of points per iteration, in pixels of the coarse picture."""
NO_MOTION: Final = 0.25
"""Motion, in pixels of the coarse picture, up to which it is ignored: the blur is larger."""
FAR: Final = 0.6
"""Motion, in squares, from which it is rejected: shifted by a square, a board looks much the same."""
UNLIKE: Final = 12.0
"""Residual, in grey levels, at which a pixel has a quarter of its weight; outliers have hardly any."""
FITS: Final = 0.4
"""Mean weight of the points (0 … 1) below which the fit is repeated from another initial motion."""
FARTHEST, TIGHTER = 60.0, 0.7
"""The same for the first iteration, while edges are still displaced, and its factor from one to the next."""
PLAINLY: Final = 25
"""Difference, in grey levels, of a clearly different channel; a correction must not increase their number."""
GRID: Final = 16
"""Sampling step, in pixels, of the remapping; it is interpolated linearly in between."""


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

    def camera(self, before: Camera) -> Camera:
        """The camera after this motion."""
        turn = np.asarray(cv2.Rodrigues(np.array(self.turn))[0])
        x, y, z = np.asarray(cv2.Rodrigues(turn @ before.rotation_matrix)[0]).ravel()
        lens = replace(before.lens, focal=before.lens.focal * float(np.exp(self.zoom)))
        right, down, ahead = turn @ np.array(before.translation)
        return Camera(lens, (float(x), float(y), float(z)), (float(right), float(down), float(ahead)))

    def seen(self, rays: Floats, lens: Lens) -> Floats:
        """Pixels (N, 2), after the motion, of the viewing directions (N, 3) before it."""
        turned = rays @ np.asarray(cv2.Rodrigues(np.array(self.turn))[0]).T
        turned[:, :2] *= np.exp(self.zoom)
        pixels, _ = cv2.projectPoints(
            turned.reshape(-1, 1, 3), np.zeros(3), np.zeros(3), lens.matrix, np.array(lens.distortion)
        )
        return np.asarray(pixels, float).reshape(-1, 2)


STILL: Final = Motion()


def rays(pixels: Floats, lens: Lens) -> Floats:
    """Viewing directions (N, 3) of pixels (N, 2)."""
    shown = np.ascontiguousarray(pixels, float).reshape(-1, 1, 2)
    plain = cv2.undistortPoints(shown, lens.matrix, np.array(lens.distortion)).reshape(-1, 2)
    return np.column_stack([plain, np.ones(len(plain))])


@dataclass(frozen=True, eq=False)
class Conditions:
    """Those of a picture relative to a :class:`Baseline`: the ``motion`` of the camera, and the ``light``
    over the window; ``None`` if it is the same.
    """

    sampling: Sampling
    motion: Motion
    light: Light | None

    @property
    def same(self) -> bool:
        return self.motion is STILL and self.light is None

    def moves(self) -> float:
        """Maximum motion of the corners of the window, in pixels of the picture."""
        if self.motion is STILL:
            return 0.0
        window, lens = self.sampling.window, self.sampling.lens
        corners = np.array(
            [(x, y) for x in (window.left, window.right) for y in (window.top, window.bottom)], float
        )
        return float(np.abs(self.motion.seen(rays(corners, lens), lens) - corners).max())

    def undone(self, image: Image, window: Window) -> Image:
        """The picture under the conditions of the baseline; a copy. The motion is undone in ``window``, the
        light where it was measured: in the part of it that was sampled.
        """
        if self.same:
            return image
        back = image.copy()
        if self.motion is not STILL:
            back[window.slices] = self._held(image, window)
        if self.light is not None:
            sampled = self.sampling.window.slices
            back[sampled] = self.light.undone(np.ascontiguousarray(back[sampled]))
        return back

    def _held(self, image: Image, window: Window) -> Image:
        """The window with the motion undone."""
        lens, size = self.sampling.lens, (window.right - window.left, window.bottom - window.top)
        corner = np.array([window.left, window.top])
        return _pulled(image, size, lambda points: self.motion.seen(rays(points + corner, lens), lens))


def _pulled(image: Image, size: tuple[int, int], places: Callable[[Floats], Floats]) -> Image:
    """The image remapped to ``size`` (width, height); ``places`` maps points (N, 2) back to the image."""
    # At the centres of cells, with a border of one cell, so that resizing interpolates at every pixel.
    columns, rows = (-(-side // GRID) + 2 for side in size)
    x, y = np.meshgrid((np.arange(columns) - 0.5) * GRID - 0.5, (np.arange(rows) - 0.5) * GRID - 0.5)
    grid = places(np.column_stack([x.ravel(), y.ravel()])).reshape(rows, columns, 2).astype(np.float32)
    pulled = np.empty((size[1], size[0], 3), np.uint8)
    for strip, at in enlarged(grid, GRID, *size):
        cv2.remap(image, at, None, cv2.INTER_LINEAR, pulled[strip], cv2.BORDER_REPLICATE)
    return pulled


class Baseline:
    """A coarse picture to which later ones of the same scene are registered."""

    def __init__(self, picture: Image, sampling: Sampling) -> None:
        """``picture`` (h, w, 3) is blurred and sampled according to ``sampling``."""
        self.picture, self.sampling, self._veiled = picture, sampling, False
        plain = self._plain(picture)
        down, across = (
            cv2.Sobel(plain, cv2.CV_32F, dx, dy, ksize=3, scale=1 / 8) for dx, dy in ((0, 1), (1, 0))
        )
        steep = (down * down + across * across)[2:-2, 2:-2]
        count = min(POINTS, steep.size)
        chosen = np.argpartition(steep.ravel(), steep.size - count)[steep.size - count :]
        rows, columns = (at + 2 for at in np.unravel_index(chosen, steep.shape))
        self._all, self._values = plain, plain[rows, columns]
        self._at = np.column_stack([columns, rows]).astype(float)
        lens = sampling.lens
        self._rays = rays(sampling.pixels(self._at), lens)
        slopes = np.column_stack([across[rows, columns], down[rows, columns]])
        moves = self._moves()
        self._jacobian = np.einsum("ni,pni->np", slopes, moves)
        self._reach = np.abs(moves).max((1, 2))
        self._usual = moves[:2].mean(1)
        # A minimal regularization for degrees of freedom that a picture without texture leaves open.
        self._stiffness = 1e-9 * np.diag((self._jacobian**2).sum(0) + 1.0)

    def _moves(self) -> Floats:
        """Derivatives (4, N, 2) of the chosen points' positions in the copy by the components of a motion."""
        x, y, one = self._rays.T
        turned = [(-x * y, -one - y * y), (one + x * x, x * y), (-y, x), (x, y)]
        return np.array(turned).transpose(0, 2, 1) * (self.sampling.lens.focal / self.sampling.every)

    def _plain(self, picture: Image) -> Field:
        """Grey levels after a high-pass filter at the scale of a square, which removes most of the light."""
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
        wide = 2 * round(self.sampling.square / 2) + 1
        return np.asarray(grey - cv2.blur(grey, (wide, wide)), np.float32)

    def motion(self, picture: Image, near: Motion = STILL) -> tuple[Motion, float]:
        """The camera's motion from the baseline to this picture, searched from ``near``, and the quality of
        the fit, as the mean weight of the points (0 … 1).
        """
        plain = self._plain(picture)
        vector, fits = self._solved(plain, near.vector)
        if fits < FITS:
            # The motion exceeds the range of the gradients, unless an arm occludes most of the points; in a
            # copy of half the size, the range is twice as large.
            half = self._half._plain(_halved(picture))
            rough, _ = self._half._solved(half, self._half._shift(half))
            other, better = self._solved(plain, rough)
            if better > fits:
                vector, fits = other, better
        return Motion.of(vector), fits

    @cached_property
    def _half(self) -> Baseline:
        return Baseline(_halved(self.picture), self.sampling.halved())

    def _shift(self, plain: Field) -> Floats:
        """The motion vector of a rotation that shifts the picture as phase correlation estimates it."""
        height, width = plain.shape
        shift, _ = cv2.phaseCorrelate(self._all, plain, cv2.createHanningWindow((width, height), cv2.CV_32F))
        turned = np.linalg.lstsq(self._usual.T, np.array(shift), rcond=None)[0]
        return np.array([*turned, 0.0, 0.0])

    def _solved(self, plain: Field, vector: Floats) -> tuple[Floats, float]:
        """The motion by iteratively reweighted least squares, and the mean weight of the points (0 … 1)."""
        off = self._off(plain, vector)
        # With a large tolerance first, unless most of the points fit already.
        first = 0 if _weights(off, UNLIKE).mean() < FITS else STEPS // 2
        for number in range(first, STEPS):
            unlike = max(UNLIKE, FARTHEST * TIGHTER**number)
            weights = _weights(off, unlike)
            weighted = self._jacobian * weights[:, None]
            step = np.linalg.solve(weighted.T @ self._jacobian + self._stiffness, weighted.T @ off)
            vector = vector - step
            if unlike == UNLIKE and (np.abs(step) * self._reach).max() < AT_REST:
                break
            off = self._off(plain, vector)
        return vector, float(weights.mean())

    def _off(self, plain: Field, vector: Floats) -> Floats:
        """Residuals (N,), in grey levels, of the points under this motion."""
        at = self._seen(vector).astype(np.float32)
        shown = cv2.remap(plain, at[:, None], None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(shown[:, 0] - self._values, float)

    def _seen(self, vector: Floats) -> Floats:
        sampling = self.sampling
        return sampling.points(Motion.of(vector).seen(self._rays, sampling.lens))

    def conditions(self, picture: Image, before: Image, near: Motion = STILL) -> tuple[Conditions, float]:
        """The conditions of a coarse picture, and the quality of the motion's fit, 0 … 1. The light is
        relative to ``before``, a picture with its motion undone.
        """
        motion, fits = self.motion(picture, near)
        if not NO_MOTION < self.reach(motion) < FAR * self.sampling.square:
            motion = STILL
        held = self.held(picture, motion)
        if motion is not STILL and unlike(held, before) >= unlike(picture, before):
            motion, held = STILL, picture
        light = Light.between(before, held, self.sampling.square, veiled=self._veiled)
        if light is not None and unlike(light.undone(held), before) > unlike(held, before):
            light = None
        self._veiled = light is not None and light.veil is not None
        return Conditions(self.sampling, motion, light), fits

    def reach(self, motion: Motion) -> float:
        """Maximum displacement of a point by the motion, in pixels of the copy."""
        return float((np.abs(motion.vector) * self._reach).max())

    def relit(self, picture: Image) -> Image:
        """A coarse picture, its motion undone, in the baseline's light."""
        light = Light.between(self.picture, picture, self.sampling.square)
        return picture if light is None else light.undone(picture)

    def held(self, picture: Image, motion: Motion) -> Image:
        """The coarse picture with the motion undone."""
        if motion is STILL:
            return picture
        sampling = self.sampling

        def places(points: Floats) -> Floats:
            directions = rays(sampling.pixels(points), sampling.lens)
            return sampling.points(motion.seen(directions, sampling.lens))

        return _pulled(picture, (picture.shape[1], picture.shape[0]), places)


def _halved(picture: Image) -> Image:
    size = max(1, picture.shape[1] // 2), max(1, picture.shape[0] // 2)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _weights(off: Floats, unlike: float) -> Floats:
    """Weights (0 … 1) of points with residuals ``off`` in grey levels; a quarter at ``unlike``."""
    return np.asarray(1 / np.square(1 + np.square(off / unlike)))


def unlike(one: Image, other: Image) -> float:
    """Share of the channels that differ clearly (:data:`PLAINLY`)."""
    off = cv2.absdiff(one, other)
    return int(np.count_nonzero(off > PLAINLY)) / int(off.size)
