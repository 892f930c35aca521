"""Decides which verdicts follow from a look, and when: at a real table, some need a settle time.

A legal turn is emitted as soon as a still picture is unambiguous. An alert is emitted once, after a settle
time; it is resolved when the position is restored or a legal move made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..game.moves import Move, legal_moves
from ..game.play import removed
from ..game.position import Position
from ..game.rules import Rules
from ..vision.appearance.evidence import TEMPERATURE
from .act import Act, Kind
from .alerted import Alerted
from .asked import NOBODY, Asked
from .beginning import Beginning, other_beginning
from .beliefs import MAX_BELIEFS, awaits_trimming, common_prefix, is_complete, turn_sequences
from .course import IgnoredChanges
from .decision import Condition, Decision, Standing, outcome
from .doubt import Doubt
from .explaining import MIN_GOOD_NATS_PER_PIXEL
from .judge import MIN_TOO_HIGH_LEAD, judge
from .margin import MIN_CERTAIN_LEAD
from .settle_times import SettleTimes
from .trimming import Pending, PiecesBeside
from .verdict import OtherBegins, PutRight, TrimAwaited, TurnSeen, Undecided, Verdict, WentBack
from .visible_change import MIN_CHANGED_FRACTION
from .weighing import Judgement

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

_MIN_ILLEGAL_LEAD_IN_DOUBT = 25.0
"""Nats by which an illegal act must lead every legal explanation while turns are already in doubt."""

_MIN_UNWATCHED = 2.5
"""Seconds without pictures in which more turns can be played than are reconstructed. Raising it turns such
turns into alerts; lowering it, other changes into questions."""


class Referee:
    """Judges the looks of one game; with each of them it is given the positions of the game so far."""

    def __init__(self, rules: Rules, *, max_beliefs: int = MAX_BELIEFS) -> None:
        """``max_beliefs``: how many beliefs are kept at most while they cannot be distinguished."""
        self._rules, self._doubt = rules, Doubt(rules, max_beliefs)
        self._settle_times, self._beside = SettleTimes(), PiecesBeside()
        self._pending: Pending | None = None
        self._alert: Alerted | None = None
        self._suspected: tuple[Act, float] | None = None
        """An illegal act that was not alerted yet, and since when every still picture has shown it: otherwise
        noise that interrupts a still picture would restart the settle time."""
        self._perhaps_taken_back: Position | None = None
        """The position whose last turn may have been taken back according to the last look."""
        self._other_beginning: Beginning | None = None
        """The act alerted as out of turn at ply 0, taken as the first turn of a game that its player
        begins."""
        self._known: Position | None = None
        """The game's position at the last look."""
        self._judged: tuple[int, Judgement] | None = None
        """The number of the look that was judged last, and its judgement."""
        self._hurried_until, self._asked_for = -math.inf, NOBODY
        self._partial, self._lost_track = False, False
        """Of the last verdicts: see :class:`.Decision`."""
        self._conditions: list[Condition] = []
        """Of the last verdicts: see :attr:`Decision.conditions`."""
        self._decided: Decision | None = None
        """The last decision, until the game's position changes."""
        self._asked_at_look = -1
        """The number of the look for which the players were asked which turn was played, or who begins."""

    @property
    def deviating(self) -> frozenset[int]:
        """The squares on which an alerted act, or a turn whose stack awaits its trimming, has left something
        else than the position.
        """
        alerted = () if self._alert is None else self._alert.since
        awaited = () if self._pending is None else self._pending.changes
        return frozenset({*alerted, *awaited})

    def hurry(self, until: float) -> None:
        """A player says that the turn is done: until the time ``until`` no settle time is required."""
        self._hurried_until = until

    def play_by(self, rules: Rules) -> None:
        """Use rules with another turn order from now on."""
        self._rules = self._doubt.rules = rules

    def judge(self, look: Look, history: Sequence[Position], asked: Asked = NOBODY) -> Decision:
        """Everything that follows from this look.

        ``history`` holds the game's positions from ply 0; ``asked``: the players whose turns others make, and
        the turn to be made now.
        """
        self._asked_for = asked
        self._advance_to(history)
        self._partial, self._lost_track, self._conditions = False, False, []
        verdicts = tuple(self._verdicts(look, history))
        judged = self._judged[1] if self._judged is not None and self._judged[0] == look.number else None
        self._decided = Decision(
            verdicts,
            self._assumed_standing() or Standing(history[-1].stacks),
            outcome(verdicts, history, self._rules),
            partial=self._partial,
            lost_track=self._lost_track,
            unchanged=judged is not None and self._unchanged(judged),
            covered=judged is not None and judged.covered,
            lifted=None if judged is None or self._doubt else judged.lifted,
            judgement=judged,
            conditions=tuple(self._conditions),
        )
        return self._decided

    def _verdicts(self, look: Look, history: Sequence[Position]) -> list[Verdict]:
        position = history[-1]
        if not position.to_move:
            return []
        if self._judged is None or self._judged[0] != look.number:
            found = judge(
                look,
                history,
                self._rules,
                self._pending,
                self._doubt.take_beliefs(),
                in_reference=self._doubt.in_reference,
                alternatives=self._alternatives(history),
                begun=self._other_beginning,
                alerted=None if self._doubt else self._alert,
            )
            self._judged = look.number, found
            acts = (found.act, *found.rivals)
            taken_back = any(act.kind is Kind.BACK and act.ply == len(history) - 2 for act in acts)
            self._perhaps_taken_back = position if taken_back else None
        judgement = self._judged[1]
        if judgement.covered or judgement.act.legal:
            self._suspected = None
        if judgement.covered:
            return []
        if judgement.act.legal:
            verdicts = self._legal_verdicts(self._preferring_chosen(judgement, position), look, history)
        else:
            verdicts = self._illegal_verdicts(judgement, look, position, first=len(history) == 1)
        if verdicts:
            self._hurried_until = -math.inf
        return verdicts

    def _alternatives(self, history: Sequence[Position]) -> tuple[Move, ...]:
        """Turns for which there is some evidence although another, which may be corrected, was emitted."""
        if len(history) < 2:
            return ()
        before, now = history[-2:]
        # If the alert is about a stack that the last turn changed, another turn may replace that one.
        alerted = () if self._alert is None else self._alert.wrong.squares
        corrected = any(before.stacks[square] != now.stacks[square] for square in alerted)
        if corrected or self._perhaps_taken_back is now:
            return legal_moves(before, self._rules)
        return self._doubt.asked_in(before)

    def follow(self, history: Sequence[Position]) -> Standing | None:
        """Continue from the last of these positions, which the game has reached: only later turns remain in
        doubt.

        Returns what the board is known to show; ``None`` if the players must set it up first.
        """
        stacks, decided = history[-1].stacks, self._decided
        self._decided = None
        answer_shown = self._judged is not None and self._judged[0] == self._asked_at_look
        answered = self._advance_to(history)
        if (assumed := self._assumed_standing()) is not None:
            # More turns have been played since, and only some of them are in doubt.
            return assumed
        # A request, such as for a new game, may have intervened between our verdict and this position.
        if decided is not None and decided.outcome == stacks:
            return Standing(stacks, shown=not decided.partial)
        # The board already shows the position: the players who answered the question need not set anything
        # up.
        return Standing(stacks, shown=answer_shown) if answered else None

    def still_stands(self, position: Position) -> bool:
        """Whether the board is known to show this position, because it differs from the last one only in that
        players have left. An alert and a prompt remain.
        """
        return self._known is not None and not self._doubt and position.after_leaving(self._known)

    def _advance_to(self, history: Sequence[Position]) -> bool:
        """Continue from the last of these positions; returns whether it answers an open question."""
        position, before = history[-1], self._known
        if position is before:
            return False
        if before is not None and self.still_stands(position):
            self._known, self._judged = position, None
            if position.to_move != before.to_move:
                # Nobody trims the stack of a player who has left.
                self._pending = None
            return False
        at = next((ply for ply, known in enumerate(history) if known is before), None)
        other = self._other_beginning
        begun = other is not None and tuple(history[:2]) == (other.start, other.after)
        self._known, self._judged = position, None
        self._reset_acts()
        believed = self._doubt.advance(None if at is None else history[at + 1 :])
        return believed or begun

    def _assumed_standing(self) -> Standing | None:
        """The position under the likeliest belief; ``None`` if the game's own position is to be expected."""
        return None if self._known is None else self._doubt.standing(self._known)

    def _settled(self, look: Look, seconds: float, since: float | None = None) -> bool:
        """Whether the settle time is over. ``since``: when the content of the look was first seen, if that
        was in an earlier look.
        """
        age = look.age if since is None else look.time - since
        return self._met("seconds", age, 0.0 if look.time <= self._hurried_until else seconds)

    def _met(self, what: str, reached: float, least: float) -> bool:
        """Whether a condition is met; also records it for the decision."""
        self._conditions.append(Condition(what, reached, least))
        return reached >= least

    def _unchanged(self, judgement: Judgement) -> bool:
        """See :attr:`Decision.unchanged`."""
        act, doubt = judgement.act, self._doubt
        believed = doubt.in_reference and act.legal and act.moves == doubt.beliefs[0].turns
        same = (self._certainly_nothing(judgement) or believed) and not judgement.covered
        return same and not judgement.hinted

    # ---- legal acts --------------------------------------------------------------------------------------

    def _legal_verdicts(self, judgement: Judgement, look: Look, history: Sequence[Position]) -> list[Verdict]:
        act, position = judgement.act, history[-1]
        if self._certainly_nothing(judgement):
            return self._nothing_happened()
        rivals = [a for a in judgement.rivals if a.moves != act.moves or a.kind is not act.kind]
        sure = self._met("nats", judgement.lead, MIN_CERTAIN_LEAD) or not rivals
        sure = sure or self._was_set_down(judgement, look, rivals)
        alerted, pending = self._alert is not None, self._pending
        untrimmed = act.kind is Kind.PENDING and pending is not None and act.moves == (pending.move,)
        if untrimmed and not alerted and (sure or not any(rival.legal or rival.trimmed for rival in rivals)):
            # The board is as at the prompt or, less likely, an illegal act happened elsewhere, about which
            # nobody can be asked.
            asks = self._perhaps_trimmed(judgement, look)
            return self._ask_if_trimmed(act.moves[0], look, position) if asks else []
        if not sure:
            return self._in_doubt(judgement, look, position)
        if act.kind is Kind.NOTHING:
            # No act explains the picture, and the awaited trimming may have happened: a later picture
            # decides.
            return []
        verdicts: list[Verdict] = [PutRight()] if alerted else []
        successive = act.kind in (Kind.TURNS, Kind.BACK)
        awaited = act.kind is Kind.PENDING or (successive and awaits_trimming(act))
        turns = act.moves[:-1] if awaited else act.moves
        if act.kind is Kind.BACK:
            self._reset()
            # The turn chosen earlier is no longer valid.
            before, others = history[act.ply], Asked(self._asked_for.players)
            made = others.asked_for(turns, before, self._rules)
            self._partial = len(made) < len(act.moves)
            instead = [TurnSeen(move, judgement.confidence) for move in made]
            return [*verdicts, WentBack(act.ply), *instead]
        made = self._asked_for.asked_for(act.moves, position, self._rules)
        if not made:
            return self._not_chosen(act, look, position)
        if len(made) < len(act.moves):
            # Further turns are judged in the next look, from the position after these.
            self._reset()
            self._partial = True
            return [*verdicts, *(TurnSeen(move, judgement.confidence) for move in made)]
        if act.beginner and self._other_beginning is not None:
            verdicts.append(OtherBegins(self._other_beginning.player, self._other_beginning.start))
        self._beside.count(look, act, self._pending)
        self._reset()
        # What is in a hand is judged in the next look, too.
        self._partial = act.lifted or (awaited and bool(turns))
        verdicts += [TurnSeen(move, judgement.confidence) for move in turns]
        if awaited and not turns:
            # After turns in quick succession, the next look is judged from the position after them and
            # prompts.
            move = act.moves[-1]
            seen_high = judgement.trim_lead >= MIN_TOO_HIGH_LEAD
            self._pending = Pending(move, seen_high, self._beside.nats_if_none, look.time, act.changes)
            verdicts.append(TrimAwaited(move, move.target, removed(position, move, self._rules)))
        return verdicts

    def _certainly_nothing(self, judgement: Judgement) -> bool:
        """Whether nothing has happened. While turns are in doubt or a stack awaits its trimming, this must be
        as certain as any verdict: if a stack looks as it did before its turn, it may have been trimmed, or
        the turn taken back.
        """
        awaited = bool(self._doubt) or self._pending is not None
        return judgement.act.kind is Kind.NOTHING and (not awaited or judgement.lead >= MIN_CERTAIN_LEAD)

    def _was_set_down(self, judgement: Judgement, look: Look, rivals: Sequence[Act]) -> bool:
        """Whether a turn (or a take-back) is certain because its only alternative, after the settle time, is
        that its pieces were merely lifted: nobody would hold them out of sight for so long. Not if the
        picture favours that alternative, or if something happened that the turn does not account for.
        """
        act = judgement.act
        turn = act.kind in (Kind.TURN, Kind.BACK) and not self._doubt
        if not turn or judgement.lead < TEMPERATURE or not all(rival.lifted for rival in rivals):
            return False
        if not self._settled(look, self._settle_times.unclear):
            return False
        lifted = max(look.evidence.gain(rival.changes).nats for rival in rivals)
        ignored = IgnoredChanges(look)
        return lifted - look.evidence.gain(act.changes).nats < TEMPERATURE and not ignored.penalty(act)

    def _perhaps_trimmed(self, judgement: Judgement, look: Look) -> bool:
        """Whether a stack for which there is a prompt may be trimmed although it still looks too high,
        because somebody touched it. Otherwise the prompt might never end although the players followed it.
        """
        lasted, pending = self._settled(look, self._settle_times.again), self._pending
        touched = pending is not None and pending.was_touched(look)
        return lasted and judgement.trim_lead < MIN_TOO_HIGH_LEAD and touched

    def _ask_if_trimmed(self, move: Move, look: Look, position: Position) -> list[Verdict]:
        """Ask once whether the turn was trimmed. As without the question, the next act counts as a second
        turn.
        """
        asked = self._doubt.question
        self._doubt.ask_if_trimmed(move, position)
        self._asked_at_look = look.number
        return [Undecided((move,))] if asked != (move,) else []

    def _nothing_happened(self) -> list[Verdict]:
        open_matter = self._alert is not None or self._pending is not None
        resolves = open_matter or self._doubt.in_reference or bool(self._doubt.question)
        self._reset()
        return [PutRight()] if resolves else []

    def _in_doubt(self, judgement: Judgement, look: Look, position: Position) -> list[Verdict]:
        if judgement.act.beginner:
            # The players are already being asked whose turn it is; the answer decides the rest.
            return []
        judgement = judgement.without_other_beginner()
        acts = (judgement.act, *judgement.rivals)
        sequences = turn_sequences(acts)
        if not any(sequences):
            return []
        went_on = self._only_earlier_in_doubt(acts)
        # A piece that is most likely in somebody's hand will be set down: that may settle it.
        in_hand = judgement.act.lifted and not judgement.act.legal
        settle_time = self._settle_times.lifted if in_hand else self._settle_times.unclear
        if not (went_on or self._settled(look, settle_time)):
            if self._pending is None and all(is_complete(act) for act in acts if act.legal):
                self._doubt.remember(acts, judgement.weights, position)
            return []
        verdicts: list[Verdict] = []
        if self._alert is not None and judgement.act.legal:
            self._alert = None
            verdicts.append(PutRight())
        complete = all(is_complete(act) for act in acts) and self._pending is None
        if complete:
            self._doubt.believe(acts, judgement.weights, position)
            sure = common_prefix([act.moves for act in acts])
            if went_on and self._doubt.only_order_open:
                # The players were asked and have played on.
                sure = judgement.act.moves
            if sure and not self._asked_for.asked_for(sure, position, self._rules):
                self._doubt.drop()
                return [*verdicts, *self._not_chosen(judgement.act, look, position)]
            if sure := self._asked_for.asked_for(sure, position, self._rules):
                # All beliefs share these turns.
                return [*verdicts, *(TurnSeen(move, judgement.confidence) for move in sure)]
        elif not (self._doubt.in_reference or any(act.kind is Kind.BACK and not act.moves for act in acts)):
            # Not if the last turn may have been taken back: then later turns may start from before it. If it
            # was replaced, those turns are listed together with the one made instead.
            self._doubt.believe_while_visible(acts, judgement.weights, position)
        moves = tuple(dict.fromkeys(turns[0] for turns in sequences if turns))
        # Resolving an alert also removes the question from the page.
        asked = () if verdicts else self._doubt.question
        self._doubt.ask(moves, position)
        self._asked_at_look = look.number
        return [*verdicts, Undecided(moves)] if set(moves) != set(asked) else verdicts

    def _only_earlier_in_doubt(self, acts: Sequence[Act]) -> bool:
        """Whether only earlier turns are ambiguous and the turns since then are certain. These are accepted
        at once, so that the game can be followed when the players go on without answering.
        """
        since = {act.moves[act.believed :] for act in acts}
        complete = all(act.legal and is_complete(act) for act in acts)
        return self._doubt.in_reference and complete and len(since) == 1 and any(since)

    def _preferring_chosen(self, judgement: Judgement, position: Position) -> Judgement:
        """The judgement, with the turn that an absent player chose preferred to others that are about as
        likely: the people who make it intend to make that one.
        """
        turn, players = self._asked_for.turn, self._asked_for.players
        if turn is None or position.to_move not in players or judgement.lead >= MIN_CERTAIN_LEAD:
            return judgement
        acts = (judgement.act, *judgement.rivals)
        if not all(act.kind in (Kind.TURN, Kind.PENDING) for act in acts):
            return judgement
        due = [at for at, act in enumerate(acts) if act.moves == (turn,)]
        if not due:
            return judgement
        rivals = tuple(act for act in acts if act.moves == (turn,) and act is not acts[due[0]])
        weights = tuple(judgement.weights[at] for at in due)
        lead = judgement.lead if rivals else MIN_CERTAIN_LEAD
        return replace(judgement, act=acts[due[0]], lead=lead, rivals=rivals, weights=weights)

    # ---- illegal acts ------------------------------------------------------------------------------------

    def _not_chosen(self, act: Act, look: Look, position: Position) -> list[Verdict]:
        """The alert for a turn made for a player who had chosen another one, or none yet."""
        wrong = self._asked_for.wrong(act.moves[0], position)
        settle_time = self._settle_times.alert
        if self._alert is not None:
            if wrong == self._alert.wrong:
                return []
            settle_time = self._settle_times.again
        if not self._settled(look, settle_time):
            return []
        self._alert = Alerted.by(wrong, act, look)
        return [wrong]

    def _illegal_verdicts(
        self, judgement: Judgement, look: Look, position: Position, *, first: bool
    ) -> list[Verdict]:
        """``first``: no turn has been played yet."""
        act = judgement.act
        assert act.wrong is not None
        wrong = act.wrong()
        if self._doubt and wrong.reason == "unexplained":
            # The position before the change is ambiguous: the question remains open.
            return []
        if self._doubt and {*wrong.squares} <= {*self._doubt.squares(position)}:
            # The players are being asked about these squares. Turns made there since are in doubt as well.
            near = judgement.legal_lead < _MIN_ILLEGAL_LEAD_IN_DOUBT
            return self._in_doubt(judgement, look, position) if near else []
        since = look.since
        if self._suspected is not None and _continues(self._suspected[0], act):
            since = self._suspected[1]
        self._suspected = act, since
        certain = _MIN_ILLEGAL_LEAD_IN_DOUBT if self._doubt or act.believed else MIN_CERTAIN_LEAD
        if not self._met("nats", judgement.legal_lead, certain) and not (
            self._must_have_happened(judgement, look)
            and self._settled(look, self._settle_times.lifted, since)
        ):
            # A legal turn, or nothing at all, explains the picture about as well: no alert.
            return self._in_doubt(judgement, look, position)
        settle_time = self._settle_times.of_alert(wrong, judgement, look, prompted=self._pending is not None)
        if self._alert is not None:
            standing = self._alert.wrong
            if wrong.reason == standing.reason and {*standing.squares} <= {*wrong.squares}:
                # The alert still stands, even if more squares differ by now.
                self._alert = Alerted.by(standing, act, look, self._alert)
                return []
            settle_time = max(settle_time, self._settle_times.again)
        if not self._settled(look, settle_time, since):
            return []
        if wrong.reason == "unexplained" and look.unwatched >= _MIN_UNWATCHED:
            self._reset()
            self._lost_track = True
            return []
        self._alert = Alerted.by(wrong, act, look)
        if first and not act.believed and wrong.reason == "out_of_turn":
            self._other_beginning = other_beginning(position, self._rules, wrong.player, wrong.squares)
            self._asked_at_look = look.number
        return [wrong]

    def _must_have_happened(self, judgement: Judgement, look: Look) -> bool:
        """Whether the only alternative to an illegal act is that nothing happened, although its squares have
        changed and it explains them well: if that lasts, it is no shadow.
        """
        changes = judgement.act.changes
        nothing_else = all(act.kind is Kind.NOTHING for act in judgement.rivals if act.legal)
        changed = all(look.touched[square] > MIN_CHANGED_FRACTION for square in changes)
        doubted = bool(self._doubt) or self._pending is not None
        if not nothing_else or not changed or doubted:
            return False
        return look.evidence.gain(changes).per_pixel >= MIN_GOOD_NATS_PER_PIXEL

    def _reset(self) -> None:
        """Nothing is left open."""
        self._reset_acts()
        self._doubt.clear()

    def _reset_acts(self) -> None:
        """No alert, no trimming and no other beginning is left open; the turns in doubt remain."""
        self._alert, self._pending, self._other_beginning = None, None, None


def _continues(before: Act, now: Act) -> bool:
    """Whether an illegal act seen ``before`` is seen ``now`` as well, perhaps with more that has happened
    since. While pieces are taken off a stack, or put back, one by one, every look shows another act.
    """
    assert before.wrong is not None and now.wrong is not None
    one, other = before.wrong(), now.wrong()
    same = one.reason == other.reason and {*one.squares} <= {*other.squares}
    return same and (not now.lifted or before.changes.items() <= now.changes.items())
