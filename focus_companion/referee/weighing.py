"""Weighs acts against the evidence of one look.

Score of an act = log-likelihood ratio of the picture (in nats) against nothing having happened + its prior.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ..game.position import MAX_HEIGHT
from .acts import Act, Kind
from .course import (
    CALM,
    FAINTLY,
    MOST_FOR,
    Ignored,
    calm_squares,
    course,
    differing,
    like_its_top,
    plainly_stirred,
)
from .trimming import Pending, as_trimmed, more_beside

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

LEAD = 9.0
"""Nats by which an act must lead the next best one for the referee to be certain."""
RIMS = 0.5
"""Weight of nats between outcomes that differ only in heights."""
RIM, RIM_SHOWN = 0.06, 0.45
"""Fraction of a square's pixels, or of those that one more piece changes there, from which they have full
weight.
"""
RIGHTLY = 10.0
"""Bonus in nats of a legal act over an illegal one on the same squares: more must come from the picture."""
SEEN_STEP = 1.0
"""Pixels by which one more piece must shift a stack's top for that to count if only heights distinguish the
acts: otherwise it is barely visible."""
RIGHTLY_TRIMMED, MOST_RIGHTLY = 6.0, 16.0
"""The same bonus for a correct trimming, per pixel by which one more piece would shift the stack's top,
because stacks lean, and from above little else is visible; and its maximum, which is a penalty if too many
pieces lie beside the board."""
PLACED = 15.0
"""Bonus in nats for pieces moved legally onto their own colour rather than merely lifted, if some of it is
visible; otherwise none."""
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
else."""
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
    rightly = _rightly_trimmed(look, act, pending)
    others = sorted(
        (_behind(look, act, pool[i], top - score, shown[index] - shown[i], rightly), i)
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
        total = 0.0
        for change in act.changes.items():
            square = change[0]
            if (square in calm and square not in act.past) is where_calm:
                # Thousands of acts change the same few squares to the same few stacks.
                if change not in nats:
                    nats[change] = look.evidence.stack_gain(*change).nats
                total += nats[change]
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


def _rightly_trimmed(look: Look, act: Act, pending: Pending | None) -> float:
    """Bonus in nats for a correct trimming if only the height distinguishes it from another."""
    if more_beside(look, act, pending):
        return -MOST_RIGHTLY
    return min(RIGHTLY_TRIMMED * max(1.0, look.evidence.outlines.step), MOST_RIGHTLY)


def _behind(look: Look, act: Act, other: Act, told: float, shown: float, rightly: float) -> float:
    """Nats by which the other act is behind: ``told`` with the reduced weight of heights, ``shown`` without.

    Only its height shows whether a stack was trimmed correctly: then both must agree, and the low prior of
    wrong trimmings is replaced by ``rightly`` nats. The same applies to pieces moved between stacks whose
    tops are equal afterwards.
    """
    behind = told * _worth(look, act, other)
    if act.legal and other.lifted:
        alike = [square for square in act.changes if like_its_top(look, act, square)]
        if alike:
            # The target of its pieces is barely visible, and that it is legal is weak evidence.
            unseen = any(_out_of_sight(look, act, square) for square in alike)
            behind = min(behind, told - (act.kind.value - other.kind.value) + (0.0 if unseen else PLACED))
        if behind < LEAD:
            # Then a longer settle time must not be enough.
            return min(behind, shown)
    as_rare = shown - (act.kind.value - other.kind.value)
    if _trimmed_otherwise(act, other):
        return min(behind, as_rare + rightly)
    if _otherwise_there(act, other):
        unseen = _same_tops(look, act, other) and look.evidence.outlines.step < SEEN_STEP
        return min(behind, as_rare + (0.0 if unseen else RIGHTLY))
    if _one_unseen(look, act, other):
        return min(behind, as_rare)
    return behind


def _out_of_sight(look: Look, act: Act, square: int) -> bool:
    """Whether the change of a square that keeps its top is barely visible: if it differs no more than squares
    that the act leaves alone, or clearly less than another stack of that colour.
    """
    if look.change is None or square in look.unsettled:
        return True
    by, top = look.differs[square], act.changes[square][-1:]
    stood = look.evidence.standing
    if any(more > by and stood[s][-1:] == top for s, more in look.stirred.items() if s not in act.changes):
        return True
    if look.change.touched[square] >= FAINTLY or square in look.stirred:
        return False
    return bool(by <= np.delete(look.differs, list(act.changes)).max(initial=0.0))


def _trimmed_otherwise(act: Act, other: Act) -> bool:
    """Whether they are the same turns, of which only ``act`` trims the last stack correctly."""
    if not (act.legal and act.moves) or other.legal:
        return False
    target = act.moves[-1].target
    differ = {s for s in {*act.changes, *other.changes} if act.changes.get(s) != other.changes.get(s)}
    return differ == {target} and (bool(act.trimmed) or len(act.changes.get(target, "")) == MAX_HEIGHT)


def _otherwise_there(act: Act, other: Act) -> bool:
    """Whether the act consists of legal turns and the other one, on the same squares, does not. The rules
    alone must not overrule a picture that favours the other: a bare dome may be as dark as a green piece.
    """
    turns = act.kind in (Kind.TURN, Kind.TURNS)
    return turns and not other.legal and act.changes.keys() == other.changes.keys()


def _worth(look: Look, act: Act, other: Act) -> float:
    """The weight of the nats between two acts. If both leave the same tops, they differ only in rims and
    shadows, which change as much when a piece is nudged as with one more piece. The weight is full if as much
    of the rim has changed as by a piece, or if the squares of the one are clearly different and those of the
    other unchanged.
    """
    if act.changes.keys() == other.changes.keys() or not (act.legal and other.legal):
        return 1.0
    if not _same_tops(look, act, other):
        return 1.0
    own = _alone(act, other)
    if own and _rims_show(look, act, own):
        return 1.0
    instead = _alone(other, act)
    calm = bool(instead) and all(look.differs[s] < CALM for s in instead)
    return 1.0 if own and calm and plainly_stirred(look).issuperset(own) else RIMS


def _one_unseen(look: Look, act: Act, other: Act) -> bool:
    """Whether the act is two turns of which one is invisible and changes no top, and the other act is illegal
    and lacks only that change. Only heights distinguish them.
    """
    if act.kind is not Kind.TURNS or act.placed or other.legal or not _same_tops(look, act, other):
        return False
    own = _alone(act, other)
    return bool(own) and not _rims_show(look, act, own) and not plainly_stirred(look).issuperset(own)


def _alone(act: Act, other: Act) -> list[int]:
    """The squares that only the first of two acts has changed since the reference picture."""
    return [s for s in act.changes if s not in other.changes and s not in act.past]


def _same_tops(look: Look, act: Act, other: Act) -> bool:
    stood = look.evidence.standing
    squares = {*act.changes, *other.changes}
    return all(act.changes.get(s, stood[s])[-1:] == other.changes.get(s, stood[s])[-1:] for s in squares)


def _rims_show(look: Look, act: Act, squares: Sequence[int]) -> bool:
    """Whether as much of the rim has changed on all of these squares as by one piece."""
    return all(look.touched[s] > min(RIM, RIM_SHOWN * differing(look, s, act.changes[s])) for s in squares)


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
