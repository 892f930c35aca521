"""The colours of the pieces and of the bare board, on this table in this light.

Class 0 is the bare board with its domes, classes 1 … 4 are the colours red, green, blue, yellow. The model is
a smoothed histogram of camera colours for each class. It learns whenever the position is known, at the start
and after every confirmed turn, so it follows the light.
"""

from __future__ import annotations

from collections.abc import Collection

import cv2
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Singles

BARE = 0
CLASS: dict[str, int] = {"r": 1, "g": 2, "b": 3, "y": 4}
"""Class of a piece, by its letter."""
CLASSES = 1 + len(CLASS)
"""Number of classes."""

BITS = 5
"""Bits of a channel that the histogram keeps."""
BINS = 1 << BITS
"""Bins of the histogram along each channel."""
MIN_SAMPLES = 20
"""Minimum number of pixels from which a class, or the shade of a field or of a top, is learned."""
MAX_SAMPLES = 6000
"""Approximate maximum number of pixels of a class that are learned at once; more add nothing."""
_AUGMENTATIONS = ((0.55, 0.0, 0.35), (0.75, 0.0, 0.6), (1.0, 0.0, 1.0), (1.2, 0.0, 0.5), (1.0, 25.0, 0.3))
"""(factor, grey levels added, weight) of each augmented copy of a sample: a piece in a shadow or closer to a
lamp has the same colour, darker or brighter, and one that reflects a lamp or the sky has white added."""
OUTLIER_SHARE = 0.02
"""Share of outliers in every class, which may have any colour: glare, a rim, a speck."""


def bins(pixels: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Histogram bin of every BGR pixel (…, 3)."""
    reduced = pixels >> (8 - BITS)
    blue, green = (reduced[..., channel].astype(np.uint16) for channel in range(2))
    return np.asarray((blue << (2 * BITS)) | (green << BITS) | reduced[..., 2], np.uint16)


class ColourModel:
    """Log-likelihood of a camera colour under each class."""

    def __init__(self) -> None:
        self._counts = np.zeros((CLASSES, BINS**3), np.float64)
        self.known = np.zeros(CLASSES, bool)
        self._guessed = np.zeros(CLASSES, bool)
        self.of_any_shade = np.zeros(CLASSES, bool)
        """Classes that may have any shade until they are seen."""
        self.table_by_class: Singles = np.zeros((CLASSES, BINS**3), np.float32)
        """Log-likelihood (classes, bins) of each histogram bin, in nats relative to a uniformly random
        colour."""
        self.typical: Singles = np.zeros(CLASSES, np.float32)
        """Expected log-likelihood, in nats, of a pixel of each class under its own class."""
        self.correlation_area = 1.0
        """Pixels along the edges of pieces that are as good as one independent sample."""

    def guess(self, samples: dict[int, NDArray[np.uint8]]) -> None:
        """Use pixels (N, 3) of each class as a prior until the class itself is seen."""
        self.learn(samples, keep=0.0)
        self._guessed[list(samples)] = True

    def guess_any(self, labels: Collection[int]) -> None:
        """Assume all colours to be equally likely for each of these classes until the class itself is
        seen.
        """
        chosen = list(labels)
        self._counts[chosen] = 1.0
        self.known[chosen] = self._guessed[chosen] = self.of_any_shade[chosen] = True
        self._tabulate()

    def learn(self, samples: dict[int, NDArray[np.uint8]], keep: float) -> None:
        """Learn pixels (N, 3) of each class; ``keep`` is the weight of what was learned before. What was only
        guessed has none.
        """
        for label, pixels in samples.items():
            if len(pixels) < MIN_SAMPLES:
                continue
            fresh = np.zeros(BINS**3)
            values = pixels.astype(np.float32)
            for factor, added, weight in _AUGMENTATIONS:
                shaded = np.clip(values * factor + added, 0, 255).astype(np.uint8)
                fresh += weight * np.bincount(bins(shaded), minlength=BINS**3)
            fresh /= fresh.sum()
            learned = self.known[label] and not self._guessed[label]
            self._counts[label] = keep * self._counts[label] + (1 - keep) * fresh if learned else fresh
            self.known[label], self._guessed[label] = True, False
            self.of_any_shade[label] = False
        self._tabulate()

    def _tabulate(self) -> None:
        for label in range(CLASSES):
            if not self.known[label]:
                self.table_by_class[label] = np.log(OUTLIER_SHARE)
                continue
            density = _smooth(self._counts[label].reshape(BINS, BINS, BINS)).ravel()
            density *= BINS**3 / density.sum()
            self.table_by_class[label] = np.log((1 - OUTLIER_SHARE) * density + OUTLIER_SHARE)
            self.typical[label] = np.average(self.table_by_class[label], weights=self._counts[label])

    @property
    def table(self) -> Singles:
        """The log-likelihoods of :attr:`table_by_class` bin by bin, (bins, classes), copied at each call."""
        return np.ascontiguousarray(self.table_by_class.T)

    def log_likelihood(self, pixels: NDArray[np.uint8]) -> Singles:
        """Log-likelihoods (…, classes) of BGR pixels (…, 3)."""
        return np.moveaxis(self.table_by_class.take(bins(pixels), axis=1), 0, -1)


def _smooth(cube: Floats) -> Floats:
    """A Gaussian blur of a (B, B, B) histogram along its three axes."""
    for _ in range(3):
        flat = np.ascontiguousarray(cube.reshape(BINS, BINS * BINS))
        blurred = cv2.GaussianBlur(flat, (1, 7), sigmaX=0.1, sigmaY=1.1, borderType=cv2.BORDER_REPLICATE)
        cube = np.moveaxis(np.asarray(blurred, np.float64).reshape(BINS, BINS, BINS), 0, 2)
    return cube
