"""Computes light on surfaces: diffuse and specular reflection, soft shadows, and colours as light."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .scene_style import Lamp, Lighting

F32 = NDArray[np.float32]

OCCLUSION_REACH = 26
"""Maximum distance, in mm, of ambient occlusion from the column that causes it."""


def to_light(srgb: NDArray[np.floating]) -> NDArray[np.floating]:
    """Linear light of sRGB values 0…1."""
    return np.asarray(np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4))


def to_srgb(light: NDArray[np.floating]) -> NDArray[np.floating]:
    """sRGB values of linear light, 0…1 up to white."""
    return np.asarray(np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055))


@cache
def linear(colour: str) -> F32:
    """An sRGB hex colour as linear BGR, (3,)."""
    srgb = np.array([int(colour[i : i + 2], 16) for i in (5, 3, 1)], np.float32) / 255
    return np.asarray(to_light(srgb), np.float32)


def tint(rgb: tuple[float, float, float]) -> F32:
    """A lamp's RGB tint in BGR order, (3,)."""
    return np.array(rgb[::-1], np.float32)


@dataclass(frozen=True, slots=True)
class ShadowCaster:
    """A stack or dome as a shadow caster: an upright cylinder."""

    x: float
    y: float
    radius: float
    base: float
    top: float

    def reach(self, lamp: Lamp, floor: float) -> tuple[float, float, float, float]:
        """Box (x0, y0, x1, y1) in mm that contains the shadow on the plane at ``floor``."""
        drop = max(self.top - floor, 0.0) / max(lamp.place[2] - self.top, 1.0)
        sx, sy = (self.x - lamp.place[0]) * drop, (self.y - lamp.place[1]) * drop
        pad = self.radius * (1 + drop) + lamp.size * drop / 2 + 8
        return (
            self.x + min(sx, 0.0) - pad,
            self.y + min(sy, 0.0) - pad,
            self.x + max(sx, 0.0) + pad,
            self.y + max(sy, 0.0) + pad,
        )


def dot(a: F32, b: F32) -> F32:
    """Inner products (..., 1) of vectors (..., 3)."""
    return np.asarray(np.einsum("...i,...i->...", a, b)[..., None], np.float32)


def unit(vectors: F32) -> F32:
    """Vectors (..., 3) normalized to length 1."""
    return np.asarray(vectors / np.maximum(np.sqrt(dot(vectors, vectors)), 1e-6), np.float32)


def _ramp(values: F32) -> F32:
    """Smooth step: 0 below 0, 1 above 1."""
    x = np.clip(values, 0, 1)
    return np.asarray(x * x * (3 - 2 * x), np.float32)


def visibility(points: F32, lamp: Lamp, columns: list[ShadowCaster]) -> F32:
    """The fraction (0…1) of the lamp that is visible from each point (..., 3) past the columns."""
    seen = np.ones(points.shape[:-1], np.float32)
    if not columns:
        return seen
    to = np.asarray(lamp.place, np.float32) - points
    flat = np.maximum(np.hypot(to[..., 0], to[..., 1]), 1e-3)
    ux, uy, slope = to[..., 0] / flat, to[..., 1] / flat, to[..., 2] / flat
    for column in columns:
        cx, cy = column.x - points[..., 0], column.y - points[..., 1]
        ahead = cx * ux + cy * uy
        off = np.abs(cx * uy - cy * ux)
        chord = np.sqrt(np.maximum(column.radius**2 - off**2, 0))
        enter = ahead - chord
        soft = np.maximum(1.2, np.maximum(enter, 0) * (lamp.size / flat))
        height = points[..., 2] + np.maximum(enter, 0) * slope
        hidden = _ramp((column.radius - off) / soft + 0.5)
        hidden *= _ramp((column.top - height) / np.maximum(3.0, soft * slope) + 0.5)
        hidden *= _ramp((ahead + chord) / 2)
        seen *= 1 - hidden
    return seen


def ambient_occlusion(points: F32, columns: list[ShadowCaster], depth: float = 0.5) -> F32:
    """The fraction (0…1) of ambient light at each point (..., 3) that is not occluded by nearby columns."""
    open_sky = np.ones(points.shape[:-1], np.float32)
    for column in columns:
        away = np.hypot(points[..., 0] - column.x, points[..., 1] - column.y) - column.radius
        above = np.maximum(points[..., 2] - column.base, 0)
        near = np.exp(-np.maximum(away, 0) / 7 - above / 14)
        open_sky *= 1 - depth * np.maximum(near - 0.025, 0)  # none beyond OCCLUSION_REACH
    return open_sky


def sky_light(lighting: Lighting, points: F32, normals: F32, albedo: F32, gloss: float, eye: F32) -> F32:
    """Ambient light reflected by surfaces (..., 3) to the camera, linear BGR (..., 3)."""
    ambient = lighting.ambient * tint(lighting.ambient_tint)
    openness = 0.62 + 0.38 * normals[..., 2:3]
    view = unit(eye - points)
    facing = np.clip(dot(view, normals), 0, 1)
    mirrored = 2 * facing * normals[..., 2:3] - view[..., 2:3]
    shine = gloss * (0.03 + 0.6 * (1 - facing) ** 5) * np.clip(0.6 + 0.5 * mirrored, 0.1, 1.1)
    return np.asarray(ambient * (albedo * openness + shine), np.float32)


def lamp_light(lamp: Lamp, points: F32, normals: F32, albedo: F32, gloss: float, eye: F32) -> F32:
    """Light of one unoccluded lamp reflected by surfaces (..., 3) to the camera, linear BGR (..., 3)."""
    place = np.asarray(lamp.place, np.float32)
    to = place - points
    far = dot(to, to)
    to /= np.sqrt(far)
    strength = lamp.strength * float(place @ place) / far
    lit = np.clip(dot(to, normals), 0, 1)
    view = unit(eye - points)
    half = unit(to + view)
    # A big lamp and a dull surface both widen the highlight.
    width = 0.30 - 0.25 * gloss + 0.17 * lamp.size / float(np.linalg.norm(place))
    power = max(4.0, 1.0 / width**2)
    spark = gloss * min(0.05 * (power + 2) / 8, 1.6) * np.clip(dot(half, normals), 0, 1) ** power
    return np.asarray(strength * tint(lamp.tint) * (albedo * lit + spark * (lit > 0)), np.float32)
