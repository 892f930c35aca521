"""The states without a board in view: where it is searched for, how often, and what it takes to accept it."""

from __future__ import annotations

import math
from typing import Final

from ..detection.manual_corners import Corners, camera_of, settled
from ..detection.quarter_turn import right_way_round
from ..geometry.stack_masks import Outlines
from .placement import SAME, Hypothesis, Placement
from .state import GONE, RETRY, Context, State, StillFrame
from .watching import Watching

FIRST_RETRY, FIRST_RETRIES = 0.3, 4
"""Seconds between the first few attempts, and how many they are: noise may spoil one picture and not the
next."""
FOUND = 0.75
"""Share of squares that must agree with the expected position at a pose that the finder returns."""
SETTING_UP = 0.3
"""The same at the last known pose while the players set the board up."""
LONG_LOST, RESUMED = 5.0, 0.8
"""Seconds out of view from which the players may well have played on, and the share that must agree then."""


class Seeking:
    """Nothing is known: the board is searched for in the whole picture."""

    state = State.SEEKING
    look: Final = None

    def __init__(self, context: Context) -> None:
        self._context = context
        self.outlines: Outlines | None = None
        """Of the board where it is believed to lie, if that is known."""
        self._tried = -math.inf
        self._attempts = 0

    def sized(self, width: int, height: int) -> Seeking:
        """The state for pictures of this size in pixels, of which nothing has been seen."""
        return self

    def see(self, picture: StillFrame) -> Seeking | Watching:
        """The state after this picture."""
        if picture.time - self._tried < (FIRST_RETRY if self._attempts < FIRST_RETRIES else RETRY):
            return self
        self._tried = picture.time
        self._attempts += 1
        return self._attempt(picture) or self

    def _attempt(self, picture: StillFrame) -> Watching | None:
        return self._search(picture, FOUND)

    def _search(self, picture: StillFrame, required: float) -> Watching | None:
        """Search the whole picture; a share ``required`` of the squares must agree where a board is found."""
        context = self._context
        stacks = context.standing
        found = context.finder(picture.image, context.profiles, stacks)
        if found is None:
            return None
        camera = right_way_round(picture.image, found.camera, found.profile, stacks, context.rank1)
        return Watching.at(
            context, picture, Hypothesis(context.fitted(camera, found.profile), True, required)
        )


class PointedAt(Seeking):
    """Somebody has pointed at the corners; the size of the pictures is not known yet."""

    def __init__(self, context: Context, corners: Corners, believed: bool) -> None:
        super().__init__(context)
        self._corners, self._believed = corners, believed

    def sized(self, width: int, height: int) -> Seeking:
        """Raises ValueError, with a sentence for people: in such a picture no camera sees a board there."""
        context, profile = self._context, self._context.profiles[0]
        camera = camera_of(self._corners, width, height, profile)
        placement = context.fitted(camera, profile, self._believed)
        context.watch(placement.outlines)
        return SeekingNear(context, placement, self)


class SeekingNear(Seeking):
    """The board is searched for at a known place first: it lay there, or somebody has pointed at it."""

    def __init__(self, context: Context, placement: Placement, pointed: PointedAt | None = None) -> None:
        """``pointed``: whence ``placement`` comes, which the first picture is to make exact."""
        super().__init__(context)
        self.outlines = placement.outlines
        self._placement, self._pointed = placement, pointed

    @property
    def setting_up(self) -> bool:
        """See :attr:`.watcher.Watcher.setting_up`."""
        return self._attempts < FIRST_RETRIES + GONE / RETRY

    def sized(self, width: int, height: int) -> Seeking:
        return Seeking(self._context) if self._pointed is None else self._pointed.sized(width, height)

    def _attempt(self, picture: StillFrame) -> Watching | None:
        required = 0.0 if self._placement.by_hand else SETTING_UP
        return self._near(picture, required) or self._search(picture, FOUND)

    def _near(self, picture: StillFrame, required: float) -> Watching | None:
        context, placement = self._context, self._placement
        if self._pointed is None:
            return Watching.at(context, picture, Hypothesis(placement, required=required))
        self._pointed = None
        camera, profile = settled(picture.image, placement.camera, context.profiles, context.standing)
        exact = context.fitted(camera, profile, placement.by_hand)
        return Watching.at(context, picture, Hypothesis(exact, relearn=True, required=required))


class BoardLost(SeekingNear):
    """The board has been out of view ``since`` then (seconds of the stream)."""

    state = State.LOST
    setting_up = False

    def __init__(self, context: Context, placement: Placement, since: float) -> None:
        super().__init__(context, placement)
        self._since = since

    def _attempt(self, picture: StillFrame) -> Watching | None:
        required = SAME if picture.time - self._since < LONG_LOST else RESUMED
        return self._near(picture, required) or self._search(picture, required)
