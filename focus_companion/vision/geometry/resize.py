"""Resizes pictures together with their cameras."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from ..capture.frames import CAMERA_SIZE, Image
from .scene import Camera

FINE_PIXELS: Final = CAMERA_SIZE[0] * CAMERA_SIZE[1]
"""Maximum pixels of a picture to which outlines are fitted or which is read: more take longer without showing
more."""

WORK_PIXELS: Final = 640 * 480
"""The same for the working picture, in which the board is searched for, and shades are compared."""


def reduced(image: Image, pixels: int) -> tuple[Image, float]:
    """The picture, reduced to about ``pixels`` pixels if it has more, and the factor of the reduction."""
    height, width = image.shape[:2]
    factor = float(np.sqrt(pixels / (height * width)))
    if factor >= 1:
        return image, 1.0
    size = (round(width * factor), round(height * factor))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8), size[0] / width


def resized(camera: Camera, image: Image) -> Camera:
    """The camera for the same view resized to ``image``."""
    scaled = camera.scaled(image.shape[1] / camera.lens.width)
    return replace(scaled, lens=replace(scaled.lens, width=image.shape[1], height=image.shape[0]))


def stretched(camera: Camera, image: Image) -> Camera:
    """The camera for the same view stretched to the shape of ``image``, which changes the pixels' aspect."""
    lens = camera.lens
    aspect = image.shape[0] / image.shape[1] * lens.width / lens.height
    scaled = resized(camera, image)
    across, down = scaled.lens.centre
    stretch = replace(scaled.lens, aspect=scaled.lens.aspect * aspect, centre=(across, down * aspect))
    return replace(scaled, lens=stretch)
