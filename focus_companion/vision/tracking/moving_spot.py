"""Recognizes something small that moves over the board by itself: the spot of a laser pointer, a fly.

Where a spot has been, the picture is as before: an earlier and a later one differ in two places, far apart. A
fingertip is followed by its arm, and stays in one place while it arranges a stack.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

_MAX_EXTENT: Final = 2.0
"""Largest extent, in squares, of what a spot changes from one picture to the next, where it is seen twice and
blurred. Raising it lets an arm that hardly moves be judged while a spot is about."""
_MIN_TIME: Final = 0.5
"""Seconds in which a spot leaves its place, and nothing else moves. Raising it delays the first verdict under
a spot; lowering it, only quick ones are recognized."""
_MEMORY: Final = 5.0
"""Seconds for which a spot is expected to move again: longer than an arm takes to play. Raising it lets
fingertips that move by less than :data:`_MAX_EXTENT` be judged for longer after a spot has gone."""

Box = Sequence[int]
"""Left, top, width and height, in pixels."""


class MovingSpot:
    """Receives the subsampled copies that differ from the one before."""

    def __init__(self) -> None:
        self._alone: list[tuple[float, NDArray[np.uint8]]] = []
        """The copies of the last :data:`_MIN_TIME` in which nothing but a spot may have moved, with their
        times."""
        self._box: Box = (0, 0, 0, 0)
        """What the spot changed last, which contains the place that it leaves next."""
        self._expected_until = -math.inf

    def explains(
        self, time: float, before: NDArray[np.uint8], now: NDArray[np.uint8], step: int, square: float
    ) -> bool:
        """Whether a spot that is known by now is all that moved between two successive copies (h, w, 3). A
        difference of more than ``step`` grey levels is a change; ``square``: the side of a square in pixels.
        """
        box = cv2.boundingRect(changed_pixels(before, now, step))
        if max(box[2:]) > _MAX_EXTENT * square:
            self._alone = []
            return False
        if not _touch(box, self._box):
            # What moved before was something else: a spot is seen in both pictures from which it moved.
            self._alone = []
        self._alone.append((time, now))
        self._box = box
        while time - self._alone[0][0] > _MIN_TIME:
            _, earlier = self._alone.pop(0)
            if _has_left(changed_pixels(earlier, now, step)):
                self._expected_until = time + _MEMORY
        return time <= self._expected_until


def changed_pixels(before: NDArray[np.uint8], now: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    """Mask (h, w) of the pixels of two copies (h, w, 3) that differ by more than ``step`` in any channel; 255
    where they do.
    """
    return np.asarray(~cv2.inRange(cv2.absdiff(before, now), (0, 0, 0), (step,) * 3), np.uint8)


def _touch(one: Box, other: Box) -> bool:
    """Whether two boxes overlap or share a border."""
    return all(
        one[axis] <= other[axis] + other[axis + 2] and other[axis] <= one[axis] + one[axis + 2]
        for axis in (0, 1)
    )


def _has_left(changed: NDArray[np.uint8]) -> bool:
    """Whether a spot that changed the pixels of this mask has left its place: they lie in two places, farther
    apart than their extents together. Something that has moved by less changes only its two opposite edges.
    """
    closed = cv2.dilate(changed, np.ones((3, 3), np.uint8))
    count, _, places, centres = cv2.connectedComponentsWithStats(closed)
    if count != 3:  # The first is all that has not changed.
        return False
    extents = places[1:, (cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT)].max(axis=1)
    return bool(np.linalg.norm(centres[2] - centres[1]) > extents.sum())
