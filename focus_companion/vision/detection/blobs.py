"""Detects blobs, the round structures in a picture, independently of their contrast and its sign.

Whatever the light, the edges and shading of a dome or a piece have gradients along the radii of a disc. So
the gradient's direction is taken modulo 180° (as a doubled angle), normalized by its magnitude, and
correlated with the directions of an ideal disc. The picture is resized for each radius, so one small kernel
serves them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Singles
from ..capture.sampling import STRIP_ROWS

RADII = (5.0, 6.4, 8.2, 10.5, 13.4, 17.2, 22.0)
"""Blob radii that are searched for, in pixels of the working picture."""

_KERNEL_RADIUS = 6.0
"""Radius of the kernel's disc in pixels; the picture is resized so that blobs have this radius."""

_NOISE_GRADIENT = 1.0
"""Gradients (grey levels per pixel) below this count as noise."""

_MIN_SPACING = 0.9
"""Minimum distance between two blobs after non-maximum suppression, in radii."""

_MIN_RESPONSE = 0.16
"""Response that the middle of a blob must exceed. Raising it, domes with little contrast are overlooked."""

_PEAK_SIZE = 9
"""Diameter, in pixels of the response, of the disc in which a blob must be the maximum. Raised above twice
the distance of two domes, the weaker one is overlooked."""

_MAX_BLOBS = 500
"""Maximum number of blobs of a radius, the strongest ones. A board has 52; raising it takes time in pictures
of many other round things."""


@dataclass(frozen=True, eq=False)
class Roundness:
    """The response of the disc filter at each pixel, for one radius.

    ``response`` is in -1 ... 1, one value per pixel of the working picture resized by ``scale``.
    """

    radius: float
    scale: float
    response: Singles
    _dilated: dict[int, Singles] = field(default_factory=dict, repr=False)

    def at(self, points: Floats, slack: float) -> Floats:
        """The maximum response within about ``slack`` (working pixels) of each point (N, 2); NaN outside."""
        reach = max(1, round(slack * self.scale))
        highest = self._highest(reach)
        height, width = highest.shape
        xy = np.rint((points + 0.5) * self.scale - 0.5).astype(int) + reach
        inside = (xy >= 0).all(1) & (xy < (width, height)).all(1)
        x, y = np.clip(xy, 0, (width - 1, height - 1)).T
        best: Floats = highest[y, x].astype(float)
        # No response is below -1.
        best[~inside | (best < -2)] = np.nan
        return best

    def _highest(self, reach: int) -> Singles:
        """The maximum response within ``reach`` pixels, as a map with a border of ``reach`` on every side."""
        dilated = self._dilated.get(reach)
        if dilated is None:
            step = np.arange(-reach, reach + 1)
            disc = (step[:, None] ** 2 + step**2 <= reach**2).astype(np.uint8)
            wide = cv2.copyMakeBorder(
                self.response, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=(-np.inf,)
            )
            dilated = self._dilated[reach] = np.asarray(cv2.dilate(wide, disc), np.float32)
        return dilated


@dataclass(frozen=True, eq=False)
class Blobs:
    """Detected blobs: ``points`` (N, 2) in working pixels, ``radius`` (N,) and ``strength`` (N,), 0 ... 1."""

    points: Floats
    radius: Floats
    strength: Floats

    def near_radius(self, radius: float, ratio: float) -> Blobs:
        """The blobs with a radius within a factor ``ratio`` of ``radius``, after non-maximum suppression."""
        chosen = np.flatnonzero(np.abs(np.log(self.radius / radius)) <= np.log(ratio))
        chosen = chosen[np.argsort(-self.strength[chosen], kind="stable")]
        points = self.points[chosen]
        left = np.ones(len(chosen), bool)
        kept = []
        for k, index in enumerate(chosen):
            if left[k]:
                kept.append(index)
                left &= ((points - points[k]) ** 2).sum(1) > (_MIN_SPACING * radius) ** 2
        return Blobs(self.points[kept], self.radius[kept], self.strength[kept])


@cache
def _disc_kernels() -> tuple[Singles, Singles]:
    """Cosine and sine of the doubled angle about the centre, weighted over a soft disc; weights sum to 1."""
    reach = int(_KERNEL_RADIUS * 1.45)
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1].astype(float)
    rho = np.hypot(x, y) / _KERNEL_RADIUS
    # The rim carries the most information; the shading inside helps where a dome has little contrast.
    weight = np.exp(-(((rho - 0.95) / 0.28) ** 2)) + 0.25 * np.exp(-(((rho - 0.5) / 0.25) ** 2))
    weight[reach, reach] = 0  # where the angle is undefined
    weight /= weight.sum()
    angle = 2 * np.arctan2(y, x)
    return (weight * np.cos(angle)).astype(np.float32), (weight * np.sin(angle)).astype(np.float32)


_BGR_TO_OPPONENT = np.array([(0.25, 0.5, 0.25), (0.0, -1.0, 1.0), (-1.0, 0.5, 0.5)], np.float32)
"""Rows: lightness, red minus green, and yellow minus blue."""


def to_opponent(image: NDArray[np.uint8]) -> Singles:
    """A BGR picture in an opponent colour space: lightness and two colour differences, (H, W, 3) float32."""
    return np.asarray(cv2.transform(image.astype(np.float32), _BGR_TO_OPPONENT), np.float32)


_MIN_PIXELS_TO_HALVE = 500_000
"""Planes of at least this many pixels are reduced to half their size before a wide blur."""


def gradients(planes: Singles) -> tuple[Singles, Singles]:
    """The squared gradient magnitude times the cosine and the sine of its doubled angle, summed over the
    planes.
    """
    cosine = np.zeros(planes.shape[:2], np.float32)
    sine = np.zeros(planes.shape[:2], np.float32)
    for rows, around, own in strips(len(planes), 1):
        for plane in cv2.split(planes[around]):
            gx, gy = (cv2.Sobel(plane, cv2.CV_32F, *axis, scale=1 / 8)[own] for axis in ((1, 0), (0, 1)))
            sine[rows] += 2 * gx * gy
            cosine[rows] += (gx - gy) * (gx + gy)
    return cosine, sine


def strips(height: int, reach: int) -> Iterator[tuple[slice, slice, slice]]:
    """Splits the rows of a picture into strips, which take little memory and stay in the cache.

    Yields for each strip its rows, these with up to ``reach`` more rows on either side, and the position of
    the strip's own rows within the latter.
    """
    for top in range(0, height, STRIP_ROWS):
        bottom = min(height, top + STRIP_ROWS)
        first = max(0, top - reach)
        yield slice(top, bottom), slice(first, bottom + reach), slice(top - first, bottom - first)


def normalized(cosine: Singles, sine: Singles, suppression: float) -> tuple[Singles, Singles]:
    """The gradients' directions as cosine and sine of the doubled angle, of a length up to 1: the result of
    :func:`gradients`, normalized in place. ``suppression`` (0 … 1): how strongly an edge is suppressed by
    stronger ones nearby.
    """
    # Not by OpenCV: the last bit of its magnitudes depends on where in memory the planes lie.
    scale = cosine * cosine
    scale += sine * sine
    np.sqrt(scale, out=scale)
    around = _blurred(scale)
    around *= suppression
    scale += around
    scale += np.float32(_NOISE_GRADIENT**2)
    cosine /= scale
    sine /= scale
    return cosine, sine


def _blurred(length: Singles) -> Singles:
    """A plane after a wide blur, which for a large one is computed at half the size: as good, and cheaper."""
    height, width = length.shape
    if height * width < _MIN_PIXELS_TO_HALVE:
        return np.asarray(cv2.GaussianBlur(length, (0, 0), _KERNEL_RADIUS), np.float32)
    small = cv2.resize(length, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), _KERNEL_RADIUS / 2)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


class RoundnessMaps:
    """Roundness maps of a working picture for all :data:`RADII`, each computed on first access."""

    def __init__(self, image: NDArray[np.uint8]) -> None:
        self._planes = to_opponent(image)
        self._maps: dict[int, Roundness] = {}

    def __getitem__(self, level: int) -> Roundness:
        """The map for the radius ``RADII[level]``."""
        if level not in self._maps:
            self._maps[level] = _roundness(self._planes, RADII[level])
        return self._maps[level]


def _roundness(planes: Singles, radius: float) -> Roundness:
    height, width = planes.shape[:2]
    cosine_kernel, sine_kernel = _disc_kernels()
    scale = _KERNEL_RADIUS / radius
    size = (max(16, round(width * scale)), max(16, round(height * scale)))
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = np.asarray(cv2.resize(planes, size, interpolation=interpolation), np.float32)
    cv2.GaussianBlur(small, (0, 0), 0.8, dst=small)
    cosine, sine = normalized(*gradients(small), suppression=0.35)
    del small
    response = cv2.filter2D(cosine, cv2.CV_32F, cosine_kernel)
    response += cv2.filter2D(sine, cv2.CV_32F, sine_kernel)
    return Roundness(radius, size[0] / width, np.asarray(response, np.float32))


def blobs(maps: RoundnessMaps, levels: Iterable[int]) -> Blobs:
    """Local maxima of the response for the radii ``RADII[level]``, at most :data:`_MAX_BLOBS` of each."""
    points, radii, strengths = [], [], []
    for level in (maps[number] for number in levels):
        peak = cv2.dilate(level.response, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (_PEAK_SIZE,) * 2))
        rows, columns = np.nonzero((level.response >= peak) & (level.response > _MIN_RESPONSE))
        strength = level.response[rows, columns].astype(float)
        order = np.argsort(-strength, kind="stable")[:_MAX_BLOBS]
        rows, columns, strength = rows[order], columns[order], strength[order]
        points.append((np.stack([columns, rows], 1) + 0.5) / level.scale - 0.5)
        radii.append(np.full(len(order), level.radius))
        strengths.append(strength)
    return Blobs(np.concatenate(points), np.concatenate(radii), np.concatenate(strengths))
