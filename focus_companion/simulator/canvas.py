"""Layers of light, painted surface by surface from back to front.

Each lamp has a layer of its own, so that the shadows of stacks can be applied later.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ..vision.geometry.scene import Camera
from .patches import body_patch
from .scene_style import Lamp, Lighting
from .shading import ShadowCaster, ambient_occlusion, lamp_light, sky_light, visibility
from .solids import Body, pixel_rays

F32 = NDArray[np.float32]
Light = NDArray[np.floating]
Crop = tuple[slice, slice]
Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in mm."""

GRID_STEP = 4
"""Pixels between two nodes of a coarse grid over the picture."""

UP = np.array([0, 0, 1], np.float32)
"""The normal of horizontal surfaces."""


def crop_inside(points: F32, box: Box) -> Crop | None:
    """The part of the picture that contains all of ``points`` (h, w, 3) in a box; None if there are none."""
    step = GRID_STEP
    coarse = points[::step, ::step]
    pad = 2.0 * step
    x, y = coarse[..., 0], coarse[..., 1]
    within = (x > box[0] - pad) & (x < box[2] + pad) & (y > box[1] - pad) & (y < box[3] + pad)
    rows, columns = np.nonzero(within.any(1))[0], np.nonzero(within.any(0))[0]
    if not len(rows):
        return None
    top, left = max(rows[0] * step - step, 0), max(columns[0] * step - step, 0)
    return np.s_[top : rows[-1] * step + 2 * step, left : columns[-1] * step + 2 * step]


class Canvas:
    """Light, ``ambient`` and from each of ``lamps``, and ``points`` of the surfaces in mm; all (H, W, 3)."""

    def __init__(self, camera: Camera, lighting: Lighting) -> None:
        self.camera, self.lighting = camera, lighting
        self.eye = camera.centre.astype(np.float32)
        width, height = camera.lens.width, camera.lens.height
        self._rays = _picture_rays(camera)
        self.ambient: Light = np.zeros((height, width, 3), np.float32)
        self.lamps: tuple[Light, ...] = tuple(
            np.zeros((height, width, 3), np.float32) for _ in lighting.lamps
        )
        self.points = np.zeros((height, width, 3), np.float32)

    def plane(self, level: float, crop: Crop) -> F32:
        """Points (h, w, 3) where the rays of a part of the picture intersect a horizontal plane."""
        rays = self._rays[crop]
        depth = (level - self.eye[2]) / np.minimum(rays[..., 2:], -1e-3)
        return np.asarray(self.eye + rays * depth, np.float32)

    def finish(self) -> None:
        """Ends painting: releases what only painting needs, and halves the memory of the light."""
        self._rays = np.zeros((0, 0, 3), np.float32)
        self.ambient = self.ambient.astype(np.float16)
        self.lamps = tuple(layer.astype(np.float16) for layer in self.lamps)

    def light(self, crop: Crop) -> F32:
        """The sum of all light in a part of the picture, (h, w, 3)."""
        total = self.ambient[crop].astype(np.float32)
        for layer in self.lamps:
            total += layer[crop]
        return total

    def mask(self, polygon: F32) -> tuple[Crop, F32] | None:
        """The bounding box of a polygon (N, 2) of pixels, and its coverage (h, w, 1); None if out of view."""
        mask = np.zeros(self.points.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.round(polygon * 16).astype(np.int32).reshape(-1, 1, 2)], 255, cv2.LINE_AA, 4)
        x, y, w, h = cv2.boundingRect(mask)
        if not w or not h:
            return None
        crop: Crop = np.s_[y : y + h, x : x + w]
        return crop, mask[crop][..., None].astype(np.float32) / np.float32(255)

    def polygon(self, points: F32, level: float) -> F32:
        """Pixels of a polygon (N, 2) in mm on a plane; its sides are subdivided to follow lens distortion."""
        steps = np.linspace(0, 1, 12, endpoint=False, dtype=np.float32)[:, None]
        sides = [a + (b - a) * steps for a, b in zip(points, np.roll(points, -1, 0), strict=True)]
        flat = np.concatenate(sides)
        solid = np.concatenate([flat, np.full((len(flat), 1), level, np.float32)], 1)
        return self.camera.project(solid.astype(float)).astype(np.float32)

    def lit(self, points: F32, normals: F32, albedo: F32, gloss: float) -> tuple[F32, list[F32]]:
        """Light of the sky and of each lamp from surfaces (..., 3)."""
        lamps = [lamp_light(lamp, points, normals, albedo, gloss, self.eye) for lamp in self.lighting.lamps]
        return sky_light(self.lighting, points, normals, albedo, gloss, self.eye), lamps

    def lay(self, crop: Crop, share: F32, light: tuple[F32, list[F32]], points: F32 | None = None) -> None:
        """Blends a surface's light into a part of the picture, by its coverage ``share`` (h, w, 1)."""
        for below, above in zip((self.ambient, *self.lamps), (light[0], *light[1]), strict=True):
            below[crop] += (above - below[crop]) * share
        if points is not None:
            self.points[crop] = np.where(share > 0.5, points, self.points[crop])

    def shade(self, points: F32, light: tuple[F32, list[F32]], column: ShadowCaster, floor: float) -> None:
        """Applies a column's shadow to the light of surfaces (h, w, 3) at or above ``floor``."""
        pad = column.radius + 18
        spot = crop_inside(points, (column.x - pad, column.y - pad, column.x + pad, column.y + pad))
        if spot is not None:
            light[0][spot] *= ambient_occlusion(points[spot], [column], 0.35)[..., None]
        for lamp, layer in zip(self.lighting.lamps, light[1], strict=True):
            spot = crop_inside(points, column.reach(lamp, floor))
            if spot is not None:
                layer[spot] *= visibility(points[spot], lamp, [column])[..., None]

    def solid(self, body: Body, albedo: F32, gloss: float) -> None:
        """Draws a solid of revolution of one colour into the picture."""
        patch = body_patch(self.camera, body)
        if patch is None or not patch.met.any():
            return
        colours = np.broadcast_to(albedo, patch.points.shape)
        ambient, lamps = self.lit(patch.points, patch.normals, colours, gloss)
        ambient *= 0.7 + 0.3 * np.clip((patch.points[:, 2:] - body.foot) / 7, 0, 1)
        share = patch.coverage
        x0, y0, x1, y1 = patch.rect
        crop = np.s_[y0:y1, x0:x1]
        for below, above in zip((self.ambient, *self.lamps), (ambient, *lamps), strict=True):
            below[crop] = below[crop] * (1 - share) + patch.spread(above)
        mean = patch.spread(patch.points) / np.maximum(share, 1e-6)
        self.points[crop] = np.where(share > 0.5, mean, self.points[crop])

    def slab_shadow(self, points: F32, lamp: Lamp, outline: F32, thick: float) -> F32:
        """Share (0…1) of the lamp that a slab of ``outline`` (N, 2), ``thick`` mm above ``points``, hides."""
        size, scale = 700, 0.5
        slab = np.zeros((size, size), np.uint8)
        cv2.fillPoly(slab, [np.round(outline * scale + size / 2).astype(np.int32)], 255, cv2.LINE_AA)
        soft = max(1.2, 0.5 * thick * lamp.size / lamp.place[2])
        slab = cv2.GaussianBlur(slab, (0, 0), soft * scale)
        share = thick / (lamp.place[2] + thick)
        at = points[..., :2] + (np.array(lamp.place[:2], np.float32) - points[..., :2]) * share
        at = at * scale + size / 2
        return np.asarray(cv2.remap(slab, *remap_maps(at), cv2.INTER_LINEAR), np.float32) / np.float32(255)


def _picture_rays(camera: Camera) -> F32:
    """The ray of every pixel, (H, W, 3): exact on a coarse grid, and interpolated in between."""
    width, height, step = camera.lens.width, camera.lens.height, GRID_STEP
    # The grid's nodes are the centres of blocks of pixels, with one block beyond the picture on every side.
    xs = np.arange(-1, -(-width // step) + 1, dtype=np.float32) * step + (step - 1) / 2
    ys = np.arange(-1, -(-height // step) + 1, dtype=np.float32) * step + (step - 1) / 2
    coarse = pixel_rays(camera, np.stack(np.meshgrid(xs, ys), -1).reshape(-1, 2)).reshape(len(ys), len(xs), 3)
    fine = cv2.resize(coarse, (len(xs) * step, len(ys) * step), interpolation=cv2.INTER_LINEAR)
    return np.ascontiguousarray(fine[step : step + height, step : step + width])


def remap_maps(at: NDArray[np.floating]) -> tuple[F32, F32]:
    """Places (h, w, 2) as the two maps for ``cv2.remap``."""
    return np.ascontiguousarray(at[..., 0], np.float32), np.ascontiguousarray(at[..., 1], np.float32)
