"""Draws objects over a picture: flat ones, placed at a height over the board, and the shadows below them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.alterations.scene import (
    PIECE,
    Field,
    Floats,
    Picture,
    Scene,
    direction,
    for_all_colours,
    levels,
    rotation,
)

NO_COLOURS: Final = np.zeros((1, 1, 3), np.float32)
"""Of shadows and light."""


@dataclass(frozen=True)
class Flat:
    """A flat object: its colours (n, m, 3), how much it covers (n, m; 0 to 1), and the mm of its pixels.

    Its middle is at its place; unturned, its rows run along +y and its columns along +x.
    """

    colours: Picture
    cover: Field
    scale: float = 1.0

    def draw(
        self, scene: Scene, picture: Picture, place: Floats, angle: float = 0.0, height: float = PIECE
    ) -> None:
        """Draw it over the picture, turned by an angle in radians."""
        seen = _seen(scene, picture, self, place, angle, height)
        if seen is not None:
            part, matrix, size = seen
            drawn = cv2.warpPerspective(self._layers, matrix, size)
            part *= for_all_colours(1 - drawn[..., 3] * np.float32(1 / 255))
            part += cv2.cvtColor(drawn, cv2.COLOR_BGRA2BGR)

    @cached_property
    def _layers(self) -> NDArray[np.uint8]:
        """The colours in proportion to how much they cover, and that, as bytes: these are warped faster."""
        layers = np.dstack([self.colours * self.cover[..., None], self.cover * 255])
        return np.clip(np.round(layers), 0, 255).astype(np.uint8)

    def shadow(self, softness: float, dark: float) -> Flat:
        """Its shadow, for :meth:`darken`: it takes a part of the light; its edge is so many mm soft."""
        # Half the pixels suffice for a soft shadow.
        scale = 2 * self.scale
        small = cv2.resize(self.cover, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        small = np.pad(small, round(1.5 * softness / scale) + 1)
        cover = cv2.GaussianBlur(small, (0, 0), softness / scale / 1.5)
        return Flat(NO_COLOURS, 1 - levels(1 - np.float32(dark) * cover), scale)

    def darken(
        self, scene: Scene, picture: Picture, place: Floats, angle: float = 0.0, height: float = PIECE
    ) -> None:
        """Lower the grey levels of what lies there at that height, as a shadow."""
        covered = self.covered(scene, picture, place, angle, height)
        if covered is not None:
            part, cover = covered
            part *= for_all_colours(1 - cover)

    def covered(
        self, scene: Scene, picture: Picture, place: Floats, angle: float = 0.0, height: float = PIECE
    ) -> tuple[Picture, Field] | None:
        """The part of the picture in which it is seen, and how much it covers there; None if nowhere."""
        seen = _seen(scene, picture, self, place, angle, height)
        if seen is None:
            return None
        part, matrix, size = seen
        return part, np.asarray(cv2.warpPerspective(self.cover, matrix, size), np.float32)


def _seen(
    scene: Scene, picture: Picture, flat: Flat, place: Floats, angle: float, height: float
) -> tuple[Picture, Floats, tuple[int, int]] | None:
    """The part of the picture in which it is seen, and where its pixels are seen there; None if nowhere."""
    rows, columns = flat.cover.shape
    corners = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], float)
    local = (corners - (columns / 2, rows / 2)) * flat.scale
    pixels = scene.pixels(place + local @ rotation(angle), height)
    low = np.maximum(np.floor(pixels.min(axis=0)), 0).astype(int)
    high = np.minimum(np.ceil(pixels.max(axis=0)) + 1, picture.shape[1::-1]).astype(int)
    if (high <= low).any():
        return None
    # Corners are at the edges of pixels, whose middles have whole coordinates.
    matrix = cv2.getPerspectiveTransform(
        (corners - 0.5).astype(np.float32), (pixels - low).astype(np.float32)
    )
    return picture[low[1] : high[1], low[0] : high[0]], matrix, (int(high[0] - low[0]), int(high[1] - low[1]))


def smooth_noise(
    rng: np.random.Generator, shape: tuple[int, int], sigma: float | tuple[float, float]
) -> Field:
    """Noise with deviation 1 that varies over so many pixels (along x, along y)."""
    across, along = sigma if isinstance(sigma, tuple) else (sigma, sigma)
    noise = cv2.GaussianBlur(rng.standard_normal(shape), (0, 0), sigmaX=across, sigmaY=along)
    return np.asarray(noise / noise.std(), np.float32)


def relief(mask: Field, thickness: float, light: Floats) -> Field:
    """The brightness of a rounded object: its outline, how thick it is in pixels, and where light is from."""
    inside = cv2.distanceTransform((mask > 0.5).astype(np.uint8), cv2.DIST_L2, 5)
    depth = np.minimum(inside, thickness)
    height = cv2.GaussianBlur(np.sqrt(depth * (2 * thickness - depth)), (0, 0), thickness / 6 + 0.5)
    down, right = np.gradient(height)
    facing = 1 + 0.5 * (right * light[0] + down * light[1])
    brightness = np.clip(facing / np.sqrt(1 + right**2 + down**2), 0.3, 1.3)
    # Smooth where it ends, since it is shown larger.
    return np.asarray(cv2.GaussianBlur(brightness, (0, 0), 1.5), np.float32)


def soft(mask: Field, pixels: float = 1.5) -> Field:
    """The outline with an edge that is so many pixels soft."""
    return np.asarray(cv2.GaussianBlur(mask, (0, 0), pixels / 1.5), np.float32)


def fill_hull(mask: Field, pixels: Floats) -> None:
    """Set the mask to 1 within the convex hull of pixels (N, 2)."""
    cv2.fillConvexPoly(mask, cv2.convexHull(np.round(pixels).astype(int)), 1.0)


def towards(way: Floats) -> float:
    """The angle by which something that looks to its -y has to be turned to look in a direction."""
    return float(np.arctan2(way[0], -way[1]))


def lamp(rng: np.random.Generator) -> Floats:
    """By how many mm a shadow lies aside for each mm of height."""
    angle, slant = rng.uniform(0, 2 * np.pi), rng.uniform(0.25, 0.6)
    return slant * direction(angle)
