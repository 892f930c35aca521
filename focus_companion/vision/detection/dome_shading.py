"""Tells domes from their shadows by shading, on an empty moulded board.

Under one lamp, the shadow of a dome may have much the same outline as the dome, on every square alike. But
only the dome is shaded like a solid: bright where it faces the lamp, dark on the other side, and beyond that
lies the shadow that it casts. All domes are alike and lit alike, so the median over the squares shows one
with little noise, even under a hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, product

import cv2
import numpy as np

from ..arrays import Floats, Mask, Singles
from ..capture.frames import Image
from ..geometry.pose import pushed
from ..geometry.resize import WORK_PIXELS, reduced, resized
from ..geometry.scene import BoardProfile, Camera, at_height
from .edges import stack_solid

_BLUR = 0.7
"""Standard deviation, in pixels, of the blur before brightness is measured."""
_SECTORS = 24
"""Number of points around the foot of a dome at which brightness is measured."""
_GROUND = np.linspace(-0.46, 0.46, 13)
"""Coordinates, in squares from the middle, of the points around a dome."""
_FOOT_MARGIN = 1.1
"""Minimum distance of these points from the dome's axis, in radii of its foot, whose edge is blurred."""
_MIN_FACING = 0.15
"""Minimum cosine between the line of sight and the normal of a point that counts as visible."""
_ELEVATIONS = {20: 24, 35: 24, 50: 24, 65: 24, 80: 8}
"""Elevations of the lamp in degrees, and how many directions are tried at each."""
_RAY = np.linspace(0.04, 1.6, 24)
"""Distances along a ray, in squares, at which it may meet a dome."""
_CLEARANCE = 0.007
"""Height above a point, in squares, up to which the surface does not shade itself."""
_SEARCHES = np.linspace(-0.4, 0.4, 9), np.linspace(-0.06, 0.06, 7)
"""Displacements along each axis that are tried, in squares, one search after the other."""


@dataclass(frozen=True, slots=True)
class _Dome:
    """Points of a dome and of the ground around it.

    ``points`` (K, 3) in mm from the square's centre; ``normals`` (K, 3); ``lit`` (L, K): the diffuse light
    that each point receives from each of L lamps, none if the dome of any square shades it.
    """

    points: Floats
    normals: Floats
    lit: Floats


def shading_misfit(image: Image, camera: Camera, profile: BoardProfile) -> float:
    """The share (0 … 1) of the variance of brightness on and around the domes that no lamp explains."""
    small = reduced(image, WORK_PIXELS)[0]
    return _misfit(_brightness(small), resized(camera, small), profile)


def best_shaded(image: Image, camera: Camera, profile: BoardProfile) -> Camera:
    """The camera, displaced along the board by up to 0.4 squares to where shading explains most."""
    small = reduced(image, WORK_PIXELS)[0]
    grey, here = _brightness(small), resized(camera, small)
    for steps in _SEARCHES:
        candidates = [pushed(here, x * profile.pitch, y * profile.pitch) for x, y in product(steps, repeat=2)]
        here = min(candidates, key=lambda near: _misfit(grey, near, profile))
    return resized(here, image)


def _brightness(image: Image) -> Singles:
    """Grey levels (H, W) of a BGR picture, slightly blurred."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), _BLUR))


def _misfit(grey: Singles, camera: Camera, profile: BoardProfile) -> float:
    """See :func:`shading_misfit`; ``camera`` is that of the grey picture (H, W)."""
    dome = _dome(profile)
    centres = profile.centres
    places = (dome.points + at_height(centres)[:, None]).reshape(-1, 3)
    pixels = camera.project(places).astype(np.float32)
    inside = ((pixels >= 0) & (pixels <= (grey.shape[1] - 1, grey.shape[0] - 1))).all(1)
    sampled = cv2.remap(grey, pixels[:, :1], pixels[:, 1:], cv2.INTER_LINEAR)[:, 0]
    values = np.where(inside, sampled, np.nan).reshape(len(centres), -1)
    values = values[np.isfinite(values).all(1)]
    if not len(values):
        return 1.0
    # A square's median brightness depends on the lamp's distance, and on what is around it.
    typical = np.median(values / np.maximum(np.median(values, 1, keepdims=True), 1.0), 0)
    eye = camera.centre / np.linalg.norm(camera.centre)
    seen = (dome.normals @ eye > _MIN_FACING) & _unobstructed(dome.points, eye, profile)
    observed = typical[seen] - typical[seen].mean()
    predicted = dome.lit[:, seen] - dome.lit[:, seen].mean(1, keepdims=True)
    # The share explained by an ambient light and one lamp of any strength: the squared correlation.
    products = np.maximum(predicted @ observed, 0.0)
    variances = (predicted**2).sum(1) * (observed**2).sum()
    return 1 - float((products**2 / np.maximum(variances, 1e-9)).max())


@lru_cache(maxsize=8)
def _dome(profile: BoardProfile) -> _Dome:
    """The points at which a dome of this set is measured; computed once, as it takes some time."""
    rings = stack_solid(profile, 0).rings
    foot, base = rings[0]
    points, normals = [], []
    for (low, bottom), (high, top) in pairwise(rings):
        radius, height = (low + high) / 2, (bottom + top) / 2
        outward, upward = np.array((top - bottom, low - high)) / np.hypot(top - bottom, low - high)
        number = max(4, round(_SECTORS * radius / foot))
        around = _circle(number)
        points.append(at_height(radius * around, height))
        normals.append(np.column_stack([outward * around, np.full(number, upward)]))
    ground = np.stack(np.meshgrid(_GROUND, _GROUND), -1).reshape(-1, 2) * profile.pitch
    ground = ground[np.hypot(*ground.T) > _FOOT_MARGIN * foot]
    points.append(at_height(ground, base))
    normals.append(np.tile((0.0, 0.0, 1.0), (len(ground), 1)))
    place, normal = np.concatenate(points), np.concatenate(normals)
    lit = [np.maximum(normal @ lamp, 0.0) * _unobstructed(place, lamp, profile) for lamp in _lamps()]
    return _Dome(place, normal, np.array(lit))


def _lamps() -> list[Floats]:
    """Unit vectors towards the lamps that are tried, in the board frame."""
    lamps = []
    for elevation, number in _ELEVATIONS.items():
        across, up = np.cos(np.radians(elevation)), np.sin(np.radians(elevation))
        lamps += [np.array((across * x, across * y, up)) for x, y in _circle(number)]
    return lamps


def _circle(number: int) -> Floats:
    """So many points (number, 2) of the unit circle, the first one on the x axis."""
    angle = np.arange(number) * 2 * np.pi / number
    return np.stack([np.cos(angle), np.sin(angle)], 1)


def _unobstructed(points: Floats, towards: Floats, profile: BoardProfile) -> Mask:
    """Mask (K,) of the points (K, 3) around a square's centre from which no dome obstructs the direction
    ``towards`` (3,).
    """
    radii, heights = np.array(stack_solid(profile, 0).rings).T
    ray = points[:, None] + profile.pitch * _RAY[:, None] * towards
    from_axis = ray[..., :2] - profile.pitch * np.round(ray[..., :2] / profile.pitch)
    distance = np.hypot(from_axis[..., 0], from_axis[..., 1])
    surface = np.interp(distance, radii[::-1], heights[::-1], right=-np.inf)
    return np.asarray(~(surface > ray[..., 2] + _CLEARANCE * profile.pitch).any(1))
