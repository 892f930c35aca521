"""The picture with which later ones are compared, and what is known of the squares in it."""

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
"""Share of the pixels of a hidden square that must change for it to be seen again."""
SERVES = 0.45
"""How well, 0 … 1, pictures must fit the one from which motions are measured for it to serve further."""
COARSE = 18.0
"""Pixels across a square in the copies by which conditions are compared."""
POSSIBLY = 0.1
"""Share of a square's pixels that counts as changed where it may have, before the picture was taken."""


class Reference:
    """A picture that showed the position, but on the squares that are ``unsettled`` (they showed something
    else when it was adopted, for its light or for where the board lies in it) and those that a thing which
    belongs to the scene has ``hidden``. ``mark``: a later picture, from which changes are told apart as well.
    """

    def __init__(self, picture: Smoothed, wrong: Sequence[int] = (), hidden: Collection[int] = ()) -> None:
        """``wrong``: squares that do not show what should stand there, the ``hidden`` ones perhaps among
        them.
        """
        self.picture = picture
        self.mark: Smoothed | None = None
        self.hidden = tuple(square for square in hidden if square in wrong)
        self.unsettled = tuple(square for square in wrong if square not in self.hidden)
        self._coarse: tuple[Smoothed, Image] | None = None
        self._keyframe: tuple[Outlines, Baseline] | None = None
        self._fits = 1.0

    def conditions(self, picture: Smoothed, outlines: Outlines, near: Motion = STILL) -> Conditions:
        """How the camera of a later picture has moved, from ``near`` or anywhere, and how its light differs.

        A motion is measured from one picture as long as it serves: measured from each to the next, small
        errors would add up.
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
        """A later picture shows the position too, and takes its place; ``change``: what differs in it."""
        self.hidden = self.hidden_after(change)
        self.picture, self.unsettled = picture, ()
        if self._fits < SERVES:
            self._keyframe = None

    def take_in(self, covering: Covering, image: Image, hidden: Collection[int]) -> None:
        """A thing that lies there in ``image``, and hides these squares, lies there in the reference too: all
        else in it stays.
        """
        self.picture = Smoothed(covering.pasted(image, self.picture.image))
        if self.mark is not None:
            self.mark = Smoothed(covering.pasted(image, self.mark.image))
        self.hidden = tuple(sorted({*self.hidden, *hidden}))

    def hidden_after(self, change: Change | None) -> tuple[int, ...]:
        """The squares that are hidden still: where much has changed, the thing has been taken away, or
        something else lies over it.
        """
        if change is None:
            return self.hidden
        return tuple(square for square in self.hidden if change.touched[square] < UNCOVERED)

    def touched(self, change: Change | None) -> NDArray[np.float64]:
        """For each square, the share of its pixels that changed since the position stood there, or may have,
        (52,); ``change`` is ``None`` for the reference itself.
        """
        touched = np.zeros(len(SQUARES)) if change is None else change.touched.copy()
        if change is None or self.unsettled:
            # Anything may have changed before it was taken, and surely did where it shows otherwise.
            touched = np.maximum(touched, POSSIBLY)
            touched[list(self.unsettled)] = 1.0
        touched[list(self.hidden_after(change))] = 0.0
        return touched
