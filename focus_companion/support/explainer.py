"""Explains the decisions of given moments: collects them while a game is watched or a tape is run again."""

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

NEAR: Final = 10.0
"""Seconds before a requested moment from which decisions are examined thoroughly."""
ROUNDED: Final = 0.001
"""Events give their times in milliseconds."""


@dataclass(frozen=True)
class ExplainedDecision:
    """The decision that was in force at ``asked``, in seconds of the stream."""

    asked: float
    terms: Terms
    views: Views


class Explainer:
    """Receives every decision (:data:`session.decisions.DecisionListener`), and keeps, for each requested
    moment, the last one up to then; of several on one picture, the one with verdicts.
    """

    def __init__(self, times: Sequence[float]) -> None:
        self._wanted = sorted(times)
        self._last: tuple[Decision, Terms, Views] | None = None
        self.found: list[ExplainedDecision] = []
        self.missing: list[float] = []
        """Moments before the first decision."""

    @property
    def done(self) -> bool:
        """Whether every moment is explained."""
        return not self._wanted

    def __call__(self, decision: Decision, look: Look) -> None:
        while self._wanted and look.time > self._wanted[0] + ROUNDED:
            self._explain(self._wanted.pop(0))
        if not self._wanted:
            return
        last = self._last
        if last is not None and last[1].look == look.number and last[0].verdicts and not decision.verdicts:
            # That nothing is to be added to the verdicts explains less than they do.
            return
        # At once: the colours are learned further from this picture.
        thorough = look.time > self._wanted[0] - NEAR
        self._last = decision, terms_of(look, decision, thorough=thorough), Views.of(look)

    def finish(self) -> None:
        """No decision follows: explain what is left."""
        while self._wanted:
            self._explain(self._wanted.pop(0))

    def _explain(self, asked: float) -> None:
        if self._last is None:
            self.missing.append(asked)
            return
        _, terms, views = self._last
        self.found.append(ExplainedDecision(asked, terms, views))
