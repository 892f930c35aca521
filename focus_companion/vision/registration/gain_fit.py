"""Fits a smooth gain between two aligned pictures of one scene.

The fit is robust: a piece that came or went has edges and a colour, and is an outlier.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

import cv2
import numpy as np

from ..arrays import Singles
from ..capture.frames import MAX_USABLE_LEVEL, Image
from .levels import LINEAR, across_channels, for_channels, to_levels, to_linear

_GAIN_CELL: Final = 1.0
"""Node spacing of the gain field in squares: wider than a piece, narrower than a shadow."""
_GAIN_SAMPLES: Final = 4000
"""Approximate number of pixels whose median gain is the global one."""
_GAIN_RANGE: Final = (0.2, 5.0)
"""Range of gains that count as a change of light."""
GAIN_PRIOR: Final = 0.02
"""Weight of the global gain in a cell, relative to the mean weight of a cell's pixels."""
RESIDUAL_SCALES: Final = (60.0, 30.0, 15.0, 10.0)
"""Residual, in grey levels, at which a pixel has a quarter of its weight; one for each iteration."""
MIN_DIFFERENCE: Final = 20.0
"""Minimum difference, in grey levels, between a picture and what a gain alone makes of the earlier one, of
pixels that suggest a veil or a patch."""
MAX_PIECE_AREA: Final = 0.95
"""Maximum area, in squares, of a connected region of such pixels where a piece came or went."""


class GainFit:
    """A gain for each channel, fitted to two pictures; a veil, and changes of the earlier picture, are given.

    ``before`` (h, w, 3), the earlier picture, may be replaced by one with patches or shadows, and ``veil``
    (rows, columns), additive linear light, may be set. ``gain`` (rows, columns, 3) is what is fitted.
    """

    def __init__(self, before: Image, now: Image, square: float) -> None:
        """``square``: side of a square in pixels."""
        self.pictures = before, now
        self.before, self.now = before.astype(np.float32), now.astype(np.float32)
        self.square = square
        usable = across_channels(cv2.max, cv2.max(before, now)) <= MAX_USABLE_LEVEL
        self.usable: Singles = usable.astype(np.float32)
        step = max(1, self.usable.size // _GAIN_SAMPLES)
        ratio = (self.now.reshape(-1, 3)[::step] + 1) / (self.before.reshape(-1, 3)[::step] + 1)
        self.global_gain = np.median(ratio, axis=0).astype(np.float32)
        self.gain: Singles = np.broadcast_to(self.global_gain, (*self.nodes(_GAIN_CELL), 3))
        self.veil: Singles | None = None

    def reset_gain(self) -> None:
        """Make the global gain the gain everywhere."""
        self.gain = np.broadcast_to(self.global_gain, self.gain.shape)

    def fit_gain(self, scale: float) -> None:
        """One iteration, with the residual ``scale`` in grey levels."""
        weights = for_channels(self.weights(scale)) * self.before
        now, nodes = self._without_veil(), self.nodes(_GAIN_CELL)
        both, own = cells(weights * now, nodes), cells(weights * self.before, nodes)
        # Regularized towards the global gain.
        prior = GAIN_PRIOR * own.mean((0, 1)) + 1e-3
        self.gain = np.asarray(
            np.clip((both + prior * self.global_gain) / (own + prior), *_GAIN_RANGE), np.float32
        )

    def fit_gain_anew(self) -> None:
        """Fit the gain to the earlier picture as it is now, without what was fitted before."""
        self.reset_gain()
        for scale in RESIDUAL_SCALES:
            self.fit_gain(scale)

    def explained(self) -> float:
        """Share of the picture that the model explains, 0 … 1."""
        return float(self.weights(RESIDUAL_SCALES[-1]).mean())

    def weights(self, scale: float) -> Singles:
        """Weights (h, w), 0 … 1, of the pixels; 0 where one is clipped."""
        residuals = across_channels(cv2.max, np.abs(self.residuals())) / np.float32(scale)
        return np.asarray(self.usable / np.square(1 + residuals * residuals), np.float32)

    def residuals(self) -> Singles:
        """Residuals (h, w, 3) in grey levels: the later picture minus the model's prediction."""
        before = self.relit(self.before)
        if self.veil is not None:
            before = to_levels(to_linear(before) + for_channels(self.per_pixel(self.veil, cv2.INTER_LINEAR)))
        return np.asarray(self.now - before, np.float32)

    def relit(self, picture: Singles) -> Singles:
        """A picture (h, w, 3) with the gain."""
        return np.asarray(picture * self.per_pixel(self.gain, cv2.INTER_CUBIC), np.float32)

    def _without_veil(self) -> Singles:
        """The later picture, in grey levels, without the veil."""
        if self.veil is None:
            return self.now
        return to_levels(self.linear[1] - for_channels(self.per_pixel(self.veil, cv2.INTER_LINEAR)))

    @cached_property
    def linear(self) -> tuple[Singles, Singles]:
        """Both pictures in linear light, 0 … 1."""
        before, now = (np.asarray(cv2.LUT(picture, LINEAR), np.float32) for picture in self.pictures)
        return before, now

    def nodes(self, cell: float) -> tuple[int, int]:
        """Rows and columns of a grid with cells of ``cell`` squares."""
        height, width = self.now.shape[:2]
        return max(2, round(height / (cell * self.square))), max(2, round(width / (cell * self.square)))

    def per_pixel(self, nodes: Singles, interpolation: int) -> Singles:
        """A grid's values interpolated for every pixel."""
        height, width = self.now.shape[:2]
        return np.asarray(cv2.resize(nodes, (width, height), interpolation=interpolation), np.float32)


def cells(values: Singles, nodes: tuple[int, int]) -> Singles:
    """Local means of a picture's values around the nodes of a grid (rows, columns)."""
    found = cv2.resize(values, nodes[::-1], interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.blur(found, (3, 3)), np.float32)
