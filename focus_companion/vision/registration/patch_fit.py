"""Fits patches of light with hard edges (:mod:`.light_patch`) together with a smooth gain."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final

import cv2
import numpy as np

from ..arrays import Mask, Singles
from ..capture.frames import MAX_USABLE_LEVEL
from .clipping import brightest_near, clipped_range
from .details import details, in_both
from .gain_fit import GAIN_PRIOR, MAX_PIECE_AREA, MIN_DIFFERENCE, RESIDUAL_SCALES, GainFit
from .levels import across_channels, channel_sum
from .light_patch import LightPatch, without_small_parts

_MAX_PATCHES: Final = 3
"""Maximum number of patches, such as one that is gone and another that came; each takes 10 ms."""
_MAX_PATCH_TINT: Final = 1.25
"""Maximum ratio of a patch's factors for two channels: sun is yellow beside the light of the sky. Raising it
takes sleeves for patches, where the board under them is plain."""
_PATCH_SUPPORT: Final = 0.5
"""Share of what would have to be explained inside patches, for the picture to be explained there as well as
outside, that they must explain. On five recordings, patches reach 0.53 to 0.98, reflections 0.39, and heads
and bodies over the board 0.02. Lowering it takes objects for patches."""


def fit_patches(fit: GainFit) -> tuple[LightPatch, ...]:
    """The patches, each of which explains most of what is left without it; none if there are none.

    They are applied to the earlier picture of the ``fit``, which has no veil, and the gain is fitted to it.
    They are tested together, as a part of one may lie in another.
    """
    without, patches = fit.before, list[LightPatch]()
    for _ in range(_MAX_PATCHES):
        before, found = fit.before, []
        # A gain that was fitted without a patch has followed a part of it.
        fit.reset_gain()
        off = across_channels(cv2.max, np.abs(fit.residuals())) > MIN_DIFFERENCE
        ratio = channel_sum(fit.now) / np.maximum(channel_sum(before * fit.global_gain), 1)
        for darker in (False, True):
            patch = _fit_patch(fit, ratio[off & ((ratio < 1) == darker)])
            if patch is not None:
                found.append((fit.explained(), patch))
            fit.before = before
        if not found:
            break
        patches.append(max(found, key=lambda each: each[0])[1])
        fit.before = patches[-1].applied(before)
    while patches:
        if _explained_inside(fit, patches, without):
            return tuple(patches)
        patches.pop()
    return ()


def _fit_patch(fit: GainFit, ratios: Singles) -> LightPatch | None:
    """A patch that explains some of what the gain alone leaves, applied to the earlier picture, and the
    gain with it. ``ratios`` (n,): the brightness of the pixels that may be in the patch, relative to what a
    gain makes of them.
    """
    before = fit.before
    fit.reset_gain()
    if len(ratios) < MAX_PIECE_AREA * fit.square**2:
        return None
    factor = np.full(3, np.median(ratios), np.float32)
    for scale in RESIDUAL_SCALES:
        expected = fit.relit(before)
        outside, within = (_costs(fit, each, scale) for each in (expected, expected * factor))
        inside = without_small_parts(cv2.blur(outside - within, (3, 3)) > 0, fit.square)
        shown = inside & (within < outside)
        if not shown.any():
            return None
        factor = _factor(fit, expected, factor, np.exp(-2 * within[shown]), shown)
        # The gain is fitted to the earlier picture as it would look with the patch.
        fit.before = LightPatch(inside, factor).applied(before)
        fit.fit_gain(scale)
    visible = (expected[inside] * np.abs(factor - 1)).max() > MIN_DIFFERENCE
    white = factor.max() < _MAX_PATCH_TINT * factor.min()
    return LightPatch(inside, factor) if visible and white and _details_remain(fit, inside) else None


def _factor(fit: GainFit, expected: Singles, factor: Singles, weights: Singles, inside: Mask) -> Singles:
    """The factor (3,) of a patch, beginning with ``factor``: that with the least sum of absolute
    residuals. ``expected`` (h, w, 3): the picture without the patch; ``weights`` (n,) of the pixels
    ``inside`` (h, w).

    Channels are left out where they are clipped in the earlier picture, or in this one as they should be
    in the patch; also beside such pixels, as coarse pixels are means.
    """
    before, lit, now = (
        brightest_near(each)[inside] for each in (fit.pictures[0], expected * factor, fit.now)
    )
    used = np.maximum(before, np.minimum(lit, now)) <= MAX_USABLE_LEVEL
    weights = weights[:, None] * used * expected[inside]
    ratios = np.asarray(fit.now[inside] / np.maximum(expected[inside], 1), np.float32)
    # Regularized towards the factor that all channels have in common.
    common, prior = _weighted_median(ratios, weights), GAIN_PRIOR * weights.sum(0).mean()
    return np.array(
        [
            _weighted_median(np.append(own, common), np.append(by, prior))
            for own, by in zip(ratios.T, weights.T, strict=True)
        ],
        np.float32,
    )


def _explained_inside(fit: GainFit, patches: Sequence[LightPatch], before: Singles) -> bool:
    """Whether the patches explain enough of what a gain alone leaves inside them; applies them to the
    earlier picture ``before`` (h, w, 3), and fits the gain to it.
    """
    inside = np.logical_or.reduce([patch.inside for patch in patches])
    if inside.all():
        return False
    fit.before = before
    fit.fit_gain_anew()
    alone = float(_weights_of_all(fit)[inside].mean())
    fit.before = reduce(lambda picture, patch: patch.applied(picture), patches, before)
    fit.fit_gain_anew()
    together = _weights_of_all(fit)
    missing = float(together[~inside].mean()) - alone
    return float(together[inside].mean()) - alone > _PATCH_SUPPORT * missing > 0


def _details_remain(fit: GainFit, inside: Mask) -> bool:
    """Whether these pixels show the details that are expected there: an object would hide them. None are
    expected where the earlier picture is clipped.
    """
    expected = np.minimum(fit.relit(fit.before), np.float32(255))
    shown = across_channels(cv2.max, brightest_near(fit.pictures[0])) <= MAX_USABLE_LEVEL
    before, now = (details(each, shown.astype(np.float32), fit.square) for each in (expected, fit.now))
    return in_both(before[inside], now[inside])


def _costs(fit: GainFit, expected: Singles, scale: float) -> Singles:
    """Negative log-likelihoods (h, w), up to a constant, of the later picture's pixels, whose residuals
    have a heavy tail. ``expected`` (h, w, 3) is not clipped.
    """
    low, high = clipped_range(expected, brightest_near(fit.pictures[0]))
    off = np.maximum(low - fit.now, fit.now - high)
    residuals = np.maximum(across_channels(cv2.max, off), 0) / np.float32(scale)
    return np.asarray(np.log1p(residuals * residuals), np.float32)


def _weights_of_all(fit: GainFit) -> Singles:
    """The weights of all pixels, also of those that are clipped."""
    costs = _costs(fit, fit.relit(fit.before), RESIDUAL_SCALES[-1])
    return np.asarray(np.exp(-2 * costs), np.float32)


def _weighted_median(values: Singles, weights: Singles) -> float:
    """The value up to which half of the weight lies; both arrays have the same shape."""
    order = np.argsort(values, axis=None)
    cumulative = np.cumsum(weights.ravel()[order])
    return float(values.ravel()[order[np.searchsorted(cumulative, cumulative[-1] / 2)]])
