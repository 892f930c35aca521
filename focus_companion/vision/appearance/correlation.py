"""How many pixels of a picture are as good as one independent sample.

Neighbouring pixels err together: optics, the sensor's colour filter, compression and the resolution at which
colours are stored smear each pixel over others. How far depends on the picture, not on how large the squares
are in it.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Mask, Singles
from ..masks import shifted_parts

_REACH = 3
"""Maximum distance in pixels at which errors count as correlated. Raising it includes errors that a whole
piece shares, such as that of its shade: at 6, illegal acts were missed where squares are 17 pixels wide."""


def correlation_area(errors: Singles, where: Mask) -> float:
    """The number of pixels that are as good as one independent sample, at least 1: the integral of the
    positive part of the autocorrelation of ``errors`` (h, w), over the pixels ``where`` (h, w), at least one.
    """
    deviations: Singles = np.where(where, errors - errors[where].mean(), np.float32(0.0))
    variance = float(np.vdot(deviations, deviations)) / int(np.count_nonzero(where))
    if variance == 0.0:
        return 1.0
    area = 1.0
    for down in range(_REACH + 1):
        for right in range(-_REACH, _REACH + 1):
            # The autocorrelation is symmetric, so half of it is enough.
            if (down > 0 or right > 0) and down * down + right * right <= _REACH * _REACH:
                first, second = shifted_parts(deviations.shape, down, right)
                pairs = int(np.count_nonzero(where[first] & where[second]))
                correlated = float(np.vdot(deviations[first], deviations[second]))
                area += 2 * max(0.0, correlated) / (variance * max(1, pairs))
    return area
