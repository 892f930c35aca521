"""The details of a picture: what light leaves as it is, and an object hides."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from ..arrays import Singles

_DETAIL: Final = 0.5
"""Maximum size, in squares, of what counts as a detail: the edges of pieces do, a reflection does not."""
_MIN_SAME_DETAILS: Final = 0.7
"""Minimum share of the details that are in two pictures of a region if light alone has changed there. In
patches of light, it is 0.8 and more; where a head is over the board, 0.4 at most."""


def detail_window(square: float) -> tuple[int, int]:
    """The window of the local mean that :func:`details` subtract; ``square``: side of a square in pixels."""
    size = 1 + 2 * round(_DETAIL * square / 2)
    return size, size


def details(picture: Singles, usable: Singles, square: float) -> Singles:
    """What differs from the local mean in a picture (h, w, 3), both of its ``usable`` (h, w; 0 or 1) pixels
    only, and 0 elsewhere.
    """
    window, usable = detail_window(square), usable[..., None]
    share = np.maximum(cv2.blur(usable, window), 1e-3)[..., None]
    return np.asarray(usable * (picture - cv2.blur(usable * picture, window) / share), np.float32)


def in_both(before: Singles, now: Singles) -> bool:
    """Whether most of these details of two pictures are the same."""
    unexplained = float(np.square(now - before).sum())
    return unexplained < (1 - _MIN_SAME_DETAILS) * float(np.square(before).sum() + np.square(now).sum())
