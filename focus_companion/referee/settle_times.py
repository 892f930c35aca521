"""How long a picture must be still before a verdict: the weaker the evidence, the longer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .verdict import Wrong
from .visible_change import CERTAIN_CHANGED_FRACTION
from .weighing import Judgement

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

_FAINT_NATS = 30.0
"""If an illegal act leads "nothing happened" by fewer nats, its alert is delayed: only a little if each of
its squares has certainly changed."""

_MIN_PUSHED_SQUARES = 5
"""Number of squares that have certainly changed, although the act's stacks cannot reach them, from which the
board is being pushed, and nobody has acted."""


@dataclass(frozen=True)
class SettleTimes:
    """For how many seconds a picture must be still before a verdict of each kind."""

    alert: float = 0.4
    """An alert for which no longer time is required."""
    partial: float = 0.8
    """An alert that the board has changed in an unexplained way, but only its stacks, or for a move to a
    square where the pieces are barely visible.
    """
    lifted: float = 3.0
    """An alert that would be wrong if somebody held pieces in the hand or leant over the board, or a question
    that would be needless if somebody held them.
    """
    faint: float = 1.2
    """An alert for an act that has little evidence, but changed all of its squares."""
    again: float = 1.6
    """A further alert, or the question whether a stack was trimmed after its prompt."""
    unclear: float = 1.0
    """A question about several turns."""

    def of_alert(self, wrong: Wrong, judgement: Judgement, look: Look, *, prompted: bool) -> float:
        """The settle time of the alert ``wrong``. ``prompted``: a stack awaits its trimming."""
        act = judgement.act
        unexplained = wrong.reason == "unexplained"
        settle_time = self.alert
        if act.lifted and not prompted:
            settle_time = self.lifted if wrong.reason == "wrong_removal" else self.partial
        elif prompted and act.trimmed and act.changes.get(act.moves[-1].target) == "":
            # The whole stack is gone: somebody lifts it to get at its lowest pieces.
            settle_time = self.lifted
        elif unexplained:
            # If not only stacks have changed, it is more likely a head over the board: wait.
            settle_time = self.partial if look.only_stacks_changed else self.lifted
        # The stacks that would explain a push cover half of the board, so their reach must not count.
        within = act.changes if unexplained else look.evidence.outlines.touching(list(act.changes))
        pushed = sum(1 for s in np.flatnonzero(look.touched > CERTAIN_CHANGED_FRACTION) if s not in within)
        if pushed >= _MIN_PUSHED_SQUARES:
            # A push is no reason for an immediate alert.
            return max(settle_time, self.lifted)
        if judgement.nats < _FAINT_NATS and (not prompted or judgement.legal_lead < _FAINT_NATS):
            # While a stack awaits its trimming, the pieces beside the board may be sufficient evidence.
            shown = all(look.touched[square] > CERTAIN_CHANGED_FRACTION for square in act.changes)
            return max(settle_time, self.faint if shown else self.lifted)
        return settle_time
