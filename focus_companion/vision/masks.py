"""Neighbourhoods of pixels in masks and in pictures of labels."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from .arrays import Mask


def uniform(labels: NDArray[np.uint8], size: int = 3) -> Mask:
    """Mask (h, w) of the pixels whose neighbours within a square of ``size`` pixels all have their label: at
    boundaries, pixels mix what is on both sides.
    """
    around = np.ones((size, size), np.uint8)
    return np.asarray(cv2.erode(labels, around) == cv2.dilate(labels, around))


def dilated(mask: Mask, pixels: float) -> Mask:
    """The mask, dilated by so many pixels, at least one."""
    return np.asarray(cv2.dilate(mask.view(np.uint8), _disc(pixels))) > 0


def dilated_by_square(mask: Mask, size: int) -> Mask:
    """The mask, dilated by a square whose side is so many pixels, an odd number."""
    return np.asarray(cv2.dilate(mask.view(np.uint8), np.ones((size, size), np.uint8))) > 0


def opened(mask: Mask, pixels: float) -> Mask:
    """The mask without what is narrower than twice so many pixels."""
    return np.asarray(cv2.morphologyEx(mask.view(np.uint8), cv2.MORPH_OPEN, _disc(pixels))) > 0


def resampled(mask: Mask, shape: tuple[int, ...]) -> Mask:
    """The mask at another resolution, as an array of this ``shape`` (h, w); each pixel is the nearest one."""
    return np.asarray(cv2.resize(mask.view(np.uint8), shape[::-1], interpolation=cv2.INTER_NEAREST)) > 0


def large_parts(mask: Mask, area: float, connectivity: int) -> Mask:
    """The mask without its connected parts of fewer than ``area`` pixels."""
    _, parts, stats, _ = cv2.connectedComponentsWithStats(mask.view(np.uint8), connectivity=connectivity)
    large = stats[:, cv2.CC_STAT_AREA] >= area
    large[0] = False
    return np.asarray(large[parts])


def _disc(radius: float) -> NDArray[np.uint8]:
    size = 2 * max(1, round(radius)) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


Part = tuple[slice, slice]
"""Rows and columns of an array."""


def shifted_parts(shape: tuple[int, ...], down: int, right: int) -> tuple[Part, Part]:
    """The two parts of an array of this shape (h, w) whose elements are so far apart."""
    height, width = shape
    first = slice(max(0, -down), height - max(0, down)), slice(max(0, -right), width - max(0, right))
    second = slice(max(0, down), height - max(0, -down)), slice(max(0, right), width - max(0, -right))
    return first, second
