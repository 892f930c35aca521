"""Statistics of values some of which are outliers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_MAD_TO_SIGMA = 1.48
"""Standard deviation of a normal distribution, relative to its median absolute deviation."""


def centre_and_deviation(values: NDArray[np.floating]) -> tuple[float, float]:
    """The mean and the standard deviation of normally distributed values, estimated by the median and the
    median absolute deviation: up to half of the values may be outliers.
    """
    centre = float(np.median(values))
    return centre, _MAD_TO_SIGMA * float(np.median(np.abs(values - centre)))
