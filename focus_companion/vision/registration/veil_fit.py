"""Fits a veil, the light of a reflection, together with a smooth gain."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from ..arrays import Mask, Singles
from ..masks import dilated_by_square
from .details import detail_window, details, in_both
from .gain_fit import MAX_PIECE_AREA, MIN_DIFFERENCE, RESIDUAL_SCALES, GainFit, cells
from .levels import GAMMA, across_channels, channel_sum, for_channels, to_linear
from .light import VEIL_LEVELS
from .smooth_field import smoothest

_VEIL_CELL: Final = 0.25
"""Node spacing of the veil in squares; a reflection may be only a square wide."""
_VEIL_RESIDUAL_SCALES: Final = (120.0, 60.0, 30.0, 30.0)
"""Residual, in grey levels, at which a pixel has a quarter of its weight; one for each iteration. A veil may
be as bright as the surface under it, and narrow relative to its cells. A fifth iteration would reduce the
error of a bright veil by another 4 %."""
_MIN_VEIL_AREA: Final = 0.2
"""Minimum area, in squares, of a connected region that suggests a veil, and of what a part of a veil must
explain that shadows do not."""
_VEIL_SUPPORT: Final = 0.6, 0.85
"""Share of what is to be explained that a veil must explain to be kept in part and in full. Where a piece
came or went, a veil explains the piece's centre but not its edge."""
_VEIL_PRIOR: Final = 0.01
"""Weight of no veil in a cell, relative to that of the cell's pixels if all were inliers."""


def seems_veiled(fit: GainFit) -> bool:
    """Whether the fit, of a gain alone, leaves what suggests a veil, and where a piece may have come or gone,
    the same details as before.
    """
    residuals = fit.residuals()
    brighter = across_channels(cv2.min, residuals) > MIN_DIFFERENCE
    darker = across_channels(cv2.max, residuals) < -MIN_DIFFERENCE
    count, regions, stats, _ = cv2.connectedComponentsWithStats(
        (brighter | darker).view(np.uint8), connectivity=8
    )
    areas = stats[:, cv2.CC_STAT_AREA] / fit.square**2
    if (areas[1:] > MAX_PIECE_AREA).any():
        return True
    masks = (regions == number for number in range(1, count) if areas[number] > _MIN_VEIL_AREA)
    return any(_same_details(fit, mask) for mask in masks)


def fit_veil(fit: GainFit) -> bool:
    """Fit a veil together with the gain, beginning from a fit without one.

    Returns whether there is a veil: it explains more than the gain alone, or shadows, do.
    """
    without, shaded = fit.weights(_VEIL_RESIDUAL_SCALES[-1]), _weights_with_shadows(fit)
    fit.reset_gain()
    # Noise is uniform in grey levels, not in linear light.
    slope = np.asarray(cv2.pow(np.maximum(cv2.blur(fit.now, (5, 5)), 8) / 255, 1 - GAMMA), np.float32)
    for scale in _VEIL_RESIDUAL_SCALES:
        _improve_veil(fit, slope, scale)
        fit.fit_gain(scale)
    _limit_veil(fit, without, shaded)
    for scale in RESIDUAL_SCALES[-2:]:
        fit.fit_gain(scale)
    return fit.veil is not None


def _improve_veil(fit: GainFit, slope: Singles, scale: float) -> None:
    """Improve the veil by what is missing around each node. Repeated, this is a least-squares fit. ``slope``
    (h, w, 3): grey levels per unit of linear light, up to a constant.
    """
    nodes = fit.nodes(_VEIL_CELL)
    veil = np.zeros(nodes, np.float32) if fit.veil is None else fit.veil
    gain = to_linear(255 * fit.per_pixel(fit.gain, cv2.INTER_CUBIC))
    missing = fit.linear[1] - fit.linear[0] * gain
    missing -= for_channels(fit.per_pixel(veil, cv2.INTER_LINEAR))
    weights = for_channels(fit.weights(scale)) * slope
    own = cells(channel_sum(weights), nodes)
    # Regularized towards no veil.
    prior = _VEIL_PRIOR * cells(channel_sum(slope), nodes) + np.float32(1e-6)
    more = (cells(channel_sum(weights * missing), nodes) - prior * veil) / (own + prior)
    fit.veil = np.asarray(veil + more, np.float32)


def _limit_veil(fit: GainFit, without: Singles, shaded: Singles) -> None:
    """Keep the veil only where it explains most of what a gain alone leaves, and more than shadows do.
    Where nothing explains the picture, because a piece came or went, continue the veil smoothly from its
    surroundings.

    ``without`` and ``shaded`` (h, w): the weights of the pixels in the fits of a gain alone, and of one
    with shadows.
    """
    assert fit.veil is not None
    nodes, weights = fit.nodes(_VEIL_CELL), fit.weights(_VEIL_RESIDUAL_SCALES[-1])
    both, alone, usable = (cells(each, nodes) for each in (weights, without, fit.usable))
    low, high = _VEIL_SUPPORT
    share = (both - alone) / np.maximum(usable - alone, 1e-3)
    supported = fit.veil * np.clip((share - low) / (high - low), 0, 1)
    veil = smoothest(np.asarray(supported, np.float32), both >= high * np.maximum(usable, 1e-3))
    gained = both - cells(shaded, nodes)
    count, parts = cv2.connectedComponents((np.abs(veil) > 0.5 / VEIL_LEVELS).astype(np.uint8))
    area = _VEIL_CELL * _VEIL_CELL
    kept = [n for n in range(1, count) if area * gained[parts == n].sum() > _MIN_VEIL_AREA]
    fit.veil = np.where(np.isin(parts, [0, *kept]), veil, np.float32(0)) if kept else None


def _weights_with_shadows(fit: GainFit) -> Singles:
    """The weights if shadows of stacks came or went, which may be as narrow as a veil: they multiply the
    light by a factor that is the same in all channels.
    """
    before, nodes = fit.before, fit.nodes(_VEIL_CELL)
    factor = np.ones(nodes, np.float32)
    fit.reset_gain()
    for scale in _VEIL_RESIDUAL_SCALES:
        expected = fit.relit(before)
        weighted = for_channels(fit.weights(scale)) * expected
        own = cells(channel_sum(weighted * expected), nodes)
        # Nothing is known of the shadows where the picture is black.
        prior = _VEIL_PRIOR * cells(channel_sum(expected * expected), nodes) + 1e-3
        missing = cells(channel_sum(weighted * fit.residuals()), nodes)
        factor += (missing - prior * (factor - 1)) / (own + prior)
        # The gain is fitted to the earlier picture as it would look with these shadows.
        fit.before = before * for_channels(fit.per_pixel(factor, cv2.INTER_LINEAR))
        fit.fit_gain(scale)
    weights, fit.before = fit.weights(_VEIL_RESIDUAL_SCALES[-1]), before
    return weights


def _same_details(fit: GainFit, region: Mask) -> bool:
    """Whether the region, and what is around it, shows the same details as before, so that no piece came
    or went.
    """
    around = dilated_by_square(region, detail_window(fit.square)[0])
    before, now = (details(light, fit.usable, fit.square)[around] for light in fit.linear)
    return in_both(before, now)
