"""Decides whether an act accounts for what a look shows, so that no less likely act need be weighed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..game.position import MAX_HEIGHT
from ..vision.appearance.evidence import TEMPERATURE
from .act import Act, Kind
from .course import IgnoredChanges, certain_faint_changes, shadow_evidence, square_gained_before
from .trimming import Pending
from .weighing import Judgement

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

MIN_GOOD_NATS_PER_PIXEL = 1.7
"""Nats per pixel (of at most 4) from which an act explains well the pixels that it changes."""

_MAX_NATS_WITHOUT_GOOD_FIT = 120
"""Score in nats from which an act must also explain its pixels well."""

_CONTRADICTING_NATS = -25.0
"""Nats below which the picture of a square contradicts an act."""

_CONTRADICTING_NATS_PER_PIXEL = -0.5
"""Mean nats per pixel below which the picture of a square contradicts an act; both limits must be passed."""

MIN_MISSED_GAIN = 55.0
"""If another stack on a square that the act does not change would gain more nats than this, the act does not
explain the look."""

_MIN_MISFIT = Kind.TURN.value - Kind.WRONG_TWICE.value
"""Nats by which another stack must fit a square better for an unexplained change to be likelier than a turn:
the difference of their priors. In recordings, no turn is more than 26 behind on its own squares."""

MAX_READ_HEIGHT = MAX_HEIGHT + 1
"""Maximum height of the stacks that are tried on a square to find out which one it looks like: a piece may
lie on a full one."""


def explains(look: Look, best: Judgement, strong: Sequence[int]) -> bool:
    """Whether the act accounts for what the look shows. ``strong``: squares that have certainly changed."""
    act = best.act
    if act.kind is Kind.NOTHING and strong:
        return False
    if act.changes:
        gain = look.evidence.gain(act.changes)
        shown = gain.nats + shadow_evidence(look, act)
        # Reflections and defocus are never undone completely. What is left may fit a stack by some nats, and
        # makes squares seem faintly changed; there the picture must not speak against the act.
        alike = _comparable(look, act.changes)
        certain = shown >= 0 or _comparable(look, look.faintly_changed)
        faint = alike and certain and act.changes.keys() <= certain_faint_changes(look)
        least = TEMPERATURE if alike else MIN_MISSED_GAIN
        if shown < least and not faint and act.kind is not Kind.BACK:
            return False
        if any(_contradicted(look, act, square) for square in act.changes):
            return False
    if leaves_change_out(look, act, strong) or (act.moves and act.legal and misfits(look, act)):
        return False
    return (
        not act.changes
        or look.evidence.gain(act.changes).per_pixel >= MIN_GOOD_NATS_PER_PIXEL
        or best.nats < _MAX_NATS_WITHOUT_GOOD_FIT
    )


def _comparable(look: Look, squares: Iterable[int]) -> bool:
    """Whether small differences from the reference are evidence on these squares: no reflection was undone
    there, and both pictures are in focus.
    """
    return look.change is None or all(look.change.comparable(square) for square in squares)


def _contradicted(look: Look, act: Act, square: int) -> bool:
    """Whether the picture contradicts the stack that an act leaves on a square, both for the square alone and
    together with the rest of the act, since a stack that grew in front of the square may hide a part of it.
    """
    own = look.evidence.stack_gain(square, act.changes[square])
    if own.nats >= _CONTRADICTING_NATS or own.per_pixel >= _CONTRADICTING_NATS_PER_PIXEL:
        return False
    rest = {s: stack for s, stack in act.changes.items() if s != square}
    return look.evidence.gain(act.changes).nats - look.evidence.gain(rest).nats < _CONTRADICTING_NATS


def leaves_change_out(look: Look, act: Act, strong: Sequence[int], *, taken: bool = False) -> bool:
    """Whether something happened on a square that the act does not change. ``taken``: consider only that
    pieces were taken from it, because an additional piece may as well lie on the ledge in front of it.
    """
    return any(
        s not in act.changes and _extra_gain(look, s, act, taken=taken) > MIN_MISSED_GAIN for s in strong
    )


def misfits(look: Look, act: Act) -> bool:
    """Whether one of the squares that the act changes plainly shows another stack, wherever its pieces
    stand, beside what the act leaves on the other squares. Only stacks that are no taller are compared: where
    a push is not undone exactly, a square may look like a taller stack. Nor is one that awaits its trimming:
    how high it is, is weighed with what lies beside the board.
    """
    colours = sorted(set("".join((*look.evidence.standing, *act.changes.values()))))
    nats = look.evidence.gain_off_centre
    for square, stack in act.changes.items() if colours else ():
        if len(stack) <= MAX_HEIGHT:
            other, _ = look.evidence.read(square, colours, max(1, len(stack)))
            if nats({**act.changes, square: other}) - nats(act.changes) > _MIN_MISFIT:
                return True
    return False


def follows_prompt(best: Judgement, pending: Pending | None) -> bool:
    """Whether the players followed the pending prompt. This need not be visible: a stack that lost its lowest
    piece after another was set on top may look as it did before the turn.
    """
    act = best.act
    return pending is not None and act.legal and act.moves[:1] == (pending.move,)


def hidden_domes(look: Look, act: Act) -> list[int]:
    """Bare squares that have certainly changed, although little and not by the act: whatever hides their
    domes may also hide pieces that the act says have disappeared.
    """
    ignored = certain_faint_changes(look).intersection(IgnoredChanges(look).ignored_squares(act))
    return sorted(square for square in ignored if not look.evidence.standing[square])


def _extra_gain(look: Look, square: int, act: Act, *, taken: bool = False) -> float:
    """Nats that the best simple change of a further square would gain on top of the act, beyond what the
    reference picture already looked like.
    """
    others = _simple_changes(look, square, taken=taken)
    gained = (
        look.evidence.gain(act.changes | {square: other}).nats - square_gained_before(look, square, other)
        for other in others
    )
    return max(gained, default=-np.inf) - look.evidence.gain(act.changes).nats


def _simple_changes(look: Look, square: int, *, taken: bool = False) -> list[str]:
    """The stack of the square with pieces taken from its top or, unless ``taken``, with one piece added."""
    stack = look.evidence.standing[square]
    fewer = [stack[:-n] for n in range(1, len(stack) + 1)]
    colours = sorted(set("".join(look.evidence.standing)))
    return fewer if taken else [*fewer, *(stack + colour for colour in colours)]
