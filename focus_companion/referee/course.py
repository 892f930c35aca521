"""Evidence for and against an act other than how its outcome fits the picture: an act leaves a trace on the
squares that it changes, and every other change has a cause.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..game.moves import DISTANCE
from ..vision.appearance.evidence import TEMPERATURE
from .act import UNSEEN_CHANGE_PENALTY, Act, Kind
from .trimming import BESIDE_EVIDENCE, Pending, trimming_evidence
from .visible_change import (
    CERTAIN_CHANGED_FRACTION,
    MAX_CALM_DEVIATION,
    MAX_SHADOW_FRACTION,
    MIN_CHANGED_FRACTION,
    MIN_CLEAR_DEVIATION,
    MIN_OPEN_FRACTION,
)

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

CALM_CHANGE_PENALTY = 25.0
"""Further penalty in nats if an act changes a calm square."""

_FULL_PENALTY_FRACTION = 0.3
"""Fraction of a piece's pixels that must look different for the full penalty of an unseen change; from above,
one more piece may be barely visible."""

HIDDEN_TURN_PENALTY = 8.0
"""Penalty in nats of two turns at once if one of them leaves a square looking as before: otherwise any
illegal change of a stack could be explained by a barely visible turn before it."""

BURIED_PIECE_PENALTY = 15.0
"""Penalty in nats of two turns at once if the first places a reserve piece and the second sets a stack on it:
only the height shows the piece, and without it the stack might be illegal there."""

_MAX_UNSEEN_PLACING_EVIDENCE = 6.0
"""Maximum evidence in nats for, or against, a piece placed on a stack of its own colour where hardly any
pixel changed, depending on how different the square looks."""

_MAX_SHADOW_EVIDENCE = 40.0
"""Maximum evidence in nats for an act by the shadows of stacks whose tops keep their colour. Raising it lets
shadows outweigh more of what the picture of the stack says against the act."""

MAX_CONTEXT_EVIDENCE = BESIDE_EVIDENCE + _MAX_SHADOW_EVIDENCE + 2 * _MAX_UNSEEN_PLACING_EVIDENCE
"""Maximum nats of :func:`context_terms` in favour of an act; an invisible turn changes two squares at
most."""

IGNORED_CHANGE_PENALTY = 14.0
"""Penalty in nats of an act that does not account for a square that has certainly changed. It is smaller if
that is less certain."""

IGNORED_FAINT_PENALTY = 15.0
"""Maximum penalty in nats of an act that does not account for a square that differs much although few of its
pixels have changed (:attr:`.Look.faintly_changed`)."""

_CERTAIN_FAINT_DEVIATION = 12.0
"""Standard deviations from which that penalty has its full value."""


class IgnoredChanges:
    """The squares of a look on which something happened, and the penalties of acts that do not account for
    them.
    """

    def __init__(self, look: Look) -> None:
        changed = {
            int(s): float(look.touched[s]) for s in np.flatnonzero(look.touched > MIN_CHANGED_FRACTION)
        }
        penalties = {
            s: IGNORED_CHANGE_PENALTY
            * min(1.0, (n - MIN_CHANGED_FRACTION) / (CERTAIN_CHANGED_FRACTION - MIN_CHANGED_FRACTION))
            for s, n in changed.items()
        }
        penalties |= {
            s: IGNORED_FAINT_PENALTY * min(1.0, by / _CERTAIN_FAINT_DEVIATION)
            for s, by in look.faintly_changed.items()
        }
        self._penalties = penalties
        self._outlines, self._stood = look.evidence.outlines, look.evidence.standing
        self._differs = look.deviations if look.change is not None else np.full(len(look.touched), np.inf)

    def penalty(self, act: Act) -> float:
        """The penalty in nats for the most changed square that the act ignores. It does not grow with their
        number: a single cause, such as a change of light or a push, may have changed all of them.
        """
        return max((self._penalties[square] for square in self.ignored_squares(act)), default=0.0)

    @property
    def changed(self) -> frozenset[int]:
        """The squares on which something happened."""
        return frozenset(self._penalties)

    def ignored_squares(self, act: Act) -> list[int]:
        """The changed squares that the act does not account for."""
        return [square for square in self._penalties if not self._reached(square, act)]

    def _reached(self, square: int, act: Act) -> bool:
        """Whether the act may have changed how the square looks: by a shadow on an adjacent square, or by a
        stack that covers or covered a part of it. An act that is not visible on its own squares reaches no
        others.
        """
        own = len(self._stood[square]) + 1
        return any(
            adjacent(square, changed)
            or self._outlines.overlap(changed, max(len(stack), len(self._stood[changed])), square, own)
            for changed, stack in act.changes.items()
            if changed == square or self._differs[changed] >= MAX_CALM_DEVIATION
        )


def adjacent(one: int, other: int) -> bool:
    """Whether the squares are the same or adjacent, also diagonally."""
    return DISTANCE[one][other] <= 1


def calm_squares(look: Look) -> frozenset[int]:
    """Squares that look unchanged: if another stack fits better there, it fitted better before, too.

    :func:`gained_before` is subtracted, so an act gains nothing there.
    """
    if look.change is None:
        return frozenset()
    calm = (look.touched < MIN_OPEN_FRACTION) & (look.deviations < MAX_CALM_DEVIATION)
    return frozenset(np.flatnonzero(calm).tolist())


def context_terms(look: Look, act: Act, pending: Pending | None) -> Iterator[tuple[str, float]]:
    """The names and nats of the evidence for the act from the context, as far as they may differ from zero:
    removed pieces lie beside the board, and untouched squares are unchanged. That distinguishes five pieces
    from six, which look much alike from straight above.
    """
    yield from quick_terms(look, act, pending)
    yield "the reference looked like it already", -gained_before(look, act)
    if act.placed:
        yield "the square of an invisible placing differs", placing_evidence(look, act)
    yield "shadows", shadow_evidence(look, act)


def quick_terms(look: Look, act: Act, pending: Pending | None) -> Iterator[tuple[str, float]]:
    """Those terms that take little time: only the first may be in favour of the act."""
    yield "pieces beside the board", trimming_evidence(look, act, pending)
    if act.kind is Kind.TURNS:
        if act.unseen is None and any(_barely_changed(look, act, s) for s in act.changes):
            yield "one of its turns is barely visible", -HIDDEN_TURN_PENALTY
        if _buries_placed_piece(act):
            yield "a stack set on a piece just placed", -BURIED_PIECE_PENALTY
    yield "a square that it changes looks unchanged", -_unseen_changes_penalty(look, act)


def max_faint_evidence(look: Look, act: Act) -> float:
    """An upper bound of the nats for the act from shadows and squares that look only a little different."""
    most = _MAX_UNSEEN_PLACING_EVIDENCE * len(act.unseen or ()) if act.placed else 0.0
    shaded = look.shadows_known and any(keeps_top_colour(look, act, square) for square in act.changes)
    return most + _MAX_SHADOW_EVIDENCE if shaded else most


def _unseen_changes_penalty(look: Look, act: Act) -> float:
    """Penalty in nats for the squares that the act should have changed, although none of their pixels have
    changed; those that an object hides may have changed without being seen.
    """
    expected = {**act.restored, **act.changes}
    excepted = act.changed_before.union(act.unseen or ())
    return sum(
        _unseen_change_penalty(look, s, stack)
        for s, stack in expected.items()
        if look.touched[s] < MIN_OPEN_FRACTION
        and (s in act.restored or s not in excepted)
        and s not in look.hidden_by_object
    )


def gained_before(look: Look, act: Act, *, off_centre: bool = False) -> float:
    """Nats by which the squares already looked more like the act before the change: the pose or the set is
    slightly wrong, which still favours these stacks. ``off_centre``: if pieces stand a little off centre.
    """
    if not act.changes.keys().isdisjoint(look.unsettled):
        # The reference already shows a part of the act, which was made before it was taken.
        return 0.0
    return sum(
        square_gained_before(look, s, stack, off_centre=off_centre)
        for s, stack in act.changes.items()
        if s not in act.changed_before
    )


def square_gained_before(look: Look, square: int, stack: str, *, off_centre: bool = False) -> float:
    """:func:`gained_before` for one square."""
    if look.touched[square] >= MIN_OPEN_FRACTION or look.deviations[square] >= MAX_CALM_DEVIATION:
        return max(0.0, look.gain_before(square, stack, off_centre=off_centre))
    # The square is unchanged.
    return max(0.0, look.evidence.stack_nats(square, stack, off_centre=off_centre))


def placing_evidence(look: Look, act: Act) -> float:
    """Nats for the piece placed on a stack of its own colour, from how much its square differs."""
    return sum(_change_evidence(look, s) for s in act.unseen or ())


def shadow_evidence(look: Look, act: Act) -> float:
    """Nats for the act from the shadows of the stacks that keep their top colour: of a piece that was placed
    on its own colour, little else may be visible. Where the top changes, the picture of the stack shows more.
    A shadow that is not seen is no evidence against the act: something else may shade that place.
    """
    alike = (s for s in act.changes if s not in act.changed_before and keeps_top_colour(look, act, s))
    nats = sum(max(0.0, look.shadow_evidence(s, act.changes)) for s in alike)
    # A ratio of probabilities counts in full, unlike the nats of correlated pixels.
    return min(_MAX_SHADOW_EVIDENCE, TEMPERATURE * nats)


def _change_evidence(look: Look, square: int) -> float:
    """Nats for a change of the square, from how much it differs: those of a normal deviate, bounded because a
    shadow may also change it.
    """
    by = max(0.0, float(look.deviations[square]))
    return min(by * by / 2, 2 * _MAX_UNSEEN_PLACING_EVIDENCE) - _MAX_UNSEEN_PLACING_EVIDENCE


def _unseen_change_penalty(look: Look, square: int, stack: str) -> float:
    """Penalty in nats for a change of a calm square between the assumed stack and this one."""
    penalty = UNSEEN_CHANGE_PENALTY * (1 - float(look.touched[square]) / MIN_OPEN_FRACTION)
    if look.deviations[square] < MAX_CALM_DEVIATION:
        penalty += CALM_CHANGE_PENALTY
    return penalty * min(1.0, differing_fraction(look, square, stack) / _FULL_PENALTY_FRACTION)


def _buries_placed_piece(act: Act) -> bool:
    """Whether one of the new turns sets a stack on the piece that the previous one placed."""
    new = act.moves[act.believed :]
    return any(one.origin is None and one.target == two.target for one, two in pairwise(new))


def _barely_changed(look: Look, act: Act, square: int) -> bool:
    """Whether the act's change of the square is barely visible, and hardly any pixels changed."""
    return keeps_top_colour(look, act, square) and look.touched[square] < MAX_SHADOW_FRACTION


def keeps_top_colour(look: Look, act: Act, square: int) -> bool:
    """Whether the act leaves the top colour of the square as it was in the reference picture."""
    alike = act.changes[square][-1:] == look.evidence.standing[square][-1:]
    return alike and square not in act.changed_before


def certain_faint_changes(look: Look) -> set[int]:
    """The faintly changed squares that differ so much that a shadow is an unlikely cause."""
    return {s for s, by in look.faintly_changed.items() if by >= MIN_CLEAR_DEVIATION}


def differing_fraction(look: Look, square: int, stack: str) -> float:
    """Pixels that this stack on the square would change, as a fraction of a piece's pixels."""
    return look.evidence.differing_pixels(square, stack) / look.evidence.outlines.piece_pixels
