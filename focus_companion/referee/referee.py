"""The referee: looks in, verdicts out, with the settle times that a real table needs.

A legal turn is emitted as soon as the still picture is unambiguous. An alert is emitted once, after a settle
time; the restored position or a legal move then resolves it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..game.moves import Move, legal_moves
from ..game.play import removed
from ..game.position import Position
from ..game.rules import Rules
from .acts import Act, Kind
from .asked import NOBODY, Asked
from .beginning import Beginning, other_beginning
from .beliefs import MOST, Belief, believe, board, complete, doubtful, ends_high, rows_of, shared
from .course import ALONE, Ignored
from .decision import Condition, Decision, Standing, outcome
from .explaining import GOOD
from .judge import SURE_HIGH, judge
from .margin import LEAD
from .trimming import Pending, seen_to
from .verdict import OtherBegins, PutRight, TrimAwaited, TurnSeen, Undecided, Verdict, WentBack, Wrong
from .weighing import Judgement

if TYPE_CHECKING:
    from ..vision.tracking.look import Look


FAINT = 30.0
"""If an illegal act leads "nothing happened" by less than this many nats, its alert is delayed."""
SHOWN = 0.2
"""If at least this fraction of each of its squares has changed, it is delayed only a little."""
SURE_WRONG = 25.0
"""Nats by which an illegal act must lead every legal explanation while turns are already in doubt."""
REMEMBERED = 2
"""Number of likeliest sequences of turns that are remembered if the picture changes before the settle time.
"""
SET_DOWN = 4.0
"""Nats by which a turn must lead the hypothesis that its pieces were only lifted, after the settle time; and
maximum nats by which the picture alone may favour that hypothesis."""
A_FEW = 3
"""Maximum number of squares that a mishap changes."""
CHANGED, CROWD = 0.2, 5
"""If this fraction of the pixels of this many squares beyond the reach of an act's stacks has changed, it was
not an act: the board is being pushed."""


@dataclass(frozen=True)
class SettleTimes:
    """Settle times: seconds that a still picture must last before a verdict of each kind."""

    alert: float = 0.45
    unexplained: float = 0.8
    lifted: float = 3.0
    hidden: float = 0.8
    faint: float = 1.2
    again: float = 1.6
    unclear: float = 1.0


class Referee:
    """Judges one game, given its positions so far with every look."""

    def __init__(self, rules: Rules, *, most: int = MOST) -> None:
        """``most``: maximum number of beliefs that are kept while they cannot be distinguished."""
        self._rules, self._most = rules, most
        self._settle_times = SettleTimes()
        self._pending: Pending | None = None
        self._wrong: Wrong | None = None
        self._suspected: tuple[tuple[str, tuple[int, ...]], float] | None = None
        """Reason and squares of an illegal act not alerted yet, and since when every still picture has shown
        it: noise interrupts the settle time, which would otherwise start again."""
        self._question: tuple[Move, ...] = ()
        self._beliefs: tuple[Belief, ...] = ()
        self._seen = False
        self._remembered: tuple[Belief, ...] = ()
        """The beliefs of the last look if it ended before its settle time: the next act may have followed
        one of them."""
        self._last_doubt: tuple[Position, tuple[Move, ...]] | None = None
        """The turns that the players were asked about last, and the position they were in."""
        self._perhaps_back: Position | None = None
        """The position whose last turn may have been taken back according to the last look."""
        self._begun: Beginning | None = None
        """The act alerted as out of turn at ply 0, as the first turn of a game that its player begins."""
        self._known: Position | None = None
        self._judged: tuple[int, Judgement] | None = None
        self._hurried_until = -math.inf
        self._asked_for = NOBODY
        self._partial = False
        """Of the last verdicts: see :attr:`Decision.partial`."""
        self._conditions: list[Condition] = []
        """Of the last verdicts: see :attr:`Decision.conditions`."""
        self._decided: Decision | None = None
        """The last decision, until the game's position changes."""
        self._asked = -1
        """The number of the look after which the players were asked which turn was played, or who begins."""

    def hurry(self, until: float) -> None:
        """A player says that the turn is done: until the time ``until`` no settle time is required."""
        self._hurried_until = until

    def play_by(self, rules: Rules) -> None:
        """Use rules with another turn order from now on."""
        self._rules = rules

    def judge(self, look: Look, history: Sequence[Position], asked: Asked = NOBODY) -> Decision:
        """What follows from this look.

        ``history`` holds the game's positions from ply 0; ``asked``: for whom others make the turns, and
        which one is to be made now.
        """
        self._asked_for = asked
        self._go_on(history)
        self._partial, self._conditions = False, []
        verdicts = tuple(self._verdicts(look, history))
        judged = self._judged[1] if self._judged is not None and self._judged[0] == look.number else None
        self._decided = Decision(
            verdicts,
            self._assumed() or Standing(history[-1].stacks),
            outcome(verdicts, history, self._rules),
            partial=self._partial,
            unchanged=judged is not None and self._unchanged(judged),
            covered=judged is not None and judged.covered,
            lifted=None if judged is None or self._beliefs else judged.lifted,
            judgement=judged,
            conditions=tuple(self._conditions),
        )
        return self._decided

    def _verdicts(self, look: Look, history: Sequence[Position]) -> list[Verdict]:
        position = history[-1]
        if not position.to_move:
            return []
        if self._judged is None or self._judged[0] != look.number:
            rows = {belief.row for belief in self._beliefs}
            beliefs = (*self._beliefs, *(belief for belief in self._remembered if belief.row not in rows))
            self._remembered = ()
            found = judge(
                look,
                history,
                self._rules,
                self._pending,
                beliefs,
                seen=self._seen,
                instead=self._instead(history),
                begun=self._begun,
            )
            self._judged = look.number, found
            acts = (found.act, *found.rivals)
            taken_back = any(act.kind is Kind.BACK and act.ply == len(history) - 2 for act in acts)
            self._perhaps_back = position if taken_back else None
        judgement = self._judged[1]
        if judgement.covered or judgement.act.legal:
            self._suspected = None
        if judgement.covered:
            return []
        if judgement.act.legal:
            verdicts = self._legal(self._preferring_chosen(judgement, position), look, history)
        else:
            verdicts = self._illegal(judgement, look, position, first=len(history) == 1)
        if verdicts:
            self._hurried_until = -math.inf
        return verdicts

    def _instead(self, history: Sequence[Position]) -> tuple[Move, ...]:
        """Turns with some evidence although another was emitted: that may still be corrected."""
        if len(history) < 2:
            return ()
        before = history[-2]
        if self._perhaps_back is history[-1]:
            return legal_moves(before, self._rules)
        return self._last_doubt[1] if self._last_doubt is not None and self._last_doubt[0] is before else ()

    def follow(self, history: Sequence[Position]) -> Standing | None:
        """The game has reached the last of these positions: only later turns are still in doubt.

        Returns what the board shows as far as is known; ``None`` if it has to be set up by hand first.
        """
        stacks, decided = history[-1].stacks, self._decided
        self._decided = None
        answer_shown = self._judged is not None and self._judged[0] == self._asked
        answered = self._go_on(history)
        if (assumed := self._assumed()) is not None:
            # More turns have been played since, and only some of them are in doubt.
            return assumed
        # A request, such as for a new game, may have come between our verdict and this position.
        if decided is not None and decided.outcome == stacks:
            return Standing(stacks, shown=not decided.partial)
        # The board shows it already: the players who answered the question need not set anything up.
        return Standing(stacks, shown=answer_shown) if answered else None

    def _go_on(self, history: Sequence[Position]) -> bool:
        """Continue from the last of these positions; returns whether it answers a question."""
        position, before = history[-1], self._known
        if position is before:
            return False
        at = next((ply for ply, known in enumerate(history) if known is before), None)
        left = () if at is None else tuple(b.rest(history[at + 1 :]) for b in self._beliefs)
        rest = tuple(belief for belief in left if belief is not None)
        begun = self._begun is not None and tuple(history[:2]) == (self._begun.start, self._begun.after)
        self._known, self._judged = position, None
        self._reset()
        if any(belief.row for belief in rest):
            self._beliefs, self._seen = rest, True
        return bool(rest) or begun

    def _assumed(self) -> Standing | None:
        """The position under the likeliest belief; ``None`` if the game's own position is to be expected."""
        if not self._seen or self._known is None:
            return None
        return Standing(board(self._beliefs[0], self._known), doubtful(self._beliefs, self._known))

    def _settled(self, look: Look, seconds: float, since: float | None = None) -> bool:
        """Whether the settle time is over; ``since``: when the content of the look was first seen, if that
        was before the look.
        """
        age = look.age if since is None else look.time - since
        return self._met("seconds", age, 0.0 if look.time <= self._hurried_until else seconds)

    def _met(self, what: str, reached: float, least: float) -> bool:
        """Whether a condition is met; it is kept with the decision."""
        self._conditions.append(Condition(what, reached, least))
        return reached >= least

    def _unchanged(self, judgement: Judgement) -> bool:
        """See :attr:`Decision.unchanged`."""
        believed = self._seen and judgement.act.legal and judgement.act.moves == self._beliefs[0].row
        stands = (self._stands(judgement) or believed) and not judgement.covered
        return stands and not judgement.hinted

    # ---- legal acts --------------------------------------------------------------------------------------

    def _legal(self, judgement: Judgement, look: Look, history: Sequence[Position]) -> list[Verdict]:
        act, position = judgement.act, history[-1]
        if self._stands(judgement):
            return self._nothing()
        rivals = [a for a in judgement.rivals if a.moves != act.moves or a.kind is not act.kind]
        sure = self._met("nats", judgement.lead, LEAD) or not rivals
        sure = sure or self._set_down(judgement, look, rivals)
        again = self._wrong is not None
        stands = act.kind is Kind.PENDING and self._pending is not None and act.moves == (self._pending.move,)
        if stands and not again and (sure or not any(rival.legal or rival.trimmed for rival in rivals)):
            # As at the prompt or, less likely, an illegal act elsewhere: about that nobody can be asked.
            asks = self._perhaps_trimmed(judgement, look)
            return self._ask_if_trimmed(act.moves[0], look, position) if asks else []
        if not sure:
            return self._doubt(judgement, look, position)
        if act.kind is Kind.NOTHING:
            # No act explains the picture, and the awaited one may have happened: a later picture decides.
            return []
        verdicts: list[Verdict] = [PutRight()] if again else []
        if act.kind is Kind.BACK:
            self._reset()
            # A turn chosen before is no longer valid.
            before, others = history[act.ply], Asked(self._asked_for.players)
            made = others.asked_for(act.moves, before, self._rules)
            self._partial = len(made) < len(act.moves)
            instead = [TurnSeen(move, judgement.confidence) for move in made]
            return [*verdicts, WentBack(act.ply), *instead]
        made = self._asked_for.asked_for(act.moves, position, self._rules)
        if not made:
            return self._not_chosen(act.moves[0], look, position)
        if len(made) < len(act.moves):
            # Further turns are judged in the next look, from the position after these.
            self._reset()
            self._partial = True
            return [*verdicts, *(TurnSeen(move, judgement.confidence) for move in made)]
        awaited = act.kind is Kind.PENDING or (act.kind is Kind.TURNS and ends_high(act))
        turns = act.moves[:-1] if awaited else act.moves
        if act.beginner and self._begun is not None:
            verdicts.append(OtherBegins(self._begun.player, self._begun.start))
        self._reset()
        self._partial = awaited and bool(turns)
        verdicts += [TurnSeen(move, judgement.confidence) for move in turns]
        if awaited and not turns:
            # After turns in quick succession, the next look, judged from their last position, prompts for it.
            move = act.moves[-1]
            self._pending = Pending(move, judgement.trim_lead >= SURE_HIGH)
            verdicts.append(TrimAwaited(move, move.target, removed(position, move, self._rules)))
        return verdicts

    def _stands(self, judgement: Judgement) -> bool:
        """Whether nothing has happened. While turns are in doubt or a stack awaits its trimming, this must be
        as certain as any verdict: a stack that looks as before its turn may have been trimmed, or the turn
        taken back.
        """
        awaited = bool(self._beliefs) or self._pending is not None
        return judgement.act.kind is Kind.NOTHING and (not awaited or judgement.lead >= LEAD)

    def _set_down(self, judgement: Judgement, look: Look, rivals: Sequence[Act]) -> bool:
        """Whether, after the settle time, the only alternative to a turn (or to taking it back) is that its
        pieces were merely lifted, since they would not stay out of sight for so long. Not if the picture
        favours that the pieces are nowhere, or if something happened that the turn does not account for.
        """
        act = judgement.act
        turn = act.kind in (Kind.TURN, Kind.BACK) and not self._beliefs
        if not turn or judgement.lead < SET_DOWN or not all(rival.lifted for rival in rivals):
            return False
        if not self._settled(look, self._settle_times.unclear):
            return False
        nowhere = max(look.evidence.gain(rival.changes).nats for rival in rivals)
        return nowhere - look.evidence.gain(act.changes).nats < SET_DOWN and not Ignored(look).nats(act)

    def _perhaps_trimmed(self, judgement: Judgement, look: Look) -> bool:
        """Whether a stack for which there is a prompt may be trimmed although it still looks too high,
        because somebody touched it. Otherwise the prompt would never end for players who have followed it.
        """
        lasted = self._settled(look, self._settle_times.again)
        return lasted and judgement.trim_lead < SURE_HIGH and seen_to(look, judgement.act.moves[-1].target)

    def _ask_if_trimmed(self, move: Move, look: Look, position: Position) -> list[Verdict]:
        """Ask once. The next act counts as a second turn, as without the question."""
        self._beliefs = (believe((move,), position, self._rules, Kind.TURNS.value - Kind.TURN.value),)
        asked, self._question, self._asked = self._question, (move,), look.number
        return [Undecided((move,))] if asked != (move,) else []

    def _nothing(self) -> list[Verdict]:
        due = self._wrong is not None or self._pending is not None or self._seen or bool(self._question)
        self._reset()
        return [PutRight()] if due else []

    def _doubt(self, judgement: Judgement, look: Look, position: Position) -> list[Verdict]:
        if judgement.act.beginner:
            # It is already being asked whose turn it is; the answer decides the rest.
            return []
        judgement = judgement.without_other_beginner()
        acts = (judgement.act, *judgement.rivals)
        rows = rows_of(acts)
        if not any(rows):
            return []
        if not (self._goes_on(acts) or self._settled(look, self._settle_times.unclear)):
            if self._pending is None and all(complete(act) for act in acts if act.legal):
                self._remembered = self._to_remember(acts, judgement.weights, position)
            return []
        verdicts: list[Verdict] = []
        if self._wrong is not None and judgement.act.legal:
            self._wrong = None
            verdicts.append(PutRight())
        plain = all(complete(act) for act in acts) and self._pending is None
        if plain:
            self._believe(acts, judgement.weights, position)
            sure = shared([act.moves for act in acts])
            if sure and not self._asked_for.asked_for(sure, position, self._rules):
                self._beliefs, self._seen = (), False
                return [*verdicts, *self._not_chosen(sure[0], look, position)]
            if sure := self._asked_for.asked_for(sure, position, self._rules):
                # All beliefs share these turns.
                return [*verdicts, *(TurnSeen(move, judgement.confidence) for move in sure)]
        elif not self._seen and not any(act.kind is Kind.BACK for act in acts):
            # If the last turn may have been taken back, later turns may continue from before it.
            self._beliefs = tuple(believe(row, position, self._rules) for row in rows if row)
        moves = tuple(dict.fromkeys(row[0] for row in rows if row))
        # Resolving an alert removes the question from the page, too.
        asked = () if verdicts else self._question
        self._question, self._asked, self._last_doubt = moves, look.number, (position, moves)
        return [*verdicts, Undecided(moves)] if set(moves) != set(asked) else verdicts

    def _goes_on(self, acts: Sequence[Act]) -> bool:
        """Whether only earlier turns are ambiguous and the turn since then is certain. It is accepted at
        once, so that the game can be followed when the players go on without answering.
        """
        since = {act.moves[act.believed :] for act in acts}
        plain = all(act.legal and complete(act) for act in acts)
        return self._seen and plain and len(since) == 1 and any(since)

    def _to_remember(
        self, acts: Sequence[Act], weights: Sequence[float], position: Position
    ) -> tuple[Belief, ...]:
        """The beliefs to remember if the picture does not last for the settle time."""
        rows = rows_of(acts)[:REMEMBERED]
        shown = [
            (act, weight)
            for act, weight in zip(acts, weights, strict=True)
            if act.legal and act.moves in rows
        ]
        since = {act.moves: frozenset(act.changes) - act.past for act, _ in reversed(shown)}
        return tuple(replace(belief, since=since[belief.row]) for belief in self._each_true(shown, position))

    def _believe(self, acts: Sequence[Act], weights: Sequence[float], position: Position) -> None:
        """Keep all of these as beliefs; the position of the likeliest is assumed from now on."""
        beliefs = self._each_true(list(zip(acts, weights, strict=True)), position)
        self._beliefs, self._seen = beliefs[: self._most], True

    def _each_true(self, shown: Sequence[tuple[Act, float]], position: Position) -> tuple[Belief, ...]:
        """One belief for the turns of each act, weighted by its evidence relative to the likeliest."""
        weights: dict[tuple[Move, ...], float] = {}
        for act, weight in shown:
            weights.setdefault(act.moves, weight)
        most = max(weights.values(), default=0.0)
        return tuple(believe(row, position, self._rules, weight - most) for row, weight in weights.items())

    def _preferring_chosen(self, judgement: Judgement, position: Position) -> Judgement:
        """The judgement, with the chosen turn preferred to others that are about as likely: people who make a
        turn for somebody else intend to make that one.
        """
        turn = self._asked_for.turn
        if turn is None or position.to_move not in self._asked_for.players or judgement.lead >= LEAD:
            return judgement
        acts = (judgement.act, *judgement.rivals)
        turns = (Kind.TURN, Kind.PENDING)
        if not all(act.kind in turns for act in acts):
            return judgement
        due = [at for at, act in enumerate(acts) if act.moves == (turn,)]
        if not due:
            return judgement
        rivals = tuple(act for act in acts if act.moves == (turn,) and act is not acts[due[0]])
        weights = tuple(judgement.weights[at] for at in due)
        lead = judgement.lead if rivals else LEAD
        return replace(judgement, act=acts[due[0]], lead=lead, rivals=rivals, weights=weights)

    # ---- illegal acts ------------------------------------------------------------------------------------

    def _not_chosen(self, made: Move, look: Look, position: Position) -> list[Verdict]:
        """A turn was made for a player who had chosen another one, or none yet."""
        wrong = self._asked_for.wrong(made, position)
        settle_time = self._settle_times.alert
        if self._wrong is not None:
            if wrong == self._wrong:
                return []
            settle_time = self._settle_times.again
        if not self._settled(look, settle_time):
            return []
        self._wrong = wrong
        return [wrong]

    def _illegal(self, judgement: Judgement, look: Look, position: Position, *, first: bool) -> list[Verdict]:
        """``first``: no turn has been played yet."""
        act = judgement.act
        assert act.wrong is not None
        wrong = act.wrong()
        unexplained = wrong.reason == "unexplained"
        if unexplained and self._beliefs:
            # The position before it is ambiguous: the question remains open.
            return []
        suspected = wrong.reason, wrong.squares
        if self._suspected is None or self._suspected[0] != suspected:
            self._suspected = suspected, look.since
        since = self._suspected[1]
        certain = SURE_WRONG if self._beliefs or act.believed else LEAD
        if not self._met("nats", judgement.legal_lead, certain) and not (
            self._remains(judgement, look) and self._settled(look, self._settle_times.lifted, since)
        ):
            # A legal turn, or nothing at all, explains the picture about as well: no alert.
            return self._doubt(judgement, look, position)
        settle_time = self._settle_times.alert
        if act.lifted and self._pending is None:
            settle_time = (
                self._settle_times.lifted if wrong.reason == "wrong_removal" else self._settle_times.hidden
            )
        elif unexplained:
            # If more has changed than by a mishap, it is more likely a head over the board: wait.
            few = len(act.changes) <= A_FEW
            settle_time = self._settle_times.unexplained if few else self._settle_times.lifted
        # Hypothetical stacks that explain a push would cover half of the board.
        within = act.changes if unexplained else look.evidence.outlines.touching(list(act.changes))
        if sum(1 for s in np.flatnonzero(look.touched > CHANGED) if s not in within) >= CROWD:
            # Not a reason for an immediate alert.
            settle_time = max(settle_time, self._settle_times.lifted)
        elif judgement.nats < FAINT and (self._pending is None or judgement.legal_lead < FAINT):
            # Except if a stack awaits its trimming: the pieces beside the board may be evidence enough.
            shown = all(look.touched[square] > SHOWN for square in act.changes)
            settle_time = max(settle_time, self._settle_times.faint if shown else self._settle_times.lifted)
        if self._wrong is not None:
            if suspected == (self._wrong.reason, self._wrong.squares):
                return []
            settle_time = max(settle_time, self._settle_times.again)
        if not self._settled(look, settle_time, since):
            return []
        self._wrong = wrong
        if first and wrong.reason == "out_of_turn":
            self._begun = other_beginning(position, self._rules, wrong.player, wrong.squares)
            self._asked = look.number
        return [wrong]

    def _remains(self, judgement: Judgement, look: Look) -> bool:
        """Whether the only alternative to an illegal act is that nothing happened, although its squares have
        clearly changed and it explains them well: a shadow would not last so long.
        """
        changes = judgement.act.changes
        nothing_else = all(act.kind is Kind.NOTHING for act in judgement.rivals if act.legal)
        plainly = all(look.touched[square] > ALONE for square in changes)
        doubted = bool(self._beliefs) or self._pending is not None
        return nothing_else and plainly and not doubted and look.evidence.gain(changes).per_pixel >= GOOD

    def _reset(self) -> None:
        self._wrong = None
        self._pending = None
        self._begun = None
        self._question, self._beliefs, self._seen, self._remembered = (), (), False, ()
