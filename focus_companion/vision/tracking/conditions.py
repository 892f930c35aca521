"""Under which conditions a picture was taken, beside another of the same scene: how the camera has moved a
little since, and how the :mod:`light <.light>` has changed. Undone, the two pictures differ in what happened
alone.

The camera has turned about its centre by a small angle and zoomed by a little (a stand that sways or sags, a
lens that focuses). That is fitted robustly: what happened on the board takes up a part of the picture, and
does not follow.
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
"""Pixels, those with the steepest slopes, by which a motion is measured: with less steep ones among them it
is measured less exactly."""
STEPS: Final = 20
"""Solutions of the least squares at the most; each takes a tenth of a millisecond."""
AT_REST: Final = 0.005
"""Pixels of the coarse picture by which a solution moves a point when it has converged."""
NO_MOTION: Final = 0.25
"""Pixels of the coarse picture up to which a motion is not undone: it is lost in the smoothing."""
FAR: Final = 0.6
"""Squares from which a motion is not believed: a square aside, a board looks much like itself."""
UNLIKE: Final = 12.0
"""Grey levels by which a pixel differs when it has a quarter of its weight: what happened has hardly any."""
FITS: Final = 0.4
"""Mean weight of the points, 1 at the most, below which a motion is sought from elsewhere too."""
FARTHEST, TIGHTER = 60.0, 0.7
"""The same for the first solution, as edges far from their places differ too, and its factor for the next."""
PLAINLY: Final = 25
"""Grey levels by which a channel plainly differs: what leaves more of them than before explains nothing."""
GRID: Final = 16
"""Pixels between the points at which a motion is worked out; between them it is linear."""


@dataclass(frozen=True)
class Sampling:
    """A coarse copy of a part of a picture: every how many pixels of the ``window``, how wide a square is in
    the copy (pixels), and the lens of the whole picture.
    """

    window: Window
    every: int
    square: float
    lens: Lens

    def halved(self) -> Sampling:
        """That of the copy reduced to half its size."""
        return replace(self, every=2 * self.every, square=self.square / 2)

    def pixels(self, points: Floats) -> Floats:
        """Points (N, 2) of the copy as pixels of the picture."""
        return np.asarray(points * self.every + (self.window.left, self.window.top))

    def points(self, pixels: Floats) -> Floats:
        """The other way round."""
        return np.asarray((pixels - (self.window.left, self.window.top)) / self.every)


@dataclass(frozen=True)
class Motion:
    """How the camera has moved: ``turn`` in radians about its axes, and the logarithm of its ``zoom``."""

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
        """The camera that has moved so."""
        turn = np.asarray(cv2.Rodrigues(np.array(self.turn))[0])
        x, y, z = np.asarray(cv2.Rodrigues(turn @ before.rotation_matrix)[0]).ravel()
        lens = replace(before.lens, focal=before.lens.focal * float(np.exp(self.zoom)))
        right, down, ahead = turn @ np.array(before.translation)
        return Camera(lens, (float(x), float(y), float(z)), (float(right), float(down), float(ahead)))

    def seen(self, rays: Floats, lens: Lens) -> Floats:
        """Where what lay in these directions, (N, 3), is seen now: pixels (N, 2)."""
        turned = rays @ np.asarray(cv2.Rodrigues(np.array(self.turn))[0]).T
        turned[:, :2] *= np.exp(self.zoom)
        pixels, _ = cv2.projectPoints(
            turned.reshape(-1, 1, 3), np.zeros(3), np.zeros(3), lens.matrix, np.array(lens.distortion)
        )
        return np.asarray(pixels, float).reshape(-1, 2)


STILL: Final = Motion()


def rays(pixels: Floats, lens: Lens) -> Floats:
    """The directions (N, 3) in which pixels (N, 2) look."""
    shown = np.ascontiguousarray(pixels, float).reshape(-1, 1, 2)
    plain = cv2.undistortPoints(shown, lens.matrix, np.array(lens.distortion)).reshape(-1, 2)
    return np.column_stack([plain, np.ones(len(plain))])


@dataclass(frozen=True, eq=False)
class Conditions:
    """Those of one picture against a :class:`Baseline`: ``motion``, and the ``light`` over the window,
    ``None`` where it is the same.
    """

    sampling: Sampling
    motion: Motion
    light: Light | None

    @property
    def same(self) -> bool:
        return self.motion is STILL and self.light is None

    def moves(self) -> float:
        """By how many pixels of the picture the corners of the window have moved, at the most."""
        if self.motion is STILL:
            return 0.0
        window, lens = self.sampling.window, self.sampling.lens
        corners = np.array(
            [(x, y) for x in (window.left, window.right) for y in (window.top, window.bottom)], float
        )
        return float(np.abs(self.motion.seen(rays(corners, lens), lens) - corners).max())

    def undone(self, image: Image) -> Image:
        """The picture as it would have been taken under the conditions of the baseline; a copy, the same
        outside of the window.
        """
        if self.same:
            return image
        back = image.copy()
        part = self._held(image) if self.motion is not STILL else np.ascontiguousarray(image[self._slices])
        back[self._slices] = part if self.light is None else self.light.undone(part)
        return back

    @property
    def _slices(self) -> tuple[slice, slice]:
        return self.sampling.window.slices

    def _held(self, image: Image) -> Image:
        """The window's pixels from where they have moved to."""
        window, lens = self.sampling.window, self.sampling.lens
        size = window.right - window.left, window.bottom - window.top
        corner = np.array([window.left, window.top])
        return _pulled(image, size, lambda points: self.motion.seen(rays(points + corner, lens), lens))


def _pulled(image: Image, size: tuple[int, int], places: Callable[[Floats], Floats]) -> Image:
    """A picture of ``size`` (width, height) whose points (N, 2) are from these ``places`` of the image."""
    # In the middles of cells that begin one before the picture: so resizing hits every pixel.
    columns, rows = (-(-side // GRID) + 2 for side in size)
    x, y = np.meshgrid((np.arange(columns) - 0.5) * GRID - 0.5, (np.arange(rows) - 0.5) * GRID - 0.5)
    grid = places(np.column_stack([x.ravel(), y.ravel()])).reshape(rows, columns, 2).astype(np.float32)
    pulled = np.empty((size[1], size[0], 3), np.uint8)
    for strip, at in enlarged(grid, GRID, *size):
        cv2.remap(image, at, None, cv2.INTER_LINEAR, pulled[strip], cv2.BORDER_REPLICATE)
    return pulled


class Baseline:
    """A coarse picture with which later ones of the same scene are compared."""

    def __init__(self, picture: Image, sampling: Sampling) -> None:
        """``picture`` (h, w, 3): smoothed, as ``sampling`` says."""
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
        # Next to nothing: it holds still what a plain picture tells nothing of.
        self._stiffness = 1e-9 * np.diag((self._jacobian**2).sum(0) + 1.0)

    def _moves(self) -> Floats:
        """By how many points of the copy each unit of a motion moves the chosen ones, (4, N, 2)."""
        x, y, one = self._rays.T
        turned = [(-x * y, -one - y * y), (one + x * x, x * y), (-y, x), (x, y)]
        return np.array(turned).transpose(0, 2, 1) * (self.sampling.lens.focal / self.sampling.every)

    def _plain(self, picture: Image) -> Field:
        """Grey levels without what is wider than a square: light, mostly."""
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
        wide = 2 * round(self.sampling.square / 2) + 1
        return np.asarray(grey - cv2.blur(grey, (wide, wide)), np.float32)

    def motion(self, picture: Image, near: Motion = STILL) -> tuple[Motion, float]:
        """The camera's motion until this picture was taken, sought from ``near``; and how well it fits, as
        the mean weight of its points.
        """
        plain = self._plain(picture)
        vector, fits = self._solved(plain, near.vector)
        if fits < FITS:
            # Farther away than slopes reach, unless an arm hides most of what could be compared: in a copy of
            # half the size they reach twice as far.
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
        """The turn, as a motion's vector, by which the whole picture is most likely shifted."""
        height, width = plain.shape
        shift, _ = cv2.phaseCorrelate(self._all, plain, cv2.createHanningWindow((width, height), cv2.CV_32F))
        turned = np.linalg.lstsq(self._usual.T, np.array(shift), rcond=None)[0]
        return np.array([*turned, 0.0, 0.0])

    def _solved(self, plain: Field, vector: Floats) -> tuple[Floats, float]:
        """The motion from which the points differ least, and the mean of their weights (0 … 1) there."""
        off = self._off(plain, vector)
        # Loosely at first, unless most of the points fit already.
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
        """Grey levels (N,) by which the points differ from where this motion has them seen."""
        at = self._seen(vector).astype(np.float32)
        shown = cv2.remap(plain, at[:, None], None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(shown[:, 0] - self._values, float)

    def _seen(self, vector: Floats) -> Floats:
        sampling = self.sampling
        return sampling.points(Motion.of(vector).seen(self._rays, sampling.lens))

    def conditions(self, picture: Image, before: Image, near: Motion = STILL) -> tuple[Conditions, float]:
        """Those of a coarse picture, its light against that of ``before``, a picture that is held still; and
        how well the motion fits, 0 … 1.
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
        """By how many pixels of the copy the motion moves a point at the most."""
        return float((np.abs(motion.vector) * self._reach).max())

    def relit(self, picture: Image) -> Image:
        """A coarse picture that is held still, in the baseline's light."""
        light = Light.between(self.picture, picture, self.sampling.square)
        return picture if light is None else light.undone(picture)

    def held(self, picture: Image, motion: Motion) -> Image:
        """The coarse picture as it would be had the camera not moved."""
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
    """What points weigh, 0 … 1, that differ by ``off`` grey levels; a quarter of it at ``unlike``."""
    return np.asarray(1 / np.square(1 + np.square(off / unlike)))


def unlike(one: Image, other: Image) -> float:
    """Share of the channels that plainly differ."""
    off = cv2.absdiff(one, other)
    return int(np.count_nonzero(off > PLAINLY)) / int(off.size)
