"""What each pixel shows where nothing stands: remembered from the pictures in which it was bare."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ..geometry.stack_masks import Window

SPREAD = 9.0
"""Grey levels by which a bare pixel's channels vary from picture to picture, shadows of nearby stacks
apart."""
_FEWEST = 20
"""Pixels of a field that must have been seen bare for its shade to be known."""
_LIT = 80
"""Percentile of what shows of a field that is taken for its shade in the light: its piece shades the rest."""
_RIM = np.ones((5, 5), np.uint8)
"""The pixels whose shades may be mixed with that of the middle one: the lens blurs about one pixel, and video
stores the colour of every second pixel only."""
_DARKEST, _BRIGHTEST = 0.4, 1.2
"""Factors by which a new shadow darkens a field, and by which one that has gone brightens it."""
_SHADED, _FOREIGN = 0.18, 0.02
"""Share of a field's pixels that must show the field in changed light, and share that may show anything else,
such as glare or a speck."""
_LIGHT = 0.8, 1.25
"""Factors by which the light on a surface may differ from that on the surfaces whose shade it should have."""
_SUM = np.full((1, 3), -1 / (2 * SPREAD * SPREAD), np.float32)
_PEAK = 3 * float(np.log(256 / (np.sqrt(2 * np.pi) * SPREAD)))


class Background:
    """The remembered bare colour of every pixel of the picture; unknown until it was seen."""

    def __init__(self, height: int, width: int) -> None:
        self._colour = np.zeros((height, width, 3), np.uint8)
        self._known = np.zeros((height, width), bool)
        self._supposed = np.zeros((height, width), bool)

    def learn(self, image: NDArray[np.uint8], window: Window, bare: NDArray[np.bool_], rate: float) -> None:
        """Take in the pixels of ``window`` that ``bare`` (h, w) marks; ``rate`` 0…1 is the weight of this
        picture.
        """
        colour, known = self._colour[window.slices], self._known[window.slices]
        pixels = np.ascontiguousarray(image[window.slices])
        blend = np.asarray(cv2.addWeighted(pixels, rate, np.ascontiguousarray(colour), 1.0 - rate, 0.0))
        seen = (bare & known).astype(np.uint8)
        fresh = (bare & ~known).astype(np.uint8)
        colour[...] = cv2.copyTo(pixels, fresh, cv2.copyTo(blend, seen, np.ascontiguousarray(colour)))
        known |= bare

    def suppose(self, window: Window, fields: NDArray[np.uint8]) -> None:
        """Take the pixels of a field that have never been seen bare to have the shade of those that have.
        ``fields`` (h, w) numbers the fields of ``window`` from 1; 0 is no field.
        """
        colour, known = self._colour[window.slices], self._known[window.slices]
        supposed = self._supposed[window.slices]
        # At the edge of a piece or of another field, pixels mix the shades of both.
        pure = cv2.erode(known.astype(np.uint8), _RIM) > 0
        pure &= np.asarray(cv2.erode(fields, _RIM)) == np.asarray(cv2.dilate(fields, _RIM))
        for field in range(1, int(fields.max(initial=0)) + 1):
            rows, columns = np.nonzero(fields == field)
            seen, sure = known[rows, columns], pure[rows, columns]
            if sure.sum() < _FEWEST or seen.all():
                continue
            hidden = rows[~seen], columns[~seen]
            colour[hidden] = np.percentile(colour[rows[sure], columns[sure]], _LIT, axis=0).astype(np.uint8)
            supposed[hidden] = True

    def forget(self) -> None:
        """The light or the board's place changed: nothing remembered holds."""
        self._known[:] = self._supposed[:] = False

    def log_likelihood(
        self,
        window: Window,
        pixels: NDArray[np.uint8],
        generic: NDArray[np.float32],
        *,
        flat: bool = False,
        around: NDArray[np.uint8] | None = None,
    ) -> NDArray[np.float32]:
        """(h, w) log-likelihood that these pixels are bare; ``generic`` is that of the bare board
        anywhere. ``flat``: a chess board, on which no field ever shows the shade of another; ``around``
        (h, w, 3) is then the shade around each pixel, for the light on pixels never seen bare.
        """
        seen = self._known[window.slices]
        known = seen | self._supposed[window.slices]
        off = cv2.absdiff(pixels, self._colour[window.slices]).astype(np.float32)
        here = np.asarray(cv2.transform(cv2.multiply(off, off), _SUM))
        if flat:
            shades = self._colour[window.slices]
            if around is not None:
                shades = np.where(seen[..., None], shades, lit(shades, around))
            own = of_shade(pixels, shades)
            return np.where(known, own, generic).astype(np.float32, copy=False)
        # Half of the belief in what was seen here, half in what the bare board looks like elsewhere.
        both = cv2.log(cv2.add(cv2.exp(_PEAK + here), cv2.exp(generic))) - np.float32(np.log(2))
        return np.where(known, both, generic).astype(np.float32, copy=False)


def lit(shade: NDArray[np.uint8], around: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(h, w, 3) the shade, (h, w, 3) or (3,), in the light that best explains the surroundings ``around``
    (h, w, 3) of each pixel.
    """
    known, shown = np.maximum(shade, 1).astype(np.float32), around.astype(np.float32)
    factor = np.clip((shown * known).sum(-1) / (known * known).sum(-1), *_LIGHT)
    return np.asarray(np.clip(factor[..., None] * known, 0, 255).round(), np.uint8)


def of_shade(pixels: NDArray[np.uint8], shade: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(h, w) log-likelihood of pixels that show these shades (h, w, 3) or (3,), lit as they were seen, or
    darker or brighter.
    """
    shown, known = pixels.astype(np.float32), np.maximum(shade, 1).astype(np.float32)
    exactly = np.exp(_PEAK - ((shown - known) ** 2).sum(-1) / (2 * SPREAD**2))
    # Of the shades that light may make of one, all are equally likely.
    length = (known * known).sum(-1)
    factor = np.clip((shown * known).sum(-1) / length, _DARKEST, _BRIGHTEST)
    off = ((shown - factor[..., None] * known) ** 2).sum(-1)
    line = (_BRIGHTEST - _DARKEST) * np.sqrt(length)
    peak = 256.0**3 / (np.maximum(line, SPREAD) * 2 * np.pi * SPREAD**2)
    shaded = peak * np.exp(-off / (2 * SPREAD**2))
    both = (1 - _SHADED - _FOREIGN) * exactly + _SHADED * shaded + _FOREIGN
    return np.asarray(np.log(both), np.float32)
