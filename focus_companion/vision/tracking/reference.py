"""The picture with which later ones are compared, and what is known of the squares in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from ...game.squares import SQUARES
from ..capture.frames import Image
from ..capture.sampling import thinned
from ..geometry.stack_masks import Outlines
from .change import Change, Covering, Smoothed, board_window
from .conditions import STILL, Baseline, Conditions, Motion, Sampling

UNCOVERED = 0.2
"""Share of the pixels of a hidden square that must change for it to be seen again."""
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
        self._baseline: tuple[Smoothed, Outlines, Baseline] | None = None

    def conditions(self, picture: Smoothed, outlines: Outlines, near: Motion = STILL) -> Conditions:
        """How a later picture's camera and light differ from those of this one."""
        window = board_window(outlines)
        every = max(1, round(outlines.pitch / COARSE))
        if self._baseline is None or self._baseline[:2] != (self.picture, outlines):
            sampling = Sampling(window, every, outlines.pitch / every, outlines.camera.lens)
            coarse = thinned(self.picture.part(window), every)
            self._baseline = self.picture, outlines, Baseline(coarse, sampling)
        found, _ = self._baseline[2].conditions(thinned(picture.part(window), every), near)
        return found

    def follow(self, picture: Smoothed, change: Change | None) -> None:
        """A later picture shows the position too, and takes its place; ``change``: what differs in it."""
        self.hidden = self.hidden_after(change)
        self.picture, self.unsettled = picture, ()

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
