"""Evidence on whether stacks were trimmed, from pieces beside the board and from untouched squares: from
straight above, five pieces look much like six.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..game.moves import Move
from ..game.position import MAX_HEIGHT
from ..vision.appearance.evidence import TEMPERATURE
from .act import Act, Kind
from .visible_change import CERTAIN_CHANGED_FRACTION, MIN_CHANGED_FRACTION, MIN_OPEN_FRACTION

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

BESIDE_EVIDENCE = 28.0
"""Evidence in nats for a trimming if the removed pieces lie beside the board."""

BESIDE_PENALTY = 45.0
"""Penalty in nats of an act that contradicts what lies beside the board: a new piece there that it did not
remove, or none although pieces must lie somewhere."""

WRONG_COLOUR_PENALTY = 25.0
"""Penalty in nats if the pieces beside the board, no more than the act removed, have other colours; it is
moderate because a piece that lies upside down shows little of its colour."""

MISSING_PIECE_PENALTY = 5.0
"""Penalty in nats for each removed piece that is not beside the board with the others."""

UNPROMPTED_PENALTY = 100.0
"""Penalty in nats of an immediate trimming without any piece beside the board, unless the picture favours it
by as much: more likely the stack is still too high and needs a prompt. Where heights are hard to read, the
picture has favoured it wrongly by 60, in one of 48 simulated games. Raising it prompts for stacks that were
trimmed out of view."""

NONE_BESIDE_PENALTY = 12.0
"""Penalty in nats of trimming a stack that was not certainly too high, without any piece beside the board."""

_MAX_UNTOUCHED_FRACTION = 0.012
"""Fraction of changed pixels below which it is certain that nobody touched the stack."""

_UNCERTAIN_FRACTION = (MIN_OPEN_FRACTION + MIN_CHANGED_FRACTION) / 2
"""Fraction that is evidence neither for nor against it."""

_UNTOUCHED_PENALTY = 60.0
"""Penalty in nats of trimming a stack that has not changed since it was seen above five."""


@dataclass(frozen=True)
class Pending:
    """A turn whose stack awaits its trimming.

    ``sure``: the picture clearly showed that the stack was not trimmed; ``none_beside``: see
    :attr:`PiecesBeside.nats_if_none`; ``time``: when the players were prompted, in seconds; ``changes``: the
    stacks that the turn left on its squares, not trimmed.
    """

    move: Move
    sure: bool
    none_beside: float = 0.0
    time: float = -math.inf
    changes: Mapping[int, str] = field(default_factory=dict, compare=False)

    def laid_down(self, look: Look) -> str:
        """Letters of the pieces put down beside the board since the prompt."""
        return "" if self._still_since(look) else look.appeared_since_mark

    def changed_fraction(self, look: Look) -> float:
        """Fraction of the stack's pixels that have changed since the prompt. If the two pictures are not
        comparable there, it is one that tells nothing.
        """
        since, target = look.since_mark, self.move.target
        if since is None or self._still_since(look):
            return 0.0
        return float(since.touched[target]) if since.comparable(target) else _UNCERTAIN_FRACTION

    def was_touched(self, look: Look) -> bool:
        """Whether the stack has clearly been touched since the prompt; only then can pieces beside the board
        have come from it.
        """
        moved = self.changed_fraction(look)
        return moved > (_MAX_UNTOUCHED_FRACTION if self.laid_down(look) else CERTAIN_CHANGED_FRACTION)

    def unsure_and_untouched(self, look: Look) -> bool:
        """Whether the stack may have been trimmed before the prompt, and certainly was not touched since."""
        return not self.sure and self.changed_fraction(look) < _MAX_UNTOUCHED_FRACTION

    def _still_since(self, look: Look) -> bool:
        """Whether nothing has moved since the prompt. Pixels may still have changed: by the light, or because
        the camera averages successive pictures, in which hands and pieces fade slowly.
        """
        return look.since <= self.time


@dataclass
class PiecesBeside:
    """In how many trimmings of a game the removed pieces were ``seen`` beside the board, and in how many they
    were ``unseen``: they may be laid down out of view.
    """

    seen: int = 0
    unseen: int = 0

    def count(self, look: Look, act: Act, pending: Pending | None) -> None:
        """Count the trimming that ended the prompt, if the act is one."""
        if pending is not None and act.trimmed and act.legal and act.moves[:1] == (pending.move,):
            beside = pending.laid_down(look)
            self.seen += bool(beside)
            self.unseen += not beside

    @property
    def nats_if_none(self) -> float:
        """Nats (at most 0) for a trimming none of whose pieces is seen, by Laplace's rule of succession."""
        return TEMPERATURE * math.log((self.unseen + 1) / (self.seen + self.unseen + 2))


def trimming_evidence(look: Look, act: Act, pending: Pending | None) -> float:
    """Nats for and against a trimming, from the pieces beside the board and from untouched squares."""
    if pending is None or look.since_mark is None:
        if _unknown_beside(look, act, pending):
            return 0.0
        if _was_too_high(look, act) and not look.appeared:
            return -NONE_BESIDE_PENALTY if _visibly_trimmed(look, act) else -UNPROMPTED_PENALTY
        if act.trimmed and act.legal:
            return BESIDE_EVIDENCE - _mismatch(look, act, look.appeared)
        if act.lifted or not _pieces_missing(look, act):
            return 0.0
        # Pieces that are missing from a stack, and not in somebody's hand, must lie somewhere.
        return -_mismatch(look, act, look.appeared) if look.appeared else -BESIDE_PENALTY
    moved, laid_down = pending.changed_fraction(look), pending.laid_down(look)
    if act.moves[:1] != (pending.move,):
        # The act requires that the turn was taken back first, leaving nothing beside the board.
        left = moved > CERTAIN_CHANGED_FRACTION and laid_down
        # Missing pieces are out of view as well, be it in a hand.
        gone = not laid_down and _pieces_missing(look, act)
        beside = -BESIDE_PENALTY if left else pending.none_beside if gone else 0.0
        return Kind.BACK.value + beside
    if act.trimmed or act.believed or (act.legal and len(act.moves) > 1):
        if laid_down:
            return BESIDE_EVIDENCE - _mismatch(look, act, laid_down)
        if pending.sure:
            return -_UNTOUCHED_PENALTY if moved < _MAX_UNTOUCHED_FRACTION else pending.none_beside
        if moved >= _MAX_UNTOUCHED_FRACTION:
            return -NONE_BESIDE_PENALTY
        # The stack was never certainly too high: if play goes on, it may have been trimmed from the
        # beginning.
        return -UNPROMPTED_PENALTY if act.moves == (pending.move,) else -2 * NONE_BESIDE_PENALTY
    if moved > CERTAIN_CHANGED_FRACTION and laid_down:
        return -BESIDE_PENALTY
    limits = MIN_OPEN_FRACTION, _UNCERTAIN_FRACTION, MIN_CHANGED_FRACTION
    untouched = float(np.interp(moved, limits, (0.5 * BESIDE_EVIDENCE, 0.0, -0.5 * BESIDE_EVIDENCE)))
    if pending.sure:
        return untouched
    # The stack may have been trimmed before it was seen. If it was one piece too high and was touched since,
    # that piece was probably taken.
    return min(0.0, untouched) if len(_stack_left(look, act)) == MAX_HEIGHT + 1 else 0.0


def gain_if_trimmed(look: Look, act: Act, pending: Pending | None, *, off_centre: bool = False) -> float:
    """Nats by which the trimmed stack would fit better than the act's stack above five, if nothing lies
    beside the board. They are added to the act, so that other acts are weighed against the turn regardless of
    the height of its stack. ``off_centre``: if pieces stand a little off centre.
    """
    if act.kind is not Kind.PENDING or _unknown_beside(look, act, pending):
        return 0.0
    awaited = None if look.since_mark is None else pending
    if awaited is not None and not awaited.unsure_and_untouched(look):
        return 0.0
    better = _trimmed_gain(look, act, _stack_left(look, act), off_centre=off_centre)
    # Without a prompt, the turn with its stack trimmed may be likely enough by itself.
    if not NONE_BESIDE_PENALTY < better < (UNPROMPTED_PENALTY if awaited is None else math.inf):
        return 0.0
    beside = look.appeared if awaited is None else awaited.laid_down(look)
    return 0.0 if beside else better - NONE_BESIDE_PENALTY


def too_high_by(look: Look, act: Act) -> float:
    """Nats by which the picture favours the stack above five that the act leaves over the trimmed one. That
    nothing lies beside the board proves little where pieces there are hardly visible.
    """
    return -_trimmed_gain(look, act, _stack_left(look, act))


def _unknown_beside(look: Look, act: Act, pending: Pending | None) -> bool:
    """Whether the act begins with the turn whose stack awaits its trimming, and nothing is known of what was
    put down beside the board: the board was found anew since the prompt, so there is no mark.
    """
    awaited = pending is not None and act.moves[:1] == (pending.move,)
    return awaited and look.since_mark is None and not look.appeared


def _stack_left(look: Look, act: Act) -> str:
    """The stack on the target of the act's last turn."""
    target = act.moves[-1].target
    return act.changes.get(target, look.evidence.standing[target])


def _trimmed_gain(look: Look, act: Act, high: str, *, off_centre: bool = False) -> float:
    """Nats by which the target of an act fits the correctly trimmed stack better than the stack ``high``."""
    nats, target = look.evidence.stack_nats, act.moves[-1].target
    trimmed = nats(target, high[-MAX_HEIGHT:], off_centre=off_centre)
    return trimmed - nats(target, high, off_centre=off_centre)


def _was_too_high(look: Look, act: Act) -> bool:
    """Whether the stack that the act trimmed, correctly or not, was above five."""
    return bool(act.trimmed) and len(_stack_left(look, act)) + len(act.trimmed) > MAX_HEIGHT


def _visibly_trimmed(look: Look, act: Act) -> bool:
    """Whether the act is a turn whose stack is visibly trimmed."""
    return act.legal and _trimmed_gain(look, act, act.trimmed + _stack_left(look, act)) >= UNPROMPTED_PENALTY


def _pieces_missing(look: Look, act: Act) -> bool:
    """Whether the act is illegal and leaves fewer pieces on the board."""
    stood = look.evidence.standing
    more = sum(len(stack) - len(stood[square]) for square, stack in act.changes.items())
    return more < 0 and not act.legal


def _mismatch(look: Look, act: Act, appeared: str) -> float:
    """Penalty in nats if the pieces that ``appeared`` beside the board are not those that the act took."""
    if act.trimmed:
        gone = Counter(act.trimmed)
    else:
        stood = Counter("".join(look.evidence.standing[square] for square in act.changes))
        gone = stood - Counter("".join(act.changes.values()))
    beside = Counter(appeared)
    if beside.total() > gone.total():
        return BESIDE_PENALTY
    return WRONG_COLOUR_PENALTY if beside - gone else MISSING_PIECE_PENALTY * (gone - beside).total()
