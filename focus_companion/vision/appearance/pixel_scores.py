"""The log-likelihoods of pixels for each class, of which most are looked up only when they are needed.

For most classes, they follow from the bin of the pixel's colour, which takes a tenth of the memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arrays import Singles

MAX_PIXEL_NATS = 4.0
"""Limit, in nats, of the log-likelihood ratio of a single pixel."""


class PixelScores:
    """Log-likelihoods of N pixels for each class, or (h, w) of them.

    ``own``: those of some classes, (N,) or (h, w) each; the others are read from ``table`` (classes, bins) at
    the ``bins`` of the pixels. Without a table, those of all classes.
    """

    def __init__(
        self, own: Mapping[int, Singles], table: Singles | None = None, bins: NDArray[np.uint16] | None = None
    ) -> None:
        self._own, self._table, self._bins = own, table, bins

    def replaced(self, own: Mapping[int, Singles]) -> PixelScores:
        """The same with other log-likelihoods of some classes."""
        return PixelScores({**self._own, **own}, self._table, self._bins)

    def at(self, places: NDArray[np.integer]) -> PixelScores:
        """Those of the pixels with these flat indices (N,)."""
        own = {label: scores.take(places) for label, scores in self._own.items()}
        return PixelScores(own, self._table, None if self._bins is None else self._bins.take(places))

    def of(self, label: int) -> Singles:
        """Those of one class."""
        own = self._own.get(label)
        if own is not None or self._table is None or self._bins is None:
            return self._own[label]
        found: Singles = self._table[label].take(self._bins)
        return found

    def shown(self, labels: NDArray[np.uint8]) -> Singles:
        """That of each pixel for its own class, one of the ``labels``."""
        if self._table is None or self._bins is None:
            found = np.empty(labels.shape, np.float32)
        else:
            # One index takes a quarter of the time of two.
            found = self._table.take(labels.astype(np.intp) * self._table.shape[1] + self._bins)
        for label, own in self._own.items():
            np.copyto(found, own, where=labels == label)
        return found

    @cached_property
    def of_all(self) -> Singles:
        """Those of all classes, (classes, …)."""
        classes = len(self._own) if self._table is None else len(self._table)
        return np.stack([self.of(label) for label in range(classes)])
