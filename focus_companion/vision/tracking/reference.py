"""The reference: the picture with which later ones are compared, and the state of the squares in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from ...game.squares import SQUARES
from ..capture.frames import Image
from ..capture.sampling import thinned
from ..geometry.stack_masks import Outlines, Window
from .change import Change, Covering, Smoothed, board_window
from .conditions import STILL, Baseline, Conditions, Motion, Sampling

UNCOVERED = 0.2
"""Share of a hidden square's pixels that must change for it to count as visible again."""
SERVES = 0.45
"""Minimum fit (0 … 1) of a picture to the keyframe of the camera's motion for the keyframe to be kept."""
COARSE = 18.0
"""Pixels per square in the subsampled copies from which conditions are estimated."""
POSSIBLY = 0.1
"""Changed share that is assumed for a square that may have changed before the picture was taken."""


class Reference:
    """A picture of the position, except on ``unsettled`` squares (they disagreed with it when the picture was
    adopted for its light or for the pose of the board) and those ``hidden`` by an object that belongs to the
    scene. ``mark``: a later picture, against which changes are computed as well.
    """

    def __init__(self, picture: Smoothed, wrong: Sequence[int] = (), hidden: Collection[int] = ()) -> None:
        """``wrong``: squares that disagree with the position, possibly including ``hidden`` ones."""
        self.picture = picture
        self.mark: Smoothed | None = None
        self.hidden = tuple(square for square in hidden if square in wrong)
        self.unsettled = tuple(square for square in wrong if square not in self.hidden)
        self._coarse: tuple[Smoothed, Image] | None = None
        self._keyframe: tuple[Outlines, Baseline] | None = None
        self._fits = 1.0

    def conditions(self, picture: Smoothed, outlines: Outlines, near: Motion = STILL) -> Conditions:
        """The motion of the camera until a later picture, searched from ``near``, and its change of light.

        Motions are estimated against one keyframe as long as it fits: from each picture to the next, small
        errors would accumulate.
        """
        every = max(1, round(outlines.pitch / COARSE))
        window = board_window(outlines)
        before = self._coarsely(window, every)
        if self._keyframe is None or self._keyframe[0] is not outlines:
            sampling = Sampling(window, every, outlines.pitch / every, outlines.camera.lens)
            self._keyframe = outlines, Baseline(before, sampling)
        baseline = self._keyframe[1]
        found, self._fits = baseline.conditions(thinned(picture.part(window), every), before, near)
        return found

    def _coarsely(self, window: Window, every: int) -> Image:
        if self._coarse is None or self._coarse[0] is not self.picture:
            self._coarse = self.picture, thinned(self.picture.part(window), every)
        return self._coarse[1]

    def follow(self, picture: Smoothed, change: Change | None) -> None:
        """Replace the picture by a later one that shows the position too, with this ``change`` against it."""
        self.hidden = self.hidden_after(change)
        self.picture, self.unsettled = picture, ()
        if self._fits < SERVES:
            self._keyframe = None

    def take_in(self, covering: Covering, image: Image, hidden: Collection[int]) -> None:
        """Paste an object that ``image`` shows, and that hides these squares, into the reference; the rest of
        it stays.
        """
        self.picture = Smoothed(covering.pasted(image, self.picture.image))
        if self.mark is not None:
            self.mark = Smoothed(covering.pasted(image, self.mark.image))
        self.hidden = tuple(sorted({*self.hidden, *hidden}))

    def hidden_after(self, change: Change | None) -> tuple[int, ...]:
        """The squares that are still hidden: those that changed much have been uncovered, or are occluded by
        something else.
        """
        if change is None:
            return self.hidden
        return tuple(square for square in self.hidden if change.touched[square] < UNCOVERED)

    def touched(self, change: Change | None) -> NDArray[np.float64]:
        """For each square, the share of its pixels that have, or may have, changed since the position stood
        there, (52,); ``change`` is ``None`` for the reference itself.
        """
        touched = np.zeros(len(SQUARES)) if change is None else change.touched.copy()
        if change is None or self.unsettled:
            # Any square may have changed before it was taken; those that disagree certainly have.
            touched = np.maximum(touched, POSSIBLY)
            touched[list(self.unsettled)] = 1.0
        touched[list(self.hidden_after(change))] = 0.0
        return touched
