"""A still picture of the board with its evidence, passed from the watcher to the referee."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..appearance.evidence import Evidence
from ..capture.frames import Image
from .change import Change, Covering, Smoothed
from .conditions import Conditions
from .push import AGREES, Probe, agreement, disagreeing_squares
from .stillness import Small

A_LITTLE, ALL_OVER = 0.01, 0.9
"""Minimum changed share of a square's pixels, and of squares that change by it, if a lamp was moved or the
exposure has changed. An arm changes nothing where it does not reach."""
WIDESPREAD = 0.3
"""Minimum share of such squares if a shadow or a reflection has moved over the board."""
STIRRED, HARDLY, MOST_STIRRED = 6.0, 0.2, 4
"""Minimum difference of a stirred square in standard deviations, its maximum share of changed pixels, and
the maximum number of stirred squares."""


@dataclass
class Look:
    """A still picture of the board.

    ``time`` is that of the newest frame, ``since`` that of the first still one. ``touched`` (52,) is the
    share of each square's pixels that have, or may have, changed since the reference picture, in which
    ``evidence.standing`` stood; ``unsettled`` squares already disagreed in it, as it was adopted for its
    light or for the pose of the board. ``since_mark`` is the change since the marked picture, if any.
    """

    time: float
    since: float
    evidence: Evidence
    change: Change | None
    touched: NDArray[np.float64]
    since_mark: Change | None
    number: int
    unsettled: tuple[int, ...]
    smoothed: Smoothed = field(repr=False)
    small: Small = field(repr=False)
    taken: Image = field(repr=False)
    """The picture as captured; ``image`` is the same with the conditions of the reference."""
    conditions: Conditions | None = None
    """Camera motion and light relative to the reference; ``None`` for the reference itself."""

    @property
    def image(self) -> Image:
        return self.smoothed.image

    @property
    def age(self) -> float:
        """Seconds for which this picture has been still."""
        return self.time - self.since

    @property
    def all_over(self) -> bool:
        """Nearly all squares have changed a little, as in another light; an arm changes fewer."""
        return self._share_changed > ALL_OVER

    @property
    def widespread(self) -> bool:
        """More squares have changed a little than an arm with its shadow usually affects."""
        return self._share_changed > WIDESPREAD

    @property
    def _share_changed(self) -> float:
        touched = self.touched if self.change is None else self.change.touched
        return float((touched > A_LITTLE).mean())

    @cached_property
    def appeared(self) -> str:
        """Letters of the pieces put down beside the lattice since the reference picture."""
        return self._appeared(self.change)

    @cached_property
    def appeared_since_mark(self) -> str:
        """The same since the marked picture."""
        return self._appeared(self.since_mark)

    def _appeared(self, change: Change | None) -> str:
        return "" if change is None else change.appeared(self.evidence.colours)

    def gain_before(self, square: int, stack: str) -> float:
        """Nats by which the reference showed this stack rather than the one that stood there; 0 if it is not
        known what stood there.
        """
        before = None if square in self.unsettled else self._evidence_before
        return 0.0 if before is None else before.stack_gain(square, stack).nats

    @cached_property
    def _evidence_before(self) -> Evidence | None:
        """The evidence of the reference picture, in which the same stacks stood; ``None`` for itself."""
        return None if self.change is None else self.evidence.of_picture(self.change.before)

    @cached_property
    def differs(self) -> NDArray[np.float64]:
        """Difference of each square in standard deviations, (52,): :meth:`.Change.differs`."""
        return np.zeros(len(self.touched)) if self.change is None else self.change.differs()

    @cached_property
    def stirred(self) -> dict[int, float]:
        """The squares with the largest differences, in standard deviations, among those with few changed
        pixels: one more piece on its own colour, or a shadow.
        """
        if self.change is None:
            return {}
        by = self.differs
        few = sorted(np.flatnonzero((by >= STIRRED) & (self.touched < HARDLY)), key=lambda s: -by[s])
        return {int(s): float(by[s]) for s in few[:MOST_STIRRED]}

    @cached_property
    def covering(self) -> Covering | None:
        """The occluder over the squares, if any; if much of the board has changed, the light is the more
        likely explanation.
        """
        return None if self.change is None or self.widespread else self.change.covering()

    @cached_property
    def hidden(self) -> tuple[int, ...]:
        """The squares under the occluder that do not clearly agree with the expected position."""
        if self.covering is None:
            return ()
        outlines, evidence = self.evidence.outlines, self.evidence
        probe = Probe(outlines.profile, evidence.standing)
        shown = agreement(self.image, outlines.camera, probe, evidence.colours)
        return tuple(square for square in self.covering.under if shown[square] <= AGREES)

    def disagreeing(self, stacks: Sequence[str]) -> tuple[int, ...]:
        """Squares whose top disagrees with the position ``stacks`` (52)."""
        outlines = self.evidence.outlines
        probe = Probe(outlines.profile, stacks)
        return disagreeing_squares(self.image, outlines.camera, probe, self.evidence.colours)

    def foreign(self, explained: Sequence[int], tallest: dict[int, int]) -> float:
        """Area in squares of the largest change that pieces on ``explained`` squares do not account for."""
        return self.change.foreign(explained, tallest) if self.change else 0.0
