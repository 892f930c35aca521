"""The states without a board in view: where and how often it is searched for, and when it counts as found."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from ..detection.find_board import FoundBoard
from ..detection.manual_corners import refine_manual
from ..geometry.pose import corner_shift, turned
from ..geometry.scene import Camera
from ..geometry.stack_masks import Outlines
from ..haze import Haze
from .placement import Hypothesis, Placement, required_share
from .probe import Probe, share_agreeing
from .push_fit import places
from .state import LOST_TIMEOUT, RETRY_DELAY, Context, State, StillFrame
from .stillness import Small
from .watching import Watching
from .whole_picture import MIN_FOUND_SHARE, hypothesis_at, search

FIRST_RETRY_DELAY = 0.3
"""Seconds between the first few attempts: noise may spoil one picture and not the next."""
FIRST_RETRIES = 4
"""Number of those first attempts."""
_SAME_FAULT_RETRY_DELAY = 10.0
"""Seconds between attempts while the picture still shows a board that is mirrored or cut off, or that has
another position."""
_MIN_SET_UP_SHARE = 0.3
"""Minimum share of squares that agree with the expected position at the board's last pose, while the players
set it up."""
_CERTAIN_CONFIDENCE = 0.9
"""Confidence from which a board has been found whatever stands on it: the first picture of an empty one is
enough. Of 180 simulated pictures, the two wrong lattices had 0.42 and 0.56, the right ones 0.37 to 0.99.
Raising it delays the start by up to a second."""
_THOROUGH_EVERY = 5
"""Every how many attempts a board whose place was known is sought in any size, which takes three times
as long. Raising it, a board that is much nearer or farther than before is found later."""
_MAX_REPEATED_SHIFT = 0.5
"""Maximum distance, in squares, between the corners of two finds of the same lattice: a wrong one is off by a
whole square. Raising it towards 1 may accept two different wrong ones."""


class Seeking:
    """No place is known: the board is searched for in the whole picture."""

    state = State.SEEKING
    look: Final = None

    def __init__(self, context: Context) -> None:
        self._context = context
        self.outlines: Outlines | None = None
        """The outlines of the board at its presumed place, if there is one."""
        self._likeliest: FoundBoard | None = None
        """The most certain find of an empty board so far, which no position verifies."""
        self._tried = -math.inf
        self._attempts = 0
        self._shows_fault: Small | None = None
        """The last searched picture, if it shows a board that cannot be followed."""

    def see(self, picture: StillFrame) -> Seeking | Watching:
        """The state after this picture."""
        if picture.time - self._tried < self._pause(picture):
            return self
        self._tried = picture.time
        self._attempts += 1
        # Held until the picture without haze has been made, so that it is decoded once.
        image = picture.frame.image
        self._context.haze = Haze.of(image)
        after = self._attempt(replace(picture, haze=self._context.haze))
        self._shows_fault = picture.small if self._context.fault else None
        return after or self

    def _pause(self, picture: StillFrame) -> float:
        """Seconds from the last attempt until this picture may be searched."""
        seen = self._shows_fault
        if seen is not None and not self._context.stillness.differ(picture.small, seen):
            return _SAME_FAULT_RETRY_DELAY
        return FIRST_RETRY_DELAY if self._attempts < FIRST_RETRIES else RETRY_DELAY

    def _attempt(self, picture: StillFrame) -> Watching | None:
        return self._search(picture, MIN_FOUND_SHARE)

    def _search(
        self, picture: StillFrame, required: float, before: Placement | None = None
    ) -> Watching | None:
        """Search the whole picture; a share ``required`` of the squares must agree where the board is
        found. ``before``: where it was. It is then mostly sought in about the same size only; and if it was
        marked by hand, it is accepted even if a part of it lies outside the picture.
        """
        context = self._context
        pitch = before.outlines.pitch if before and self._attempts % _THOROUGH_EVERY else None
        found = search(context, picture, pitch)
        if found is not None and not any(context.standing):
            found = self._most_certain(found)
        if found is None:
            return None
        marked = before is not None and before.by_hand
        there = hypothesis_at(context, picture, found, required, marked=marked)
        if there is None:
            return None
        after = Watching.at(context, picture, there)
        certain = found.confidence >= _CERTAIN_CONFIDENCE and self._attempts >= FIRST_RETRIES
        if after is None and certain and any(context.standing):
            context.fault = "another position"
        return after

    def _most_certain(self, found: FoundBoard) -> FoundBoard | None:
        """The most certain of the first finds of an empty board; ``None`` while more are needed. Noise may
        shift a lattice in one picture, but hardly twice in the same way.
        """
        before = self._likeliest
        best = max(before or found, found, key=lambda each: each.confidence)
        repeated = before is not None and _same_lattice(found, before)
        certain = repeated or best.confidence >= _CERTAIN_CONFIDENCE or self._attempts >= FIRST_RETRIES
        # It is tried once: the board may have been moved since it was found.
        self._likeliest = None if certain else best
        return best if certain else None


def _same_lattice(one: FoundBoard, other: FoundBoard) -> bool:
    """Whether both finds have their squares in the same places. An empty board looks the same after a quarter
    turn.
    """
    profile = other.profile
    shifts = (corner_shift(turned(one.camera, turns), other.camera, profile) for turns in range(4))
    return min(shifts) < _MAX_REPEATED_SHIFT


class SeekingNear(Seeking):
    """The board is searched for at its last or marked place first."""

    def __init__(self, context: Context, placement: Placement, *, refine: bool = False) -> None:
        """``refine``: whether to refine the pose by the first picture, as its corners were marked by hand."""
        super().__init__(context)
        self.outlines = placement.outlines
        self._placement, self._refine = placement, refine

    @property
    def setting_up(self) -> bool:
        """See :attr:`.watcher.Watcher.setting_up`."""
        return self._attempts < FIRST_RETRIES + LOST_TIMEOUT / RETRY_DELAY

    def _attempt(self, picture: StillFrame) -> Watching | None:
        required = 0.0 if self._placement.by_hand else _MIN_SET_UP_SHARE
        return self._near(picture, required) or self._search(picture, MIN_FOUND_SHARE, self._placement)

    def _near(self, picture: StillFrame, required: float) -> Watching | None:
        context, placement = self._context, self._placement
        if not self._refine:
            found = (self._at(picture, camera, required) for camera in self._cameras(picture, required))
            return next((after for after in found if after is not None), None)
        self._refine = False
        camera, profile = refine_manual(picture.image, placement.camera, context.profiles, context.standing)
        exact = context.fitted(camera, profile, placement.by_hand)
        return Watching.at(context, picture, Hypothesis(exact, relearn=True, required=required))

    def _at(self, picture: StillFrame, camera: Camera, required: float) -> Watching | None:
        held = self._placement
        there = held if camera is held.camera else held.at(camera)
        return Watching.at(self._context, picture, Hypothesis(there, required=required))

    def _cameras(self, picture: StillFrame, required: float) -> Iterable[Camera]:
        """The last pose, and if it shows the expected position, poses nearby: where the board was pushed by a
        part of a square, the colours agree at the last pose, too, but the outlines do not.
        """
        held, standing = self._placement, self._context.standing
        share = share_agreeing(picture.image, held.camera, Probe(held.profile, standing), held.colours)
        if share < max(required, MIN_FOUND_SHARE):
            return (held.camera,)
        return (
            camera for camera, _ in places(picture.image, held.camera, held.camera, held.profile, standing)
        )


class BoardLost(SeekingNear):
    """The board is out of view."""

    state = State.LOST
    setting_up = False

    def _attempt(self, picture: StillFrame) -> Watching | None:
        required = required_share(self._context.unseen(picture.time))
        return self._near(picture, required) or self._search(picture, required, self._placement)
