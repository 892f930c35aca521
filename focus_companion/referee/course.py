"""What speaks for and against an act besides how the board looks with it: what nobody touched is as it was,
what happened somewhere has a reason, and what was taken from a stack lies beside the board.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..game.moves import Move
from ..game.squares import FILE, RANK
from .acts import HIGHEST, Act, Kind

if TYPE_CHECKING:
    from ..vision.look import Look

OPEN = 0.02
"""Share of changed pixels from which a square may have changed; below, a change of it would be a wonder."""
LAID_DOWN = 28.0
"""Nats that a piece newly beside the board says for a stack's having been trimmed, and none against it."""
EXTRA = 45.0
"""Nats against an act where a piece is newly beside the board that it took from no stack."""
MISCOLOURED = 25.0
"""Nats where not more pieces lie there than it took, but of other colours: one that lies on its head shows
little of its own."""
MISSING = 5.0
"""Nats for each piece that it took and that does not lie there with the others."""
UNPROMPTED = 140.0
"""Nats against a stack too high that was trimmed at once and of which nothing lies there, unless it is seen
by as many: rather it still is too high, and must be prompted for."""
NOWHERE = 12.0
"""Nats against the trimming of a stack that was not surely too high, where nothing lies there."""
CHANGED = 0.2
"""Share of the pixels of a stack too high that changed since, from which what was laid down came from it."""
UNTOUCHED = 60.0
"""Nats against a stack's having been trimmed of which nothing changed since it was seen too high."""
UNSEEN = 12.0
"""Nats against a square's having changed of which not one pixel did, though it would look quite different."""
UNMOVED, CALM = 25.0, 2.5
"""Further nats where it differs by no more standard deviations than what was let alone."""
PLAINLY = 8.0
"""Standard deviations by which a square must look different for something to have happened there at all."""
FAINTLY = 0.05
"""Share of a square's pixels that the shadow of what happened beside it may have changed."""
PLAIN = 0.3
"""Share of a square's pixels that must look different for that; from above a piece more may hardly show."""
HIDDEN_TURN = 8.0
"""Nats against two turns at once of which one leaves a square as it looked: whatever is taken from a stack
or set on it against the rules may be told so, as though the stack had first gone where it hardly shows."""
BURIED = 15.0
"""Nats against two turns at once of which one set a piece of the reserve and the other a stack on it: only by
the height of that does it show, and the stack alone may not have been allowed there."""
MOST_FOR = LAID_DOWN
"""Nats that :func:`course` says for an act at the most."""
IGNORED = 14.0
"""Nats against an act that leaves a square alone of which …"""
ALONE, ALONE_SURE = 0.1, 0.2
"""… some or all of this share of the pixels changed, out of the reach of its own columns."""
STIRRED, STIRRED_SURE = 15.0, 12.0
"""Nats against one that leaves a stirred square alone, and standard deviations from which it is worth all."""
MOST_ALONE = 3
"""Squares that changed and are left alone; more of them are the light, or a push."""


@dataclass(frozen=True)
class Pending:
    """A turn whose stack awaits its trimming; ``sure`` when the picture told it from the trimmed stack."""

    move: Move
    sure: bool


class Ignored:
    """Squares of a look on which something happened, and what speaks against acts that leave them alone."""

    def __init__(self, look: Look) -> None:
        shown = {int(s): float(look.touched[s]) for s in np.flatnonzero(look.touched > ALONE)}
        against = {s: IGNORED * min(1.0, (n - ALONE) / (ALONE_SURE - ALONE)) for s, n in shown.items()}
        against |= {s: STIRRED * min(1.0, by / STIRRED_SURE) for s, by in look.stirred.items()}
        self._against, self._shown = against, shown
        self._outlines, self._stood = look.evidence.outlines, look.evidence.standing
        self._differs = look.differs if look.change is not None else np.full(len(look.touched), np.inf)

    def nats(self, act: Act) -> float:
        """Those of the square that changed most, if there are few of them."""
        alone = [square for square in self._against if not self._reached(square, act)]
        if sum(square in self._shown for square in alone) > MOST_ALONE:
            return 0.0
        return max((self._against[square] for square in alone), default=0.0)

    def _reached(self, square: int, act: Act) -> bool:
        """May the act have changed how the square looks: by a shadow on the next one, or by a stack that
        covers or had covered a part of it? Not from where nothing shows of it.
        """
        own = len(self._stood[square]) + 1
        return any(
            _next_to(square, changed)
            or self._outlines.meet(changed, max(len(stack), len(self._stood[changed])), square, own)
            for changed, stack in act.changes.items()
            if changed == square or self._differs[changed] >= CALM
        )


def _next_to(one: int, other: int) -> bool:
    """Are they the same square, or side by side or corner to corner?"""
    return abs(FILE[one] - FILE[other]) <= 1 and abs(RANK[one] - RANK[other]) <= 1


def course(look: Look, act: Act, pending: Pending | None) -> float:
    """Nats from the course of things: what was taken from a stack lies beside the board, and what nobody
    touched is as it was. From straight above, five pieces look much like six; this tells them apart.
    """
    calm = [s for s in act.changes if look.touched[s] < OPEN and s not in act.past]
    apart = [s for s in calm if s not in (act.unseen or ())]
    told = -sum(
        (UNSEEN * (1 - float(look.touched[s]) / OPEN) + (UNMOVED if look.differs[s] < CALM else 0.0))
        * min(1.0, differing(look, s, act.changes[s]) / PLAIN)
        for s in apart
    )
    # A square that looks as it looked, though it fits another stack better, did so before.
    told -= sum(
        max(0.0, look.evidence.stack_gain(s, act.changes[s]).nats) for s in calm if look.differs[s] < CALM
    )
    if act.kind is Kind.TURNS and act.unseen is None and any(_hidden(look, act, s) for s in act.changes):
        told -= HIDDEN_TURN
    if act.kind is Kind.TURNS and _buries(act):
        told -= BURIED
    return told + trimming(look, act, pending)


def _buries(act: Act) -> bool:
    """Does one of the turns that are told now set a stack on the piece that the one before it had placed?"""
    told = act.moves[act.believed :]
    return any(one.origin is None and one.target == two.target for one, two in pairwise(told))


def _hidden(look: Look, act: Act, square: int) -> bool:
    """Does a change of the square hardly show, and did next to nothing there?"""
    return like_its_top(look, act, square) and look.touched[square] < FAINTLY


def like_its_top(look: Look, act: Act, square: int) -> bool:
    """Does the act leave the colour on top of the square that is on top of it now?"""
    alike = act.changes[square][-1:] == look.evidence.standing[square][-1:]
    return alike and square not in act.past


def plainly_stirred(look: Look) -> set[int]:
    """Squares that look so different that hardly a shadow does that."""
    return {s for s, by in look.stirred.items() if by >= PLAINLY}


def differing(look: Look, square: int, stack: str) -> float:
    """Share of a piece's pixels that would show something else with this stack on the square."""
    return look.evidence.stack_gain(square, stack).pixels / look.evidence.outlines.piece_pixels


def trimming(look: Look, act: Act, pending: Pending | None) -> float:
    """Nats for and against a stack's having been trimmed, from what lies beside the board and what nobody
    touched.
    """
    since = look.since_mark
    if pending is None or since is None:
        if _too_high(look, act) and not look.appeared:
            return -NOWHERE if _plainly_trimmed(look, act) else -UNPROMPTED
        if act.trimmed and act.legal:
            return LAID_DOWN - _mismatch(look, act, look.appeared)
        if not _taken_away(look, act):
            return 0.0
        # What is said to be gone from a stack, and not in a hand, must lie somewhere as well.
        return -_mismatch(look, act, look.appeared) if look.appeared else -1.5 * LAID_DOWN
    moved = float(since.touched[pending.move.target])
    if act.moves[:1] != (pending.move,):
        if not pending.sure:
            return 0.0
        # Then the turn was taken back first, whose stack left nothing beside the board.
        left = moved > CHANGED and look.appeared_since_mark
        return Kind.BACK.value - (1.5 * LAID_DOWN if left else 0.0)
    if act.trimmed or act.believed or (act.legal and len(act.moves) > 1):
        if look.appeared_since_mark:
            return LAID_DOWN - _mismatch(look, act, look.appeared_since_mark)
        if pending.sure:
            return -UNTOUCHED if moved < 0.012 else 0.0
        if moved >= 0.012:
            return -NOWHERE
        # It was not sure to begin with: it may have been trimmed all along, if play goes on.
        return -UNPROMPTED if act.moves == (pending.move,) else -2 * NOWHERE
    if moved > CHANGED and look.appeared_since_mark:
        return -1.5 * LAID_DOWN
    if not pending.sure:
        return 0.0
    return 0.5 * LAID_DOWN if moved < 0.02 else -0.5 * LAID_DOWN if moved > 0.08 else 0.0


def unprompted(look: Look, act: Act, pending: Pending | None) -> float:
    """Nats for a stack's still being too high where nothing lies beside the board: as many as the trimmed one
    explains better, in spite of that. What else may have happened is weighed against the turn then, whichever
    its stack shows.
    """
    if act.kind is not Kind.PENDING or not (pending is None or look.since_mark is None):
        return 0.0
    target = act.moves[-1].target
    high = act.changes.get(target, look.evidence.standing[target])
    better = _shorter(look, target, high)
    return better - NOWHERE if NOWHERE < better < UNPROMPTED and not look.appeared else 0.0


def _shorter(look: Look, target: int, high: str) -> float:
    """Nats by which a square shows a stack trimmed as it should be rather than too high."""
    gain = look.evidence.stack_gain
    return gain(target, high[-HIGHEST:]).nats - gain(target, high).nats


def more_beside(look: Look, act: Act, pending: Pending | None) -> bool:
    """Were more pieces laid beside the board than the act took from the stack that it trimmed?"""
    if not act.trimmed:
        # Nearly every act: what lies beside the board need not be looked for.
        return False
    marked = pending is not None and look.since_mark is not None
    return len(look.appeared_since_mark if marked else look.appeared) > len(act.trimmed)


def _too_high(look: Look, act: Act) -> bool:
    """Was the stack that it trimmed, rightly or not, one of more than five?"""
    if not act.trimmed:
        return False
    target = act.moves[-1].target
    return len(act.changes.get(target, look.evidence.standing[target])) + len(act.trimmed) > HIGHEST


def _plainly_trimmed(look: Look, act: Act) -> bool:
    """Is it a turn whose stack is seen to be trimmed beyond doubt?"""
    target = act.moves[-1].target
    left = act.changes.get(target, look.evidence.standing[target])
    return act.legal and _shorter(look, target, act.trimmed + left) >= UNPROMPTED


def _taken_away(look: Look, act: Act) -> bool:
    """Are pieces gone from the board, against the rules and not from the top, on their way?"""
    stood = look.evidence.standing
    more = sum(len(stack) - len(stood[square]) for square, stack in act.changes.items())
    return more < 0 and not act.legal and not act.lifted


def _mismatch(look: Look, act: Act, appeared: str) -> float:
    """Nats against the act where what ``appeared`` beside the board is not what it took from the stacks."""
    if act.trimmed:
        gone = Counter(act.trimmed)
    else:
        stood = Counter("".join(look.evidence.standing[square] for square in act.changes))
        gone = stood - Counter("".join(act.changes.values()))
    beside = Counter(appeared)
    if beside.total() > gone.total():
        return EXTRA
    return MISCOLOURED if beside - gone else MISSING * (gone - beside).total()
