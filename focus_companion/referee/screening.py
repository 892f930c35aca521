"""Selects the acts that are worth being rendered, by upper bounds of their scores."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .acts import Act
from .course import (
    MAX_CONTEXT_EVIDENCE,
    IgnoredChanges,
    calm_squares,
    gained_before,
    max_faint_evidence,
    placing_evidence,
    quick_terms,
    shadow_evidence,
)
from .trimming import Pending, gain_if_trimmed

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

MAX_RENDERED_ACTS = 8
"""Number of acts that are rendered in full: the best ones by the sum over single squares."""


def screened(look: Look, pool: Sequence[Act], pending: Pending | None) -> dict[int, float]:
    """The indices in the pool of the best acts by single squares, best first, followed by the best legal act
    if none of them is legal; for each, the nats that do not depend on how the board looks now.
    """
    screening = _Screening(look, pool, pending)
    found = screening.best(range(len(pool)), MAX_RENDERED_ACTS)
    if not any(pool[i].legal for i in found):
        # An alert requires a lead over the legal explanations, however many illegal ones fit better.
        found += screening.best((i for i, act in enumerate(pool) if act.legal), 1)
    return {i: screening.priors[i] for i in found}


class _Screening:
    """The scores of the acts of a pool by single squares. Each is computed term by term, the quickest first,
    until an upper bound shows that the act is not among the best.
    """

    def __init__(self, look: Look, pool: Sequence[Act], pending: Pending | None) -> None:
        self._look, self._pool, self._pending = look, pool, pending
        self._ignored, self._calm = IgnoredChanges(look), calm_squares(look)
        self._gains: dict[tuple[int, str], float] = {}
        self.priors: dict[int, float] = {}
        # Calm squares are never evidence for an act, so an upper bound can do without them.
        self._shown = [
            self._gain(act, calm=False) + gain_if_trimmed(look, act, pending) + act.prior for act in pool
        ]

    def best(self, among: Iterable[int], most: int) -> list[int]:
        """At most so many of the acts with these indices, best first."""
        best: list[tuple[float, int]] = []
        for i in sorted(among, key=lambda i: (-self._shown[i], i)):
            least = best[0][0] if len(best) == most else -np.inf
            if self._shown[i] + MAX_CONTEXT_EVIDENCE < least:
                break
            score = self._score(i, least)
            if score is not None:
                # Of equally good acts, the first is kept.
                (heapq.heappush if len(best) < most else heapq.heappushpop)(best, (score, -i))
        return [-i for _, i in sorted(best, reverse=True)]

    def _score(self, i: int, least: float) -> float | None:
        """The score of an act in nats, or ``None`` if it is certain to be below ``least``."""
        look, act, shown = self._look, self._pool[i], self._shown[i]
        context = sum(nats for _, nats in quick_terms(look, act, self._pending)) - self._ignored.penalty(act)
        faint = max_faint_evidence(look, act)
        if shown + context + faint < least:
            return None
        context -= gained_before(look, act)
        shown += self._gain(act, calm=True)
        if shown + context + faint < least:
            return None
        context += shadow_evidence(look, act) + (placing_evidence(look, act) if act.placed else 0.0)
        self.priors[i] = act.prior + context
        return shown + context

    def _gain(self, act: Act, *, calm: bool) -> float:
        """Nats of the squares that the act changes, each alone: of the calm ones, or of the others."""
        total, before = 0.0, act.changed_before
        for change in act.changes.items():
            square = change[0]
            if (square in self._calm and square not in before) is calm:
                # Thousands of acts change the same few squares to the same few stacks.
                gained = self._gains.get(change)
                if gained is None:
                    gained = self._gains[change] = self._look.evidence.stack_gain(*change).nats
                total += gained
        return total
