"""The referee: looks in, verdicts out, with the patience that a table needs.

A legal turn is said as soon as the still picture is clear. An alert waits until the picture has lasted,
and is said
once. After it, the restored position or a legal move puts things right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..game.moves import Move
from ..game.play import removed
from ..game.position import Position
from ..game.rules import Rules
from . import beliefs
from .acts import Act, Kind
from .judge import LEAD, SURE_HIGH, Judgement, Pending, judge
from .verdict import PutRight, TrimAwaited, TurnSeen, Undecided, Verdict, WentBack, Wrong

if TYPE_CHECKING:
    from ..vision.watcher import Look


FAINT = 30.0
"""Nats over nothing having happened up to which an illegal act is told late."""
CHANGED, CROWD = 0.2, 16
"""Share of a square's pixels, and number of such squares at once, that no act at the table changes."""


@dataclass(frozen=True)
class Patience:
    """Seconds that a still picture must last before something is said of it."""

    alert: float = 0.45
    unexplained: float = 0.8
    lifted: float = 3.0
    hidden: float = 0.8
    again: float = 1.6
    unclear: float = 1.0


class Referee:
    """Judges one game, given its positions so far with every look."""

    def __init__(self, rules: Rules, patience: Patience | None = None) -> None:
        self._rules = rules
        self._patience = patience or Patience()
        self._pending: Pending | None = None
        self._wrong: Wrong | None = None
        self._said: tuple[Move, ...] = ()
        self._rows: tuple[beliefs.Row, ...] = ()
        self._known: Position | None = None
        self._judged: tuple[int, Judgement] | None = None
        self._hurried_until = -math.inf

    @property
    def alerting(self) -> bool:
        return self._wrong is not None

    def hurry(self, until: float) -> None:
        """A player says that the turn is done: up to the time ``until`` a still picture need not last."""
        self._hurried_until = until

    def judge(self, look: Look, history: Sequence[Position]) -> list[Verdict]:
        """The verdicts of this look, to be taken in order; none while nothing new can be said."""
        position = history[-1]
        if position is not self._known:
            self._known, self._judged = position, None
            self._pending, self._said, self._rows = None, (), ()
        if not position.to_move:
            return []
        if self._judged is None or self._judged[0] != look.number:
            found = judge(look, history, self._rules, self._pending, self._rows)
            self._judged = look.number, found
        judgement = self._judged[1]
        if judgement.covered:
            return []
        if judgement.act.legal:
            verdicts = self._legal(judgement, look, position)
        else:
            verdicts = self._illegal(judgement, look)
        if verdicts:
            self._hurried_until = -math.inf
        return verdicts

    def _lasted(self, look: Look, patience: float) -> bool:
        return look.age >= patience or look.time <= self._hurried_until

    def shows_standing(self, look: Look) -> bool:
        """Was the last judgement of this look that the standing position shows, uncovered?"""
        if self._judged is None or self._judged[0] != look.number:
            return False
        judgement = self._judged[1]
        return judgement.act.kind is Kind.NOTHING and not judgement.covered

    def covered(self, look: Look) -> bool:
        """Was the last judgement of this look that something lies over the board?"""
        return self._judged is not None and self._judged[0] == look.number and self._judged[1].covered

    # ---- what is allowed ---------------------------------------------------------------------------------

    def _legal(self, judgement: Judgement, look: Look, position: Position) -> list[Verdict]:
        act = judgement.act
        if act.kind is Kind.NOTHING:
            return self._nothing()
        rivals = [a for a in judgement.rivals if a.moves != act.moves or a.kind is not act.kind]
        if judgement.lead < LEAD and rivals and not self._one_outcome(act, rivals, position):
            return self._doubt(judgement, look)
        verdicts: list[Verdict] = [PutRight()] if self._wrong is not None else []
        again = self._wrong is not None
        if act.kind is Kind.BACK:
            self._settle()
            return [*verdicts, WentBack(act.ply)]
        awaited = act.kind is Kind.PENDING or (act.kind is Kind.TURNS and self._ends_high(act, position))
        turns = act.moves[:-1] if awaited else act.moves
        if not turns and self._pending and self._pending.move == act.moves[-1] and not again:
            return []
        self._settle()
        verdicts += [TurnSeen(move, judgement.confidence) for move in turns]
        if awaited and not turns:
            # After turns in quick succession the next look, judged from their last position, brings it.
            move = act.moves[-1]
            self._pending = Pending(move, judgement.trim_lead >= SURE_HIGH)
            verdicts.append(TrimAwaited(move, move.target, removed(position, move, self._rules)))
        return verdicts

    def _ends_high(self, act: Act, position: Position) -> bool:
        return any(len(stack) > 5 for stack in act.changes.values())

    def _one_outcome(self, act: Act, rivals: Sequence[Act], position: Position) -> bool:
        """Do rows of turns that were asked about lead to one position, so that no later look decides?"""
        if not self._rows or not all(rival.kind in (Kind.TURN, Kind.TURNS) for rival in rivals):
            return False
        return beliefs.agree([act.moves, *(rival.moves for rival in rivals)], position, self._rules)

    def _nothing(self) -> list[Verdict]:
        due = self._wrong is not None or self._pending is not None
        self._settle()
        return [PutRight()] if due else []

    def _doubt(self, judgement: Judgement, look: Look) -> list[Verdict]:
        rows = beliefs.kept((judgement.act, *judgement.rivals))
        moves = tuple(dict.fromkeys(row[0] for row in rows))
        if not self._lasted(look, self._patience.unclear) or not moves:
            return []
        asked, self._said, self._rows = self._said, moves, rows
        return [Undecided(moves)] if moves != asked else []

    # ---- what is not -------------------------------------------------------------------------------------

    def _illegal(self, judgement: Judgement, look: Look) -> list[Verdict]:
        act = judgement.act
        assert act.wrong is not None
        if judgement.lead < LEAD and any(rival.legal for rival in judgement.rivals):
            # A legal turn, or nothing at all, explains the picture about as well: no alarm on that.
            return self._doubt(judgement, look)
        wrong = act.wrong()
        patience = self._patience.alert
        if act.lifted and self._pending is None:
            patience = self._patience.lifted if wrong.reason == "wrong_removal" else self._patience.hidden
        elif wrong.reason == "unexplained":
            patience = self._patience.unexplained
        if judgement.nats < FAINT or int((look.touched > CHANGED).sum()) >= CROWD:
            # Hardly seen, or the board is being pushed: nothing to cry about at once.
            patience = max(patience, self._patience.lifted)
        if self._wrong is not None:
            if (wrong.reason, wrong.squares) == (self._wrong.reason, self._wrong.squares):
                return []
            patience = max(patience, self._patience.again)
        if not self._lasted(look, patience):
            return []
        self._wrong = wrong
        return [wrong]

    def _settle(self) -> None:
        self._wrong = None
        self._pending = None
        self._said, self._rows = (), ()
