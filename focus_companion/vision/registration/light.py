"""The change of light between two aligned pictures of one scene, and how to undo it.

The model is a smooth field of gain per channel (shadows, clouds, exposure, white balance, flicker) and either
a smooth additive veil of white light (reflections) or patches with hard edges (sun through a window). The
veil is negative where a reflection is gone: shadows multiply the light, but that takes an equal amount away
from all surfaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Singles
from ..capture.frames import Image
from ..capture.sampling import halved
from .enlarging import enlarged
from .levels import GAMMA, LINEAR, channel_sum, to_levels, to_linear
from .light_patch import LightPatch

VEIL_LEVELS: Final = 511
"""Quantization levels of a veil of either sign. If set lower, the darkest channel shows the steps, as gamma
magnifies them there."""
_VEIL_ERROR: Final = 0.1
"""Relative error of a fitted veil; chosen from 0.05 and 0.1 on five simulated recordings. Raising it hides
faint changes under a reflection."""
_FINE_CELL: Final = 4
"""Sampling step in pixels of gain and veil, with linear interpolation in between; pictures are reduced by it
in two halvings."""


@dataclass(frozen=True, eq=False)
class Light:
    """``gain`` (rows, columns, 3), a factor of grey levels, and ``veil`` (rows, columns), additive linear
    light with 1 for full white, at the nodes of two grids over the picture; or, instead of the veil,
    ``patches``.
    """

    gain: Singles
    veil: Singles | None
    patches: tuple[LightPatch, ...] = ()

    def veil_at(self, across: float, down: float) -> float:
        """By how many grey levels the veil brightens a black surface at a place, given as shares (0 … 1) of
        the picture's width and height; negative if it darkens others.
        """
        if self.veil is None:
            return 0.0
        rows, columns = self.veil.shape
        row, column = (int(np.clip(at * n, 0, n - 1)) for at, n in ((down, rows), (across, columns)))
        veil = float(self.veil[row, column])
        return float(np.copysign(255 * abs(veil) ** (1 / GAMMA), veil))

    def gain_at(self, across: Floats, down: Floats) -> Singles:
        """The gains (D, A, 3) at places given as shares of the picture's width (A,) and height (D,); outside
        0 … 1, those at its edge.
        """
        rows, columns = self.gain.shape[:2]
        x, y = np.meshgrid(across * columns - 0.5, down * rows - 0.5)
        at = np.dstack([x, y]).astype(np.float32)
        found = cv2.remap(self.gain, at, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(found, np.float32)

    def undo(self, picture: Image, before: Image, corrected: Image | None = None) -> Image:
        """The picture as it would look in the light of the picture ``before``; written to ``corrected``, if
        given, which may be the picture itself.
        """
        height, width = picture.shape[:2]
        fine = _resampled(np.float32(1) / self.gain, width, height, cv2.INTER_CUBIC)
        for patch in self.patches:
            now, earlier = (_cell_means(each).astype(np.float32) for each in (picture, before))
            fine /= _bordered(patch.factors(now, earlier / fine[1:-1, 1:-1], earlier))
        gain = enlarged(fine, _FINE_CELL, width, height)
        corrected = np.empty_like(picture) if corrected is None else corrected
        if self.veil is None:
            for rows, factor in gain:
                cv2.multiply(picture[rows], factor, corrected[rows], dtype=cv2.CV_8U)
            return corrected
        veil_nodes = _resampled(self.veil, width, height, cv2.INTER_LINEAR)
        veil = enlarged(veil_nodes, _FINE_CELL, width, height)
        weights = _weights_without_veil(picture, before, fine, veil_nodes)
        own = enlarged(weights, _FINE_CELL, width, height)
        for (rows, factor), (_, over), (_, weight) in zip(gain, veil, own, strict=True):
            cv2.multiply(_unveiled(picture[rows], over), factor, corrected[rows], dtype=cv2.CV_8U)
            if weight.min() < 1:
                cv2.blendLinear(corrected[rows], before[rows], weight, 1 - weight, corrected[rows])
        return corrected


def _resampled(nodes: Singles, width: int, height: int, interpolation: int) -> Singles:
    """A grid's values at the centres of cells of :data:`_FINE_CELL` pixels, with a border of one cell."""
    columns, rows = -(-width // _FINE_CELL), -(-height // _FINE_CELL)
    # Cubic interpolation for every pixel would take five times as long as linear.
    return _bordered(np.asarray(cv2.resize(nodes, (columns, rows), interpolation=interpolation), np.float32))


def _bordered(cells: Singles) -> Singles:
    """The values of cells with a border of one cell."""
    return np.asarray(cv2.copyMakeBorder(cells, 1, 1, 1, 1, cv2.BORDER_REPLICATE), np.float32)


def _weights_without_veil(picture: Image, before: Image, factor: Singles, veil: Singles) -> Singles:
    """Weights (rows, columns), 0 … 1, of the picture without its veil; the rest is that of ``before``.
    ``factor`` (rows, columns, 3), that of undoing the gain, and ``veil`` (rows, columns) are
    :func:`_resampled`, and so are the weights.

    A veil compresses the differences under it, so undoing it magnifies noise, and an error of the veil. The
    weight compares the difference in the picture as it was taken with what :data:`_VEIL_ERROR` would cause.
    """
    inner = slice(1, -1), slice(1, -1)
    now, earlier = (_cell_means(each).astype(np.float32) for each in (picture, before))
    light, over = to_linear(earlier / factor[inner]), veil[inner][..., None]
    expected = to_levels(light + over)
    error = expected - to_levels(light + np.float32(1 - _VEIL_ERROR) * over)
    difference, tolerance = (channel_sum(np.square(each)) for each in (now - expected, error))
    weights = np.ones_like(difference)
    np.divide(difference, difference + tolerance, out=weights, where=tolerance > 0)
    return _bordered(weights)


def _cell_means(picture: Image) -> Image:
    """The means of the cells of :data:`_FINE_CELL` pixels, the last ones being completed with the edge."""
    height, width = picture.shape[:2]
    whole = cv2.copyMakeBorder(picture, 0, -height % _FINE_CELL, 0, -width % _FINE_CELL, cv2.BORDER_REPLICATE)
    # In two steps, this takes a tenth of the time of a general reduction.
    return halved(halved(np.asarray(whole, np.uint8)))


@cache
def _unveiling_table() -> NDArray[np.uint8]:
    """Lookup table (2 × VEIL_LEVELS + 1, 256): for each quantized veil, the grey levels without it."""
    veil = np.linspace(-1, 1, 2 * VEIL_LEVELS + 1)[:, None]
    remaining = np.clip(LINEAR[None] - veil, 0, 1) ** (1 / GAMMA)
    return np.asarray(np.round(255 * remaining), np.uint8)


def _unveiled(picture: Image, veil: Singles) -> Image:
    rows, columns = np.nonzero(np.abs(veil) > 0.5 / VEIL_LEVELS)
    if not len(rows):
        return picture
    part = slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)
    steps = np.clip(np.round(veil[part] * VEIL_LEVELS) + VEIL_LEVELS, 0, 2 * VEIL_LEVELS).astype(np.intp)
    clear = picture.copy()
    clear[part] = _unveiling_table()[steps[..., None], picture[part]]
    return clear
