"""Does an act account for what a look shows? Then nothing less likely need be weighed against it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from .acts import Act, Kind
from .beliefs import ends_high
from .course import ALONE, plainly_stirred
from .trimming import Pending
from .weighing import LEAD, RIGHTLY, Judgement

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

GOOD = 1.7
"""Nats a pixel (of at most 4) from which an act explains the pixels that it changes well."""
AGAINST, BADLY = -25.0, -0.5
"""Nats that a square alone says, and mean nats a pixel, below which it speaks against an act."""
OVERLAPPED = 0.5
"""Share of a square's pixels up to which the stack before it may have changed them."""
CLEAN = 3.1
"""Nats a pixel from which an act explains them as well as anything can."""
BETTER = RIGHTLY - LEAD
"""Nats by which an act against the rules may look better on the same squares without being as likely."""
MISSED = 55.0
"""Nats that some other stack on an unexplained square would gain, from which the act does not explain the
look."""


def explains(look: Look, best: Judgement, strong: Sequence[int]) -> bool:
    """Does the act account for what is seen, so that none less likely need be weighed?"""
    act = best.act
    if act.kind is Kind.NOTHING and strong:
        return False
    if act.changes:
        gain = look.evidence.gain(act.changes)
        faint = act.kind is Kind.BACK or act.changes.keys() <= plainly_stirred(look)
        if gain.nats < 4 and not faint:
            return False
        if any(_amiss(look, act, square) for square in act.changes):
            return False
    if left_out(look, act, strong):
        return False
    return not act.changes or look.evidence.gain(act.changes).per_pixel >= GOOD or best.nats < 120


def _amiss(look: Look, act: Act, square: int) -> bool:
    """Does the picture speak against what an act leaves on a square, by itself and with the rest of the act?
    A stack that grew before a bare dome shows where a piece was.
    """
    own = look.evidence.stack_gain(square, act.changes[square])
    if own.nats >= AGAINST or own.per_pixel >= BADLY:
        return False
    rest = {s: stack for s, stack in act.changes.items() if s != square}
    return look.evidence.gain(act.changes).nats - look.evidence.gain(rest).nats < AGAINST


def clean(look: Look, act: Act) -> bool:
    """Does a turn explain every pixel of its squares so well that nothing else could do better there?"""
    if act.kind not in (Kind.TURN, Kind.TURNS) or act.trimmed or ends_high(act) or not act.changes:
        return False
    own = [look.evidence.stack_gain(square, stack) for square, stack in act.changes.items()]
    if not all(gain.per_pixel >= CLEAN and gain.pixels > 30 for gain in own):
        return False
    # All that it changes may be right, and still not be all that has changed: two pieces went, not one.
    if any(_other_height(look, square, stack) > MISSED / 2 for square, stack in act.changes.items()):
        return False
    if _went_another_way(look, act):
        return False
    # Seen at a slant, a stack that grew or shrank changes a part of the columns behind it.
    behind = look.evidence.outlines.touching(list(act.changes))
    apart = {*np.flatnonzero(look.touched >= ALONE).tolist()} | plainly_stirred(look)
    apart -= act.changes.keys()
    if not all(s in behind and look.touched[s] < OVERLAPPED for s in apart):
        return False
    # Unless that part shows that something happened there too: the piece that was set down went from there.
    return not any(_changed_too(look, s, act) for s in apart)


def left_out(look: Look, act: Act, strong: Sequence[int], *, taken: bool = False) -> bool:
    """Has something happened on a square that the act leaves alone? ``taken``: were pieces taken from it? One
    more may as well lie on the ledge before it.
    """
    return any(s not in act.changes and _better(look, s, act, taken=taken) > MISSED for s in strong)


def as_due(best: Judgement, pending: Pending | None) -> bool:
    """Has just that been done for which a prompt stands? It need not show: a stack that lost its lowest
    piece after another was set on top may look as before the turn.
    """
    act = best.act
    return pending is not None and act.legal and act.moves[:1] == (pending.move,) and best.lead >= LEAD


def _changed_too(look: Look, square: int, act: Act) -> bool:
    """Does a further square look as if it had changed for its own sake, and not for what stands before it?"""
    alone = (look.evidence.stack_gain(square, other).nats for other in _simple_changes(look, square))
    return max(alone) > MISSED / 2 and _better(look, square, act) > MISSED / 2


def _better(look: Look, square: int, act: Act, *, taken: bool = False) -> float:
    """Nats that the best simple change of a further square would gain on top of the act."""
    others = [act.changes | {square: other} for other in _simple_changes(look, square, taken=taken)]
    best = max((look.evidence.gain(changes).nats for changes in others), default=-np.inf)
    return best - look.evidence.gain(act.changes).nats


def _simple_changes(look: Look, square: int, *, taken: bool = False) -> list[str]:
    """What a stack is with pieces taken from its top or, unless pieces were ``taken``, one set on it."""
    stack = look.evidence.standing[square]
    fewer = [stack[:-n] for n in range(1, len(stack) + 1)]
    return fewer if taken else [*fewer, *_one_more(look, stack)]


def _one_more(look: Look, stack: str) -> list[str]:
    """The stack with a piece on it of each colour that is on the board."""
    return [stack + colour for colour in sorted(set("".join(look.evidence.standing)))]


def _other_height(look: Look, square: int, stack: str) -> float:
    """Nats by which the square alone shows this stack with a piece less or more rather than it."""
    others = [*([stack[:-1]] if stack else []), *_one_more(look, stack)]
    gain = look.evidence.stack_gain
    return max(gain(square, other).nats for other in others) - gain(square, stack).nats


def _went_another_way(look: Look, act: Act) -> bool:
    """Do the squares of a turn show about as well that pieces went from one to the other some other way:
    another number of them, or the other way round? If that left the same tops, that the rules allow the turn
    tells it from that; if it left others, the picture does, even where bare domes are of the pieces' colour.
    """
    if len(act.changes) != 2:
        return False
    stood, gain = look.evidence.standing, look.evidence.stack_gain
    told = sum(gain(square, stack).nats for square, stack in act.changes.items())
    for one, two in permutations(act.changes):
        for left in range(len(stood[one])):
            other = {one: stood[one][:left], two: stood[two] + stood[one][left:]}
            if other == act.changes:
                continue
            alike = all(stack[-1:] == act.changes[square][-1:] for square, stack in other.items())
            shown = sum(gain(square, stack).nats for square, stack in other.items()) - told
            if shown > (-RIGHTLY if alike else BETTER):
                return True
    return False
