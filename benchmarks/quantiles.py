"""The quantile that all reports use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def quantile(values: Sequence[float] | NDArray[np.float64], share: float) -> float:
    """The quantile at ``share`` (0 … 1), interpolated linearly; nan if there are no values."""
    return float(np.quantile(values, share)) if len(values) else float("nan")
