"""Registration of pictures to a baseline of the same scene: measures the conditions of each.

The fit of the camera's motion is robust: acts on the board affect only a part of the picture, and are
outliers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import Final

import cv2
import numpy as np

from ..arrays import Floats, Singles
from ..capture.frames import Image
from ..capture.sampling import halved
from ..geometry.pose import rigid_motion
from .conditions import Conditions
from .light_fit import light_between
from .motion import STILL, Motion, Sampling, Slide
from .remapping import remap

_MAX_POINTS: Final = 600
"""Number of pixels, those with the largest gradients, from which a motion is estimated. More pixels, with
smaller gradients, would make the estimate less accurate."""
_MAX_ITERATIONS: Final = 20
"""Maximum number of iterations of least squares; each takes a tenth of a millisecond."""
_CONVERGENCE_THRESHOLD: Final = 0.005
"""Convergence threshold: motion of points per iteration, in pixels of the coarse picture."""
_MIN_MOTION: Final = 0.25
"""Motion, in pixels of the coarse picture, up to which it is ignored, as the blur is larger."""
_MAX_DRIFT: Final = 0.5
"""Motion since the baseline, in pixels of the coarse picture, from which even a small motion since the last
picture is undone. Ignored motions add up while a stand sags, and the pictures no longer match the pose.
Raising it allows a larger mismatch; lowering it undoes errors of the estimate, which reach 0.4 while the
camera stands still (five recordings)."""
_MAX_MOTION: Final = 0.6
"""Motion, in squares, from which it is rejected: a board shifted by one square looks much the same."""
_RESIDUAL_SCALE: Final = 12.0
"""Residual, in grey levels, at which a pixel has a quarter of its weight; outliers have hardly any."""
MIN_FIT: Final = 0.4
"""Mean weight of the points, 0 … 1, below which the fit is poor: it is repeated from another initial motion,
and the picture no longer serves as the baseline."""
_INITIAL_RESIDUAL_SCALE: Final = 60.0
""":data:`_RESIDUAL_SCALE` for the first iteration, in which edges are still displaced."""
_RESIDUAL_SCALE_DECAY: Final = 0.7
"""Factor of that scale from one iteration to the next."""
_CLEAR_DIFFERENCE: Final = 25
"""Difference, in grey levels, from which a channel differs clearly; no correction may add such channels."""


class _Model:
    """How the chosen points move with the parameters of a motion.

    ``projected`` maps P parameters to the positions (N, 2) of the points in the copy; ``derivatives``
    (P, N, 2) are those of the positions, and ``slopes`` (N, 2) those of the brightness, across and down.
    """

    def __init__(self, projected: Callable[[Floats], Floats], derivatives: Floats, slopes: Floats) -> None:
        self.projected = projected
        self.jacobian = np.einsum("ni,pni->np", slopes, derivatives)
        self.displacements = np.abs(derivatives).max((1, 2))
        # Minimal regularization, for degrees of freedom that a picture without texture leaves undetermined.
        self.stiffness = 1e-9 * np.diag((self.jacobian**2).sum(0) + 1.0)


class Baseline:
    """A coarse picture to which later ones of the same scene are registered."""

    def __init__(self, picture: Image, sampling: Sampling) -> None:
        """``picture`` (h, w, 3) is blurred and sampled according to ``sampling``."""
        self.picture, self.sampling, self._had_veil = picture, sampling, False
        filtered = self._high_passed(picture)
        down, across = (
            cv2.Sobel(filtered, cv2.CV_32F, dx, dy, ksize=3, scale=1 / 8) for dx, dy in ((0, 1), (1, 0))
        )
        steep = (down * down + across * across)[2:-2, 2:-2]
        count = min(_MAX_POINTS, steep.size)
        chosen = np.argpartition(steep.ravel(), steep.size - count)[steep.size - count :]
        rows, columns = (at + 2 for at in np.unravel_index(chosen, steep.shape))
        self._filtered, self._values = filtered, filtered[rows, columns]
        self._points = np.column_stack([columns, rows]).astype(float)
        lens = sampling.lens
        self._rays = lens.rays(sampling.pixels(self._points))
        self._slopes = np.column_stack([across[rows, columns], down[rows, columns]])
        derivatives = self._derivatives()
        self._mean_shifts = derivatives[:2].mean(1)
        self._camera_moves = _Model(partial(_projected, self._rays, sampling), derivatives, self._slopes)

    def _derivatives(self) -> Floats:
        """Derivatives (4, N, 2) of the chosen points' positions in the copy with respect to the components of
        a motion.
        """
        x, y, one = self._rays.T
        turned = [(-x * y, -one - y * y), (one + x * x, x * y), (-y, x), (x, y)]
        lens = self.sampling.lens
        focal = np.array([lens.focal, lens.focal * lens.aspect]) / self.sampling.every
        return np.array(turned).transpose(0, 2, 1) * focal

    def _high_passed(self, picture: Image) -> Singles:
        """Grey levels after a high-pass filter at the scale of a square, which removes most changes of
        light.
        """
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
        wide = 2 * round(self.sampling.square / 2) + 1
        return np.asarray(grey - cv2.blur(grey, (wide, wide)), np.float32)

    def _comparable(self, picture: Image, relit: bool) -> Singles:
        """:meth:`_high_passed`; if ``relit``, with the contrast of the baseline, as residuals in the dark
        would otherwise outweigh those of a motion.
        """
        filtered = self._high_passed(picture)
        if not relit or not (contrast := _contrast(filtered)):
            return filtered
        return np.asarray(filtered * np.float32(_contrast(self._filtered) / contrast), np.float32)

    def motion(self, picture: Image, near: Motion = STILL, *, relit: bool = False) -> tuple[Motion, float]:
        """The camera's motion from the baseline to this picture, with ``near`` as the initial estimate, and
        the quality of the fit: the mean weight of the points, 0 … 1. ``relit``: the light may be another.
        """
        filtered = self._comparable(picture, relit)
        vector, fits = self._solve(filtered, self._camera_moves, near.vector)
        if fits < MIN_FIT:
            # The motion exceeds the range of the gradients, unless an arm occludes most of the points. In a
            # copy of half the size, that range is twice as large.
            half = self._half._comparable(halved(picture), relit)
            shifted = self._half._motion_by_shift(half)
            rough, _ = self._half._solve(half, self._half._camera_moves, shifted)
            other, better = self._solve(filtered, self._camera_moves, rough)
            if better > fits:
                vector, fits = other, better
        return Motion.of(vector), fits

    @cached_property
    def _half(self) -> Baseline:
        return Baseline(halved(self.picture), self.sampling.halved())

    def _motion_by_shift(self, filtered: Singles) -> Floats:
        """The motion vector of a rotation that shifts the picture by the estimate of phase correlation."""
        height, width = filtered.shape
        shift, _ = cv2.phaseCorrelate(
            self._filtered, filtered, cv2.createHanningWindow((width, height), cv2.CV_32F)
        )
        turned = np.linalg.lstsq(self._mean_shifts.T, np.array(shift), rcond=None)[0]
        return np.array([*turned, 0.0, 0.0])

    def _as_slide(self, picture: Image, motion: Motion, moved: Motion) -> Motion:
        """A ``motion`` of the camera, which followed the motion ``moved``, explained by one of the board."""
        sampling = self.sampling
        camera, rays = sampling.camera, moved.directions(self._rays)
        if camera is None:
            return motion
        before, after = camera.board_points(rays), camera.on_board(motion.project(rays, sampling.lens))
        start = rigid_motion(before, after)

        def projected(vector: Floats) -> Floats:
            return sampling.points(Slide(camera, *vector.tolist()).project(rays))

        here = projected(start)
        # Derivatives by differences of at most a millimetre.
        steps = np.diag([1.0, 1.0, 1 / np.abs(before).max()])
        derivatives = np.array([(projected(start + step) - here) / step.max() for step in steps])
        model = _Model(projected, derivatives, self._slopes)
        vector, _ = self._solve(self._comparable(picture, relit=True), model, start)
        return replace(motion, slide=Slide(camera, *vector.tolist()))

    def _solve(self, filtered: Singles, model: _Model, vector: Floats) -> tuple[Floats, float]:
        """The parameters of a motion, by iteratively reweighted least squares from ``vector``, and the mean
        weight of the points, 0 … 1.
        """
        residuals = self._residuals(filtered, model, vector)
        # With large tolerances first, unless most of the points fit already.
        first = 0 if _weights(residuals, _RESIDUAL_SCALE).mean() < MIN_FIT else _MAX_ITERATIONS // 2
        for number in range(first, _MAX_ITERATIONS):
            scale = max(_RESIDUAL_SCALE, _INITIAL_RESIDUAL_SCALE * _RESIDUAL_SCALE_DECAY**number)
            weights = _weights(residuals, scale)
            weighted = model.jacobian * weights[:, None]
            step = np.linalg.solve(weighted.T @ model.jacobian + model.stiffness, weighted.T @ residuals)
            vector = vector - step
            if (
                scale == _RESIDUAL_SCALE
                and (np.abs(step) * model.displacements).max() < _CONVERGENCE_THRESHOLD
            ):
                break
            residuals = self._residuals(filtered, model, vector)
        return vector, float(weights.mean())

    def _residuals(self, filtered: Singles, model: _Model, vector: Floats) -> Floats:
        """Residuals (N,), in grey levels, of the points under this motion."""
        at = model.projected(vector).astype(np.float32)
        shown = cv2.remap(filtered, at[:, None], None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(shown[:, 0] - self._values, float)

    def conditions(
        self, picture: Image, before: Image, near: Motion = STILL, moved: Motion = STILL
    ) -> tuple[Conditions, float]:
        """The conditions of a coarse picture relative to ``before``, and the quality of the motion's fit,
        0 … 1.

        ``before`` is an earlier picture, taken after the motion ``moved`` from the baseline. ``near`` is the
        initial estimate of the motion since then.
        """
        total, fits = self.motion(picture, moved + near, relit=True)
        motion = total - moved
        by = self.displacement(motion)
        ignored = by < _MIN_MOTION and self.displacement(total) < _MAX_DRIFT
        if ignored or by > _MAX_MOTION * self.sampling.square:
            motion = STILL
        steady = self.undo_motion(picture, motion)
        if motion is not STILL and share_differing(steady, before) >= share_differing(picture, before):
            motion, steady = STILL, picture
        if motion is not STILL:
            # If the board slid instead, near and far squares are displaced in another proportion.
            slide = self._as_slide(picture, motion, moved)
            slid = self.undo_motion(picture, slide)
            if share_differing(slid, before) < share_differing(steady, before):
                motion, steady = slide, slid
        light = light_between(before, steady, self.sampling.square, veiled=self._had_veil)
        if light is not None:
            undone = light.undo(steady, before)
            if share_differing(undone, before) > share_differing(steady, before):
                light = None
        self._had_veil = light is not None and light.veil is not None
        return Conditions(self.sampling, motion, light, total - motion), fits

    def displacement(self, motion: Motion) -> float:
        """Maximum displacement of a point by the motion, in pixels of the copy."""
        return float((np.abs(motion.vector) * self._camera_moves.displacements).max())

    def undo_light(self, picture: Image) -> Image:
        """A coarse picture, whose motion is undone, in the baseline's light."""
        light = light_between(self.picture, picture, self.sampling.square)
        return picture if light is None else light.undo(picture, self.picture)

    def undo_motion(self, picture: Image, motion: Motion) -> Image:
        """The coarse picture with the motion undone."""
        if motion is STILL:
            return picture
        sampling = self.sampling

        def places(points: Floats) -> Floats:
            directions = sampling.lens.rays(sampling.pixels(points))
            return sampling.points(motion.project(directions, sampling.lens))

        steady = np.empty_like(picture)
        remap(picture, places, steady)
        return steady


def _projected(rays: Floats, sampling: Sampling, vector: Floats) -> Floats:
    """Points (N, 2) of the copy that viewing directions (N, 3) reach after the camera's motion ``vector``."""
    return sampling.points(Motion.of(vector).project(rays, sampling.lens))


def _contrast(filtered: Singles) -> float:
    """The mean absolute value of a high-pass filtered picture, in grey levels."""
    return float(cv2.norm(filtered, cv2.NORM_L1)) / filtered.size


def _weights(residuals: Floats, scale: float) -> Floats:
    """Weights (0 … 1) of points with these ``residuals`` in grey levels; a quarter at ``scale``."""
    return np.asarray(1 / np.square(1 + np.square(residuals / scale)))


def share_differing(one: Image, other: Image) -> float:
    """Share of the channels of two pictures that differ clearly (:data:`_CLEAR_DIFFERENCE`)."""
    difference = cv2.absdiff(one, other)
    return int(np.count_nonzero(difference > _CLEAR_DIFFERENCE)) / int(difference.size)
