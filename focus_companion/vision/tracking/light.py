"""Photometric registration: the change of light between two aligned pictures of one scene.

The model is a smooth field of gain per channel (shadows, clouds, exposure, white balance, flicker) and a
smooth additive veil of white light, positive or negative (reflections). Both are fitted robustly, with ever
smaller tolerance: a piece that came or went has edges and a colour, and fits neither.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ..capture.frames import Image
from ..capture.sampling import thinned
from .enlarging import enlarged

Field = NDArray[np.float32]

CELL: Final = 1.0
"""Node spacing of the field of gain, in squares: wider than a piece, narrower than a shadow."""
VEIL_CELL: Final = 0.25
"""Node spacing of the veil, in squares: a reflection may be only a square wide."""
LOOSENING: Final = (60.0, 30.0, 15.0, 10.0)
"""Residual, in grey levels, at which a pixel has a quarter of its weight; one for each iteration."""
VEIL_LOOSENING: Final = (120.0, 60.0, 30.0)
"""The same for fits with a veil, which may be as bright as the surface under it, and narrow relative to its
cells."""
EVERY_OTHER: Final = 2
"""Sampling step in a coarse picture that is sufficient for the light."""
SHOWN: Final = (9, 249)
"""The range of grey levels that are used: others are clipped."""
SAMPLE: Final = 4000
"""Number of pixels of which the global gain is the median."""
GAINS: Final = (0.2, 5.0)
"""Range of gains that count as a change of light."""
AS_BEFORE: Final = 0.03
"""Relative change of grey levels up to which the light counts as the same; noise reaches it."""
VEILED: Final = 20.0
"""Minimum difference in grey levels, of one sign in all channels, of the pixels that suggest a veil."""
VEILED_AREA: Final = 0.95
"""Minimum area in squares of one region of such pixels: a piece that came or went covers at most one."""
BELIEVED: Final = 0.6, 0.85
"""Share of the surroundings that the light must explain for a veil to be kept in part (from the first value)
and in full (from the second): for a piece that came or went, it explains the centre but not the edge."""
SCREEN: Final = 2.2
"""Display gamma: a veil is additive in linear light, not in grey levels."""
LEVELS: Final = 63
"""Quantization steps of a veil, for each sign."""
SMOOTH: Final = 4
"""Sampling step in pixels of the gain; it is interpolated linearly in between."""

_LINEAR: Final = (np.arange(256) / 255.0).astype(np.float32) ** np.float32(SCREEN)


@dataclass(frozen=True, eq=False)
class Light:
    """``gain`` (rows, columns, 3), a factor of grey levels, and ``veil`` (rows, columns), additive linear
    light with 1 for full white, at the nodes of two grids over the picture.
    """

    gain: Field
    veil: Field | None

    @classmethod
    def between(cls, one: Image, other: Image, square: float, *, veiled: bool = False) -> Light | None:
        """The change from one coarse picture to another; ``None`` if there is none. ``square``: side of a
        square in pixels; ``veiled``: a veil is expected, as there was one in the last picture.
        """
        before, now = (thinned(each, EVERY_OTHER) for each in (one, other))
        return _Fit(before, now, square / EVERY_OTHER, veiled).light()

    def undone(self, picture: Image) -> Image:
        """The picture as it would be in the previous light."""
        height, width = picture.shape[:2]
        gain = enlarged(
            _finely(np.float32(1) / self.gain, width, height, cv2.INTER_CUBIC), SMOOTH, width, height
        )
        lit = np.empty_like(picture)
        if self.veil is None:
            for rows, factor in gain:
                cv2.multiply(picture[rows], factor, lit[rows], dtype=cv2.CV_8U)
            return lit
        veil = enlarged(_finely(self.veil, width, height, cv2.INTER_LINEAR), SMOOTH, width, height)
        for (rows, factor), (_, over) in zip(gain, veil, strict=True):
            cv2.multiply(_unveiled(picture[rows], over), factor, lit[rows], dtype=cv2.CV_8U)
        return lit


def _finely(nodes: Field, width: int, height: int, how: int) -> Field:
    """A grid's values at the centres of cells of :data:`SMOOTH` pixels, with a border of one cell."""
    columns, rows = -(-width // SMOOTH), -(-height // SMOOTH)
    # Cubic interpolation for every pixel would take five times as long as linear.
    fine = cv2.resize(nodes, (columns, rows), interpolation=how)
    return np.asarray(cv2.copyMakeBorder(fine, 1, 1, 1, 1, cv2.BORDER_REPLICATE), np.float32)


def _table() -> NDArray[np.uint8]:
    """Lookup table (2 × LEVELS + 1, 256) of grey levels without a veil of that many steps."""
    veil = np.linspace(-1, 1, 2 * LEVELS + 1)[:, None]
    left = np.clip(_LINEAR[None] - veil, 0, 1) ** (1 / SCREEN)
    return np.asarray(np.round(255 * left), np.uint8)


_UNVEILED: Final = _table()


def _unveiled(picture: Image, veil: Field) -> Image:
    rows, columns = np.nonzero(np.abs(veil) > 0.5 / LEVELS)
    if not len(rows):
        return picture
    part = slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)
    steps = np.clip(np.round(veil[part] * LEVELS) + LEVELS, 0, 2 * LEVELS).astype(np.intp)
    clear = picture.copy()
    clear[part] = _UNVEILED[steps[..., None], picture[part]]
    return clear


class _Fit:
    """The iterative robust fit of the light between two pictures."""

    def __init__(self, before: Image, now: Image, square: float, veiled: bool) -> None:
        self._pictures, self._veiled = (before, now), veiled
        self._before, self._now = before.astype(np.float32), now.astype(np.float32)
        self._square = square
        shown = [cv2.inRange(picture, *(np.full(3, level) for level in SHOWN)) for picture in (before, now)]
        self._lit: Field = np.asarray(cv2.min(*shown) > 0, np.float32)
        some = max(1, self._lit.size // SAMPLE)
        ratio = (self._now.reshape(-1, 3)[::some] + 1) / (self._before.reshape(-1, 3)[::some] + 1)
        self._usual = np.median(ratio, axis=0).astype(np.float32)
        self._gain: Field = np.broadcast_to(self._usual, (*self._nodes(CELL), 3))
        self._veil: Field | None = None

    def light(self) -> Light | None:
        self._fit_gain(LOOSENING[1])
        veiled = self._veiled or self._seems_veiled()
        if not veiled and self._same():
            return None
        for loose in LOOSENING:
            self._fit_gain(loose)
        if veiled:
            # A gain alone explains a part of a veil: the model that explains more is kept.
            gain, explained = self._gain, self._explained()
            self._gain = np.broadcast_to(self._usual, self._gain.shape)
            for loose in VEIL_LOOSENING:
                self._fit_veil(loose)
                self._fit_gain(loose)
            self._believe()
            if self._explained() <= explained:
                self._gain, self._veil = gain, None
        if self._veil is None and self._same():
            return None
        return Light(np.asarray(self._gain, np.float32), self._veil)

    def _same(self) -> bool:
        return float(np.abs(self._gain - 1).max()) < AS_BEFORE

    @cached_property
    def _linear(self) -> tuple[Field, Field]:
        """Both pictures in linear light, 0 … 1."""
        before, now = (np.asarray(cv2.LUT(picture, _LINEAR), np.float32) for picture in self._pictures)
        return before, now

    def _nodes(self, cell: float) -> tuple[int, int]:
        """Rows and columns of a grid with cells of ``cell`` squares."""
        height, width = self._now.shape[:2]
        return max(2, round(height / (cell * self._square))), max(2, round(width / (cell * self._square)))

    def _full(self, nodes: Field, how: int) -> Field:
        """A grid's values interpolated for every pixel."""
        height, width = self._now.shape[:2]
        return np.asarray(cv2.resize(nodes, (width, height), interpolation=how), np.float32)

    def _shown(self, veil: Field | None) -> Field:
        """The later picture, in grey levels, without the veil."""
        if veil is None:
            return self._now
        return _levels(self._linear[1] - self._full(veil, cv2.INTER_LINEAR)[..., None])

    def _off(self) -> Field:
        """Residuals (h, w, 3) in grey levels: the later picture minus the model's prediction."""
        before = self._before * self._full(self._gain, cv2.INTER_CUBIC)
        if self._veil is not None:
            before = _levels(_light(before) + self._full(self._veil, cv2.INTER_LINEAR)[..., None])
        return np.asarray(self._now - before, np.float32)

    def _weights(self, loose: float) -> Field:
        off = _channels(cv2.max, np.abs(self._off())) / np.float32(loose)
        return np.asarray(self._lit / np.square(1 + off * off), np.float32)

    def _explained(self) -> float:
        """Share of the picture that the model explains, 0 … 1."""
        return float(self._weights(LOOSENING[-1]).mean())

    def _fit_gain(self, loose: float) -> None:
        weights = self._weights(loose)[..., None] * self._before
        now, nodes = self._shown(self._veil), self._nodes(CELL)
        both, own = _cells(weights * now, nodes), _cells(weights * self._before, nodes)
        # Regularized towards the global gain.
        prior = 0.02 * own.mean((0, 1)) + 1e-3
        self._gain = np.asarray(np.clip((both + prior * self._usual) / (own + prior), *GAINS), np.float32)

    def _seems_veiled(self) -> bool:
        off = self._off()
        alike = (_channels(cv2.min, off) > VEILED) | (_channels(cv2.max, off) < -VEILED)
        _, _, patches, _ = cv2.connectedComponentsWithStats(alike.view(np.uint8), connectivity=8)
        return int(patches[1:, cv2.CC_STAT_AREA].max(initial=0)) > VEILED_AREA * self._square**2

    def _fit_veil(self, loose: float) -> None:
        weights = self._weights(loose)[..., None]
        added = self._linear[1] - self._linear[0] * _light(255 * self._full(self._gain, cv2.INTER_CUBIC))
        # Noise is uniform in grey levels, not in linear light.
        slope = np.asarray(cv2.pow(np.maximum(cv2.blur(self._now, (5, 5)), 8) / 255, 1 - SCREEN), np.float32)
        weights = weights * slope
        nodes = self._nodes(VEIL_CELL)
        own = _cells(_sum(weights), nodes)
        # Regularized towards no veil.
        prior = 0.05 * _cells(_sum(slope), nodes) + np.float32(1e-6)
        self._veil = np.asarray(_cells(_sum(weights * added), nodes) / (own + prior), np.float32)

    def _believe(self) -> None:
        """Keep the veil where it explains nearly all of its surroundings."""
        assert self._veil is not None
        low, high = BELIEVED
        around = _cells(self._weights(VEIL_LOOSENING[-1]), self._nodes(VEIL_CELL))
        lit = _cells(self._lit, self._nodes(VEIL_CELL))
        share = np.clip((around / np.maximum(lit, 1e-3) - low) / (high - low), 0, 1)
        self._veil = np.asarray(self._veil * cv2.blur(share, (5, 5)), np.float32)


def _cells(values: Field, nodes: tuple[int, int]) -> Field:
    """Local means of a picture's values around the nodes of a grid (rows, columns)."""
    cells = cv2.resize(values, nodes[::-1], interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.blur(cells, (3, 3)), np.float32)


def _light(levels: Field) -> Field:
    """Grey levels to linear light, 0 for black and 1 for white."""
    return np.asarray(cv2.pow(np.maximum(levels / np.float32(255), 0), SCREEN), np.float32)


def _levels(light: Field) -> Field:
    """Linear light to grey levels."""
    return np.asarray(255 * cv2.pow(np.clip(light, 0, 1), 1 / SCREEN), np.float32)


def _channels(join: Callable[[Field, Field], cv2.typing.MatLike], values: Field) -> Field:
    """Maximum or minimum over the channels; numpy takes many times as long."""
    blue, green, red = cv2.split(values)
    return np.asarray(join(join(blue, green), red), np.float32)


def _sum(values: Field) -> Field:
    """Sum over the channels."""
    return np.asarray(cv2.transform(values, np.ones((1, 3), np.float32)), np.float32)
