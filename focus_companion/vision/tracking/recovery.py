"""Many squares changed at once: hypotheses about where the board lies now, and in which light."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..capture.frames import Image
from .change import Change
from .placement import SAME, Hypothesis, Placement
from .push import Probe, seek, share_agreeing
from .push_fit import AGREED, agreements, places

UPSET = 12
"""Squares that must have changed at once for a push or another light to be suspected."""
SPREAD = 0.8
"""Share of the stacks that must have changed for a push or another light; an arm changes fewer."""
ABSORB = 1.4
"""Seconds after which a change that covers fewer is taken for another light, if nearly all squares agree."""
ASTRAY = 0.3
"""Agreement of the outlines up to which a pose is rejected."""
UNRECOGNISED = 0.5
"""Share of agreeing squares below which the board is not seen at a place."""


@dataclass
class Upset:
    """Many squares have differed ``since`` then; recovery was last ``tried`` at that time."""

    since: float
    tried: float


class Recovery:
    """What one picture says about a board of which many squares changed at once."""

    def __init__(self, image: Image, placement: Placement, stacks: Sequence[str], change: Change) -> None:
        """``placement`` and ``stacks`` (52) are those before, ``change`` what differs from the reference."""
        self._image, self._placement, self._stacks = image, placement, stacks
        camera, profile, colours = placement.camera, placement.profile, placement.colours
        probe = Probe(profile, stacks)
        self._here = share_agreeing(image, camera, probe, colours)
        self._elsewhere, self._there = seek(image, camera, profile, probe, colours)
        occupied = np.array([bool(stack) for stack in stacks])
        spread = float((change.touched > 0.08)[occupied].mean()) if occupied.any() else 1.0
        # An arm changes a part of the board; a push or a lamp changes all of it.
        self._everywhere = spread > SPREAD

    def hypotheses(self, lasted: float) -> Iterator[Hypothesis]:
        """What may have happened, the most trustworthy first; ``lasted``: seconds since the first change."""
        before = self._placement
        if self._everywhere and max(self._here, self._there) >= SAME:
            start = self._elsewhere if self._there > self._here else before.camera
            for camera, agrees in places(self._image, before.camera, start, before.profile, self._stacks):
                if agrees > ASTRAY:
                    yield Hypothesis(before.at(camera))
                # In another light, the known colours may see the board beside the place that its outlines
                # show beyond doubt: then they are learned anew there.
                if agrees > AGREED:
                    yield Hypothesis(before.at(camera), relearn=True)
        if self._everywhere and self._here < SAME and (self._there < SAME or self._outlines_stay()):
            yield Hypothesis(before, relearn=True)
        # Outlines may mislead where colours do not: noise, a hard shadow, a piece that has moved too.
        if self._everywhere and self._there >= SAME:
            yield Hypothesis(before.at(self._elsewhere))
        if self._here >= SAME and lasted > ABSORB:
            yield Hypothesis(before)

    @property
    def board_gone(self) -> bool:
        """Is the board neither where it was nor near by? An arm over a part of it hides it no longer than
        :data:`.state.GONE`."""
        return self._everywhere or max(self._here, self._there) < UNRECOGNISED

    def _outlines_stay(self) -> bool:
        """Do the outlines agree at the old place no less than where the colours see the board? With colours
        learned anew, a board that was pushed a little may seem not to have moved.
        """
        cameras = self._placement.camera, self._elsewhere
        here, there = agreements(self._image, cameras, self._placement.profile, self._stacks)
        return here >= there
