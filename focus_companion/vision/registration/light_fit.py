"""Fits the change of light between two aligned pictures of one scene.

Gain, veil and patches are fitted robustly, with decreasing tolerance: a piece that came or went has edges and
a colour, and fits none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ..capture.frames import Image
from ..capture.sampling import halved
from .light import VEIL_LEVELS, Light
from .light_patch import LightPatch, without_small_parts
from .linear_light import GAMMA, LINEAR, MAX_USABLE_LEVEL, Field, channel_sum, to_levels, to_linear
from .smooth_field import smoothest

_GAIN_CELL: Final = 1.0
"""Node spacing of the gain field in squares: wider than a piece, narrower than a shadow."""
_VEIL_CELL: Final = 0.25
"""Node spacing of the veil in squares; a reflection may be only a square wide."""
_RESIDUAL_SCALES: Final = (60.0, 30.0, 15.0, 10.0)
"""Residual, in grey levels, at which a pixel has a quarter of its weight; one for each iteration."""
_VEIL_RESIDUAL_SCALES: Final = (120.0, 60.0, 30.0, 30.0)
"""The same for fits with a veil, which may be as bright as the surface under it, and narrow relative to the
veil's cells. A fifth iteration would reduce the error of a bright veil by another 4 %."""
_GAIN_SAMPLES: Final = 4000
"""Approximate number of pixels whose median gain is the global one."""
_GAIN_RANGE: Final = (0.2, 5.0)
"""Range of gains that count as a change of light."""
_MAX_SAME_GAIN_CHANGE: Final = 0.03
"""Relative change of grey levels up to which the light counts as the same; noise may cause as much."""
_MIN_VEIL_DIFFERENCE: Final = 20.0
"""Minimum difference, in grey levels and of one sign in all channels, of pixels that suggest a veil, and of
some pixel in a patch."""
_MIN_VEIL_AREA: Final = 0.2
"""Minimum area, in squares, of a connected region of such pixels that counts, and of what a part of a veil
must explain that shadows do not."""
_MAX_PIECE_AREA: Final = 0.95
"""Maximum area, in squares, of such a region where a piece came or went. A region that is not larger counts
only if it became brighter and shows the same details as before."""
_MIN_SAME_DETAILS: Final = 0.7
"""Minimum share of the details in and around such a region, or in a patch, that are in both pictures, before
and now. In patches, it is 0.8 and more; where a head is over the board, 0.4 at most."""
_DETAIL: Final = 0.5
"""Maximum size, in squares, of what counts as a detail: the edges of pieces do, a veil does not."""
_VEIL_SUPPORT: Final = 0.6, 0.85
"""Share of what is to be explained that a veil must explain to be kept in part and in full. Where a piece
came or went, a veil explains the piece's centre but not its edge."""
_MAX_PATCHES: Final = 3
"""Maximum number of patches, such as one that is gone and another that came; each takes 10 ms."""
_MAX_PATCH_TINT: Final = 1.25
"""Maximum ratio of a patch's factors for two channels: sun is yellow beside the light of the sky. Raising it
takes sleeves for patches, where the board under them is plain."""
_PATCH_SUPPORT: Final = 0.5
"""Share of what would have to be explained inside a patch, for the picture to be explained there as well as
outside, that the patch must explain. Patches reach 0.53 to 0.96 on two recordings; a head over the board
reaches 0.4, as it hides what is under it. Lowering it takes objects for patches."""
_GAIN_PRIOR: Final = 0.02
"""Weight of the global gain in a cell, relative to the mean weight of a cell's pixels."""
_VEIL_PRIOR: Final = 0.01
"""Weight of no veil in a cell, relative to that of the cell's pixels if all were inliers."""


def light_between(one: Image, other: Image, square: float, *, veiled: bool = False) -> Light | None:
    """The change of light from one coarse picture to another; ``None`` if there is none.

    ``square``: side of a square in pixels; ``veiled``: a veil is expected, as the previous picture had one.
    """
    return _Fit(halved(one), halved(other), square / 2, veiled).light()


class _Fit:
    """The iterative robust fit of the light between two pictures."""

    def __init__(self, before: Image, now: Image, square: float, veiled: bool) -> None:
        self._pictures, self._veiled = (before, now), veiled
        self._before, self._now = before.astype(np.float32), now.astype(np.float32)
        self._square = square
        usable = _across_channels(cv2.max, cv2.max(before, now)) <= MAX_USABLE_LEVEL
        self._usable: Field = usable.astype(np.float32)
        step = max(1, self._usable.size // _GAIN_SAMPLES)
        ratio = (self._now.reshape(-1, 3)[::step] + 1) / (self._before.reshape(-1, 3)[::step] + 1)
        self._global_gain = np.median(ratio, axis=0).astype(np.float32)
        self._gain: Field = np.broadcast_to(self._global_gain, (*self._nodes(_GAIN_CELL), 3))
        self._veil: Field | None = None

    def light(self) -> Light | None:
        self._fit_gain(_RESIDUAL_SCALES[1])
        uneven = self._veiled or self._seems_veiled()
        if not uneven and _same(self._gain):
            return None
        for scale in _RESIDUAL_SCALES:
            self._fit_gain(scale)
        # A gain alone explains a part of a veil and of a patch; the model that explains most is kept.
        models = [self._model()]
        if uneven:
            models += self._with_veil()
        models += self._with_patches()
        light, _ = max(models, key=lambda model: model[1])
        return light if light.veil is not None or light.patches or not _same(light.gain) else None

    def _model(self, patches: Sequence[LightPatch] = ()) -> tuple[Light, float]:
        """The light as it is fitted now, and the share of the picture that it explains."""
        return Light(np.asarray(self._gain, np.float32), self._veil, tuple(patches)), self._explained()

    def _with_veil(self) -> list[tuple[Light, float]]:
        """The light with a veil, if there is one: it explains more than the gain alone, or shadows, do."""
        without, shaded = self._weights(_VEIL_RESIDUAL_SCALES[-1]), self._weights_with_shadows()
        self._gain = np.broadcast_to(self._global_gain, self._gain.shape)
        for scale in _VEIL_RESIDUAL_SCALES:
            self._fit_veil(scale)
            self._fit_gain(scale)
        self._limit_veil(without, shaded)
        for scale in _RESIDUAL_SCALES[-2:]:
            self._fit_gain(scale)
        return [] if self._veil is None else [self._model()]

    def _with_patches(self) -> list[tuple[Light, float]]:
        """The light with patches, if there are any: each explains most of what is left without it. They are
        tested together, as a part of one may lie in another.
        """
        self._veil = None
        without, patches = self._before, list[LightPatch]()
        for _ in range(_MAX_PATCHES):
            before, found = self._before, []
            for darker in (False, True):
                patch = self._fit_patch(darker=darker)
                if patch is not None:
                    found.append((self._explained(), patch))
                self._before = before
            if not found:
                break
            patches.append(max(found, key=lambda each: each[0])[1])
            self._before = patches[-1].applied(before)
        while patches:
            if self._explained_inside(patches, without):
                return [self._model(patches)]
            patches.pop()
        return []

    def _fit_patch(self, *, darker: bool) -> LightPatch | None:
        """A patch that explains some of what the gain alone leaves, applied to the earlier picture, and the
        gain with it.
        """
        before = self._before
        # A gain that was fitted without it has followed a part of the patch.
        self._gain = np.broadcast_to(self._global_gain, self._gain.shape)
        off = _across_channels(cv2.max, np.abs(self._residuals())) > _MIN_VEIL_DIFFERENCE
        ratio = channel_sum(self._now) / np.maximum(channel_sum(before * self._global_gain), 1)
        off &= (self._usable > 0) & ((ratio < 1) == darker)
        if off.sum() < _MAX_PIECE_AREA * self._square**2:
            return None
        factor = np.full(3, np.median(ratio[off]), np.float32)
        for scale in _RESIDUAL_SCALES:
            expected = self._relit(before)
            outside, within = (self._costs(each, scale) for each in (expected, expected * factor))
            inside = without_small_parts(cv2.blur(outside - within, (3, 3)) > 0, self._square)
            shown = inside & (within < outside)
            if not shown.any():
                return None
            factor = self._factor(expected, factor, np.exp(-2 * within[shown]), shown)
            # The gain is fitted to the earlier picture as it would look with the patch.
            self._before = LightPatch(inside, factor).applied(before)
            self._fit_gain(scale)
        visible = (expected[inside] * np.abs(factor - 1)).max() > _MIN_VEIL_DIFFERENCE
        white = factor.max() < _MAX_PATCH_TINT * factor.min()
        return LightPatch(inside, factor) if visible and white and self._details_remain(inside) else None

    def _factor(self, expected: Field, factor: Field, weights: Field, inside: NDArray[np.bool_]) -> Field:
        """The factor (3,) of a patch, beginning with ``factor``: that with the least sum of absolute
        residuals. ``expected`` (h, w, 3): the picture without the patch; ``weights`` (n,) of the pixels
        ``inside`` (h, w).

        Channels are left out where they are clipped in the earlier picture, or in this one as they should be
        in the patch; also beside such pixels, as coarse pixels are means.
        """
        before, lit, now = (
            cv2.dilate(each, np.ones((3, 3), np.uint8))[inside]
            for each in (self._pictures[0], expected * factor, self._now)
        )
        used = np.maximum(before, np.minimum(lit, now)) <= MAX_USABLE_LEVEL
        weights = weights[:, None] * used * expected[inside]
        ratios = np.asarray(self._now[inside] / np.maximum(expected[inside], 1), np.float32)
        # Regularized towards the factor that all channels have in common.
        common, prior = _weighted_median(ratios, weights), _GAIN_PRIOR * weights.sum(0).mean()
        return np.array(
            [
                _weighted_median(np.append(own, common), np.append(by, prior))
                for own, by in zip(ratios.T, weights.T, strict=True)
            ],
            np.float32,
        )

    def _explained_inside(self, patches: Sequence[LightPatch], before: Field) -> bool:
        """Whether the patches explain enough of what a gain alone leaves inside them; applies them to the
        earlier picture ``before`` (h, w, 3), and fits the gain to it.
        """
        inside = np.logical_or.reduce([patch.inside for patch in patches])
        if inside.all():
            return False
        self._before = before
        self._fit_gain_anew()
        alone = float(self._weights_of_all()[inside].mean())
        self._before = reduce(lambda picture, patch: patch.applied(picture), patches, before)
        self._fit_gain_anew()
        together = self._weights_of_all()
        missing = float(together[~inside].mean()) - alone
        return float(together[inside].mean()) - alone > _PATCH_SUPPORT * missing > 0

    def _details_remain(self, inside: NDArray[np.bool_]) -> bool:
        """Whether these pixels show the details that are expected there: an object would hide them."""
        size = 1 + 2 * round(_DETAIL * self._square / 2)
        expected = np.minimum(self._relit(self._before), np.float32(255))
        before, now = ((each - cv2.blur(each, (size, size)))[inside] for each in (expected, self._now))
        return _in_both(before, now)

    def _costs(self, expected: Field, scale: float) -> Field:
        """Negative log-likelihoods (h, w), up to a constant, of the later picture's pixels, whose residuals
        have a heavy tail. What is clipped is expected to be.
        """
        off = np.abs(self._now - np.minimum(expected, np.float32(255)))
        residuals = _across_channels(cv2.max, off) / np.float32(scale)
        return np.asarray(np.log1p(residuals * residuals), np.float32)

    def _weights_of_all(self) -> Field:
        """The weights of all pixels, also of those that are clipped."""
        costs = self._costs(self._relit(self._before), _RESIDUAL_SCALES[-1])
        return np.asarray(np.exp(-2 * costs), np.float32)

    def _fit_gain_anew(self) -> None:
        """Fit the gain to the earlier picture as it is now, without what was fitted before."""
        self._gain = np.broadcast_to(self._global_gain, self._gain.shape)
        for scale in _RESIDUAL_SCALES:
            self._fit_gain(scale)

    @cached_property
    def _linear(self) -> tuple[Field, Field]:
        """Both pictures in linear light, 0 … 1."""
        before, now = (np.asarray(cv2.LUT(picture, LINEAR), np.float32) for picture in self._pictures)
        return before, now

    def _nodes(self, cell: float) -> tuple[int, int]:
        """Rows and columns of a grid with cells of ``cell`` squares."""
        height, width = self._now.shape[:2]
        return max(2, round(height / (cell * self._square))), max(2, round(width / (cell * self._square)))

    def _per_pixel(self, nodes: Field, interpolation: int) -> Field:
        """A grid's values interpolated for every pixel."""
        height, width = self._now.shape[:2]
        return np.asarray(cv2.resize(nodes, (width, height), interpolation=interpolation), np.float32)

    def _relit(self, picture: Field) -> Field:
        """A picture (h, w, 3) with the gain."""
        return np.asarray(picture * self._per_pixel(self._gain, cv2.INTER_CUBIC), np.float32)

    def _without_veil(self, veil: Field | None) -> Field:
        """The later picture, in grey levels, without the veil."""
        if veil is None:
            return self._now
        return to_levels(self._linear[1] - self._per_pixel(veil, cv2.INTER_LINEAR)[..., None])

    def _residuals(self) -> Field:
        """Residuals (h, w, 3) in grey levels: the later picture minus the model's prediction."""
        before = self._relit(self._before)
        if self._veil is not None:
            before = to_levels(to_linear(before) + self._per_pixel(self._veil, cv2.INTER_LINEAR)[..., None])
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
            expected = self._relit(before)
            weighted = self._weights(scale)[..., None] * expected
            own = _cells(channel_sum(weighted * expected), nodes)
            # Nothing is known of the shadows where the picture is black.
            prior = _VEIL_PRIOR * _cells(channel_sum(expected * expected), nodes) + 1e-3
            missing = _cells(channel_sum(weighted * self._residuals()), nodes)
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
        return _in_both(before, now)

    def _fit_veil(self, scale: float) -> None:
        """Improve the veil by what is missing around each node. Repeated, this is a least-squares fit."""
        weights = self._weights(scale)[..., None]
        nodes = self._nodes(_VEIL_CELL)
        veil = np.zeros(nodes, np.float32) if self._veil is None else self._veil
        gain = to_linear(255 * self._per_pixel(self._gain, cv2.INTER_CUBIC))
        missing = self._linear[1] - self._linear[0] * gain
        missing -= self._per_pixel(veil, cv2.INTER_LINEAR)[..., None]
        # Noise is uniform in grey levels, not in linear light.
        slope = np.asarray(cv2.pow(np.maximum(cv2.blur(self._now, (5, 5)), 8) / 255, 1 - GAMMA), np.float32)
        weights = weights * slope
        own = _cells(channel_sum(weights), nodes)
        # Regularized towards no veil.
        prior = _VEIL_PRIOR * _cells(channel_sum(slope), nodes) + np.float32(1e-6)
        more = (_cells(channel_sum(weights * missing), nodes) - prior * veil) / (own + prior)
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
        veil = smoothest(np.asarray(supported, np.float32), both >= high * np.maximum(usable, 1e-3))
        gained = both - _cells(shaded, nodes)
        count, parts = cv2.connectedComponents((np.abs(veil) > 0.5 / VEIL_LEVELS).astype(np.uint8))
        area = _VEIL_CELL * _VEIL_CELL
        kept = [n for n in range(1, count) if area * gained[parts == n].sum() > _MIN_VEIL_AREA]
        self._veil = np.where(np.isin(parts, [0, *kept]), veil, np.float32(0)) if kept else None


def _weighted_median(values: Field, weights: Field) -> float:
    """The value up to which half of the weight lies; both arrays have the same shape."""
    order = np.argsort(values, axis=None)
    cumulative = np.cumsum(weights.ravel()[order])
    return float(values.ravel()[order[np.searchsorted(cumulative, cumulative[-1] / 2)]])


def _in_both(before: Field, now: Field) -> bool:
    """Whether most of these details of two pictures are the same."""
    unexplained = float(np.square(now - before).sum())
    return unexplained < (1 - _MIN_SAME_DETAILS) * float(np.square(before).sum() + np.square(now).sum())


def _same(gain: Field) -> bool:
    """Whether the light with this gain counts as the same."""
    return float(np.abs(gain - 1).max()) < _MAX_SAME_GAIN_CHANGE


def _cells(values: Field, nodes: tuple[int, int]) -> Field:
    """Local means of a picture's values around the nodes of a grid (rows, columns)."""
    cells = cv2.resize(values, nodes[::-1], interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.blur(cells, (3, 3)), np.float32)


def _across_channels(join: Callable[[Field, Field], cv2.typing.MatLike], values: Field) -> Field:
    """Maximum or minimum over the channels, many times as fast as with numpy."""
    blue, green, red = cv2.split(values)
    return np.asarray(join(join(blue, green), red), np.float32)
