"""Stacks that are trimmed, or should be: what lies beside the board, and what nobody touched, tell whether
they were. From straight above, five pieces look much like six.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..game.moves import Move
from ..game.position import MAX_HEIGHT
from .acts import Act, Kind

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

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
LET_ALONE = 0.012
"""Share of its pixels up to which it was not touched at all."""
UNTOUCHED = 60.0
"""Nats against a stack's having been trimmed of which nothing changed since it was seen too high."""


@dataclass(frozen=True)
class Pending:
    """A turn whose stack awaits its trimming; ``sure`` when the picture told it from the trimmed stack."""

    move: Move
    sure: bool


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
            return -UNTOUCHED if moved < LET_ALONE else 0.0
        if moved >= LET_ALONE:
            return -NOWHERE
        # It was not sure to begin with: it may have been trimmed all along, if play goes on.
        return -UNPROMPTED if act.moves == (pending.move,) else -2 * NOWHERE
    if moved > CHANGED and look.appeared_since_mark:
        return -1.5 * LAID_DOWN
    if not pending.sure:
        return 0.0
    return 0.5 * LAID_DOWN if moved < 0.02 else -0.5 * LAID_DOWN if moved > 0.08 else 0.0


def seen_to(look: Look, square: int) -> bool:
    """Has somebody plainly been at a stack since it was prompted for? What lies beside the board may have
    come from it only if it was touched.
    """
    if look.since_mark is None:
        return False
    moved = float(look.since_mark.touched[square])
    return moved > (LET_ALONE if look.appeared_since_mark else CHANGED)


def as_trimmed(look: Look, act: Act, pending: Pending | None) -> float:
    """Nats for a stack's still being too high where nothing lies beside the board: as many as the trimmed one
    explains better, in spite of that. What else may have happened is weighed against the turn then, whichever
    its stack shows.
    """
    if act.kind is not Kind.PENDING or not (pending is None or look.since_mark is None):
        return 0.0
    better = _shorter(look, act, _left(look, act))
    return better - NOWHERE if NOWHERE < better < UNPROMPTED and not look.appeared else 0.0


def _left(look: Look, act: Act) -> str:
    """The stack that an act leaves where its last turn ended."""
    target = act.moves[-1].target
    return act.changes.get(target, look.evidence.standing[target])


def _shorter(look: Look, act: Act, high: str) -> float:
    """Nats by which the square where an act ends shows the stack ``high`` trimmed as it should be rather than
    too high.
    """
    gain, target = look.evidence.stack_gain, act.moves[-1].target
    return gain(target, high[-MAX_HEIGHT:]).nats - gain(target, high).nats


def more_beside(look: Look, act: Act, pending: Pending | None) -> bool:
    """Were more pieces laid beside the board than the act took from the stack that it trimmed?"""
    if not act.trimmed:
        # Nearly every act: what lies beside the board need not be looked for.
        return False
    marked = pending is not None and look.since_mark is not None
    return len(look.appeared_since_mark if marked else look.appeared) > len(act.trimmed)


def _too_high(look: Look, act: Act) -> bool:
    """Was the stack that it trimmed, rightly or not, one of more than five?"""
    return bool(act.trimmed) and len(_left(look, act)) + len(act.trimmed) > MAX_HEIGHT


def _plainly_trimmed(look: Look, act: Act) -> bool:
    """Is it a turn whose stack is seen to be trimmed beyond doubt?"""
    return act.legal and _shorter(look, act, act.trimmed + _left(look, act)) >= UNPROMPTED


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
