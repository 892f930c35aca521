"""Pictures as video decoders produce them (YUV 4:2:0): a luma plane, and two chroma planes of half the size.

Of most pictures of a recording, only a subsampled copy is used, and converting all pixels to BGR takes half
as long as decoding. So conversion is deferred until the whole picture is needed; the planes also take half
the memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.uint8]

_GAINS: Final = np.array(
    [(1.164383, 2.017232, 0.0), (1.164383, -0.391762, -0.812968), (1.164383, 0.0, 1.596027)]
)
"""Contributions of luma, U and V to blue, green and red: ITU-R BT.601, for the levels of television."""
_TO_BGR: Final = np.column_stack([_GAINS, -_GAINS @ (16.0, 128.0, 128.0)])
"""The same with the offset, as black has a luma of 16 and grey two chroma values of 128."""

_SAMPLED_WIDTH: Final = 256
"""Approximate width of the subsampled copy in pixels."""


def sampling_step(width: int) -> int:
    """Sampling step in pixels for a picture of this width."""
    return max(1, round(width / _SAMPLED_WIDTH))


@dataclass(frozen=True, eq=False)
class Planes:
    """One picture of even height H and width W: ``y`` (H, W), ``u`` and ``v`` (H / 2, W / 2), all uint8, with
    the levels of television: black is 16, white 235.
    """

    y: Plane
    u: Plane
    v: Plane
    sampled: NDArray[np.uint8]
    """The subsampled copy, BGR (see :func:`sampling_step`), made by the thread that decoded the picture,
    while it is in the cache.
    """

    @classmethod
    def of(cls, y: Plane, u: Plane, v: Plane) -> Planes:
        """Make a picture from the three planes."""
        return cls(y, u, v, _subsampled(y, u, v, sampling_step(y.shape[1])))

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of the whole picture, in numpy's order."""
        height, width = self.y.shape
        return height, width, 3

    @cached_property
    def image(self) -> NDArray[np.uint8]:
        """The whole picture (H, W, 3) BGR, converted on first use."""
        return self._whole(0)

    def bottom_rows(self, rows: int) -> NDArray[np.uint8]:
        """At least this many of the last rows of the whole picture."""
        return self._whole(max(0, self.y.shape[0] - rows) // 2 * 2)

    def _whole(self, top: int) -> NDArray[np.uint8]:
        """The rows from ``top`` (an even number) downwards."""
        height, width = self.y.shape[0] - top, self.y.shape[1]
        # OpenCV's layout has the planes one below the other, with two chroma rows side by side.
        joined = np.empty((height * 3 // 2, width), np.uint8)
        joined[:height] = self.y[top:]
        colours = joined[height:].reshape(-1, width // 2)
        colours[: height // 2], colours[height // 2 :] = self.u[top // 2 :], self.v[top // 2 :]
        return np.asarray(cv2.cvtColor(joined, cv2.COLOR_YUV2BGR_I420), np.uint8)


def _subsampled(y: Plane, u: Plane, v: Plane, step: int) -> NDArray[np.uint8]:
    """Every ``step``-th pixel of every ``step``-th row, BGR; complete steps only."""
    height, width = (max(1, side // step) for side in y.shape)
    size = width, height
    planes = [cv2.resize(y[: height * step, : width * step], size, interpolation=cv2.INTER_NEAREST)]
    for plane in (u, v):
        even = plane[: (height * step + 1) // 2, : (width * step + 1) // 2]
        planes.append(cv2.resize(even, size, interpolation=cv2.INTER_NEAREST))
    return np.asarray(cv2.transform(cv2.merge(planes), _TO_BGR), np.uint8)
