"""Whether stacks were trimmed: evidence from pieces beside the board and from untouched squares. From
straight above, five pieces look much like six.
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
"""Evidence in nats of a new piece beside the board for a trimming, and of none against it."""
EXTRA = 45.0
"""Penalty in nats of an act that does not explain a new piece beside the board."""
MISCOLOURED = 25.0
"""Penalty in nats if there are not more pieces than it took, but of other colours: one that lies upside down
shows little of its colour."""
MISSING = 5.0
"""Penalty in nats for each removed piece that is not beside the board with the others."""
UNPROMPTED = 140.0
"""Penalty in nats of an immediate trimming without any piece beside the board, unless the picture shows it by
as much: more likely the stack is still too high and needs a prompt."""
NOWHERE = 12.0
"""Penalty in nats of trimming a stack that was not certainly too high, without any piece beside the board."""
CHANGED = 0.2
"""Fraction of changed pixels of a stack above five from which pieces laid down came from it."""
LET_ALONE = 0.012
"""Fraction of changed pixels up to which it was not touched."""
UNTOUCHED = 60.0
"""Penalty in nats of trimming a stack that has not changed since it was seen above five."""


@dataclass(frozen=True)
class Pending:
    """A turn whose stack awaits its trimming; ``sure`` if the picture distinguished it from the trimmed
    stack.
    """

    move: Move
    sure: bool


def trimming(look: Look, act: Act, pending: Pending | None) -> float:
    """Nats for and against a trimming, from the pieces beside the board and from untouched squares."""
    since = look.since_mark
    if pending is None or since is None:
        if _too_high(look, act) and not look.appeared:
            return -NOWHERE if _plainly_trimmed(look, act) else -UNPROMPTED
        if act.trimmed and act.legal:
            return LAID_DOWN - _mismatch(look, act, look.appeared)
        if not _taken_away(look, act):
            return 0.0
        # Pieces missing from a stack, and not in a hand, must be somewhere, too.
        return -_mismatch(look, act, look.appeared) if look.appeared else -1.5 * LAID_DOWN
    moved = float(since.touched[pending.move.target])
    if act.moves[:1] != (pending.move,):
        if not pending.sure:
            return 0.0
        # Then the turn was taken back first, and its stack left nothing beside the board.
        left = moved > CHANGED and look.appeared_since_mark
        return Kind.BACK.value - (1.5 * LAID_DOWN if left else 0.0)
    if act.trimmed or act.believed or (act.legal and len(act.moves) > 1):
        if look.appeared_since_mark:
            return LAID_DOWN - _mismatch(look, act, look.appeared_since_mark)
        if pending.sure:
            return -UNTOUCHED if moved < LET_ALONE else 0.0
        if moved >= LET_ALONE:
            return -NOWHERE
        # It was never certain: if play goes on, the stack may have been trimmed from the beginning.
        return -UNPROMPTED if act.moves == (pending.move,) else -2 * NOWHERE
    if moved > CHANGED and look.appeared_since_mark:
        return -1.5 * LAID_DOWN
    if not pending.sure:
        return 0.0
    return 0.5 * LAID_DOWN if moved < 0.02 else -0.5 * LAID_DOWN if moved > 0.08 else 0.0


def seen_to(look: Look, square: int) -> bool:
    """Whether a stack was clearly touched since its prompt; only then can pieces beside the board have come
    from it.
    """
    if look.since_mark is None:
        return False
    moved = float(look.since_mark.touched[square])
    return moved > (LET_ALONE if look.appeared_since_mark else CHANGED)


def as_trimmed(look: Look, act: Act, pending: Pending | None) -> float:
    """Nats for a stack that is still too high if nothing lies beside the board: as many as the trimmed stack
    would fit better. Other acts are then weighed against the turn regardless of its stack's height.
    """
    if act.kind is not Kind.PENDING or not (pending is None or look.since_mark is None):
        return 0.0
    better = _shorter(look, act, _left(look, act))
    return better - NOWHERE if NOWHERE < better < UNPROMPTED and not look.appeared else 0.0


def _left(look: Look, act: Act) -> str:
    """The stack on the target of the act's last turn."""
    target = act.moves[-1].target
    return act.changes.get(target, look.evidence.standing[target])


def _shorter(look: Look, act: Act, high: str) -> float:
    """Nats by which the target of an act fits the correctly trimmed stack better than the stack ``high``."""
    gain, target = look.evidence.stack_gain, act.moves[-1].target
    return gain(target, high[-MAX_HEIGHT:]).nats - gain(target, high).nats


def _too_high(look: Look, act: Act) -> bool:
    """Whether the stack that it trimmed, correctly or not, was above five."""
    return bool(act.trimmed) and len(_left(look, act)) + len(act.trimmed) > MAX_HEIGHT


def _plainly_trimmed(look: Look, act: Act) -> bool:
    """Whether it is a turn whose stack is visibly trimmed."""
    return act.legal and _shorter(look, act, act.trimmed + _left(look, act)) >= UNPROMPTED


def _taken_away(look: Look, act: Act) -> bool:
    """Whether pieces were illegally removed from the board, and not just lifted from the top."""
    stood = look.evidence.standing
    more = sum(len(stack) - len(stood[square]) for square, stack in act.changes.items())
    return more < 0 and not act.legal and not act.lifted


def _mismatch(look: Look, act: Act, appeared: str) -> float:
    """Penalty in nats if the pieces that ``appeared`` beside the board are not those that the act took."""
    if act.trimmed:
        gone = Counter(act.trimmed)
    else:
        stood = Counter("".join(look.evidence.standing[square] for square in act.changes))
        gone = stood - Counter("".join(act.changes.values()))
    beside = Counter(appeared)
    if beside.total() > gone.total():
        return EXTRA
    return MISCOLOURED if beside - gone else MISSING * (gone - beside).total()
