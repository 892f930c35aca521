"""A still picture of the board with its evidence: what the watcher gives the referee to judge."""

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
from .push import AGREES, Probe, agreement
from .stillness import Small

A_LITTLE, ALL_OVER = 0.01, 0.9
"""Share of its pixels that a square changes at least under a lamp that was moved or another exposure, and the
share of the squares that do. Where an arm does not lie, nothing changes."""
WIDESPREAD = 0.3
"""Share of the squares that do at least where a shadow or a gleam has wandered over the board."""
STIRRED, HARDLY, MOST_STIRRED = 6.0, 0.2, 4
"""Standard deviations by which a square must look different to be told as stirred, the share of its pixels up
to which it is, and how many are."""


@dataclass
class Look:
    """A still picture of the board.

    ``time`` is that of the newest frame, ``since`` that of the first still one. ``touched`` (52,) is the
    share of each square's pixels that changed since the reference picture, in which ``evidence.standing``
    stood, or may have; ``unsettled`` are squares that showed something else in it already: it was adopted for
    its light, or for where the board lies in it. ``since_mark`` tells what changed since the picture that was
    marked last, if any.
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
    conditions: Conditions | None = None
    taken: Image | None = field(default=None, repr=False)
    """The picture as the camera gave it: ``image`` is it under the conditions of the reference."""

    @property
    def image(self) -> Image:
        return self.smoothed.image

    @property
    def age(self) -> float:
        """Seconds for which this picture has stood."""
        return self.time - self.since

    @property
    def all_over(self) -> bool:
        """Nearly all squares look a little different: the light has changed; an arm changes fewer."""
        return self._share_changed > ALL_OVER

    @property
    def widespread(self) -> bool:
        """So many squares look a little different, if not all, as hardly an arm with its shadow changes."""
        return self._share_changed > WIDESPREAD

    @property
    def _share_changed(self) -> float:
        touched = self.touched if self.change is None else self.change.touched
        return float((touched > A_LITTLE).mean())

    @cached_property
    def appeared(self) -> str:
        """Letters of the pieces laid down beside the lattice since the reference picture."""
        return self._appeared(self.change)

    @cached_property
    def appeared_since_mark(self) -> str:
        """The same since the picture that was marked."""
        return self._appeared(self.since_mark)

    def _appeared(self, change: Change | None) -> str:
        return "" if change is None else change.appeared(self.evidence.colours)

    @cached_property
    def evidence_before(self) -> Evidence | None:
        """What the picture that this one is compared with says, in which the same stacks stood."""
        return None if self.change is None else self.evidence.of_picture(self.change.before)

    @cached_property
    def differs(self) -> NDArray[np.float64]:
        """By how many standard deviations each square looks different, (52,): :meth:`Change.differs`."""
        return np.zeros(len(self.touched)) if self.change is None else self.change.differs()

    @cached_property
    def stirred(self) -> dict[int, float]:
        """Squares, the most different ones, that are hardly touched and yet look different, and by how many
        standard deviations: a piece more on its own colour, or a shadow.
        """
        if self.change is None:
            return {}
        by = self.differs
        few = sorted(np.flatnonzero((by >= STIRRED) & (self.touched < HARDLY)), key=lambda s: -by[s])
        return {int(s): float(by[s]) for s in few[:MOST_STIRRED]}

    @cached_property
    def covering(self) -> Covering | None:
        """What lies over the squares, if anything does; where much of the board looks different it is rather
        the light.
        """
        return None if self.change is None or self.widespread else self.change.covering()

    @cached_property
    def hidden(self) -> tuple[int, ...]:
        """The squares under what lies over the board that do not plainly show what should stand there."""
        if self.covering is None:
            return ()
        outlines, evidence = self.evidence.outlines, self.evidence
        probe = Probe(outlines.profile, evidence.standing)
        shown = agreement(self.image, outlines.camera, probe, evidence.colours)
        return tuple(square for square in self.covering.under if shown[square] <= AGREES)

    def foreign(self, explained: Sequence[int], tallest: dict[int, int]) -> float:
        """Area in squares of the largest change that no piece on ``explained`` accounts for."""
        return self.change.foreign(explained, tallest) if self.change else 0.0
