"""Defines beats: stretches of time at the table, with what is there and where a hand goes meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from .stage import Hand, Stage

CARRY_HEIGHT = 55.0
"""Millimetres by which a hand that carries pieces rises on its way."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Durations in seconds: the hand's ``reach``, ``carry`` and ``leave``, and the stillness after a turn
    (``settle``), before a trimming (``pending``) and after an illegal act (``wrong``).
    """

    reach: float = 0.35
    carry: float = 0.4
    leave: float = 0.3
    settle: float = 1.3
    pending: float = 1.1
    wrong: float = 1.3


@dataclass(frozen=True)
class Beat:
    """A stretch of time.

    ``kind`` is "settled", "hand", "overflow-pending" or "illegal", as in recordings with ground truth. The
    board is that of ``stage`` for the whole beat; in a "hand" beat the hand goes from ``stage.hand`` to
    ``goal``. ``over`` names the square concerned, and ``truth`` holds further ground truth.
    """

    kind: str
    seconds: float
    stage: Stage
    goal: Hand | None = None
    over: str = ""
    truth: dict[str, Any] = field(default_factory=dict)
    drift: float | None = None
    """The drift of the light at the end of the beat, in stops; None: unchanged."""

    def at(self, share: float) -> Stage:
        """The stage after a fraction ``share`` (0…1) of the beat."""
        start, goal = self.stage.hand, self.goal
        if self.drift is not None:
            drifted = self.stage.drift + (self.drift - self.stage.drift) * share
            return replace(self.stage, drift=round(drifted, 2))
        if start is None or goal is None:
            return self.stage
        s = share * share * (3 - 2 * share)
        arc = CARRY_HEIGHT * 4 * s * (1 - s) if start.pieces else 0.0
        hand = replace(
            start,
            x=start.x + (goal.x - start.x) * s,
            y=start.y + (goal.y - start.y) * s,
            height=start.height + (goal.height - start.height) * s + arc,
            closed=start.closed + (goal.closed - start.closed) * s,
        )
        return replace(self.stage, hand=hand)
