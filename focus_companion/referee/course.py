"""Evidence for and against an act other than the look of the resulting board: untouched squares are
unchanged, and every change has a cause.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..game.squares import FILE, RANK
from .acts import Act, Kind
from .trimming import LAID_DOWN, Pending, trimming

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

OPEN = 0.02
"""Fraction of changed pixels from which a square may have changed; below it, a change is very unlikely."""
UNSEEN = 12.0
"""Penalty in nats if a square is said to have changed but none of its pixels did, although it would look
quite different.
"""
UNMOVED, CALM = 25.0, 2.5
"""Further penalty in nats if it differs by fewer standard deviations than the second number, as untouched
squares do."""
PLAINLY = 8.0
"""Standard deviations by which a square must differ for something to have happened there for certain."""
FAINTLY = 0.05
"""Fraction of a square's pixels that the shadow of a change beside it may have changed."""
PLAIN = 0.3
"""Fraction of a piece's pixels that must look different for the full penalty; from above, one more piece may
be barely visible.
"""
HIDDEN_TURN = 8.0
"""Penalty in nats of two turns at once of which one leaves a square looking as before: otherwise any illegal
change of a stack could be explained by a barely visible turn before it."""
BURIED = 15.0
"""Penalty in nats of two turns at once of which one placed a reserve piece and the other set a stack on it:
only the height shows that, and the stack alone might have been illegal there."""
PLACED_UNSEEN = 6.0
"""Maximum evidence in nats for, and against, a piece placed on a stack of its own colour where hardly any
pixel changed, depending on how different the square looks."""
MOST_FOR = LAID_DOWN
"""Maximum nats that :func:`course` returns in favour of an act."""
IGNORED = 14.0
"""Penalty in nats of an act that leaves a changed square alone."""
ALONE, ALONE_SURE = 0.1, 0.2
"""Fractions of changed pixels, beyond the reach of the act's own stacks, between which the penalty rises from
zero to its full value."""
STIRRED, STIRRED_SURE = 15.0, 12.0
"""Penalty in nats of an act that leaves a stirred square alone, and the standard deviations from which it has
its full value."""
MOST_ALONE = 3
"""Maximum number of changed squares that an act may leave alone; more of them indicate a change of light, or
a push.
"""


class Ignored:
    """Squares of a look on which something happened, and the penalties of acts that leave them alone."""

    def __init__(self, look: Look) -> None:
        shown = {int(s): float(look.touched[s]) for s in np.flatnonzero(look.touched > ALONE)}
        against = {s: IGNORED * min(1.0, (n - ALONE) / (ALONE_SURE - ALONE)) for s, n in shown.items()}
        against |= {s: STIRRED * min(1.0, by / STIRRED_SURE) for s, by in look.faintly_changed.items()}
        self._against, self._shown = against, shown
        self._outlines, self._stood = look.evidence.outlines, look.evidence.standing
        self._differs = look.deviations if look.change is not None else np.full(len(look.touched), np.inf)

    def nats(self, act: Act) -> float:
        """The penalty of the most changed square, if there are few of them."""
        alone = self.alone(act)
        if sum(square in self._shown for square in alone) > MOST_ALONE:
            return 0.0
        return max((self._against[square] for square in alone), default=0.0)

    @property
    def changed(self) -> frozenset[int]:
        """The squares on which something happened."""
        return frozenset(self._against)

    def alone(self, act: Act) -> list[int]:
        """The changed squares that the act does not account for."""
        return [square for square in self._against if not self._reached(square, act)]

    def _reached(self, square: int, act: Act) -> bool:
        """Whether the act may have changed the look of the square: by a shadow on a neighbour, or by a stack
        that covers or covered a part of it. Not if the act itself is not visible on its own squares.
        """
        own = len(self._stood[square]) + 1
        return any(
            _next_to(square, changed)
            or self._outlines.overlap(changed, max(len(stack), len(self._stood[changed])), square, own)
            for changed, stack in act.changes.items()
            if changed == square or self._differs[changed] >= CALM
        )


def _next_to(one: int, other: int) -> bool:
    """Whether they are the same square or adjacent, also diagonally."""
    return abs(FILE[one] - FILE[other]) <= 1 and abs(RANK[one] - RANK[other]) <= 1


def calm_squares(look: Look) -> frozenset[int]:
    """Squares that look unchanged: if another stack fits better there, it did so before.

    :func:`course` subtracts that gain, so that an act gains nothing there.
    """
    if look.change is None:
        return frozenset()
    calm = (look.touched < OPEN) & (look.deviations < CALM)
    return frozenset(np.flatnonzero(calm).tolist())


def course(look: Look, act: Act, pending: Pending | None) -> float:
    """Nats from the context: pieces taken from a stack lie beside the board, and untouched squares are
    unchanged. From straight above, five pieces look much like six; this distinguishes them.
    """
    return sum(nats for _, nats in course_terms(look, act, pending))


def course_terms(look: Look, act: Act, pending: Pending | None) -> Iterator[tuple[str, float]]:
    """The terms of :func:`course` that may differ from zero, with their names, in nats."""
    changes = act.changes
    calm = [s for s in changes if look.touched[s] < OPEN and s not in act.past]
    unseen = sum(_unseen(look, s, changes[s]) for s in calm if s not in (act.unseen or ()))
    unseen += sum(_unseen(look, s, stack) for s, stack in act.restored.items() if look.touched[s] < OPEN)
    yield "a square that it changes looks unchanged", -unseen
    # An act of which the reference shows a part already was made before it was taken.
    since = changes.keys().isdisjoint(look.unsettled)
    before = sum(
        _gained_before(look, s, stack) for s, stack in changes.items() if since and s not in act.past
    )
    yield "the reference looked like it already", -before
    if act.kind is Kind.TURNS and act.unseen is None and any(_hidden(look, act, s) for s in changes):
        yield "one of its turns is barely visible", -HIDDEN_TURN
    if act.kind is Kind.TURNS and _buries(act):
        yield "a stack set on a piece just placed", -BURIED
    if act.placed:
        yield "the square of an invisible placing differs", sum(_differs(look, s) for s in act.unseen or ())
    yield "pieces beside the board", trimming(look, act, pending)


def _gained_before(look: Look, square: int, stack: str) -> float:
    """Nats by which the square looked more like this stack than like its own already, when its own stood
    there: the pose or the set is a little wrong, and that speaks for the stack now as then.
    """
    if look.touched[square] < OPEN and look.deviations[square] < CALM:
        # It looks as it looked.
        return max(0.0, look.evidence.stack_gain(square, stack).nats)
    return max(0.0, look.gain_before(square, stack))


def _differs(look: Look, square: int) -> float:
    """Nats for a change of the square, from how different it looks: those of a normal deviate, bounded
    because a shadow may change it, too.
    """
    by = max(0.0, float(look.deviations[square]))
    return min(by * by / 2, 2 * PLACED_UNSEEN) - PLACED_UNSEEN


def _unseen(look: Look, square: int, stack: str) -> float:
    """Penalty in nats for a change of a calm square between the assumed stack and this one."""
    against = UNSEEN * (1 - float(look.touched[square]) / OPEN)
    if look.deviations[square] < CALM:
        against += UNMOVED
    return against * min(1.0, differing(look, square, stack) / PLAIN)


def _buries(act: Act) -> bool:
    """Whether one of the new turns sets a stack on the piece that the previous one placed."""
    new = act.moves[act.believed :]
    return any(one.origin is None and one.target == two.target for one, two in pairwise(new))


def _hidden(look: Look, act: Act, square: int) -> bool:
    """Whether a change of the square is barely visible and changed hardly any pixels."""
    return like_its_top(look, act, square) and look.touched[square] < FAINTLY


def like_its_top(look: Look, act: Act, square: int) -> bool:
    """Whether the act leaves the top colour of the square unchanged."""
    alike = act.changes[square][-1:] == look.evidence.standing[square][-1:]
    return alike and square not in act.past


def plainly_stirred(look: Look) -> set[int]:
    """Squares that look so different that a shadow is unlikely."""
    return {s for s, by in look.faintly_changed.items() if by >= PLAINLY}


def differing(look: Look, square: int, stack: str) -> float:
    """Fraction of a piece's pixels that would change with this stack on the square."""
    return look.evidence.stack_gain(square, stack).pixels / look.evidence.outlines.piece_pixels
