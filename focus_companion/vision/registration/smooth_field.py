"""Continues a field of values smoothly where it is not known."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from ..arrays import Mask, Singles

_KNOWN_WEIGHT: Final = 50.0
"""Weight of the veil's values where they are known, relative to its smoothness; if set lower, narrow
reflections are flattened."""
_ZERO_WEIGHT: Final = 0.001
"""Weight of no veil where nothing is known; the smoothness counts for more up to 1.5 squares from there."""
_MAX_SMOOTHING_ITERATIONS: Final = 100
"""Maximum number of iterations for a smooth veil; each takes less than a tenth of a millisecond."""
_SMOOTHING_TOLERANCE: Final = 1e-6
"""Sum of squared residuals at which the veil counts as smooth; that takes about thirty iterations."""


def smoothest(values: Singles, known: Mask) -> Singles:
    """The field (rows, columns) with the least curvature that has about these ``values`` where they are
    ``known``, and tends to zero far from there; by the method of conjugate gradients.
    """

    def product(field: Singles) -> Singles:
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


def _laplacian(field: Singles) -> Singles:
    return np.asarray(cv2.Laplacian(field, cv2.CV_32F, borderType=cv2.BORDER_REFLECT), np.float32)
