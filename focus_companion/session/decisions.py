"""Records the terms of the referee's decisions on the tape, and in the log at level debug."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..referee.act import Kind
from ..referee.decision import Decision
from ..referee.decision_terms import terms_of
from .ports import Recorder

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

DecisionListener = Callable[[Decision, "Look"], None]
"""Receives every decision with its look, on the game thread, before the next picture is taken."""

log = logging.getLogger(__name__)


class DecisionLog:
    """A listener that records each decision with verdicts, and the first decision on each look in which
    something has happened. It computes nothing if there is no tape and the log is not at level debug.
    """

    def __init__(self) -> None:
        self.tape: Recorder | None = None
        self._look = -1

    def __call__(self, decision: Decision, look: Look) -> None:
        if self.tape is None and not log.isEnabledFor(logging.DEBUG):
            return
        if not decision.verdicts and (look.number == self._look or not eventful(decision)):
            return
        self._look = look.number
        terms = terms_of(look, decision)
        if self.tape is not None:
            self.tape.decided(terms.to_json())
        # The text has several lines for each act.
        log.debug("%s", terms.text())


def eventful(decision: Decision) -> bool:
    """Whether there is anything to explain: something has changed, or an occluder covers the board."""
    judgement = decision.judgement
    return judgement is not None and (
        decision.covered or judgement.act.kind is not Kind.NOTHING or len(judgement.weighed) > 1
    )
