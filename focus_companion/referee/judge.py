"""Determines which act a look shows, by weighing increasingly many acts until the best one explains it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..game.moves import DISTANCE, Move
from ..game.position import Position
from ..game.rules import Rules
from ..vision.appearance.evidence import TEMPERATURE
from . import words
from .act import Act, Kind
from .act_pool import ActPool, most_changed
from .alerted import Alerted
from .beginning import Beginning
from .beliefs import Belief, World
from .course import (
    IGNORED_CHANGE_PENALTY,
    IgnoredChanges,
    adjacent,
    certain_faint_changes,
    gained_before,
    square_gained_before,
)
from .explaining import (
    MAX_READ_HEIGHT,
    MIN_GOOD_NATS_PER_PIXEL,
    MIN_MISSED_GAIN,
    explains,
    follows_prompt,
    hidden_domes,
    leaves_change_out,
    misfits,
)
from .legal_acts import LegalActs
from .margin import MIN_CERTAIN_LEAD
from .screening import Screening
from .trimming import Pending
from .verdict import Wrong
from .visible_change import MIN_CHANGED_FRACTION, MIN_CLEAR_DEVIATION, MIN_OPEN_FRACTION
from .weighing import MAX_FOREIGN_AREA, NO_RIVAL_LEAD, NOTHING, Judgement, weigh

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

_MIN_PLACING_DEVIATION = 3.5
"""Standard deviations from which a piece may have been placed on a player's own stack."""

MIN_TOO_HIGH_LEAD = 45.0
"""Nats by which the untrimmed stack must lead the trimmed one for an alert to be based on it."""

_MAX_EXPLAINED_SQUARES = 5
"""Number of most changed squares whose change is not attributed to an occluder: an act may explain it. No act
explains the picture if more have changed, but only stacks."""

_MAX_ADDED_PIECES = 3
"""Maximum number of pieces that an act may add to each of them."""

_ACROSS_BOARD_RANK = 2
"""Implausibility rank of a piece carried across the board other than along a row or column."""

_MAX_MISPLACED_DISTANCE = 2
"""Maximum distance in squares at which a piece was more likely knocked or misplaced than carried."""


def judge(
    look: Look,
    history: Sequence[Position],
    rules: Rules,
    pending: Pending | None,
    beliefs: Sequence[Belief] = (),
    *,
    in_reference: bool = False,
    alternatives: Collection[Move] = (),
    begun: Beginning | None = None,
    alerted: Alerted | None = None,
) -> Judgement:
    """Determine what happened between the last position and this look.

    ``beliefs``: turns that may have been played since, if earlier looks were ambiguous; ``in_reference``:
    they were played before the reference picture. Otherwise the last position itself is a hypothesis, too;
    it may be one of the beliefs.
    ``alternatives``: turns for which there is some evidence although the last turn was emitted in their
    place. ``begun``: the act alerted as out of turn at ply 0, taken as the game's first turn, which others
    may follow. ``alerted``: the alert that stands.
    """
    found = _judged(
        look,
        history,
        rules,
        pending,
        beliefs,
        in_reference=in_reference,
        alternatives=alternatives,
        begun=begun,
        alerted=alerted,
    )
    return replace(found, hinted=found.hinted or _hinted(look, history, rules))


def _judged(
    look: Look,
    history: Sequence[Position],
    rules: Rules,
    pending: Pending | None,
    beliefs: Sequence[Belief],
    *,
    in_reference: bool,
    alternatives: Collection[Move],
    begun: Beginning | None,
    alerted: Alerted | None,
) -> Judgement:
    open_squares = [int(s) for s in np.flatnonzero(look.touched >= MIN_OPEN_FRACTION)]
    open_squares += [s for s in _shaded_placings(look, history[-1]) if s not in open_squares]
    # No pixel may have changed much, as with blue pieces on blue in the dark.
    if open_squares or max(look.faintly_changed.values(), default=0.0) > MIN_CLEAR_DEVIATION:
        open_squares = sorted({*open_squares, *look.faintly_changed})
    elif not beliefs:
        return _with_foreign(look, Judgement(NOTHING, 0.0, NO_RIVAL_LEAD))
    likeliest = most_changed(look, open_squares, _MAX_EXPLAINED_SQUARES)
    over = look.foreign_area(
        likeliest, {s: len(look.evidence.standing[s]) + _MAX_ADDED_PIECES for s in likeliest}
    )
    if over > MAX_FOREIGN_AREA:
        # An arm, unless only stacks have changed: no turn changes so much outside its own few squares.
        nothing = Judgement(NOTHING, 0.0, 0.0, foreign=over, weights=(0.0,), pending=pending)
        return _unexplained_unless_arm(look, nothing, open_squares, history[-1])
    believed = [*beliefs]
    if not (in_reference and beliefs) and all(belief.turns for belief in beliefs):
        believed.insert(0, Belief())
    worlds = [
        World(belief, history, rules, look.evidence.standing, in_reference=in_reference)
        for belief in believed
    ]
    trimmed = None
    if pending is not None and pending.move in worlds[0].legal.moves:
        trimmed = worlds[0].followed_by(pending.move)
    other = None if begun is None else World.begun(begun, look.evidence.standing)
    pool = ActPool(
        look,
        worlds,
        open_squares,
        pending,
        trimmed=trimmed,
        begun=other,
        alternatives=alternatives,
        alerted=alerted,
    )
    found = _with_foreign(look, _likeliest(look, pool, pending))
    return _unexplained_unless_arm(look, found, open_squares, history[-1]) if found.covered else found


def _shaded_placings(look: Look, position: Position) -> list[int]:
    """The player's own stacks whose shadows show that a piece was placed on them in the drop set-up."""
    mover = position.to_move
    own = [s for s, stack in enumerate(position.stacks) if position.placing and stack[-1:] == mover]
    standing = look.evidence.standing
    return [s for s in own if look.shadow_evidence(s, {s: standing[s] + mover}) > 0.0]


def _hinted(look: Look, history: Sequence[Position], rules: Rules) -> bool:
    """Whether a barely visible turn may have been made: its squares are certain to have changed faintly, or
    the picture fits it better.

    During the drop set-up, placing a piece on its own colour is common, so less evidence is needed.
    """
    position = history[-1]
    if position.placing and look.change is not None:
        own = [s for s, stack in enumerate(position.stacks) if stack[-1:] == position.to_move]
        if any(look.deviations[s] >= _MIN_PLACING_DEVIATION for s in own) or _shaded_placings(look, position):
            return True
    if not look.faintly_changed:
        return False
    turns = LegalActs(history, rules).turns(look.faintly_changed.keys(), contained=True)
    certain = certain_faint_changes(look)
    return any(act.changes.keys() <= certain or look.evidence.gain(act.changes).nats > 0 for act in turns)


def _likeliest(look: Look, pool: ActPool, pending: Pending | None) -> Judgement:
    """The likeliest act, weighed against increasingly many others until it explains the look."""
    screening = Screening(look, pending)
    if not pool.open_squares:
        # Nothing has changed, but turns in doubt may have been taken back without being seen.
        pool.add_taken_back()
        return weigh(screening, pool.acts)
    pool.add_likely()
    best = weigh(screening, pool.acts)
    if best.act.kind is not Kind.NOTHING or not pool.strong:
        pool.add_alike(best.act)
        best = weigh(screening, pool.acts)
    known = look.evidence.outlines.touching(list(best.act.changes))
    if (
        best.act.legal
        and best.lead >= MIN_CERTAIN_LEAD
        # Hardly anybody puts trimmed pieces back under their stacks: the turn made instead may look alike.
        and not best.act.fetched
        # If the players continue before a stack is known to be trimmed, it may have been left too high.
        and (pending is None or len(best.act.moves) < 2)
        and explains(look, best, pool.strong)
        and certain_faint_changes(look) <= {*known}
        and IgnoredChanges(look).penalty(best.act)
        <= (0.0 if best.act.kind is Kind.NOTHING else IGNORED_CHANGE_PENALTY / 2)
    ):
        return best
    pool.add_rare(apart=sorted(certain_faint_changes(look).difference(known)))
    best = weigh(screening, pool.acts)
    if best.act.kind is Kind.WRONG_PIECE:
        pool.add_hidden_origins(best.act)
        best = weigh(screening, pool.acts)
    longer = [] if explains(look, best, pool.strong) else pool.long_successions()
    if pending is not None and _left_too_high(best.act):
        # The stack may have been trimmed in the end, after further turns.
        longer += pool.turns_since_alert(pending.move)
    if longer:
        several = weigh(screening, [*pool.acts, *longer])
        # What an arm hides looks like pieces that were moved out of sight, but not like where they went.
        if explains(look, several, pool.strong):
            best = several
    if pending is not None and _left_too_high(best.act) and not _certainly_left(look, best, pending):
        # It is not certain that the stack was left too high: ask instead of alerting.
        best = _as_question(best, weigh(screening, [act for act in pool.acts if not _left_too_high(act)]))
    best = _moved_out_of_sight(look, best, pending)
    if explains(look, best, pool.strong) or _with_foreign(look, best).covered:
        return best
    if follows_prompt(best, pending) and not leaves_change_out(look, best.act, pool.strong, taken=True):
        return best
    if look.displaced and not look.disagreeing(look.evidence.standing):
        # The motion is undone only approximately, and what remains is no act. Once the outlines are fitted to
        # the new place, the next look is judged there.
        return weigh(screening, pool.nothing_since)
    return _unexplained(look, best, pool.strong or pool.open_squares, pool.position)


def _as_question(likelier: Judgement, asked: Judgement) -> Judgement:
    """``asked`` as a question: the act of the likelier judgement, which must not be emitted, is a rival."""
    rivals = (likelier.act, *asked.rivals)
    weights = (asked.weights[0], likelier.weights[0], *asked.weights[1:])
    return replace(asked, lead=0.0, rivals=rivals, weights=weights)


def _certainly_left(look: Look, best: Judgement, pending: Pending) -> bool:
    """Whether a stack for which there is a prompt was certainly not trimmed: it was certainly too high, and
    since then nobody has touched it or it still looks clearly too high.
    """
    clear = best.legal_lead >= MIN_TOO_HIGH_LEAD or not pending.was_touched(look)
    return pending.sure and clear


def _left_too_high(act: Act) -> bool:
    """Whether the act is that another piece was moved while a stack awaited its trimming."""
    return act.wrong is not None and act.wrong().reason == "too_high"


def _with_foreign(look: Look, judgement: Judgement) -> Judgement:
    """The judgement with the foreign area that its act does not explain, or that may hide the pieces."""
    changes = judgement.act.changes
    foreign = look.foreign_area(list(changes), {s: len(v) for s, v in changes.items()})
    stood = look.evidence.standing
    if not judgement.act.legal and changes and all(stood[s].startswith(changes[s]) for s in changes):
        # Pieces have only disappeared: an object beside them, of the board's colour, may hide them.
        hidden = [s for s in look.hidden_by_object if any(adjacent(s, changed) for changed in changes)]
        if len(changes) > 1:
            hidden += hidden_domes(look, judgement.act)
            foreign = max(foreign, look.arm_area(list(changes)))
        foreign = max(foreign, len(changes) + len(hidden) if hidden else 0.0)
    return replace(judgement, foreign=foreign)


def _moved_out_of_sight(look: Look, best: Judgement, pending: Pending | None) -> Judgement:
    """The judgement in which pieces that seem lifted are on a square where they are barely visible: an
    illegal move to the most plausible target, rather than to the one favoured by noise.
    """
    act = best.act
    lifted = (
        act
        if act.lifted
        else next((a for a in best.rivals if a.lifted and set(a.changes) < set(act.changes)), None)
    )
    if lifted is None or (not act.lifted and (act.legal or _implausibility(act) < _ACROSS_BOARD_RANK)):
        return best
    wider = [a for a in (act, *best.rivals) if not a.legal and set(a.changes) > set(lifted.changes)]
    without = look.evidence.gain(lifted.changes).nats
    moved = [
        a
        for a in wider
        # Players routinely remove pieces only from a stack for which there is a prompt.
        if (pending is not None or a.kind is not Kind.WRONG_TRIM)
        # Where the pieces plainly are not, they did not go: they are in a hand.
        and look.evidence.gain(a.changes).nats - without > -TEMPERATURE
    ]
    return replace(best, act=min(moved, key=_implausibility)._replace(lifted=True)) if moved else best


def _implausibility(act: Act) -> int:
    """The rank of an illegal act: 0 for a turn out of turn or with another player's stack; 1 for a wrong
    distance, or a piece near its old square; :data:`_ACROSS_BOARD_RANK` for one carried across the board
    other than along a row or column.
    """
    assert act.wrong is not None
    wrong = act.wrong()
    if wrong.reason != "not_straight":
        return 0 if wrong.reason in ("out_of_turn", "not_your_stack") else 1
    one, other = wrong.squares
    return 1 if DISTANCE[one][other] <= _MAX_MISPLACED_DISTANCE else _ACROSS_BOARD_RANK


def _unexplained(look: Look, best: Judgement, squares: Sequence[int], position: Position) -> Judgement:
    """The judgement that no single act explains the look, with the squares on which the board differs;
    ``best`` if it may explain them after all.
    """
    differ = {}
    for square in squares:
        stack, _ = look.evidence.read(square, position.players, MAX_READ_HEIGHT)
        gain = look.evidence.stack_gain(square, stack).nats - square_gained_before(look, square, stack)
        if stack != look.evidence.standing[square] and gain > MIN_MISSED_GAIN / 2:
            differ[square] = stack
    if not differ:
        # The light has changed, and perhaps an act is seen too poorly in it.
        hinted = bool(best.act.changes)
        return Judgement(NOTHING, 0.0, 0.0, hinted=hinted, weighed=best.weighed, pending=best.pending)
    where = tuple(sorted(differ))
    turn = position.to_move or position.players[0]
    wrong = Wrong("unexplained", turn, where, words.say("unexplained", turn, squares=where))
    act = Act(Kind.WRONG_TWICE, differ, wrong=lambda: wrong)
    gained = look.evidence.gain(differ).nats - gained_before(look, act)
    known = bool(best.act.moves) if best.act.legal else best.lead >= MIN_CERTAIN_LEAD
    likely = known and _changed_since_reference(look, differ) <= best.act.changes.keys()
    if likely or (best.act.changes and gained < look.evidence.gain(best.act.changes).nats + MIN_MISSED_GAIN):
        # It fits poorly, but may be a turn or another known act on exactly these squares; or no other stacks
        # would fit much better.
        asked = best.act.legal and best.act.moves and misfits(look, best.act)
        return _as_question(_of_unexplained(act, gained, best), best) if asked else best
    return _of_unexplained(act, gained, best)


def _of_unexplained(act: Act, gained: float, best: Judgement) -> Judgement:
    """The judgement that an unexplained ``act`` happened, which explains the picture better by so many nats;
    the likeliest other explanation is ``best``.
    """
    nats = gained + act.prior
    lead = nats - best.nats
    return Judgement(
        act,
        nats,
        lead,
        legal_lead=lead if best.act.legal else NO_RIVAL_LEAD,
        rivals=(best.act,),
        weights=(act.prior, best.weights[0]),
        weighed=best.weighed,
        pending=best.pending,
    )


def _unexplained_unless_arm(
    look: Look, covered: Judgement, squares: Sequence[int], position: Position
) -> Judgement:
    """The judgement ``covered`` or, if nothing but stacks has changed, that no act explains the look: more
    turns than can be reconstructed were played out of sight, or somebody has swept over the board.
    """
    changed = int((look.touched > MIN_CHANGED_FRACTION).sum())
    if changed <= _MAX_EXPLAINED_SQUARES or not look.only_stacks_changed:
        return covered
    return _with_foreign(look, _unexplained(look, covered, squares, position))


def _changed_since_reference(look: Look, differ: Mapping[int, str]) -> set[int]:
    """Those of the squares that ``differ``, and now show these stacks, that have changed since the reference
    picture was adopted; all of them if none has.

    A square that differed in that picture from the start, because of a reflection or the shadow of an arm,
    and still does, cannot be explained by any act since. But neither makes many squares look like other
    stacks.
    """
    if look.change is None:
        return set(differ)
    changed, evidence = look.change.touched, look.evidence
    since = {s for s in differ if s not in look.unsettled or changed[s] > MIN_CHANGED_FRACTION}
    others = [s for s in differ if s not in since]
    clear = [s for s in others if evidence.stack_gain(s, differ[s]).per_pixel >= MIN_GOOD_NATS_PER_PIXEL]
    return set(differ) if len(clear) > _MAX_EXPLAINED_SQUARES or not since else since
