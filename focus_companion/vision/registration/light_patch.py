"""A part of the picture with hard edges that is in another light: a patch of sun, or the shadow of a person.

The gain of :mod:`.light` is smooth, so it cannot follow these edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from ..arrays import Mask, Singles
from ..masks import large_parts
from .clipping import as_clipped
from .levels import channel_sum

MIN_AREA: Final = 4.0
"""Minimum area of a patch in squares, and of a hole in it: that of the shadow of a tall stack is smaller, and
so is that of an act on two squares. Raising it leaves narrower patches to the smooth gain."""


@dataclass(frozen=True, eq=False)
class LightPatch:
    """The pixels ``inside`` (h, w), on a grid over the picture, whose grey levels are multiplied by
    ``factor`` (3,).
    """

    inside: Mask
    factor: Singles

    def applied(self, picture: Singles) -> Singles:
        """The picture (h, w, 3) of the same grid with the patch on it."""
        return np.asarray(np.where(self.inside[..., None], picture * self.factor, picture), np.float32)

    def factors(self, now: Singles, expected: Singles, before: Singles) -> Singles:
        """The factors (rows, columns, 3) for the cells of a finer grid over the picture.

        Within a pixel of the edge, whose place is not known better, it is the mixture of both lights that
        best explains the means ``now`` of the cells (rows, columns, 3), given those ``expected`` without the
        patch; ``before`` are those of the earlier picture. Where a channel is clipped, or should be, and is
        as expected, the factor is the ratio of the two.
        """
        size, kernel = (now.shape[1], now.shape[0]), np.ones((3, 3), np.uint8)
        own = self.inside.astype(np.uint8)
        around = cv2.dilate(own, kernel) - cv2.erode(own, kernel)
        edge, share = (cv2.resize(each, size, interpolation=cv2.INTER_NEAREST) for each in (around, own))
        more = expected * (self.factor - 1)
        fitted = channel_sum((now - expected) * more) / (channel_sum(more * more) + np.float32(1e-3))
        mixed = np.where(np.asarray(edge) > 0, np.clip(fitted, 0, 1), share)
        factors = 1 + (self.factor - 1) * mixed[..., None]
        clipped = as_clipped(now, expected * self.factor, before) & (mixed[..., None] > 0)
        factors = np.where(clipped, np.maximum(now, 1) / np.maximum(expected, 1), factors)
        return np.asarray(factors, np.float32)


def without_small_parts(inside: Mask, square: float) -> Mask:
    """The mask without parts, and without holes, that are smaller than :data:`MIN_AREA`; ``square`` is the
    side of a square in pixels.
    """
    area = MIN_AREA * square**2
    return ~large_parts(~large_parts(inside, area, connectivity=4), area, connectivity=4)
