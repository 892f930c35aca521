"""What speaks for and against an act besides how the board looks with it: what nobody touched is as it was,
and what happened somewhere has a reason.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..game.squares import FILE, RANK
from .acts import Act, Kind
from .trimming import LAID_DOWN, Pending, trimming

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

OPEN = 0.02
"""Share of changed pixels from which a square may have changed; below, a change of it would be a wonder."""
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
PLACED_UNSEEN = 6.0
"""Nats at the most for, and against, a piece's having been placed on a stack of its own colour where next to
no pixel changed: by how much different the square looks."""
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


def calm_squares(look: Look) -> frozenset[int]:
    """Squares that look as they looked: what a stack there gains by fitting better, it gained before.

    :func:`course` takes it off, so that an act is worth no more there than nothing.
    """
    if look.change is None:
        return frozenset()
    calm = (look.touched < OPEN) & (look.differs < CALM)
    return frozenset(np.flatnonzero(calm).tolist())


def course(look: Look, act: Act, pending: Pending | None) -> float:
    """Nats from the course of things: what was taken from a stack lies beside the board, and what nobody
    touched is as it was. From straight above, five pieces look much like six; this tells them apart.
    """
    calm = [s for s in act.changes if look.touched[s] < OPEN and s not in act.past]
    told = -sum(_unseen(look, s, act.changes[s]) for s in calm if s not in (act.unseen or ()))
    told -= sum(_unseen(look, s, stack) for s, stack in act.restored.items() if look.touched[s] < OPEN)
    told -= sum(_gained_before(look, s, stack) for s, stack in act.changes.items() if s not in act.past)
    if act.kind is Kind.TURNS and act.unseen is None and any(_hidden(look, act, s) for s in act.changes):
        told -= HIDDEN_TURN
    if act.kind is Kind.TURNS and _buries(act):
        told -= BURIED
    if act.placed:
        told += sum(_differs(look, s) for s in act.unseen or ())
    return told + trimming(look, act, pending)


def _gained_before(look: Look, square: int, stack: str) -> float:
    """Nats by which the square looked more like this stack than like its own already, when its own stood
    there: the pose or the set is a little wrong, and that speaks for the stack now as then.
    """
    if look.touched[square] < OPEN and look.differs[square] < CALM:
        # It looks as it looked.
        return max(0.0, look.evidence.stack_gain(square, stack).nats)
    before = None if square in look.unsettled else look.evidence_before
    return 0.0 if before is None else max(0.0, before.stack_gain(square, stack).nats)


def _differs(look: Look, square: int) -> float:
    """Nats for a square's having changed at all, from how different it looks: those of a normal deviate,
    bounded, for a shadow may change it too.
    """
    by = max(0.0, float(look.differs[square]))
    return min(by * by / 2, 2 * PLACED_UNSEEN) - PLACED_UNSEEN


def _unseen(look: Look, square: int, stack: str) -> float:
    """Nats against a calm square's having changed between what is taken to stand there and this stack."""
    against = UNSEEN * (1 - float(look.touched[square]) / OPEN)
    if look.differs[square] < CALM:
        against += UNMOVED
    return against * min(1.0, differing(look, square, stack) / PLAIN)


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
