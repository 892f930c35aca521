"""What each pixel shows where nothing stands, remembered from pictures in which it was bare."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask, Singles
from ..geometry.stack_masks import Window
from ..masks import uniform
from .colour_model import MIN_SAMPLES, OUTLIER_SHARE

_SIGMA = 9.0
"""Standard deviation of a bare pixel's channels from picture to picture, in grey levels, apart from shadows
of nearby stacks."""
_SHADE_PERCENTILE = 80
"""Percentile of a field's visible pixels that is taken for its shade, as its piece casts a shadow on
others."""
_BLUR_WIDTH = 5
"""Side, in pixels, of the square around a pixel whose shades may be mixed with its own: the lens blurs by
about one, and video stores the colour of only every second."""
LIGHT_RANGE = 0.4, 1.2
"""Range of the factors by which a new shadow darkens a field, or the end of one brightens it."""
_SHADED_PRIOR = 0.18
"""Prior probability that a pixel shows its shade in changed light."""
_LOCAL_LIGHT_RANGE = 0.8, 1.25
"""Range of the factors by which the light on a surface differs from that on other surfaces of its shade."""
_EXPONENT_KERNEL = np.full((1, 3), -1 / (2 * _SIGMA * _SIGMA), np.float32)
"""Kernel that turns the squared deviations of the channels into the exponent of a Gaussian."""
_PEAK_NATS = 3 * float(np.log(256 / (np.sqrt(2 * np.pi) * _SIGMA)))
"""Log-density of that Gaussian at its mean, relative to a uniformly random colour."""


class Background:
    """The remembered bare colour of every pixel of a window, unknown until the pixel was seen bare."""

    def __init__(self) -> None:
        self._hold(Window(0, 0, 0, 0))

    def _hold(self, window: Window) -> None:
        """Hold the pixels of this window from now on."""
        self._window = window
        self._colour, self._known = np.zeros((*window.shape, 3), np.uint8), np.zeros(window.shape, np.bool_)
        self._inferred = np.zeros_like(self._known)

    def learn(self, image: NDArray[np.uint8], window: Window, bare: Mask, rate: float) -> None:
        """Learn the pixels of ``window`` that ``bare`` (h, w) marks; ``rate`` (0 … 1) is the weight of this
        picture. What was known of another window is forgotten.
        """
        if window != self._window:
            self._hold(window)
        pixels = np.ascontiguousarray(image[window.slices])
        blend = np.asarray(cv2.addWeighted(pixels, rate, self._colour, 1.0 - rate, 0.0))
        cv2.copyTo(blend, (bare & self._known).view(np.uint8), self._colour)
        cv2.copyTo(pixels, (bare & ~self._known).view(np.uint8), self._colour)
        self._known |= bare

    def infer_hidden(self, fields: NDArray[np.uint8]) -> None:
        """Assume that the pixels of a field that were never seen bare have the shade of those that were.
        ``fields`` (h, w) numbers the fields of the window from 1; 0 is no field.
        """
        colour, known = self._colour, self._known
        # At the edge of a piece or of another field, pixels mix the shades of both.
        pure = known & uniform(known.view(np.uint8), _BLUR_WIDTH) & uniform(fields, _BLUR_WIDTH)
        for field in range(1, int(fields.max(initial=0)) + 1):
            rows, columns = np.nonzero(fields == field)
            seen, sure = known[rows, columns], pure[rows, columns]
            if sure.sum() < MIN_SAMPLES or seen.all():
                continue
            hidden = rows[~seen], columns[~seen]
            colour[hidden] = np.percentile(
                colour[rows[sure], columns[sure]], _SHADE_PERCENTILE, axis=0
            ).astype(np.uint8)
            self._inferred[hidden] = True

    def forget(self) -> None:
        """Forget everything, as the light or the board's place has changed."""
        self._hold(self._window)

    def log_likelihood(
        self,
        window: Window,
        pixels: NDArray[np.uint8],
        generic: Singles,
        *,
        fields: Mask | None = None,
        around: NDArray[np.uint8] | None = None,
    ) -> Singles:
        """(h, w) log-likelihood of these pixels if they are bare; ``generic`` (h, w) is that under the colour
        model of the bare board. ``fields`` (h, w): the pixels on a chess board's fields, none of which ever
        shows the shade of another; ``around`` (h, w, 3) is then the shade around each pixel, for the light on
        pixels never seen bare.
        """
        if self._window.including(window) != self._window:
            return generic
        part = window.within(self._window)
        seen = self._known[part]
        known = seen | self._inferred[part]
        if not known.any():
            return generic
        if fields is None:
            deviation = cv2.absdiff(pixels, self._colour[part]).astype(np.float32)
            exponent = np.asarray(cv2.transform(cv2.multiply(deviation, deviation), _EXPONENT_KERNEL))
            own = np.asarray(_PEAK_NATS + exponent, np.float32)
        else:
            shades = self._colour[part]
            if around is not None:
                shades = np.where(seen[..., None], shades, relit(shades, around))
            own = shade_log_likelihood(pixels, shades)
        # An equal mixture of what was seen here and what the bare board looks like anywhere. On a chess board
        # it applies only beside the fields, where pieces are put down and taken away.
        both = cv2.log(cv2.add(cv2.exp(own), cv2.exp(generic))) - np.float32(np.log(2))
        bare = both if fields is None else np.where(fields, own, both)
        return np.where(known, bare, generic).astype(np.float32, copy=False)


def relit(shade: NDArray[np.uint8], around: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The ``shade``, (h, w, 3) or (3,), at each pixel (h, w, 3) in the light that best explains the shade
    ``around`` it (h, w, 3).
    """
    known, shown = np.maximum(shade, 1).astype(np.float32), around.astype(np.float32)
    factor = np.clip((shown * known).sum(-1) / (known * known).sum(-1), *_LOCAL_LIGHT_RANGE)
    return np.asarray(np.clip(factor[..., None] * known, 0, 255).round(), np.uint8)


def shade_log_likelihood(pixels: NDArray[np.uint8], shade: NDArray[np.uint8]) -> Singles:
    """(h, w) log-likelihood of pixels that show this shade, (h, w, 3) or (3,), in the light in which it was
    seen or in another.
    """
    # Arrays (3, h, w) are summed over the channels in a tenth of the time.
    shown = np.ascontiguousarray(np.moveaxis(pixels, -1, 0), np.float32)
    known = np.ascontiguousarray(np.moveaxis(np.maximum(shade, 1), -1, 0), np.float32)
    if shade.ndim == 1:
        known = known.reshape(-1, *[1] * (shown.ndim - 1))
    exactly = np.exp(_PEAK_NATS - ((shown - known) ** 2).sum(0) / (2 * _SIGMA**2))
    # All shades that other light may turn this one into are equally likely.
    length = (known * known).sum(0)
    darkest, brightest = LIGHT_RANGE
    factor = np.clip((shown * known).sum(0) / length, darkest, brightest)
    deviation = ((shown - factor * known) ** 2).sum(0)
    line = (brightest - darkest) * np.sqrt(length)
    peak = 256.0**3 / (np.maximum(line, _SIGMA) * 2 * np.pi * _SIGMA**2)
    shaded = peak * np.exp(-deviation / (2 * _SIGMA**2))
    both = (1 - _SHADED_PRIOR - OUTLIER_SHARE) * exactly + _SHADED_PRIOR * shaded + OUTLIER_SHARE
    return np.asarray(np.log(both), np.float32)
