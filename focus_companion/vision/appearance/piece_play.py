"""How much better a stack explains a picture if its pieces may stand a little off centre.

Pieces have play on each other, so a tall stack leans or bends, and from nearly straight above that shifts its
top as much as one more piece does. From the square to the top, the displacements are a random walk.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

PLAY = 0.2
"""Standard deviation in mm, in each direction, of how far a piece stands off the centre of what is below it.
Chosen among 0.15, 0.2, 0.3 and 0.5 on altered versions of one recording, seen from 13°. Raising it makes
heights harder to tell from nearly straight above, and the order of the pieces from any side."""

_REACH = 3.0
"""Maximum displacement of a piece, in standard deviations. Raising it costs time."""

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


def nats_of_play(masks: Mask, shown: Sequence[Floats], behind: Floats, free: Mask, spread: float) -> float:
    """The nats that a stack gains if its pieces stand where they fit best, at least 0.

    From the top down, each piece is moved to where it fits best below those already moved.

    Args:
        masks: the pixels (pieces, h, w) that each piece covers at the centre, bottom first.
        shown: for each piece, the nats (h, w) of the pixels if they show it.
        behind: the nats (h, w) of the pixels if they show what is behind the stack.
        free: the pixels (h, w) that nothing nearer occludes.
        spread: :data:`PLAY` in pixels.
    """
    below = [behind]
    for mask, own in zip(masks, shown, strict=True):
        below.append(np.where(mask, own, below[-1]))
    gained = -float(below[-1][free].sum())
    above: NDArray[np.float64] = np.zeros(2)
    for number in range(len(masks), 0, -1):
        # The top is where a random walk from the square may end; a lower piece is on the way from the square
        # to the piece above (a Brownian bridge).
        top = number == len(masks)
        share = number if top else number / (number + 1)
        mean, variance = above * (0.0 if top else share), spread**2 * share
        mask, own = masks[number - 1], shown[number - 1]
        place = _best_place(mask, np.where(free, own - below[number - 1], np.float32(0.0)), mean, variance)
        gained -= float(((place - mean) ** 2).sum()) / (2 * variance)
        covered = free & _moved(mask, *place.astype(int))
        gained += float(own[covered].sum())
        free, above = free & ~covered, place
    return max(0.0, gained + float(behind[free].sum()))


def _best_place(
    mask: Mask, better: Floats, mean: NDArray[np.float64], variance: float
) -> NDArray[np.float64]:
    """The displacement (down, right), in whole pixels, at which the pixels of a mask (h, w) are ``better`` by
    most nats, given the normal distribution of displacements.
    """
    reach = int(np.ceil(np.abs(mean).max() + _REACH * np.sqrt(variance)))
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    if not len(rows):
        return np.zeros(2)
    template = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    padded = cv2.copyMakeBorder(better, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=0.0)
    around = padded[rows[0] : rows[-1] + 1 + 2 * reach, columns[0] : columns[-1] + 1 + 2 * reach]
    nats = cv2.matchTemplate(around, template.astype(np.float32), cv2.TM_CCORR)
    down, right = ((np.arange(-reach, reach + 1) - m) ** 2 / (2 * variance) for m in mean)
    best = np.unravel_index(np.argmax(nats - down[:, None] - right), nats.shape)
    return np.array(best, float) - reach


def _moved(mask: Mask, down: int, right: int) -> Mask:
    """The mask (h, w) moved by so many pixels, cut off at the edges."""
    moved = np.zeros_like(mask)
    height, width = mask.shape
    to = slice(max(0, down), height + min(0, down)), slice(max(0, right), width + min(0, right))
    of = slice(max(0, -down), height + min(0, -down)), slice(max(0, -right), width + min(0, -right))
    moved[to] = mask[of]
    return moved
