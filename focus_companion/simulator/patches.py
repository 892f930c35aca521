"""Samples bodies per pixel: which pixels they cover, and the surface point that each sample hits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..vision.geometry.scene import Camera
from .solids import Body, pixel_rays, trace

F32 = NDArray[np.float32]
Rect = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels."""


@dataclass(frozen=True)
class Patch:
    """The samples of a body in the picture, ``side`` × ``side`` per pixel: which hit it, and where."""

    rect: Rect
    side: int
    met: NDArray[np.bool_]
    points: F32
    normals: F32
    parts: NDArray[np.intp]

    @property
    def coverage(self) -> F32:
        """The share of each pixel that the body covers, (h, w, 1)."""
        return self.spread(np.ones((len(self.points), 1), np.float32))

    def spread(self, values: F32) -> F32:
        """Values (M, C) of the samples that hit, as the mean per pixel times the coverage: (h, w, C)."""
        x0, y0, x1, y1 = self.rect
        full = np.zeros((len(self.met), values.shape[1]), np.float32)
        full[self.met] = values
        if self.side == 1:
            return full.reshape(y1 - y0, x1 - x0, -1)
        return np.asarray(full.reshape(y1 - y0, self.side, x1 - x0, self.side, -1).mean((1, 3)), np.float32)


def clipped(box: tuple[float, float, float, float], size: tuple[int, int]) -> Rect:
    """The pixels that a box covers, within the picture."""
    return (
        max(int(np.floor(box[0])), 0),
        max(int(np.floor(box[1])), 0),
        min(int(np.ceil(box[2])) + 1, size[0]),
        min(int(np.ceil(box[3])) + 1, size[1]),
    )


def body_rect(camera: Camera, body: Body) -> Rect:
    """The part of the picture that contains the body."""
    angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    f = body.facets
    rings = np.concatenate([f[:, [0, 1, 2, 3]], f[:, [0, 1, 4, 5]]]).astype(float)
    x = rings[:, :1] + 1.03 * rings[:, 2:3] * np.cos(angles)
    y = rings[:, 1:2] + 1.03 * rings[:, 2:3] * np.sin(angles)
    pixels = camera.project(np.stack([x, y, np.broadcast_to(rings[:, 3:], x.shape)], -1).reshape(-1, 3))
    low, high = pixels.min(0), pixels.max(0)
    return clipped(
        (low[0] - 1, low[1] - 1, high[0] + 1, high[1] + 1), (camera.lens.width, camera.lens.height)
    )


def body_patch(camera: Camera, body: Body, side: int = 2) -> Patch | None:
    """The body alone as the camera sees it, with ``side`` × ``side`` samples per pixel; None if it is out of
    the picture.
    """
    rect = body_rect(camera, body)
    x0, y0, x1, y1 = rect
    if x1 <= x0 or y1 <= y0:
        return None
    first = (1 - side) / (2 * side)
    xs = np.arange(side * (x1 - x0), dtype=np.float32) / side + x0 + first
    ys = np.arange(side * (y1 - y0), dtype=np.float32) / side + y0 + first
    pixels = np.stack(np.meshgrid(xs, ys), -1).reshape(-1, 2)
    hits = trace(body, camera.centre, pixel_rays(camera, pixels))
    return Patch(rect, side, hits.met, hits.points, hits.normals, hits.parts)
