"""The referee: looks in, verdicts out, with the patience that a table needs.

A legal turn is said as soon as the still picture is clear. An alert waits until the picture has lasted, and
is said once. After it, the restored position or a legal move puts things right.
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
from .decision import Decision, Standing, outcome
from .explaining import GOOD
from .judge import SURE_HIGH, judge
from .trimming import Pending, seen_to
from .verdict import OtherBegins, PutRight, TrimAwaited, TurnSeen, Undecided, Verdict, WentBack, Wrong
from .weighing import LEAD, Judgement

if TYPE_CHECKING:
    from ..vision.tracking.look import Look


FAINT = 30.0
"""Nats over nothing having happened up to which an illegal act is told late, …"""
SHOWN = 0.2
"""… unless at least this share of each of its squares has changed: then only a little later."""
SURE_WRONG = 25.0
"""Nats by which an illegal act must lead what is allowed where turns are in doubt already."""
HUNCHES = 2
"""Rows of turns, the likeliest, that are borne in mind when the picture is gone before they could be told."""
LANDED = 4.0
"""Nats by which a turn must lead its pieces' having been lifted only, once the picture has lasted, and up to
which the picture alone may show that rather than the turn."""
A_FEW = 3
"""Squares that a mishap changes at the most."""
CHANGED, CROWD = 0.2, 5
"""Share of a square's pixels, and number of such squares out of the reach of an act's own columns, that no
act at the table changes: the board is being pushed."""


@dataclass(frozen=True)
class Patience:
    """Seconds that a still picture must last before something is said of it."""

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
        """``most``: rows of turns that are kept while they cannot be told apart, the likeliest."""
        self._rules, self._most = rules, most
        self._patience = Patience()
        self._pending: Pending | None = None
        self._wrong: Wrong | None = None
        self._suspected: tuple[tuple[str, tuple[int, ...]], float] | None = None
        """Reason and squares of an illegal act not said yet, and since when every still picture has shown
        it: noise cuts a rest into short ones."""
        self._said: tuple[Move, ...] = ()
        self._beliefs: tuple[Belief, ...] = ()
        self._seen = False
        self._hunch: tuple[Belief, ...] = ()
        """What the last look showed when it was gone before it could be told or asked about: what comes next
        may have been done after it."""
        self._doubted: tuple[Position, tuple[Move, ...]] | None = None
        """The turns that were asked about last, and the position in which they were."""
        self._perhaps_back: Position | None = None
        """The position of which the last look showed that its last turn may have been taken back."""
        self._begun: Beginning | None = None
        """What was told as out of turn at ply 0, as the first turn of a game that its player begins."""
        self._known: Position | None = None
        self._judged: tuple[int, Judgement] | None = None
        self._hurried_until = -math.inf
        self._asked_for = NOBODY
        self._partial = False
        """Of the last verdicts: see :attr:`Decision.partial`."""
        self._decided: Decision | None = None
        """The last decision, until the game stands at another position."""
        self._asked = -1
        """The number of the look that asked which turn was played, or who begins."""

    def hurry(self, until: float) -> None:
        """A player says that the turn is done: up to the time ``until`` a still picture need not last."""
        self._hurried_until = until

    def play_by(self, rules: Rules) -> None:
        """Another turn order holds from now on."""
        self._rules = rules

    def judge(self, look: Look, history: Sequence[Position], asked: Asked = NOBODY) -> Decision:
        """What follows from this look.

        ``history`` holds the game's positions from ply 0; ``asked``: for whom others make the turns, and
        which one is to be made now.
        """
        self._asked_for = asked
        self._go_on(history)
        self._partial = False
        verdicts = tuple(self._verdicts(look, history))
        self._decided = Decision(
            verdicts,
            self._supposed() or Standing(history[-1].stacks),
            outcome(verdicts, history, self._rules),
            partial=self._partial,
            unchanged=self._unchanged(look),
            covered=self._judged is not None and self._judged[0] == look.number and self._judged[1].covered,
        )
        return self._decided

    def _verdicts(self, look: Look, history: Sequence[Position]) -> list[Verdict]:
        position = history[-1]
        if not position.to_move:
            return []
        if self._judged is None or self._judged[0] != look.number:
            rows = {belief.row for belief in self._beliefs}
            beliefs = (*self._beliefs, *(belief for belief in self._hunch if belief.row not in rows))
            self._hunch = ()
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
            verdicts = self._legal(self._as_asked(judgement, position), look, history)
        else:
            verdicts = self._illegal(judgement, look, position, first=len(history) == 1)
        if verdicts:
            self._hurried_until = -math.inf
        return verdicts

    def _instead(self, history: Sequence[Position]) -> tuple[Move, ...]:
        """Turns for which something spoke, though another was told: it may be put right yet."""
        if len(history) < 2:
            return ()
        before = history[-2]
        if self._perhaps_back is history[-1]:
            return legal_moves(before, self._rules)
        return self._doubted[1] if self._doubted is not None and self._doubted[0] is before else ()

    def follow(self, history: Sequence[Position]) -> Standing | None:
        """The game stands at the last of these positions now: what is still in doubt is what came after.

        Returns what the board shows, for all that is known; ``None`` if it has to be set up by hand first.
        """
        stacks, decided = history[-1].stacks, self._decided
        self._decided = None
        answer_shown = self._judged is not None and self._judged[0] == self._asked
        answered = self._go_on(history)
        if (supposed := self._supposed()) is not None:
            # More has been played since, of which only a part is in doubt.
            return supposed
        # Something else may have been asked for between our verdict and this position, such as a new game.
        if decided is not None and decided.outcome == stacks:
            return Standing(stacks, shown=not decided.partial)
        # The board shows it already; whoever answered may have played on, and need set nothing up.
        return Standing(stacks, shown=answer_shown) if answered else None

    def _go_on(self, history: Sequence[Position]) -> bool:
        """Go on from the last of these positions; returns whether it is one that was asked about."""
        position, before = history[-1], self._known
        if position is before:
            return False
        at = next((ply for ply, known in enumerate(history) if known is before), None)
        left = () if at is None else tuple(b.rest(history[at + 1 :]) for b in self._beliefs)
        rest = tuple(belief for belief in left if belief is not None)
        begun = self._begun is not None and tuple(history[:2]) == (self._begun.start, self._begun.after)
        self._known, self._judged = position, None
        self._settle()
        if any(belief.row for belief in rest):
            self._beliefs, self._seen = rest, True
        return bool(rest) or begun

    def _supposed(self) -> Standing | None:
        """What stands if the likeliest of what is in doubt is true; ``None`` where the position itself is to
        be expected.
        """
        if not self._seen or self._known is None:
            return None
        return Standing(board(self._beliefs[0], self._known), doubtful(self._beliefs, self._known))

    def _lasted(self, look: Look, patience: float, since: float | None = None) -> bool:
        """``since``: when what the look shows was first seen, where that was before it."""
        age = look.age if since is None else look.time - since
        return age >= patience or look.time <= self._hurried_until

    def _unchanged(self, look: Look) -> bool:
        """See :attr:`Decision.unchanged`."""
        if self._judged is None or self._judged[0] != look.number:
            return False
        judgement = self._judged[1]
        believed = self._seen and judgement.act.legal and judgement.act.moves == self._beliefs[0].row
        stands = (self._stands(judgement) or believed) and not judgement.covered
        return stands and not judgement.hinted

    # ---- what is allowed ---------------------------------------------------------------------------------

    def _legal(self, judgement: Judgement, look: Look, history: Sequence[Position]) -> list[Verdict]:
        act, position = judgement.act, history[-1]
        if self._stands(judgement):
            return self._nothing()
        rivals = [a for a in judgement.rivals if a.moves != act.moves or a.kind is not act.kind]
        sure = judgement.lead >= LEAD or not rivals or self._landed(judgement, look, rivals)
        if not sure:
            return self._doubt(judgement, look, position)
        if act.kind is Kind.NOTHING:
            # No act explains the picture, and what is awaited may have happened: a later one tells.
            return []
        verdicts: list[Verdict] = [PutRight()] if self._wrong is not None else []
        again = self._wrong is not None
        if act.kind is Kind.BACK:
            self._settle()
            # What had been asked for before is due no longer.
            before, others = history[act.ply], Asked(self._asked_for.players)
            made = others.asked_for(act.moves, before, self._rules)
            self._partial = len(made) < len(act.moves)
            instead = [TurnSeen(move, judgement.confidence) for move in made]
            return [*verdicts, WentBack(act.ply), *instead]
        made = self._asked_for.asked_for(act.moves, position, self._rules)
        if not made:
            return self._not_asked(act.moves[0], look, position)
        if len(made) < len(act.moves):
            # What was made beyond is judged in the next look, from the position that these lead to.
            self._settle()
            self._partial = True
            return [*verdicts, *(TurnSeen(move, judgement.confidence) for move in made)]
        awaited = act.kind is Kind.PENDING or (act.kind is Kind.TURNS and ends_high(act))
        turns = act.moves[:-1] if awaited else act.moves
        if not turns and self._pending and self._pending.move == act.moves[-1] and not again:
            asks = self._perhaps_trimmed(judgement, look)
            return self._ask_if_trimmed(act.moves[-1], look, position) if asks else []
        if act.beginner and self._begun is not None:
            verdicts.append(OtherBegins(self._begun.player, self._begun.start))
        self._settle()
        self._partial = awaited and bool(turns)
        verdicts += [TurnSeen(move, judgement.confidence) for move in turns]
        if awaited and not turns:
            # After turns in quick succession the next look, judged from their last position, brings it.
            move = act.moves[-1]
            self._pending = Pending(move, judgement.trim_lead >= SURE_HIGH)
            verdicts.append(TrimAwaited(move, move.target, removed(position, move, self._rules)))
        return verdicts

    def _stands(self, judgement: Judgement) -> bool:
        """Has nothing happened? Where turns are in doubt, or a stack is to be trimmed, that must be as sure
        as any verdict: a stack that looks as before its turn was trimmed, or the turn was taken back.
        """
        awaited = bool(self._beliefs) or self._pending is not None
        return judgement.act.kind is Kind.NOTHING and (not awaited or judgement.lead >= LEAD)

    def _landed(self, judgement: Judgement, look: Look, rivals: Sequence[Act]) -> bool:
        """Is all that has spoken for long against a turn, or against its having been taken back, that its
        pieces may only have been lifted, on their way somewhere? They would not be out of sight so long. Not
        where the picture rather shows them nowhere, or where something happened that the turn leaves alone.
        """
        act = judgement.act
        turn = act.kind in (Kind.TURN, Kind.BACK) and not self._beliefs
        if not turn or judgement.lead < LANDED or not all(rival.lifted for rival in rivals):
            return False
        if not self._lasted(look, self._patience.unclear):
            return False
        nowhere = max(look.evidence.gain(rival.changes).nats for rival in rivals)
        return nowhere - look.evidence.gain(act.changes).nats < LANDED and not Ignored(look).nats(act)

    def _perhaps_trimmed(self, judgement: Judgement, look: Look) -> bool:
        """May a stack that was prompted for be trimmed though it looks too high still, as somebody was at it?
        Who followed the prompt has nothing more to take, and it would stand for good.
        """
        lasted = self._lasted(look, self._patience.again)
        return lasted and judgement.trim_lead < SURE_HIGH and seen_to(look, judgement.act.moves[-1].target)

    def _ask_if_trimmed(self, move: Move, look: Look, position: Position) -> list[Verdict]:
        """Once. What is played next is a second turn, as if nothing had been asked."""
        self._beliefs = (believe((move,), position, self._rules, Kind.TURNS.value - Kind.TURN.value),)
        asked, self._said, self._asked = self._said, (move,), look.number
        return [Undecided((move,))] if asked != (move,) else []

    def _nothing(self) -> list[Verdict]:
        due = self._wrong is not None or self._pending is not None or self._seen or bool(self._said)
        self._settle()
        return [PutRight()] if due else []

    def _doubt(self, judgement: Judgement, look: Look, position: Position) -> list[Verdict]:
        if judgement.act.beginner:
            # Whose turn it is, is in question already; the answer brings the rest.
            return []
        judgement = _as_named(judgement)
        acts = (judgement.act, *judgement.rivals)
        rows = rows_of(acts)
        if not any(rows):
            return []
        if not (self._goes_on(acts) or self._lasted(look, self._patience.unclear)):
            if self._pending is None and all(complete(act) for act in acts if act.legal):
                self._hunch = self._glimpsed(acts, judgement.weights, position)
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
                return [*verdicts, *self._not_asked(sure[0], look, position)]
            if sure := self._asked_for.asked_for(sure, position, self._rules):
                # However the rest may be, so much was played.
                return [*verdicts, *(TurnSeen(move, judgement.confidence) for move in sure)]
        elif not self._seen and not any(act.kind is Kind.BACK for act in acts):
            # If the last turn may have been taken back, what follows may as well go on from before it.
            self._beliefs = tuple(believe(row, position, self._rules) for row in rows if row)
        moves = tuple(dict.fromkeys(row[0] for row in rows if row))
        # What was put right takes the question off the page with it.
        asked = () if verdicts else self._said
        self._said, self._asked, self._doubted = moves, look.number, (position, moves)
        return [*verdicts, Undecided(moves)] if set(moves) != set(asked) else verdicts

    def _goes_on(self, acts: Sequence[Act]) -> bool:
        """Is the doubt an old one, and what has been played since beyond doubt? It is taken in at once: who
        plays on without an answer must not be lost sight of.
        """
        since = {act.moves[act.believed :] for act in acts}
        plain = all(act.legal and complete(act) for act in acts)
        return self._seen and plain and len(since) == 1 and any(since)

    def _glimpsed(
        self, acts: Sequence[Act], weights: Sequence[float], position: Position
    ) -> tuple[Belief, ...]:
        """What may turn out to have been played, or taken back, if the picture does not show it for long."""
        rows = rows_of(acts)[:HUNCHES]
        shown = [
            (act, weight)
            for act, weight in zip(acts, weights, strict=True)
            if act.legal and act.moves in rows
        ]
        since = {act.moves: frozenset(act.changes) - act.past for act, _ in reversed(shown)}
        return tuple(replace(belief, since=since[belief.row]) for belief in self._each_true(shown, position))

    def _believe(self, acts: Sequence[Act], weights: Sequence[float], position: Position) -> None:
        """All of these may be true: what the likeliest leaves is taken to stand from now on."""
        beliefs = self._each_true(list(zip(acts, weights, strict=True)), position)
        self._beliefs, self._seen = beliefs[: self._most], True

    def _each_true(self, shown: Sequence[tuple[Act, float]], position: Position) -> tuple[Belief, ...]:
        """That the turns of each act were made, and with them what spoke for it beside the likeliest."""
        weights: dict[tuple[Move, ...], float] = {}
        for act, weight in shown:
            weights.setdefault(act.moves, weight)
        most = max(weights.values(), default=0.0)
        return tuple(believe(row, position, self._rules, weight - most) for row, weight in weights.items())

    def _as_asked(self, judgement: Judgement, position: Position) -> Judgement:
        """The judgement with the turn that was asked for in place of one that looks about as likely: whoever
        makes a turn for somebody else means to make that one.
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

    # ---- what is not -------------------------------------------------------------------------------------

    def _not_asked(self, made: Move, look: Look, position: Position) -> list[Verdict]:
        """A turn was made for somebody who had asked for another, or for none yet."""
        wrong = self._asked_for.wrong(made, position)
        patience = self._patience.alert
        if self._wrong is not None:
            if wrong == self._wrong:
                return []
            patience = self._patience.again
        if not self._lasted(look, patience):
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
            # It is not known which position it would have to be explained from: the question stands.
            return []
        suspected = wrong.reason, wrong.squares
        if self._suspected is None or self._suspected[0] != suspected:
            self._suspected = suspected, look.since
        since = self._suspected[1]
        if judgement.legal_lead < (SURE_WRONG if self._beliefs or act.believed else LEAD) and not (
            self._remains(judgement, look) and self._lasted(look, self._patience.lifted, since)
        ):
            # A legal turn, or nothing at all, explains the picture about as well: no alarm on that.
            return self._doubt(judgement, look, position)
        patience = self._patience.alert
        if act.lifted and self._pending is None:
            patience = self._patience.lifted if wrong.reason == "wrong_removal" else self._patience.hidden
        elif unexplained:
            # More than a mishap changes is rather a head that is bent over the board: let it go away.
            few = len(act.changes) <= A_FEW
            patience = self._patience.unexplained if few else self._patience.lifted
        # Stacks that nobody built, made up to explain a push, would reach over half of the board.
        within = act.changes if unexplained else look.evidence.outlines.touching(list(act.changes))
        if sum(1 for s in np.flatnonzero(look.touched > CHANGED) if s not in within) >= CROWD:
            # Nothing to cry about at once.
            patience = max(patience, self._patience.lifted)
        elif judgement.nats < FAINT and (self._pending is None or judgement.legal_lead < FAINT):
            # Not so where a stack awaits its trimming: what lies beside the board may say all.
            shown = all(look.touched[square] > SHOWN for square in act.changes)
            patience = max(patience, self._patience.faint if shown else self._patience.lifted)
        if self._wrong is not None:
            if suspected == (self._wrong.reason, self._wrong.squares):
                return []
            patience = max(patience, self._patience.again)
        if not self._lasted(look, patience, since):
            return []
        self._wrong = wrong
        if first and wrong.reason == "out_of_turn":
            self._begun = other_beginning(position, self._rules, wrong.player, wrong.squares)
            self._asked = look.number
        return [wrong]

    def _remains(self, judgement: Judgement, look: Look) -> bool:
        """Is all that speaks against an illegal act that nothing need have happened, though its squares have
        plainly changed and it explains them well? A shadow would not fall so for long.
        """
        changes = judgement.act.changes
        nothing_else = all(act.kind is Kind.NOTHING for act in judgement.rivals if act.legal)
        plainly = all(look.touched[square] > ALONE for square in changes)
        doubted = bool(self._beliefs) or self._pending is not None
        return nothing_else and plainly and not doubted and look.evidence.gain(changes).per_pixel >= GOOD

    def _settle(self) -> None:
        self._wrong = None
        self._pending = None
        self._begun = None
        self._said, self._beliefs, self._seen, self._hunch = (), (), False, ()


def _as_named(judgement: Judgement) -> Judgement:
    """The judgement without those rivals that have another player begin than the one named."""
    acts = (judgement.act, *judgement.rivals)
    if not any(act.beginner for act in acts):
        return judgement
    named = [at for at, act in enumerate(acts) if at and not act.beginner]
    weights = tuple(judgement.weights[at] for at in (0, *named))
    return replace(judgement, rivals=tuple(acts[at] for at in named), weights=weights)
