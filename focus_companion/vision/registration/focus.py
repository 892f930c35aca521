"""The difference in focus between two pictures of one scene: a lens hunts when an arm comes or goes."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from ..capture.frames import Image
from ..capture.sampling import subsampled

SAMPLES_PER_SQUARE: Final = 28
"""Approximate sampling resolution, in pixels per square, that still resolves a piece."""
_BLURS: Final = (0.02, 0.03, 0.045, 0.07, 0.1)
"""Standard deviations of the blurs that are tried, in squares."""
_MAX_DIFFERENCE: Final = 16.0
"""Difference in grey levels above which a pixel shows an act, not another focus; more counts no further."""


def blur_difference(now: Image, before: Image, square: float) -> float:
    """Standard deviation, in pixels, of the Gaussian blur that one of two pictures of a window has more than
    the other: positive if it is ``now``, negative if ``before``, 0 if they are focused alike.
    """
    step = max(1, round(square / SAMPLES_PER_SQUARE))
    one, other = (cv2.cvtColor(subsampled(picture, step), cv2.COLOR_BGR2GRAY) for picture in (now, before))
    least, found = _difference(one, other), 0.0
    for sign, blurry, sharp in ((1, one, other), (-1, other, one)):
        for blur in _BLURS:
            equal = _blurred(sharp, blur * square / step)
            remaining = _difference(blurry, equal)
            if remaining >= least:
                break
            # Any blur makes pictures more alike: one that both have must not make them as alike as this does.
            if remaining < _difference(_blurred(blurry, blur * square / step), equal):
                least, found = remaining, sign * blur * square
    return found


def focused_alike(now: Image, before: Image, blur: float) -> tuple[Image, Image]:
    """Both pictures, the sharper one blurred by their :func:`blur_difference`."""
    if blur > 0:
        return now, _blurred(before, blur)
    return (_blurred(now, -blur), before) if blur < 0 else (now, before)


def _blurred(picture: Image, sigma: float) -> Image:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), np.uint8)


def _difference(one: Image, other: Image) -> float:
    """Mean difference of two grey pictures, in grey levels; acts contribute little."""
    return float(cv2.mean(cv2.min(cv2.absdiff(one, other), _MAX_DIFFERENCE))[0])
