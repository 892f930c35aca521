"""Computes by how much the best act leads another one, in particular if the picture distinguishes the two
only by heights or by a barely visible square.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..game.position import MAX_HEIGHT
from .act import Act, Kind
from .course import certain_faint_changes, differing_fraction, keeps_top_colour
from .visible_change import MAX_CALM_DEVIATION, MAX_SHADOW_FRACTION

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

MIN_CERTAIN_LEAD = 9.0
"""Nats by which an act must lead the next best one for the referee to be certain."""

_RIM_WEIGHT = 0.5
"""Weight of the nats between outcomes that differ only in heights, and thus only in the rims of stacks."""

_MIN_RIM_FRACTION = 0.06
"""Changed fraction of a square's pixels from which those nats have full weight."""

_MIN_RIM_SHARE = 0.45
"""The same as a fraction of the pixels that the act changes on the square; the lower of the two applies."""

LEGAL_BONUS = 10.0
"""Bonus in nats of a legal act over an illegal one on the same squares: a larger lead must come from the
picture."""

_MIN_VISIBLE_STEP = 1.0
"""Pixels by which one more piece must shift the top of a stack for that bonus to apply if only heights
distinguish the acts: a smaller shift is barely visible."""

_TRIM_BONUS_PER_PIXEL = 6.0
"""The same bonus for a correct trimming, per pixel by which one more piece would shift the top of the stack,
because stacks lean, and from above little else is visible."""

_MAX_TRIM_BONUS = 16.0
"""Maximum of the bonus for a correct trimming, in nats."""

_VISIBLE_LANDING_BONUS = 15.0
"""Bonus in nats for pieces moved legally onto their own colour rather than merely lifted, if some of the
change is visible; otherwise there is none."""


def margin(look: Look, act: Act, other: Act, reduced: float, full: float, context: float) -> float:
    """Nats by which the best act leads another one.

    Args:
        reduced, full: the difference of their scores, with and without the reduced weight of heights.
        context: the part of both that does not depend on how the board looks, so that rims and shadows do not
            affect it.

    Only the height of a stack shows whether it was trimmed correctly: then both differences must agree, and
    the low prior of wrong trimmings is replaced by a bonus. The same applies to pieces moved between stacks
    if the act leaves the tops as they were.
    """
    behind = context + (reduced - context) * _weight(look, act, other)
    if act.legal and other.lifted:
        alike = [square for square in act.changes if keeps_top_colour(look, act, square)]
        if alike:
            # The pieces are barely visible on their target, and its being legal is weak evidence.
            unseen = any(_out_of_sight(look, act, square) for square in alike)
            behind = min(
                behind,
                reduced - (act.kind.value - other.kind.value) + (0.0 if unseen else _VISIBLE_LANDING_BONUS),
            )
        if behind < MIN_CERTAIN_LEAD:
            # A longer settle time must not make up for it.
            return min(behind, full)
    equal_priors = full - (act.kind.value - other.kind.value)
    if _differ_only_in_trimming(act, other):
        step = max(_MIN_VISIBLE_STEP, look.evidence.outlines.step)
        bonus = min(_TRIM_BONUS_PER_PIXEL * step, _MAX_TRIM_BONUS)
        return min(behind, equal_priors + bonus)
    if _illegal_on_same_squares(act, other):
        unseen = _same_tops(look, act, other) and look.evidence.outlines.step < _MIN_VISIBLE_STEP
        return min(behind, equal_priors + (0.0 if unseen else LEGAL_BONUS))
    if _lacks_only_unseen_turn(look, act, other):
        return min(behind, equal_priors)
    return behind


def _out_of_sight(look: Look, act: Act, square: int) -> bool:
    """Whether the change of a square that keeps its top colour is barely visible: it differs no more than the
    squares that the act does not change, or less than a faintly changed stack with the same top elsewhere.
    """
    if look.change is None or square in look.unsettled:
        return True
    by, top = look.deviations[square], act.changes[square][-1:]
    stood = look.evidence.standing
    if any(
        more > by and stood[s][-1:] == top for s, more in look.faintly_changed.items() if s not in act.changes
    ):
        return True
    if look.change.touched[square] >= MAX_SHADOW_FRACTION or square in look.faintly_changed:
        return False
    return bool(by <= np.delete(look.deviations, list(act.changes)).max(initial=0.0))


def _differ_only_in_trimming(act: Act, other: Act) -> bool:
    """Whether both are the same turns, but only ``act`` trims the last stack correctly."""
    if not (act.legal and act.moves) or other.legal:
        return False
    target = act.moves[-1].target
    differ = {s for s in {*act.changes, *other.changes} if act.changes.get(s) != other.changes.get(s)}
    return differ == {target} and (bool(act.trimmed) or len(act.changes.get(target, "")) == MAX_HEIGHT)


def _illegal_on_same_squares(act: Act, other: Act) -> bool:
    """Whether the act consists of legal turns and the other one is illegal, with other stacks on the same
    squares. The rules alone must not overrule a picture that favours the other act: a bare dome may be as
    dark as a green piece. Between acts that leave the same stacks, the rules do decide.
    """
    turns = act.kind in (Kind.TURN, Kind.TURNS) and not other.legal
    return turns and act.changes.keys() == other.changes.keys() and act.changes != other.changes


def _weight(look: Look, act: Act, other: Act) -> float:
    """The weight of the nats between two acts. If both leave the same tops, they differ only in rims and
    shadows, and a nudged piece changes those as much as one more piece does. The weight is full if as much of
    the rim has changed as by one piece, or if the squares of ``act`` are certain to have changed faintly and
    those of ``other`` are calm.
    """
    if act.changes.keys() == other.changes.keys() or not (act.legal and other.legal):
        return 1.0
    if not _same_tops(look, act, other):
        return 1.0
    own = _changed_only_by_first(act, other)
    if own and _rims_changed(look, act, own):
        return 1.0
    others = _changed_only_by_first(other, act)
    calm = bool(others) and all(look.deviations[s] < MAX_CALM_DEVIATION for s in others)
    return 1.0 if own and calm and certain_faint_changes(look).issuperset(own) else _RIM_WEIGHT


def _lacks_only_unseen_turn(look: Look, act: Act, other: Act) -> bool:
    """Whether the act is two turns, one of them barely visible because it changes no top, and the other act
    is illegal and lacks only that change. Then only heights distinguish the two.
    """
    if act.kind is not Kind.TURNS or act.placed or other.legal or not _same_tops(look, act, other):
        return False
    own = _changed_only_by_first(act, other)
    return bool(own) and not _rims_changed(look, act, own) and not certain_faint_changes(look).issuperset(own)


def _changed_only_by_first(act: Act, other: Act) -> list[int]:
    """The squares that only the first of the two acts has changed since the reference picture."""
    return [s for s in act.changes if s not in other.changes and s not in act.changed_before]


def _same_tops(look: Look, act: Act, other: Act) -> bool:
    stood = look.evidence.standing
    squares = {*act.changes, *other.changes}
    return all(act.changes.get(s, stood[s])[-1:] == other.changes.get(s, stood[s])[-1:] for s in squares)


def _rims_changed(look: Look, act: Act, squares: Sequence[int]) -> bool:
    """Whether on each of these squares as much of the rim has changed as by one piece."""
    return all(
        look.touched[s] > min(_MIN_RIM_FRACTION, _MIN_RIM_SHARE * differing_fraction(look, s, act.changes[s]))
        for s in squares
    )
