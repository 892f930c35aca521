"""Selects the acts that are worth being rendered, by upper bounds of their scores."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from .act import Act
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
"""Maximum number of acts that are rendered in full: the best ones by the sum over single squares."""

_MAX_BEHIND = 100.0
"""Nats behind the best act, by that sum, up to which others are rendered. In eight recordings, the likeliest
act was at most 3 behind, and its rivals 44. Raising it takes more time."""


@dataclass(slots=True)
class _Screened:
    """What is known of an act, in nats; ``None`` if it was not computed yet."""

    act: Act
    shown: float
    """The gains of the squares that are not calm, plus the prior of the act."""
    context: float | None = None
    """The quick terms of the contextual evidence."""
    faint: float = 0.0
    """An upper bound of what the other terms may add; valid once ``context`` is known."""
    prior: float = 0.0
    """What does not depend on how the board looks now; valid once ``score`` is known."""
    score: float | None = None


class Screening:
    """The scores of acts by single squares, in one look. Each is computed term by term, the quickest first,
    until an upper bound shows that the act is not among the best, and kept: the same acts are screened again
    with others.
    """

    def __init__(self, look: Look, pending: Pending | None = None) -> None:
        self.look, self.pending = look, pending
        self._ignored, self._calm = IgnoredChanges(look), calm_squares(look)
        # Thousands of acts change the same few squares to the same few stacks.
        self._gained = cache(lambda change: look.evidence.stack_gain(*change).nats)
        self._known: dict[int, _Screened] = {}
        """By the identity of the act, which is kept alive: hashing what it contains would take longer than
        computing the first terms.
        """

    def best(self, pool: Sequence[Act]) -> dict[int, float]:
        """The indices in the pool of the best acts by single squares, best first, followed by the best legal
        act if none of them is legal; for each, the nats that do not depend on how the board looks now.
        """
        acts = [self._known.get(id(act)) or self._first_seen(act) for act in pool]
        found = self._highest(acts, range(len(pool)), MAX_RENDERED_ACTS)
        if not any(pool[i].legal for i in found):
            # An alert requires a lead over the legal explanations, however many illegal ones fit better.
            found += self._highest(acts, [i for i, act in enumerate(pool) if act.legal], 1)
        return {i: acts[i].prior for i in found}

    def _first_seen(self, act: Act) -> _Screened:
        # Calm squares are never evidence for an act, so an upper bound can do without them.
        shown = self._gain(act, calm=False) + gain_if_trimmed(self.look, act, self.pending) + act.prior
        self._known[id(act)] = screened = _Screened(act, shown)
        return screened

    def _highest(self, acts: Sequence[_Screened], among: Sequence[int], most: int) -> list[int]:
        """At most so many of the acts with these indices, which ascend, best first."""
        best: list[tuple[float, int]] = []
        least = -np.inf
        for i in sorted(among, key=lambda i: -acts[i].shown):
            if acts[i].shown + MAX_CONTEXT_EVIDENCE < least:
                break
            score = self._score(acts[i], least)
            if score is not None:
                # Of equally good acts, the first is kept.
                (heapq.heappush if len(best) < most else heapq.heappushpop)(best, (score, -i))
                if len(best) == most:
                    least = best[0][0]
                elif len(best) > 1:
                    # Two acts are always found, so that the lead is known.
                    least = max(best)[0] - _MAX_BEHIND
        return [-i for _, i in sorted(best, reverse=True)]

    def _score(self, of: _Screened, least: float) -> float | None:
        """The score of an act in nats, or ``None`` if it is certain to be below ``least``."""
        if of.score is not None:
            return of.score
        look, act = self.look, of.act
        if of.context is None:
            quick = sum(nats for _, nats in quick_terms(look, act, self.pending))
            of.context, of.faint = quick - self._ignored.penalty(act), max_faint_evidence(look, act)
        if of.shown + of.context + of.faint < least:
            return None
        context, shown = of.context - gained_before(look, act), of.shown + self._gain(act, calm=True)
        if shown + context + of.faint < least:
            return None
        context += shadow_evidence(look, act) + (placing_evidence(look, act) if act.placed else 0.0)
        of.prior, of.score = act.prior + context, shown + context
        return of.score

    def _gain(self, act: Act, *, calm: bool) -> float:
        """Nats of the squares that the act changes, each alone: of the calm ones, or of the others."""
        total, before = 0.0, act.changed_before
        for change in act.changes.items():
            square = change[0]
            if (square in self._calm and square not in before) is calm:
                total += self._gained(change)
        return total
