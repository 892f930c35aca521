"""By how much the best act leads another one, where the picture distinguishes the two only by heights or by a
barely visible square.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..game.position import MAX_HEIGHT
from .acts import Act, Kind
from .course import CALM, FAINTLY, differing, like_its_top, plainly_stirred

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
because stacks lean, and from above little else is visible; and its maximum."""
PLACED = 15.0
"""Bonus in nats for pieces moved legally onto their own colour rather than merely lifted, if some of it is
visible; otherwise none."""


def margin(look: Look, act: Act, other: Act, reduced: float, full: float, given: float) -> float:
    """Nats by which the best act leads another one.

    Args:
        reduced, full: the difference of their scores, with the reduced weight of heights and without.
        given: the part of both that does not come from the look of the board: rims and shadows say nothing
            about it.

    Only its height shows whether a stack was trimmed correctly: then both differences must agree, and the low
    prior of wrong trimmings is replaced by a bonus. The same applies to pieces moved between stacks whose
    tops are equal afterwards.
    """
    behind = given + (reduced - given) * _worth(look, act, other)
    if act.legal and other.lifted:
        alike = [square for square in act.changes if like_its_top(look, act, square)]
        if alike:
            # The target of its pieces is barely visible, and that it is legal is weak evidence.
            unseen = any(_out_of_sight(look, act, square) for square in alike)
            behind = min(behind, reduced - (act.kind.value - other.kind.value) + (0.0 if unseen else PLACED))
        if behind < LEAD:
            # Then a longer settle time must not be enough.
            return min(behind, full)
    as_rare = full - (act.kind.value - other.kind.value)
    if _trimmed_otherwise(act, other):
        rightly = min(RIGHTLY_TRIMMED * max(1.0, look.evidence.outlines.step), MOST_RIGHTLY)
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
    by, top = look.deviations[square], act.changes[square][-1:]
    stood = look.evidence.standing
    if any(
        more > by and stood[s][-1:] == top for s, more in look.faintly_changed.items() if s not in act.changes
    ):
        return True
    if look.change.touched[square] >= FAINTLY or square in look.faintly_changed:
        return False
    return bool(by <= np.delete(look.deviations, list(act.changes)).max(initial=0.0))


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
    calm = bool(instead) and all(look.deviations[s] < CALM for s in instead)
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
