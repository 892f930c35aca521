"""Occluders, and those that have become part of the scene, such as a resting arm or a head.

These need not stand quite still. What one has uncovered looks as it did before it came, and what it has
covered since is close to the rest of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask
from ..capture.frames import Image
from ..capture.sampling import blurred
from ..geometry.stack_masks import Window
from ..masks import dilated

_MAX_MOTION: Final = 0.35
"""Motion, in squares, of an object that counts as still. Raising it hides more of the pieces beside it."""
_SOFT_EDGE: Final = 0.1
"""Width, in squares, of the blurred edge of an object, as the camera focuses on the board."""


@dataclass(frozen=True, eq=False)
class Occluder:
    """A presumed occluder: its slightly dilated ``mask`` (h, w) in the board's ``window``; whether it comes
    ``from_edge`` of the window, as an arm does; and the ``squares`` at least partly under it.
    """

    window: Window
    mask: Mask
    from_edge: bool
    squares: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class SceneObject:
    """An occluder that belongs to the scene: the ``part`` (h, w, 3) of a picture that shows it, with its
    ``mask`` (h, w), both in a ``window``; the ``squares`` at least partly under it, and those of them that
    are ``hidden``; and the ``pitch``: the side of a square in pixels. ``clear`` (h, w) is not covered: there
    are the stacks of squares that are visible beside it or through it, as through a drop on the lens.
    """

    window: Window
    part: Image
    mask: Mask
    clear: Mask
    squares: tuple[int, ...]
    hidden: frozenset[int]
    pitch: float

    def covered(self, now: Image, before: Image, differs: Mask) -> Mask:
        """The pixels (h, w) of its window that it covers ``now``, or that its blurred edge may change.

        ``before``: the window without it, blurred like ``now``; ``differs``: where these two differ.
        """
        core = self.mask & differs & (self._excess(now, before) <= 0)
        near = dilated(core, _MAX_MOTION * self.pitch)
        return dilated(core | (near & differs), _SOFT_EDGE * self.pitch) & ~self.clear

    def is_gone(self, now: Image, before: Image) -> bool:
        """Whether the picture ``now`` looks more like the one ``before`` than like the object."""
        shown = (blurred(picture[self.window.slices]) for picture in (now, before))
        return float(self._excess(*shown)[self.mask].mean()) > 0

    def _excess(self, now: Image, before: Image) -> NDArray[np.int32]:
        """By how many grey levels each pixel (h, w) of ``now`` differs more from the object than from
        ``before``; both are windows of blurred pictures.
        """
        return _distance(now, blurred(self.part)) - _distance(now, before)

    def pasted(self, before: Image, pixels: Mask) -> Image:
        """The picture ``before`` with these ``pixels`` (h, w) of the window as they are with the object."""
        picture = before.copy()
        picture[self.window.slices][pixels] = self.part[pixels]
        return picture


def _distance(one: Image, other: Image) -> NDArray[np.int32]:
    """Sum over the channels of the differences, (h, w), in grey levels."""
    return np.asarray(cv2.absdiff(one, other).sum(-1, dtype=np.int32))
