"""Estimates pose and focal length from a lattice's homography, and refines them by robust least squares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from ..arrays import Floats
from .scene import BoardProfile, Camera, Lens, triple

PRIOR_SPREAD = {"focal": 0.17, "k1": 0.05, "aspect": 0.15}
"""Standard deviations of the prior about the guessed lens: of the focal length's logarithm, of k1 and, where
pixels need not be square, of the logarithm of their aspect."""

_FIELDS_OF_VIEW = np.linspace(42.0, 84.0, 22)
"""Angles of view along the longer side that are tried, in degrees."""

_FOCAL_MISFIT = 0.01
"""Misfit of a focal length one standard deviation from the usual one; it grows with the square. Raising it, a
long or a wide lens is taken for a usual one that sees a less square lattice."""

_K1_RANGE = (-0.4, 0.3)
"""Range to which k1 is limited during refinement."""


@dataclass(frozen=True, slots=True)
class SquareView:
    """A homography interpreted as a view of a square lattice: the best-fitting camera, and its misfit.

    ``misfit`` combines the cosine of the angle between the lattice's axes and the logarithm of the ratio of
    their steps, both zero for a true square, with how unusual the focal length is.
    """

    camera: Camera
    misfit: float


def square_view(
    homography: Floats, lens: Lens, pitch: float, level: float, *, known: bool = False
) -> SquareView | None:
    """The camera that sees a square lattice at z = ``level`` through ``homography`` (lattice steps →
    undistorted pixels of ``lens``); None if there is no such camera above the board.

    ``known``: the focal length is that of ``lens``; otherwise the best one is searched for.
    """
    centre = np.array(lens.centre)
    columns = homography.copy()
    columns[:2] -= centre[:, None] * columns[2]
    columns[1] /= lens.aspect
    focals = max(lens.width, lens.height) / 2 / np.tan(np.radians(_FIELDS_OF_VIEW) / 2)
    if known:
        focals = np.array([lens.focal])
    scaled = columns[None] / np.stack([focals, focals, np.ones_like(focals)], 1)[:, :, None]
    one, other = scaled[:, :, 0], scaled[:, :, 1]
    long_one, long_other = np.hypot.reduce(one, axis=1), np.hypot.reduce(other, axis=1)
    usual = np.log(focals / lens.focal) / PRIOR_SPREAD["focal"]
    misfits = np.hypot((one * other).sum(1) / (long_one * long_other), np.log(long_one / long_other))
    misfits += _FOCAL_MISFIT * usual**2
    focal, misfit = float(focals[misfits.argmin()]), float(misfits.min())
    a, b, c = (columns / np.array([[focal], [focal], [1.0]])).T
    scale = pitch / np.sqrt(np.linalg.norm(a) * np.linalg.norm(b))
    if c[2] < 0:
        scale = -scale
    first, second, place = a * scale / pitch, b * scale / pitch, c * scale
    third = np.cross(first, second)
    if third @ place > 0:  # seen from below: the lattice is mirrored
        return None
    u, _, vt = np.linalg.svd(np.column_stack([first, second, third]))
    rotation = u @ vt
    place = place - rotation[:, 2] * level
    camera = Camera.posed(replace(lens, focal=focal), rotation, place)
    return SquareView(camera, misfit) if camera.centre[2] > 0 else None


def undistort(points: Floats, lens: Lens) -> Floats:
    """Pixels (N, 2) with the lens distortion removed."""
    pixels = np.ascontiguousarray(points, float).reshape(-1, 1, 2)
    flat = cv2.undistortPoints(pixels, lens.matrix, np.array(lens.distortion), P=lens.matrix)
    return np.asarray(flat, float).reshape(-1, 2)


def pushed(camera: Camera, dx: float, dy: float, turn: float = 0.0) -> Camera:
    """The camera in the frame of the board after the board was moved by (dx, dy) mm and rotated by ``turn``
    radians: it sees at board point P what ``camera`` saw at P rotated about the board's centre,
    anticlockwise, and then moved.
    """
    c, s = np.cos(turn), np.sin(turn)
    rotation = camera.rotation_matrix @ np.array([(c, -s, 0), (s, c, 0), (0, 0, 1)])
    return Camera.posed(camera.lens, rotation, _moved(camera, dx, dy, 0.0))


def rigid_motion(before: Floats, after: Floats) -> Floats:
    """The motion (3,) of points (N, 2) in their plane that comes closest to moving them from ``before`` to
    ``after``: (dx, dy, turn) as in :func:`pushed`.
    """
    here, there = before.mean(0), after.mean(0)
    a, b = before - here, after - there
    turn = float(np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum()))
    c, s = np.cos(turn), np.sin(turn)
    return np.array([*(there - np.array([(c, -s), (s, c)]) @ here), turn])


def turned(camera: Camera, quarters: int) -> Camera:
    """The camera in the frame of the board after the board was rotated by so many quarter turns."""
    return pushed(camera, 0.0, 0.0, quarters * np.pi / 2)


def lifted(camera: Camera, up: float) -> Camera:
    """The camera that sees the board where ``camera`` would see it if the board were ``up`` mm higher."""
    return replace(camera, translation=triple(_moved(camera, 0.0, 0.0, up)))


def _moved(camera: Camera, x: float, y: float, z: float) -> Floats:
    """The camera's translation (3,) after the board was moved by so many mm along its axes."""
    return np.asarray(camera.rotation_matrix @ np.array([x, y, z]) + np.array(camera.translation))


@dataclass(frozen=True, slots=True)
class Prior:
    """The lens prior for the refinement: focal length and k1, each with a standard deviation (of the
    logarithm for the focal length). ``aspect_spread``: that of the logarithm of the pixels' aspect, about
    square ones; the aspect is known if it is 0.
    """

    focal: float
    k1: float
    focal_spread: float = PRIOR_SPREAD["focal"]
    k1_spread: float = PRIOR_SPREAD["k1"]
    aspect_spread: float = 0.0

    def cost(self, lens: Lens) -> float:
        """Negative logarithm of the prior's density for a lens, in nats, up to a constant."""
        means, spreads = _lens_prior(self)
        return float((((_lens_parameters(lens)[: len(means)] - means) / spreads) ** 2).sum() / 2)


def adjust(
    camera: Camera,
    points: Floats,
    pixels: Floats,
    weights: Floats,
    prior: Prior,
    *,
    normals: Floats | None = None,
    sigma: float,
    iterations: int = 8,
) -> Camera:
    """Refine pose and lens so that board ``points`` (N, 3) project to ``pixels`` (N, 2), by the method of
    Levenberg and Marquardt. The aspect is kept if the ``prior`` says that it is known.

    Outliers beyond a few ``sigma`` pixels have little influence (Cauchy loss). With ``normals`` (N, 2), only
    residuals along them count, as for an edge. ``weights`` (N,) scale the squared residuals.
    """
    state, means, spreads = _pack(camera), *_lens_prior(prior)
    free = slice(0, 6 + len(means))
    damping = 1e-3
    cost = np.inf
    trial = state
    for _ in range(iterations):
        candidate = _unpack(trial, camera)
        residual, jacobian = _residuals(candidate, points, pixels, normals)
        squared = (residual**2).sum(1) if normals is None else residual[:, 0] ** 2
        lens_residual = (trial[6 : free.stop] - means) / spreads
        now = float((weights * np.log1p(squared / sigma**2)).sum() + (lens_residual**2).sum())
        if now < cost:
            gain = cost - now
            cost, state, damping = now, trial, damping / 4
            weight = np.repeat(weights / (sigma**2 + squared), residual.shape[1])
            design = jacobian.reshape(-1, jacobian.shape[-1])[:, free]
            information = design.T @ (design * weight[:, None])
            gradient = design.T @ (weight * residual.reshape(-1))
            information[range(6, free.stop), range(6, free.stop)] += 1 / spreads**2
            gradient[6:] += lens_residual / spreads
            if gain < 1e-6 * abs(now):
                break
        else:
            damping *= 12
        damped = information + np.diag(damping * np.diag(information) + 1e-12)
        trial = state.copy()
        trial[free] -= np.linalg.solve(damped, gradient)
    return _unpack(state, camera)


def _lens_prior(prior: Prior) -> tuple[Floats, Floats]:
    """Means and standard deviations of the lens parameters that are refined: the logarithm of the focal
    length, k1 and, unless it is known, the logarithm of the aspect.
    """
    means = np.array([np.log(prior.focal), prior.k1, 0.0])
    spreads = np.array([prior.focal_spread, prior.k1_spread, prior.aspect_spread])
    return means[spreads > 0], spreads[spreads > 0]


def _pack(camera: Camera) -> Floats:
    return np.array([*camera.rotation, *camera.translation, *_lens_parameters(camera.lens)], float)


def _lens_parameters(lens: Lens) -> Floats:
    """The logarithm of the focal length, k1, and the logarithm of the aspect, (3,)."""
    return np.array([np.log(lens.focal), lens.distortion[0], np.log(lens.aspect)], float)


def _unpack(state: Floats, camera: Camera) -> Camera:
    lens = camera.lens
    focal = float(np.exp(np.clip(state[6], np.log(lens.focal) - 1, np.log(lens.focal) + 1)))
    distortion = (float(np.clip(state[7], *_K1_RANGE)), *lens.distortion[1:])
    lens = replace(lens, focal=focal, distortion=distortion, aspect=float(np.exp(state[8])))
    return Camera(lens, triple(state[:3]), triple(state[3:6]))


def _residuals(
    camera: Camera, points: Floats, pixels: Floats, normals: Floats | None
) -> tuple[Floats, Floats]:
    """Residuals (N, 1 or 2) in pixels and their derivatives (N, 1 or 2, 9)."""
    projected, derivative = cv2.projectPoints(
        np.ascontiguousarray(points).reshape(-1, 1, 3),
        np.array(camera.rotation),
        np.array(camera.translation),
        camera.lens.matrix,
        np.array(camera.lens.distortion),
    )
    derivative = np.asarray(derivative, float).reshape(len(points), 2, -1)
    jacobian = np.empty((len(points), 2, 9))
    jacobian[:, :, :6] = derivative[:, :, :6]
    # Of the logarithms of both focal lengths; the aspect changes only the vertical one.
    jacobian[:, :, 8] = derivative[:, :, 7] * (camera.lens.focal * camera.lens.aspect)
    jacobian[:, :, 6] = derivative[:, :, 6] * camera.lens.focal + jacobian[:, :, 8]
    jacobian[:, :, 7] = derivative[:, :, 10]
    residual = np.asarray(projected, float).reshape(-1, 2) - pixels
    if normals is None:
        return residual, jacobian
    # Sums of two terms: numpy's sum over an axis of length two takes five times as long.
    across, down = normals[:, :1], normals[:, 1:]
    return (
        residual[:, :1] * across + residual[:, 1:] * down,
        jacobian[:, :1] * across[:, :, None] + jacobian[:, 1:] * down[:, :, None],
    )


def corner_shift(one: Camera, other: Camera, profile: BoardProfile) -> float:
    """Maximum distance, in squares, between a corner of the lattice as seen by one camera and by another."""
    gap = one.project(profile.corners) - other.project(profile.corners)
    return float(np.linalg.norm(gap, axis=1).max() / other.pitch_pixels(profile))


def displaced_cameras(camera: Camera, profile: BoardProfile, distance: float) -> Iterator[Camera]:
    """Starting points for a fit that may have converged on shadows or a print: ``camera`` displaced by
    ``distance`` squares in eight directions.
    """
    far = distance * profile.pitch
    for angle in np.arange(8) * np.pi / 4:
        yield pushed(camera, far * float(np.cos(angle)), far * float(np.sin(angle)))
