"""Weighs acts against the evidence of one look.

Score of an act = nats by which it explains the picture better than nothing having happened + its prior.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
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
"""Nats by which an act must lead the next best for the referee to be sure."""
RIMS = 0.5
"""Worth of nats between outcomes that differ in heights alone, and …"""
RIM, RIM_SHOWN = 0.06, 0.45
"""… the share of a square's pixels, or of what a piece more changes there, from which they are worth all."""
RIGHTLY = 10.0
"""Nats for what the rules allow, rather than what they do not on the same squares: the rest must be seen."""
SEEN_STEP = 1.0
"""Pixels by which one piece more must shift a stack's top for that to count where only heights tell them
apart: else hardly anything shows."""
RIGHTLY_TRIMMED, MOST_RIGHTLY = 6.0, 16.0
"""The same for a stack's having been trimmed, for each pixel by which a piece more would shift its top: a
stack leans, and from above that is all that shows; and the most and, where more lies beside the board than
was to be taken, against it."""
PLACED = 15.0
"""Nats for pieces' having gone, under their own colour, where the rules allow it and something shows of it,
rather than having been lifted only; none where nothing does."""
PAINTED = 8
"""Acts, the best by their squares alone, that are painted whole."""
HIDDEN = 26.0
"""Nats within which pieces that seem lifted may as well lie on a stack where they hardly show."""
LEANING = 120.0
"""Nats by which a stack's lean alone can make a wrong height look better than the right one, at the most."""
AMISS = 1.2
"""Area in squares of a foreign change, from which something covers the board."""


@dataclass(frozen=True)
class Judgement:
    """The likeliest act of one look; ``lead`` in nats over the best act with another outcome."""

    act: Act
    nats: float
    lead: float
    legal_lead: float = 0.0
    """The same over the best that the rules allow: a turn, or nothing at all."""
    foreign: float = 0.0
    rivals: tuple[Act, ...] = ()
    weights: tuple[float, ...] = ()
    """Of ``act`` and every rival, the nats that do not come from how the board looks now."""
    hinted: bool = False
    """A turn that hardly shows may have been made: beside what stood before, the next look may tell."""
    trim_lead: float = 0.0
    """For a stack that awaits its trimming, nats by which it leads the same turn with the trimming done."""

    @property
    def covered(self) -> bool:
        """Something lies over the board: what is under it cannot be judged."""
        return self.foreign > AMISS

    @property
    def confidence(self) -> float:
        return float(1 / (1 + np.exp(-np.clip(self.lead / 4, -30, 30))))


NOTHING = Act(Kind.NOTHING, {})


def weigh(look: Look, pool: Sequence[Act], pending: Pending | None) -> Judgement:
    """The best of the pool: all acts screened square by square, the best few painted whole."""
    priors = _screened(look, pool, pending)
    gain = look.evidence.gain
    nats = {i: gain(pool[i].changes).nats + as_trimmed(look, pool[i], pending) for i in priors}
    # Acts on the same squares differ in heights and hidden pieces, of which the outline is a poor witness.
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
    return Judgement(
        act,
        top,
        lead,
        legal_lead=legal_lead,
        rivals=tuple(pool[i] for i in rivals),
        trim_lead=trim_lead,
        weights=tuple(priors[i] for i in (index, *rivals)),
    )


def _screened(look: Look, pool: Sequence[Act], pending: Pending | None) -> dict[int, float]:
    """The acts, by their number in the pool, that are best square by square, the best first; and of each the
    nats that do not come from how the board looks now.

    What can be said for an act besides is bounded: most of thousands are left out for their squares.
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

    # Where a square looks as it did nothing can be said for an act: most need not be looked into there.
    hoped = [shown(act, where_calm=False) + as_trimmed(look, act, pending) + act.prior for act in pool]
    priors: dict[int, float] = {}
    best: list[tuple[float, int]] = []
    for i in sorted(range(len(pool)), key=lambda i: (-hoped[i], i)):
        least = best[0][0] - MOST_FOR if len(best) == PAINTED else -np.inf
        if hoped[i] < least:
            break
        seen = hoped[i] + shown(pool[i], where_calm=True)
        if seen < least:
            continue
        said = course(look, pool[i], pending) - ignored.nats(pool[i])
        priors[i] = pool[i].prior + said
        # Of equal ones the first listed stays.
        (heapq.heappush if len(best) < PAINTED else heapq.heappushpop)(best, (seen + said, -i))
    return {-i: priors[-i] for _, i in sorted(best, reverse=True)}


def _rightly_trimmed(look: Look, act: Act, pending: Pending | None) -> float:
    """Nats for a stack's having been trimmed as it should be, where only its height tells it from another."""
    if more_beside(look, act, pending):
        return -MOST_RIGHTLY
    return min(RIGHTLY_TRIMMED * max(1.0, look.evidence.outlines.step), MOST_RIGHTLY)


def _behind(look: Look, act: Act, other: Act, told: float, shown: float, rightly: float) -> float:
    """Nats by which the other act is behind: ``told`` with what heights are worth, ``shown`` without.

    Whether a stack was trimmed as it should be is a matter of its height alone: then both must say so, and
    that wrong trimmings are rare counts for less than where pieces went astray: for ``rightly`` nats. So it
    is with pieces that went to and fro between stacks whose tops are alike afterwards.
    """
    behind = told * _worth(look, act, other)
    if act.legal and other.lifted:
        alike = [square for square in act.changes if like_its_top(look, act, square)]
        if alike:
            # Where its pieces went hardly shows: that the rules let them go there is little evidence of it.
            unseen = any(_out_of_sight(look, act, square) for square in alike)
            behind = min(behind, told - (act.kind.value - other.kind.value) + (0.0 if unseen else PLACED))
        if behind < LEAD:
            # Patience alone is not to tell it then.
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
    """Does what an act changed on a square that keeps its top hardly show? So it is where that has stirred no
    more than what the act leaves alone, or plainly less than another stack of that colour.
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
    """Are they the same turns, whose last stack was trimmed as it should be by ``act`` only?"""
    if not (act.legal and act.moves) or other.legal:
        return False
    target = act.moves[-1].target
    differ = {s for s in {*act.changes, *other.changes} if act.changes.get(s) != other.changes.get(s)}
    return differ == {target} and (bool(act.trimmed) or len(act.changes.get(target, "")) == MAX_HEIGHT)


def _otherwise_there(act: Act, other: Act) -> bool:
    """Is it turns, and the other none, though it changed the same squares? The rules alone must not overrule
    a picture that shows it rather: a bare dome may be as dark as a green piece.
    """
    turns = act.kind in (Kind.TURN, Kind.TURNS)
    return turns and not other.legal and act.changes.keys() == other.changes.keys()


def _worth(look: Look, act: Act, other: Act) -> float:
    """What the nats between two acts are worth. Where both leave the same tops, they differ in rims and
    shadows alone, which the way a piece was set down or nudged changes as much as a piece more: unless as
    much of the rim has changed as a piece changes, or the squares of the one look plainly different, and
    those of the other as they did.
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
    """Is it two turns, and the other none, though it leaves the same tops without what one of the turns did
    where that does not show, and nothing plainly stirred? Nothing but heights tells them apart.
    """
    if act.kind is not Kind.TURNS or act.placed or other.legal or not _same_tops(look, act, other):
        return False
    own = _alone(act, other)
    return bool(own) and not _rims_show(look, act, own) and not plainly_stirred(look).issuperset(own)


def _alone(act: Act, other: Act) -> list[int]:
    """The squares that only the first of two acts changed since the picture before."""
    return [s for s in act.changes if s not in other.changes and s not in act.past]


def _same_tops(look: Look, act: Act, other: Act) -> bool:
    stood = look.evidence.standing
    squares = {*act.changes, *other.changes}
    return all(act.changes.get(s, stood[s])[-1:] == other.changes.get(s, stood[s])[-1:] for s in squares)


def _rims_show(look: Look, act: Act, squares: Sequence[int]) -> bool:
    """Has as much of the rim changed on all of these squares as a piece changes?"""
    return all(look.touched[s] > min(RIM, RIM_SHOWN * differing(look, s, act.changes[s])) for s in squares)


def _doubted(behind: float) -> float:
    """What ``behind`` nats are worth between outcomes of one move that differ in the height of its stack.

    A stack leans by a piece's play, so a small difference of the outline says little, and a large one much.
    """
    return behind * (0.4 + 0.6 * min(1.0, behind / LEANING))


def _outcome(act: Act) -> object:
    """Acts that leave the same board and mean the same count as one."""
    return (
        act.kind is Kind.NOTHING,
        act.legal,
        tuple(sorted(act.changes.items())),
        act.moves if act.legal else (),
    )
