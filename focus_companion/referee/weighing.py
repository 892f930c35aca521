"""Weighs acts against the evidence of one look.

The score of an act, in nats, is the log-likelihood ratio of the picture relative to nothing having happened,
plus the act's prior and the contextual evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..vision.appearance.evidence import TEMPERATURE
from ..vision.robust_statistics import probability
from .act import Act, Kind
from .course import gained_before
from .margin import MIN_CERTAIN_LEAD, margin
from .screening import Screening
from .trimming import Pending, gain_if_trimmed, too_high_by

_LIFTED_RIVAL_MARGIN = 26.0
"""Margin in nats within which pieces that seem lifted may as well be on a stack where they are barely
visible."""

_MAX_LEANING_ERROR = 120.0
"""Maximum nats by which a leaning stack can make a wrong height fit better than the right one."""

_MIN_HEIGHT_WEIGHT = 0.4
"""Weight of a tiny difference in nats between two heights; that of :data:`_MAX_LEANING_ERROR` or more is
1."""

MAX_FOREIGN_AREA = 1.2
"""Area in squares of a foreign change above which the board counts as covered."""

NO_RIVAL_LEAD = 50.0
"""Lead in nats of an act that has no rivals."""


@dataclass(frozen=True)
class Weighed:
    """An act with its ``score`` in nats, and the nats by which it is ``behind`` the best act."""

    act: Act
    score: float
    behind: float


@dataclass(frozen=True)
class Judgement:
    """The likeliest act of one look. ``nats``: its score; ``lead``: that over the best act with another
    outcome.
    """

    act: Act
    nats: float
    lead: float
    legal_lead: float = 0.0
    """The lead over the best legal explanation: a turn, or nothing at all."""
    foreign: float = 0.0
    """Area in squares of the largest change that the act does not explain."""
    rivals: tuple[Act, ...] = ()
    """Acts with other outcomes that are too close behind to be ruled out."""
    weights: tuple[float, ...] = ()
    """For ``act`` and each rival, the nats that do not depend on how the board looks now."""
    hinted: bool = False
    """Whether an act that is barely visible, or in poor light, may have happened; the next look may show
    it.
    """
    trim_lead: float = 0.0
    """If the act's stack awaits its trimming and certainly looks too high, the lead in nats over the same
    turn with a trimmed stack.
    """
    weighed: tuple[Weighed, ...] = field(default=(), repr=False)
    """The acts that were weighed in full, best first: what the judgement rests on."""
    pending: Pending | None = None
    """The turn whose trimming was awaited."""

    @property
    def covered(self) -> bool:
        """Whether an occluder covers the board, so that it cannot be judged."""
        return self.foreign > MAX_FOREIGN_AREA

    @property
    def certain_changes(self) -> Mapping[int, str]:
        """The stacks that turns have left on their squares, if these turns are certain, as far as the board
        is visible. Those of a turn whose trimming is awaited are among them, even if it has been taken back:
        the picture must still show them.
        """
        awaited = {} if self.pending is None else self.pending.changes
        certain = self.act.legal and self.lead >= MIN_CERTAIN_LEAD
        return {**awaited, **self.act.changes} if certain else awaited

    @property
    def lifted(self) -> tuple[int, str] | None:
        """The square of the only stack that changed and what is left of it, if pieces may have been lifted
        from its top.
        """
        if self.covered or not self.act.lifted or len(self.act.changes) != 1:
            return None
        return next(iter(self.act.changes.items()))

    @property
    def confidence(self) -> float:
        return probability(self.lead / TEMPERATURE)

    def without_other_beginner(self) -> Judgement:
        """The judgement without rivals in which a player other than the one named begins."""
        acts = (self.act, *self.rivals)
        if not any(act.beginner for act in acts):
            return self
        named = [at for at, act in enumerate(acts) if at and not act.beginner]
        weights = tuple(self.weights[at] for at in (0, *named))
        return replace(self, rivals=tuple(acts[at] for at in named), weights=weights)


NOTHING = Act(Kind.NOTHING, {})


def weigh(screening: Screening, pool: Sequence[Act]) -> Judgement:
    """The best act of the pool: all are screened by single squares, and only the best rendered in full."""
    look, pending, priors = screening.look, screening.pending, screening.best(pool)
    gain = look.evidence.gain
    nats = {i: gain(pool[i].changes).nats + gain_if_trimmed(look, pool[i], pending) for i in priors}
    for i in priors if len(priors) > 1 else ():
        act = pool[i]
        priors[i] += gained_before(look, act) - gained_before(look, act, off_centre=True)
        trimmed = gain_if_trimmed(look, act, pending, off_centre=True)
        nats[i] = look.evidence.gain_off_centre(act.changes) + trimmed
    # Acts on the same squares differ in heights and hidden pieces, for which outlines are weak evidence.
    family: dict[frozenset[int], float] = {}
    for i, gained in nats.items():
        squares = frozenset(pool[i].changes)
        family[squares] = max(family.get(squares, gained), gained)
    scored = []
    for i, gained in nats.items():
        most = family[frozenset(pool[i].changes)]
        scored.append((most - _discounted(most - gained) + priors[i], i))
    scored.sort(key=lambda pair: (-pair[0], pair[1]))
    top, index = scored[0]
    act = pool[index]
    shown = {i: gained + priors[i] for i, gained in nats.items()}
    others = sorted(
        (margin(look, act, pool[i], top - score, shown[index] - shown[i], priors[index] - priors[i]), i)
        for score, i in scored[1:]
        if _outcome(pool[i]) != _outcome(act)
    )
    lead = others[0][0] if others else NO_RIVAL_LEAD
    legal_lead = next((behind for behind, i in others if pool[i].legal), NO_RIVAL_LEAD)
    near = _LIFTED_RIVAL_MARGIN if act.lifted else MIN_CERTAIN_LEAD
    rivals = [i for behind, i in others if behind < near]
    done = (score for score, i in scored if pool[i].kind is Kind.TURN and pool[i].moves == act.moves)
    seen_high = act.kind is Kind.PENDING and too_high_by(look, act) >= MIN_CERTAIN_LEAD
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


def _discounted(behind: float) -> float:
    """``behind`` nats between two acts on the same squares, discounted because they differ in heights.

    Stacks lean, so a small difference of the outline is weak evidence, and a large one is strong.
    """
    weight = _MIN_HEIGHT_WEIGHT + (1 - _MIN_HEIGHT_WEIGHT) * min(1.0, behind / _MAX_LEANING_ERROR)
    return behind * weight


def _outcome(act: Act) -> object:
    """A key that is equal for acts with the same resulting board and the same meaning."""
    return (
        act.kind is Kind.NOTHING,
        act.legal,
        tuple(sorted(act.changes.items())),
        act.moves if act.legal else (),
    )
