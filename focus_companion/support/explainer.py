"""Collects explanations of the decisions at given times, while a game is watched or a tape is replayed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ..referee.decision import Decision
from ..referee.decision_terms import terms_of
from ..referee.terms import Terms
from .decision_picture import Views

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

THOROUGH_SECONDS: Final = 10.0
"""Seconds before a requested time from which on decisions are examined thoroughly."""
TIME_ROUNDING: Final = 0.001
"""Seconds; events give their times rounded to milliseconds."""


@dataclass(frozen=True)
class ExplainedDecision:
    """The last decision before the time ``asked``, in seconds of the stream."""

    asked: float
    terms: Terms
    views: Views


class Explainer:
    """Receives every decision (:data:`session.decisions.DecisionListener`), and keeps the last one before
    each requested time; of several about one picture, the one with verdicts.
    """

    def __init__(self, times: Sequence[float]) -> None:
        self._wanted = sorted(times)
        self._last: tuple[Decision, Terms, Views] | None = None
        self.found: list[ExplainedDecision] = []
        self.missing: list[float] = []
        """Requested times before the first decision."""

    @property
    def done(self) -> bool:
        """Whether every requested time is explained."""
        return not self._wanted

    def __call__(self, decision: Decision, look: Look) -> None:
        while self._wanted and look.time > self._wanted[0] + TIME_ROUNDING:
            self._explain(self._wanted.pop(0))
        if not self._wanted:
            return
        last = self._last
        if last is not None and last[1].look == look.number and last[0].verdicts and not decision.verdicts:
            # A later decision about the same picture that adds no verdict explains less.
            return
        # Computed now, because the colours go on being learned from this picture.
        thorough = look.time > self._wanted[0] - THOROUGH_SECONDS
        self._last = decision, terms_of(look, decision, thorough=thorough), Views.of(look)

    def finish(self) -> None:
        """Explain the remaining times; no decision follows."""
        while self._wanted:
            self._explain(self._wanted.pop(0))

    def _explain(self, asked: float) -> None:
        if self._last is None:
            self.missing.append(asked)
            return
        _, terms, views = self._last
        self.found.append(ExplainedDecision(asked, terms, views))
