"""Weighs acts against the evidence of one look.

Score of an act = log-likelihood ratio of the picture (in nats) against nothing having happened + its prior.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from .acts import Act, Kind
from .course import MOST_FOR, Ignored, calm_squares, course
from .margin import LEAD, margin
from .trimming import Pending, as_trimmed

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

PAINTED = 8
"""Number of acts, the best ones by single squares, that are rendered in full."""
HIDDEN = 26.0
"""Margin in nats within which pieces that seem lifted may as well be on a stack where they are barely
visible.
"""
LEANING = 120.0
"""Maximum nats by which a leaning stack can make a wrong height fit better than the right one."""
TEMPERATURE = 4.0
"""Nats of lead by which the odds of an act rise by a factor of e: the pixels of a piece are correlated, so
the nats of a picture are worth less than their number. Raising it lowers the reported confidence; nothing
else. Between 2.7 and 5.1 fit, by ``benchmarks.accuracy.reliability_diagram`` (docs/accuracy.md)."""
AMISS = 1.2
"""Area in squares of a foreign change from which the board counts as covered."""


@dataclass(frozen=True)
class Weighed:
    """An act with its ``score`` in nats, and by how many nats it is ``behind`` the best: 0 for the best."""

    act: Act
    score: float
    behind: float


@dataclass(frozen=True)
class Judgement:
    """The likeliest act of one look; ``lead`` in nats over the best act with another outcome."""

    act: Act
    nats: float
    lead: float
    legal_lead: float = 0.0
    """The same over the best legal explanation: a turn, or nothing at all."""
    foreign: float = 0.0
    rivals: tuple[Act, ...] = ()
    weights: tuple[float, ...] = ()
    """For ``act`` and every rival, the nats that do not come from the present look of the board."""
    hinted: bool = False
    """A barely visible turn may have been made; the next look may show it."""
    trim_lead: float = 0.0
    """For a stack that awaits its trimming, nats by which it leads the same turn with a trimmed stack."""
    weighed: tuple[Weighed, ...] = field(default=(), repr=False)
    """The acts that were weighed in full, best first: what the judgement rests on."""
    pending: Pending | None = None
    """The turn that awaited its trimming."""

    @property
    def covered(self) -> bool:
        """Whether something covers the board, so that it cannot be judged."""
        return self.foreign > AMISS

    @property
    def lifted(self) -> tuple[int, str] | None:
        """The square of the only stack that changed, if pieces may have been lifted from its top, and what is
        left of it.
        """
        if self.covered or not self.act.lifted or len(self.act.changes) != 1:
            return None
        return next(iter(self.act.changes.items()))

    @property
    def confidence(self) -> float:
        return float(1 / (1 + np.exp(-np.clip(self.lead / TEMPERATURE, -30, 30))))

    def without_other_beginner(self) -> Judgement:
        """The judgement without rivals in which a player other than the one named begins."""
        acts = (self.act, *self.rivals)
        if not any(act.beginner for act in acts):
            return self
        named = [at for at, act in enumerate(acts) if at and not act.beginner]
        weights = tuple(self.weights[at] for at in (0, *named))
        return replace(self, rivals=tuple(acts[at] for at in named), weights=weights)


NOTHING = Act(Kind.NOTHING, {})


def weigh(look: Look, pool: Sequence[Act], pending: Pending | None) -> Judgement:
    """The best of the pool: all acts are screened by single squares, and the best few rendered in full."""
    priors = _screened(look, pool, pending)
    gain = look.evidence.gain
    nats = {i: gain(pool[i].changes).nats + as_trimmed(look, pool[i], pending) for i in priors}
    # Acts on the same squares differ in heights and hidden pieces, for which outlines are weak evidence.
    family: dict[frozenset[int], float] = {}
    for i, gained in nats.items():
        squares = frozenset(pool[i].changes)
        family[squares] = max(family.get(squares, gained), gained)
    scored = []
    for i, gained in nats.items():
        most = family[frozenset(pool[i].changes)]
        scored.append((most - _doubted(most - gained) + priors[i], i))
    scored.sort(key=lambda pair: (-pair[0], pair[1]))
    top, index = scored[0]
    act = pool[index]
    shown = {i: gained + priors[i] for i, gained in nats.items()}
    others = sorted(
        (margin(look, act, pool[i], top - score, shown[index] - shown[i], priors[index] - priors[i]), i)
        for score, i in scored[1:]
        if _outcome(pool[i]) != _outcome(act)
    )
    lead = others[0][0] if others else 50.0
    legal_lead = next((behind for behind, i in others if pool[i].legal), 50.0)
    near = HIDDEN if act.lifted else LEAD
    rivals = [i for behind, i in others if behind < near]
    done = (score for score, i in scored if pool[i].kind is Kind.TURN and pool[i].moves == act.moves)
    seen_high = act.kind is Kind.PENDING and not as_trimmed(look, act, pending)
    trim_lead = top - next(done, -np.inf) if seen_high else 0.0
    scores = {i: score for score, i in scored}
    weighed = [(0.0, index), *others]
    return Judgement(
        act,
        top,
        lead,
        legal_lead=legal_lead,
        rivals=tuple(pool[i] for i in rivals),
        trim_lead=trim_lead,
        weights=tuple(priors[i] for i in (index, *rivals)),
        weighed=tuple(Weighed(pool[i], scores[i], behind) for behind, i in weighed),
        pending=pending,
    )


def _screened(look: Look, pool: Sequence[Act], pending: Pending | None) -> dict[int, float]:
    """The best acts by single squares (their indices in the pool), best first, with the best legal one at the
    end if it is not among them; and for each the nats that do not come from the present look of the board.

    Other evidence for an act is bounded, so most of the thousands can be excluded by their squares.
    """
    ignored, calm = Ignored(look), calm_squares(look)
    nats: dict[tuple[int, str], float] = {}

    def shown(act: Act, *, where_calm: bool) -> float:
        total, past = 0.0, act.past
        for change in act.changes.items():
            square = change[0]
            if (square in calm and square not in past) is where_calm:
                # Thousands of acts change the same few squares to the same few stacks.
                gained = nats.get(change)
                if gained is None:
                    gained = nats[change] = look.evidence.stack_gain(*change).nats
                total += gained
        return total

    # An unchanged square is never evidence for an act, so most acts need not be evaluated there.
    hoped = [shown(act, where_calm=False) + as_trimmed(look, act, pending) + act.prior for act in pool]
    priors: dict[int, float] = {}

    def likeliest(among: Iterable[int], most: int) -> list[int]:
        best: list[tuple[float, int]] = []
        for i in sorted(among, key=lambda i: (-hoped[i], i)):
            least = best[0][0] - MOST_FOR if len(best) == most else -np.inf
            if hoped[i] < least:
                break
            seen = hoped[i] + shown(pool[i], where_calm=True)
            if seen < least:
                continue
            said = course(look, pool[i], pending) - ignored.nats(pool[i])
            priors[i] = pool[i].prior + said
            # Of equal ones the first is kept.
            (heapq.heappush if len(best) < most else heapq.heappushpop)(best, (seen + said, -i))
        return [-i for _, i in sorted(best, reverse=True)]

    found = likeliest(range(len(pool)), PAINTED)
    if not any(pool[i].legal for i in found):
        # An alert requires a lead over the permitted explanations, however many others fit better.
        found += likeliest((i for i, act in enumerate(pool) if act.legal), 1)
    return {i: priors[i] for i in found}


def _doubted(behind: float) -> float:
    """The weighted value of ``behind`` nats between outcomes of one move that differ in the height of its
    stack.

    Stacks lean, so a small difference of the outline is weak evidence, and a large one is strong.
    """
    return behind * (0.4 + 0.6 * min(1.0, behind / LEANING))


def _outcome(act: Act) -> object:
    """A key: acts with the same resulting board and the same meaning count as one."""
    return (
        act.kind is Kind.NOTHING,
        act.legal,
        tuple(sorted(act.changes.items())),
        act.moves if act.legal else (),
    )
