"""Photometric registration: the change of light between two aligned pictures of one scene.

The model is a smooth field of gain per channel (shadows, clouds, exposure, white balance, flicker) and a
smooth additive veil of white light (reflections). The veil is negative where a reflection is gone: shadows
multiply the light, but that takes an equal amount away from all surfaces. Both are fitted robustly, with
decreasing tolerance: a piece that came or went has edges and a colour, and fits neither.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ..capture.frames import Image
from ..capture.sampling import halved
from .enlarging import enlarged

Field = NDArray[np.float32]

_GAIN_CELL: Final = 1.0
"""Node spacing of the gain field in squares: wider than a piece, narrower than a shadow."""
_VEIL_CELL: Final = 0.25
"""Node spacing of the veil in squares; a reflection may be only a square wide."""
_RESIDUAL_SCALES: Final = (60.0, 30.0, 15.0, 10.0)
"""Residual, in grey levels, at which a pixel has a quarter of its weight; one for each iteration."""
_VEIL_RESIDUAL_SCALES: Final = (120.0, 60.0, 30.0, 30.0)
"""The same for fits with a veil, which may be as bright as the surface under it, and narrow relative to the
veil's cells. A fifth iteration would reduce the error of a bright veil by another 4 %."""
_MAX_USABLE_LEVEL: Final = 249
"""Maximum grey level that is used; higher ones are clipped."""
_GAIN_SAMPLES: Final = 4000
"""Approximate number of pixels whose median gain is the global one."""
_GAIN_RANGE: Final = (0.2, 5.0)
"""Range of gains that count as a change of light."""
_MAX_SAME_GAIN_CHANGE: Final = 0.03
"""Relative change of grey levels up to which the light counts as the same; noise may cause as much."""
_MIN_VEIL_DIFFERENCE: Final = 20.0
"""Minimum difference, in grey levels and of one sign in all channels, of pixels that suggest a veil."""
_MIN_VEIL_AREA: Final = 0.2
"""Minimum area, in squares, of a connected region of such pixels that counts, and of what a part of a veil
must explain that shadows do not."""
_MAX_PIECE_AREA: Final = 0.95
"""Maximum area, in squares, of such a region where a piece came or went. A region that is not larger counts
only if it became brighter and shows the same details as before."""
_MIN_SAME_DETAILS: Final = 0.7
"""Minimum share of the details in and around such a region that are in both pictures, before and now."""
_DETAIL: Final = 0.5
"""Maximum size, in squares, of what counts as a detail: the edges of pieces do, a veil does not."""
_VEIL_SUPPORT: Final = 0.6, 0.85
"""Share of what is to be explained that a veil must explain to be kept in part and in full. Where a piece
came or went, a veil explains the piece's centre but not its edge."""
_KNOWN_WEIGHT: Final = 50.0
"""Weight of the veil's values where they are known, relative to its smoothness; if set lower, narrow
reflections are flattened."""
_ZERO_WEIGHT: Final = 0.001
"""Weight of no veil where nothing is known; the smoothness counts for more up to 1.5 squares from there."""
_MAX_SMOOTHING_ITERATIONS: Final = 100
"""Maximum number of iterations for a smooth veil; each takes less than a tenth of a millisecond."""
_SMOOTHING_TOLERANCE: Final = 1e-6
"""Sum of squared residuals at which the veil counts as smooth; that takes about thirty iterations."""
_GAMMA: Final = 2.2
"""Gamma of the grey levels; a veil is additive in linear light."""
_VEIL_LEVELS: Final = 511
"""Quantization levels of a veil of either sign. If set lower, the darkest channel shows the steps, as gamma
magnifies them there."""
_VEIL_ERROR: Final = 0.1
"""Relative error of a fitted veil; chosen from 0.05 and 0.1 on five simulated recordings. Raising it hides
faint changes under a reflection."""
_FINE_CELL: Final = 4
"""Sampling step in pixels of gain and veil, with linear interpolation in between; pictures are reduced by it
in two halvings."""
_GAIN_PRIOR: Final = 0.02
"""Weight of the global gain in a cell, relative to the mean weight of a cell's pixels."""
_VEIL_PRIOR: Final = 0.01
"""Weight of no veil in a cell, relative to that of the cell's pixels if all were inliers."""

_LINEAR: Final = (np.arange(256) / 255.0).astype(np.float32) ** np.float32(_GAMMA)


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
        square in pixels; ``veiled``: a veil is expected, as the previous picture had one.
        """
        return _Fit(halved(one), halved(other), square / 2, veiled).light()

    def veil_at(self, across: float, down: float) -> float:
        """By how many grey levels the veil brightens a black surface at a place, given as shares (0 … 1) of
        the picture's width and height; negative if it darkens others.
        """
        if self.veil is None:
            return 0.0
        rows, columns = self.veil.shape
        row, column = (int(np.clip(at * n, 0, n - 1)) for at, n in ((down, rows), (across, columns)))
        veil = float(self.veil[row, column])
        return float(np.copysign(255 * abs(veil) ** (1 / _GAMMA), veil))

    def gain_at(self, across: NDArray[np.float64], down: NDArray[np.float64]) -> Field:
        """The gains (D, A, 3) at places given as shares of the picture's width (A,) and height (D,); outside
        0 … 1, those at its edge.
        """
        rows, columns = self.gain.shape[:2]
        x, y = np.meshgrid(across * columns - 0.5, down * rows - 0.5)
        at = np.dstack([x, y]).astype(np.float32)
        found = cv2.remap(self.gain, at, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(found, np.float32)

    def undo(self, picture: Image, before: Image) -> Image:
        """The picture as it would look in the light of the picture ``before``."""
        height, width = picture.shape[:2]
        fine = _resampled(np.float32(1) / self.gain, width, height, cv2.INTER_CUBIC)
        gain = enlarged(fine, _FINE_CELL, width, height)
        corrected = np.empty_like(picture)
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


def _resampled(nodes: Field, width: int, height: int, interpolation: int) -> Field:
    """A grid's values at the centres of cells of :data:`_FINE_CELL` pixels, with a border of one cell."""
    columns, rows = -(-width // _FINE_CELL), -(-height // _FINE_CELL)
    # Cubic interpolation for every pixel would take five times as long as linear.
    fine = cv2.resize(nodes, (columns, rows), interpolation=interpolation)
    return np.asarray(cv2.copyMakeBorder(fine, 1, 1, 1, 1, cv2.BORDER_REPLICATE), np.float32)


def _weights_without_veil(picture: Image, before: Image, factor: Field, veil: Field) -> Field:
    """Weights (rows, columns), 0 … 1, of the picture without its veil; the rest is that of ``before``.
    ``factor`` (rows, columns, 3), that of undoing the gain, and ``veil`` (rows, columns) are
    :func:`_resampled`, and so are the weights.

    A veil compresses the differences under it, so undoing it magnifies noise, and an error of the veil. The
    weight compares the difference in the picture as it was taken with what :data:`_VEIL_ERROR` would cause.
    """
    inner = slice(1, -1), slice(1, -1)
    now, earlier = (_cell_means(each).astype(np.float32) for each in (picture, before))
    light, over = _to_linear(earlier / factor[inner]), veil[inner][..., None]
    expected = _to_levels(light + over)
    error = expected - _to_levels(light + np.float32(1 - _VEIL_ERROR) * over)
    difference, tolerance = (_channel_sum(np.square(each)) for each in (now - expected, error))
    weights = np.ones_like(difference)
    np.divide(difference, difference + tolerance, out=weights, where=tolerance > 0)
    return np.asarray(cv2.copyMakeBorder(weights, 1, 1, 1, 1, cv2.BORDER_REPLICATE), np.float32)


def _cell_means(picture: Image) -> Image:
    """The means of the cells of :data:`_FINE_CELL` pixels, the last ones being completed with the edge."""
    height, width = picture.shape[:2]
    whole = cv2.copyMakeBorder(picture, 0, -height % _FINE_CELL, 0, -width % _FINE_CELL, cv2.BORDER_REPLICATE)
    # In two steps, this takes a tenth of the time of a general reduction.
    return halved(halved(np.asarray(whole, np.uint8)))


@cache
def _unveiling_table() -> NDArray[np.uint8]:
    """Lookup table (2 × _VEIL_LEVELS + 1, 256): for each quantized veil, the grey levels without it."""
    veil = np.linspace(-1, 1, 2 * _VEIL_LEVELS + 1)[:, None]
    remaining = np.clip(_LINEAR[None] - veil, 0, 1) ** (1 / _GAMMA)
    return np.asarray(np.round(255 * remaining), np.uint8)


def _unveiled(picture: Image, veil: Field) -> Image:
    rows, columns = np.nonzero(np.abs(veil) > 0.5 / _VEIL_LEVELS)
    if not len(rows):
        return picture
    part = slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)
    steps = np.clip(np.round(veil[part] * _VEIL_LEVELS) + _VEIL_LEVELS, 0, 2 * _VEIL_LEVELS).astype(np.intp)
    clear = picture.copy()
    clear[part] = _unveiling_table()[steps[..., None], picture[part]]
    return clear


class _Fit:
    """The iterative robust fit of the light between two pictures."""

    def __init__(self, before: Image, now: Image, square: float, veiled: bool) -> None:
        self._pictures, self._veiled = (before, now), veiled
        self._before, self._now = before.astype(np.float32), now.astype(np.float32)
        self._square = square
        usable = _across_channels(cv2.max, cv2.max(before, now)) <= _MAX_USABLE_LEVEL
        self._usable: Field = usable.astype(np.float32)
        step = max(1, self._usable.size // _GAIN_SAMPLES)
        ratio = (self._now.reshape(-1, 3)[::step] + 1) / (self._before.reshape(-1, 3)[::step] + 1)
        self._global_gain = np.median(ratio, axis=0).astype(np.float32)
        self._gain: Field = np.broadcast_to(self._global_gain, (*self._nodes(_GAIN_CELL), 3))
        self._veil: Field | None = None

    def light(self) -> Light | None:
        self._fit_gain(_RESIDUAL_SCALES[1])
        veiled = self._veiled or self._seems_veiled()
        if not veiled and self._same():
            return None
        for scale in _RESIDUAL_SCALES:
            self._fit_gain(scale)
        alone = Light(np.asarray(self._gain, np.float32), None)
        if veiled:
            # A gain alone explains a part of a veil; the model that explains more is kept.
            explained = self._explained()
            without = self._weights(_VEIL_RESIDUAL_SCALES[-1])
            shaded = self._weights_with_shadows()
            self._gain = np.broadcast_to(self._global_gain, self._gain.shape)
            for scale in _VEIL_RESIDUAL_SCALES:
                self._fit_veil(scale)
                self._fit_gain(scale)
            self._limit_veil(without, shaded)
            for scale in _RESIDUAL_SCALES[-2:]:
                self._fit_gain(scale)
            if self._veil is None or self._explained() <= explained:
                self._gain, self._veil = alone.gain, None
        if self._veil is None:
            return None if self._same() else alone
        return Light(np.asarray(self._gain, np.float32), self._veil)

    def _same(self) -> bool:
        return float(np.abs(self._gain - 1).max()) < _MAX_SAME_GAIN_CHANGE

    @cached_property
    def _linear(self) -> tuple[Field, Field]:
        """Both pictures in linear light, 0 … 1."""
        before, now = (np.asarray(cv2.LUT(picture, _LINEAR), np.float32) for picture in self._pictures)
        return before, now

    def _nodes(self, cell: float) -> tuple[int, int]:
        """Rows and columns of a grid with cells of ``cell`` squares."""
        height, width = self._now.shape[:2]
        return max(2, round(height / (cell * self._square))), max(2, round(width / (cell * self._square)))

    def _per_pixel(self, nodes: Field, interpolation: int) -> Field:
        """A grid's values interpolated for every pixel."""
        height, width = self._now.shape[:2]
        return np.asarray(cv2.resize(nodes, (width, height), interpolation=interpolation), np.float32)

    def _without_veil(self, veil: Field | None) -> Field:
        """The later picture, in grey levels, without the veil."""
        if veil is None:
            return self._now
        return _to_levels(self._linear[1] - self._per_pixel(veil, cv2.INTER_LINEAR)[..., None])

    def _residuals(self) -> Field:
        """Residuals (h, w, 3) in grey levels: the later picture minus the model's prediction."""
        before = self._before * self._per_pixel(self._gain, cv2.INTER_CUBIC)
        if self._veil is not None:
            before = _to_levels(_to_linear(before) + self._per_pixel(self._veil, cv2.INTER_LINEAR)[..., None])
        return np.asarray(self._now - before, np.float32)

    def _weights(self, scale: float) -> Field:
        residuals = _across_channels(cv2.max, np.abs(self._residuals())) / np.float32(scale)
        return np.asarray(self._usable / np.square(1 + residuals * residuals), np.float32)

    def _weights_with_shadows(self) -> Field:
        """The weights if shadows of stacks came or went, which may be as narrow as a veil: they multiply the
        light by a factor that is the same in all channels.
        """
        before, nodes = self._before, self._nodes(_VEIL_CELL)
        factor = np.ones(nodes, np.float32)
        self._gain = np.broadcast_to(self._global_gain, self._gain.shape)
        for scale in _VEIL_RESIDUAL_SCALES:
            expected = before * self._per_pixel(self._gain, cv2.INTER_CUBIC)
            weighted = self._weights(scale)[..., None] * expected
            own = _cells(_channel_sum(weighted * expected), nodes)
            # Nothing is known of the shadows where the picture is black.
            prior = _VEIL_PRIOR * _cells(_channel_sum(expected * expected), nodes) + 1e-3
            missing = _cells(_channel_sum(weighted * self._residuals()), nodes)
            factor += (missing - prior * (factor - 1)) / (own + prior)
            # The gain is fitted to the earlier picture as it would look with these shadows.
            self._before = before * self._per_pixel(factor, cv2.INTER_LINEAR)[..., None]
            self._fit_gain(scale)
        weights, self._before = self._weights(_VEIL_RESIDUAL_SCALES[-1]), before
        return weights

    def _explained(self) -> float:
        """Share of the picture that the model explains, 0 … 1."""
        return float(self._weights(_RESIDUAL_SCALES[-1]).mean())

    def _fit_gain(self, scale: float) -> None:
        weights = self._weights(scale)[..., None] * self._before
        now, nodes = self._without_veil(self._veil), self._nodes(_GAIN_CELL)
        both, own = _cells(weights * now, nodes), _cells(weights * self._before, nodes)
        # Regularized towards the global gain.
        prior = _GAIN_PRIOR * own.mean((0, 1)) + 1e-3
        self._gain = np.asarray(
            np.clip((both + prior * self._global_gain) / (own + prior), *_GAIN_RANGE), np.float32
        )

    def _seems_veiled(self) -> bool:
        residuals = self._residuals()
        brighter = _across_channels(cv2.min, residuals) > _MIN_VEIL_DIFFERENCE
        darker = _across_channels(cv2.max, residuals) < -_MIN_VEIL_DIFFERENCE
        count, regions, patches, _ = cv2.connectedComponentsWithStats(
            (brighter | darker).view(np.uint8), connectivity=8
        )
        areas = patches[:, cv2.CC_STAT_AREA] / self._square**2
        if (areas[1:] > _MAX_PIECE_AREA).any():
            return True
        masks = (regions == number for number in range(1, count) if areas[number] > _MIN_VEIL_AREA)
        # A small region that became darker may be the shadow of a stack, which also leaves the details.
        veil = brighter | darker
        return any(veil[mask].all() and self._same_details(mask) for mask in masks)

    def _same_details(self, region: NDArray[np.bool_]) -> bool:
        """Whether the region, and what is around it, shows the same details as before, so that no piece came
        or went.
        """
        size = 1 + 2 * round(_DETAIL * self._square / 2)
        usable = self._usable[..., None]
        share = np.maximum(cv2.blur(self._usable, (size, size)), 1e-3)[..., None]
        around = cv2.dilate(region.view(np.uint8), np.ones((size, size), np.uint8)).view(bool)
        before, now = (
            (usable * (light - cv2.blur(usable * light, (size, size)) / share))[around].ravel()
            for light in self._linear
        )
        unexplained = float(np.square(now - before).sum())
        return unexplained < (1 - _MIN_SAME_DETAILS) * float(np.square(before).sum() + np.square(now).sum())

    def _fit_veil(self, scale: float) -> None:
        """Improve the veil by what is missing around each node. Repeated, this is a least-squares fit."""
        weights = self._weights(scale)[..., None]
        nodes = self._nodes(_VEIL_CELL)
        veil = np.zeros(nodes, np.float32) if self._veil is None else self._veil
        gain = _to_linear(255 * self._per_pixel(self._gain, cv2.INTER_CUBIC))
        missing = self._linear[1] - self._linear[0] * gain
        missing -= self._per_pixel(veil, cv2.INTER_LINEAR)[..., None]
        # Noise is uniform in grey levels, not in linear light.
        slope = np.asarray(cv2.pow(np.maximum(cv2.blur(self._now, (5, 5)), 8) / 255, 1 - _GAMMA), np.float32)
        weights = weights * slope
        own = _cells(_channel_sum(weights), nodes)
        # Regularized towards no veil.
        prior = _VEIL_PRIOR * _cells(_channel_sum(slope), nodes) + np.float32(1e-6)
        more = (_cells(_channel_sum(weights * missing), nodes) - prior * veil) / (own + prior)
        self._veil = np.asarray(veil + more, np.float32)

    def _limit_veil(self, without: Field, shaded: Field) -> None:
        """Keep the veil only where it explains most of what a gain alone leaves, and more than shadows do.
        Where nothing explains the picture, because a piece came or went, continue the veil smoothly from its
        surroundings.

        ``without`` and ``shaded`` (h, w): the weights of the pixels in the fits of a gain alone, and of one
        with shadows.
        """
        assert self._veil is not None
        nodes, weights = self._nodes(_VEIL_CELL), self._weights(_VEIL_RESIDUAL_SCALES[-1])
        both, alone, usable = (_cells(each, nodes) for each in (weights, without, self._usable))
        low, high = _VEIL_SUPPORT
        share = (both - alone) / np.maximum(usable - alone, 1e-3)
        supported = self._veil * np.clip((share - low) / (high - low), 0, 1)
        veil = _smoothest(np.asarray(supported, np.float32), both >= high * np.maximum(usable, 1e-3))
        gained = both - _cells(shaded, nodes)
        count, parts = cv2.connectedComponents((np.abs(veil) > 0.5 / _VEIL_LEVELS).astype(np.uint8))
        area = _VEIL_CELL * _VEIL_CELL
        kept = [n for n in range(1, count) if area * gained[parts == n].sum() > _MIN_VEIL_AREA]
        self._veil = np.where(np.isin(parts, [0, *kept]), veil, np.float32(0)) if kept else None


def _smoothest(values: Field, known: NDArray[np.bool_]) -> Field:
    """The field (rows, columns) with the least curvature that has about these ``values`` where they are
    ``known``, and tends to zero far from there; by the method of conjugate gradients.
    """

    def product(field: Field) -> Field:
        """That of the symmetric matrix of the least-squares problem with a field."""
        return np.asarray(weights * field + _laplacian(_laplacian(field)), np.float32)

    weights = np.where(known, _KNOWN_WEIGHT, _ZERO_WEIGHT).astype(np.float32)
    field = np.where(known, values, np.float32(0))
    residual = weights * field - product(field)
    direction, squared = residual, float(np.square(residual).sum())
    for _ in range(_MAX_SMOOTHING_ITERATIONS):
        if squared < _SMOOTHING_TOLERANCE:
            break
        ahead = product(direction)
        step = squared / float((direction * ahead).sum())
        field, residual = field + step * direction, residual - step * ahead
        before, squared = squared, float(np.square(residual).sum())
        direction = residual + squared / before * direction
    return np.asarray(field, np.float32)


def _laplacian(field: Field) -> Field:
    return np.asarray(cv2.Laplacian(field, cv2.CV_32F, borderType=cv2.BORDER_REFLECT), np.float32)


def _cells(values: Field, nodes: tuple[int, int]) -> Field:
    """Local means of a picture's values around the nodes of a grid (rows, columns)."""
    cells = cv2.resize(values, nodes[::-1], interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.blur(cells, (3, 3)), np.float32)


def _to_linear(levels: Field) -> Field:
    """Grey levels to linear light, 0 for black and 1 for white."""
    return np.asarray(cv2.pow(np.maximum(levels / np.float32(255), 0), _GAMMA), np.float32)


def _to_levels(light: Field) -> Field:
    """Linear light to grey levels."""
    return np.asarray(255 * cv2.pow(np.clip(light, 0, 1), 1 / _GAMMA), np.float32)


def _across_channels(join: Callable[[Field, Field], cv2.typing.MatLike], values: Field) -> Field:
    """Maximum or minimum over the channels, many times as fast as with numpy."""
    blue, green, red = cv2.split(values)
    return np.asarray(join(join(blue, green), red), np.float32)


def _channel_sum(values: Field) -> Field:
    """Sum over the channels."""
    return np.asarray(cv2.transform(values, np.ones((1, 3), np.float32)), np.float32)
