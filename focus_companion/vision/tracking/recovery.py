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
"""Share of agreeing squares below which a board is not recognised at a pose."""


@dataclass
class Upset:
    """A change of many squares: the time ``since`` when it has lasted, and that of the last attempt to
    explain it (seconds of the stream).
    """

    since: float
    tried: float


class Recovery:
    """What one picture says about a board of which many squares changed at once."""

    def __init__(self, image: Image, placement: Placement, stacks: Sequence[str], change: Change) -> None:
        """``placement`` and ``stacks`` (52) are those before; ``change`` is that since the reference."""
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
        """Hypotheses, the most reliable ones first; ``lasted``: seconds since the first change."""
        before = self._placement
        if self._everywhere and max(self._here, self._there) >= SAME:
            start = self._elsewhere if self._there > self._here else before.camera
            for camera, agrees in places(self._image, before.camera, start, before.profile, self._stacks):
                if agrees > ASTRAY:
                    there = before.at(camera)
                    yield Hypothesis(there)
                    # In another light, the known colours may not fit the pose of which the outlines are
                    # certain: then they are learned again there.
                    if agrees > AGREED:
                        yield Hypothesis(there, relearn=True)
        if self._everywhere and self._here < SAME and (self._there < SAME or self._outlines_stay()):
            yield Hypothesis(before, relearn=True)
        # Outlines may be wrong where colours are right: noise, a hard shadow, a piece that has moved too.
        if self._everywhere and self._there >= SAME:
            yield Hypothesis(before.at(self._elsewhere))
        if self._here >= SAME and lasted > ABSORB:
            yield Hypothesis(before)

    @property
    def board_gone(self) -> bool:
        """Whether the board is neither at its place nor near by, unless only a part of it has changed and the
        rest agrees, as under an arm.
        """
        return self._everywhere or max(self._here, self._there) < UNRECOGNISED

    def _outlines_stay(self) -> bool:
        """Do the outlines agree at the old pose at least as well as at the one that the colours indicate?
        With new colours, a board that was pushed a little may seem not to have moved.
        """
        cameras = self._placement.camera, self._elsewhere
        here, there = agreements(self._image, cameras, self._placement.profile, self._stacks)
        return here >= there
