"""Lists hypotheses about where the board lies, and in which light, after many squares changed at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Mask
from ..capture.frames import Image
from ..geometry.scene import Camera
from .change import AFFECTED_SHARE, CLEAR_SHARE, Change
from .placement import Hypothesis, Placement
from .probe import Probe, share_agreeing
from .push_fit import CERTAIN_AGREEMENT, agreements, places
from .push_search import seek
from .whole_picture import MIN_FOUND_SHARE

_MIN_WIDE_CHANGE_SQUARES = 12
"""Minimum number of squares that have changed at once if a push or another light is to be suspected."""
_MIN_CHANGED_STACK_SHARE = 0.8
"""Share of the stacks above which a change is a push or another light; an arm changes fewer."""
_ABSORB_DELAY = 1.4
"""Seconds after which a change of fewer stacks is taken for another light, if nearly all squares agree."""
_MIN_OUTLINE_AGREEMENT = 0.3
"""Agreement of the outlines that a pose must exceed not to be rejected."""
_MIN_RECOGNISED_SHARE = 0.5
"""Share of agreeing squares below which the board is not recognised at a pose."""


@dataclass
class WideChange:
    """A change of many squares: the time ``since`` which it has lasted, and the time when an explanation was
    last ``tried`` (seconds of the stream).
    """

    since: float
    tried: float


class Recovery:
    """What one picture shows of a board after many of its squares changed at once."""

    def __init__(
        self,
        image: Image,
        placement: Placement,
        stacks: Sequence[str],
        required: float,
        *,
        everywhere: bool,
        other_light: bool,
    ) -> None:
        """``placement`` and ``stacks`` (52) are those before the change. A share ``required`` of the squares
        must agree where the board lies now. ``everywhere``: nearly all stacks have changed since the
        reference; ``other_light``: also under the conditions of the reference.
        """
        self._required = required
        self._image, self._placement, self._stacks = image, placement, stacks
        camera, profile, colours = placement.camera, placement.profile, placement.colours
        probe = Probe(profile, stacks)
        self._share_here = share_agreeing(image, camera, probe, colours)
        self._elsewhere, self._share_elsewhere = seek(image, camera, profile, probe, colours)
        self._share = max(self._share_here, self._share_elsewhere)
        # An arm changes a part of the board; a push or a lamp changes all of it.
        self._everywhere = everywhere
        # Colours are learned again only for a light that could not be undone: an arm might be learned, too.
        self._other_light = other_light

    def by_outlines(self) -> Iterator[Hypothesis]:
        """Hypotheses with which the outlines agree, the most reliable first; then another light at the old
        pose.
        """
        before = self._placement
        for camera, agrees in self._places:
            there = before.at(camera)
            yield self._hypothesis(there)
            # In another light, the known colours may not fit a pose at which the outlines are certain. Then
            # they are learned again there.
            if agrees > CERTAIN_AGREEMENT and self._other_light:
                yield self._hypothesis(there, relearn=True)
        if (
            self._other_light
            and self._share_here < self._required
            and (self._share_elsewhere < self._required or self._outlines_stay())
        ):
            yield self._hypothesis(before, relearn=True)

    def by_colours(self, lasted: float) -> Iterator[Hypothesis]:
        """Hypotheses with which only the colours agree: outlines may be wrong where colours are right, by
        noise, a hard shadow, or a piece that also moved. ``lasted``: seconds since the change began.
        """
        before = self._placement
        if self._everywhere and self._share_elsewhere >= self._required:
            yield self._hypothesis(before.at(self._elsewhere))
        if self._share_here >= self._required and lasted > _ABSORB_DELAY:
            yield self._hypothesis(before)

    def _hypothesis(self, placement: Placement, *, relearn: bool = False) -> Hypothesis:
        return Hypothesis(placement, relearn=relearn, required=self._required)

    @property
    def board_gone(self) -> bool:
        """Whether the board is neither at its place nor nearby. It is not gone if only a part of it has
        changed and the rest agrees, as under an arm.
        """
        return self._everywhere or self._share < _MIN_RECOGNISED_SHARE

    @property
    def moved_far(self) -> bool:
        """Whether the board may be anywhere else in the picture, or of another size: not under an arm, which
        changes a part of it, nor in another light, in which most squares still agree. Colours may agree by
        chance, as domes have the board's colour, but then the outlines do not.
        """
        share = self._share
        return self._everywhere and (
            share < MIN_FOUND_SHARE or (share >= self._required and not self._places)
        )

    @cached_property
    def _places(self) -> list[tuple[Camera, float]]:
        """Poses near the old one that the outlines do not reject, the best first, with the agreement of the
        outlines. None unless the board changed everywhere and the colours agree.
        """
        if not self._everywhere or self._share < self._required:
            return []
        held = self._placement.camera
        start = self._elsewhere if self._share_elsewhere > self._share_here else held
        found = places(self._image, held, start, self._placement.profile, self._stacks)
        return [(camera, agrees) for camera, agrees in found if agrees > _MIN_OUTLINE_AGREEMENT]

    def _outlines_stay(self) -> bool:
        """Whether the outlines agree at the old pose at least as well as at the one that the colours
        indicate. With new colours, a board that was pushed a little might seem not to have moved.
        """
        cameras = self._placement.camera, self._elsewhere
        here, there = agreements(self._image, cameras, self._placement.profile, self._stacks)
        return here >= there


def is_wide(change: Change, stacks: Sequence[str]) -> bool:
    """Whether so many squares have changed that a push or another light is to be suspected: many of them
    clearly, as under an arm, or many stacks a little and nearly all of them, as by a small push.
    """
    much = int((change.touched > CLEAR_SHARE).sum())
    little = int(_changed_stacks(change, stacks).sum())
    return much >= _MIN_WIDE_CHANGE_SQUARES or (
        little >= _MIN_WIDE_CHANGE_SQUARES and changed_everywhere(change, stacks)
    )


def changed_everywhere(change: Change, stacks: Sequence[str]) -> bool:
    """Whether nearly all stacks have changed."""
    changed = _changed_stacks(change, stacks)
    return not len(changed) or float(changed.mean()) > _MIN_CHANGED_STACK_SHARE


def _changed_stacks(change: Change, stacks: Sequence[str]) -> Mask:
    """For each of the occupied squares, (N,), whether it has changed."""
    occupied = np.array([bool(stack) for stack in stacks])
    return np.asarray(change.touched[occupied] > AFFECTED_SHARE)
