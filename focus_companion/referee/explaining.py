"""Whether an act accounts for what a look shows; then nothing less likely need be weighed against it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from .acts import Act, Kind
from .beliefs import ends_high
from .course import ALONE, plainly_stirred
from .margin import LEAD, RIGHTLY
from .trimming import Pending
from .weighing import Judgement

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

GOOD = 1.7
"""Nats per pixel (of at most 4) from which an act explains the pixels that it changes well."""
AGAINST, BADLY = -25.0, -0.5
"""Nats of a single square, and mean nats per pixel, below which the square is evidence against an act."""
OVERLAPPED = 0.5
"""Maximum fraction of a square's pixels that the stack in front of it may have changed."""
CLEAN = 3.1
"""Nats per pixel from which no act can explain the pixels much better."""
BETTER = RIGHTLY - LEAD
"""Nats by which an illegal act on the same squares may fit the picture better without being as likely."""
MISSED = 55.0
"""If another stack on a square that the act leaves alone would gain this many nats, the act does not explain
the look."""


def explains(look: Look, best: Judgement, strong: Sequence[int]) -> bool:
    """Whether the act accounts for what is seen, so that no less likely one need be weighed."""
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
    """Whether the picture contradicts the stack that an act leaves on a square, both for the square alone and
    together with the rest of the act. A stack that grew in front of a bare dome hides a place where a piece
    was.
    """
    own = look.evidence.stack_gain(square, act.changes[square])
    if own.nats >= AGAINST or own.per_pixel >= BADLY:
        return False
    rest = {s: stack for s, stack in act.changes.items() if s != square}
    return look.evidence.gain(act.changes).nats - look.evidence.gain(rest).nats < AGAINST


def clean(look: Look, act: Act) -> bool:
    """Whether a turn explains every pixel of its squares so well that no other act could do better there."""
    if act.kind not in (Kind.TURN, Kind.TURNS) or act.trimmed or ends_high(act) or not act.changes:
        return False
    own = [look.evidence.stack_gain(square, stack) for square, stack in act.changes.items()]
    if not all(gain.per_pixel >= CLEAN and gain.pixels > 30 for gain in own):
        return False
    # Its changes may be right but incomplete: two pieces moved, not one.
    if any(_other_height(look, square, stack) > MISSED / 2 for square, stack in act.changes.items()):
        return False
    if _went_another_way(look, act):
        return False
    # Seen at a slant, a stack that grew or shrank changes a part of the stacks behind it.
    behind = look.evidence.outlines.touching(list(act.changes))
    apart = {*np.flatnonzero(look.touched >= ALONE).tolist()} | plainly_stirred(look)
    apart -= act.changes.keys()
    if not all(s in behind and look.touched[s] < OVERLAPPED for s in apart):
        return False
    # Unless that part shows that something happened there, too: the piece that was set down came from there.
    return not any(_changed_too(look, s, act) for s in apart)


def left_out(look: Look, act: Act, strong: Sequence[int], *, taken: bool = False) -> bool:
    """Whether something happened on a square that the act leaves alone. ``taken``: consider only that pieces
    were taken from it, because one more may as well lie on the ledge in front of it.
    """
    return any(s not in act.changes and _better(look, s, act, taken=taken) > MISSED for s in strong)


def as_due(best: Judgement, pending: Pending | None) -> bool:
    """Whether the pending prompt was followed. This need not be visible: a stack that lost its lowest piece
    after another was set on top may look as before the turn.
    """
    act = best.act
    return pending is not None and act.legal and act.moves[:1] == (pending.move,)


def _changed_too(look: Look, square: int, act: Act) -> bool:
    """Whether a further square seems to have changed itself, rather than the stack in front of it."""
    # As long as nothing stands on the board, there is no simple change.
    alone = (look.evidence.stack_gain(square, other).nats for other in _simple_changes(look, square))
    return max(alone, default=-np.inf) > MISSED / 2 and _better(look, square, act) > MISSED / 2


def _better(look: Look, square: int, act: Act, *, taken: bool = False) -> float:
    """Nats that the best simple change of a further square would gain in addition to the act."""
    others = [act.changes | {square: other} for other in _simple_changes(look, square, taken=taken)]
    best = max((look.evidence.gain(changes).nats for changes in others), default=-np.inf)
    return best - look.evidence.gain(act.changes).nats


def _simple_changes(look: Look, square: int, *, taken: bool = False) -> list[str]:
    """The stack with pieces taken from its top or, unless only ``taken`` is considered, one set on it."""
    stack = look.evidence.standing[square]
    fewer = [stack[:-n] for n in range(1, len(stack) + 1)]
    return fewer if taken else [*fewer, *_one_more(look, stack)]


def _one_more(look: Look, stack: str) -> list[str]:
    """The stack with one more piece on top, of each colour that is on the board."""
    return [stack + colour for colour in sorted(set("".join(look.evidence.standing)))]


def _other_height(look: Look, square: int, stack: str) -> float:
    """Nats by which the square alone fits this stack with one piece less or more better than this stack."""
    others = [*([stack[:-1]] if stack else []), *_one_more(look, stack)]
    gain = look.evidence.stack_gain
    return max(gain(square, other).nats for other in others) - gain(square, stack).nats


def _went_another_way(look: Look, act: Act) -> bool:
    """Whether the squares of a turn fit about as well another transfer of pieces between them: another number
    of pieces, or the other direction. If that leaves the same tops, the prior of legal turns distinguishes
    them; otherwise the picture does, even if bare domes have the colour of pieces.
    """
    if len(act.changes) != 2:
        return False
    stood, gain = look.evidence.standing, look.evidence.stack_gain
    own = sum(gain(square, stack).nats for square, stack in act.changes.items())
    for one, two in permutations(act.changes):
        for left in range(len(stood[one])):
            other = {one: stood[one][:left], two: stood[two] + stood[one][left:]}
            if other == act.changes:
                continue
            alike = all(stack[-1:] == act.changes[square][-1:] for square, stack in other.items())
            shown = sum(gain(square, stack).nats for square, stack in other.items()) - own
            if shown > (-RIGHTLY if alike else BETTER):
                return True
    return False
