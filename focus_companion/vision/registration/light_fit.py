"""Measures the change of light between two aligned pictures of one scene."""

from __future__ import annotations

from typing import Final

import numpy as np

from ..arrays import Singles
from ..capture.frames import Image
from ..capture.sampling import halved
from .gain_fit import RESIDUAL_SCALES, GainFit
from .light import Light
from .light_patch import LightPatch
from .patch_fit import fit_patches
from .veil_fit import fit_veil, seems_veiled

_MAX_SAME_GAIN_CHANGE: Final = 0.03
"""Relative change of grey levels up to which the light counts as the same; noise may cause as much."""


def light_between(one: Image, other: Image, square: float, *, veiled: bool = False) -> Light | None:
    """The change of light from one coarse picture to another; ``None`` if there is none.

    ``square``: side of a square in pixels; ``veiled``: a veil is expected, as the previous picture had one.
    """
    fit = GainFit(halved(one), halved(other), square / 2)
    fit.fit_gain(RESIDUAL_SCALES[1])
    uneven = veiled or seems_veiled(fit)
    if not uneven and _same(fit.gain):
        return None
    for scale in RESIDUAL_SCALES:
        fit.fit_gain(scale)
    # A gain alone explains a part of a veil and of a patch; the model that explains most is kept.
    models = [_model(fit)]
    if uneven and fit_veil(fit):
        models.append(_model(fit))
    fit.veil = None
    if patches := fit_patches(fit):
        models.append(_model(fit, patches))
    light, _ = max(models, key=lambda model: model[1])
    return light if light.veil is not None or light.patches or not _same(light.gain) else None


def _model(fit: GainFit, patches: tuple[LightPatch, ...] = ()) -> tuple[Light, float]:
    """The light as it is fitted now, and the share of the picture that it explains."""
    return Light(np.asarray(fit.gain, np.float32), fit.veil, patches), fit.explained()


def _same(gain: Singles) -> bool:
    """Whether the light with this gain counts as the same."""
    return float(np.abs(gain - 1).max()) < _MAX_SAME_GAIN_CHANGE
