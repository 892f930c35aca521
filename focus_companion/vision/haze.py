"""Haze in a picture: fog, a dirty or foggy lens, light that falls into the lens, or a flat picture style.

All of them add the same light to every pixel and take contrast in return. Every picture of pieces in several
colours holds values near black (a shadow, or the blue of a red piece), so the darkest values show how much
light was added (the dark channel prior; He, Sun and Tang 2009).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from .capture.frames import Image
from .capture.planes import sampling_step
from .capture.sampling import subsampled

_EXTREME_SHARE: Final = 0.002
"""Share of a picture's values that are darker than its black, and brighter than its white."""
_USUAL_BLACK: Final = 24.0
"""Grey level of black without haze; what lies above it is haze. It is at most 22 in 216 recordings of five
games without haze, and 90 or more where haze takes 60 % of the contrast. Raising it leaves more haze in a
picture."""


@dataclass(frozen=True)
class Haze:
    """The grey levels to which haze has moved ``black``, and the ``white`` that it has left."""

    black: float = 0.0
    white: float = 255.0

    @classmethod
    def of(cls, image: Image) -> Haze:
        """The haze in a picture (H, W, 3) uint8."""
        sample = subsampled(image, sampling_step(image.shape[1]))
        darker = np.cumsum(np.bincount(sample.ravel(), minlength=256)) / sample.size
        black, white = np.searchsorted(darker, (_EXTREME_SHARE, 1.0 - _EXTREME_SHARE)).tolist()
        return cls(black, white) if _USUAL_BLACK < black < white else CLEAR

    def removed(self, image: Image) -> Image:
        """The picture without this haze; its white stays as bright as it is."""
        return image if self == CLEAR else np.asarray(cv2.LUT(image, self._clear_levels), np.uint8)

    @cached_property
    def _clear_levels(self) -> NDArray[np.uint8]:
        """The grey level without haze for each of the 256 with it."""
        contrast = (self.white - _USUAL_BLACK) / (self.white - self.black)
        clear = _USUAL_BLACK + (np.arange(256.0) - self.black) * contrast
        return np.clip(np.rint(clear), 0, 255).astype(np.uint8)


CLEAR: Final = Haze()
"""No haze: pictures stay as they are."""
