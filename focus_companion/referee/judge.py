"""Determines which act a look shows: acts are listed, the likelier first, until one explains it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..game.moves import DISTANCE, Move
from ..game.position import Position
from ..game.rules import Rules
from . import words
from .acts import Act, Acts, Kind
from .beginning import Beginning
from .beliefs import Belief, World, believe, ends_high
from .course import ALONE, IGNORED, OPEN, Ignored, plainly_stirred
from .explaining import MISSED, as_due, clean, explains, left_out
from .margin import LEAD
from .trimming import Pending
from .verdict import Wrong
from .weighing import AMISS, NOTHING, Judgement, weigh

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

STRONG = 0.22
"""Fraction of changed pixels from which something certainly happened on the square or right in
front of it.
"""
UNLIT = 10.0
"""Standard deviations by which a square must differ to be examined if no pixel changed as much as in a
well-lit room: blue pieces on blue in the dark."""
STIRRED_PLACING = 3.5
"""Standard deviations by which a player's own stack must differ for a piece to have possibly been placed on
it."""
SURE_HIGH = 45.0
"""Nats by which the untrimmed stack must lead the trimmed one for an alert to be based on it."""
MOST_BESIDE = 3
"""Number of further changed squares on which illegal acts are weighed besides a legal turn."""
WIDE = 3
"""Number of likeliest beliefs under which more than turns and simple illegal moves is weighed."""
ACROSS = 2
"""Implausibility rank of a piece carried across the board along no line."""
BESIDE = 2
"""Maximum distance in squares of a piece that was knocked or misplaced."""
MOST_OPEN = 10
"""Number of most changed squares among which illegal acts and quick successions are weighed."""


def judge(
    look: Look,
    history: Sequence[Position],
    rules: Rules,
    pending: Pending | None,
    beliefs: Sequence[Belief] = (),
    *,
    seen: bool = False,
    instead: Collection[Move] = (),
    begun: Beginning | None = None,
) -> Judgement:
    """Determine what happened between the last position and this look.

    ``beliefs``: turns that may have been played since, if earlier looks were ambiguous; ``seen``: they were
    played before the reference picture. Without ``seen`` the position itself is a hypothesis, too.
    ``instead``: turns with some evidence, before or after the last turn was emitted in their place.
    ``begun``: the act alerted as out of turn at ply 0, as the game's first turn: the next one may follow it.
    """
    found = _judged(look, history, rules, pending, beliefs, seen=seen, instead=instead, begun=begun)
    return replace(found, hinted=_hinted(look, history, rules))


def _judged(
    look: Look,
    history: Sequence[Position],
    rules: Rules,
    pending: Pending | None,
    beliefs: Sequence[Belief],
    *,
    seen: bool,
    instead: Collection[Move],
    begun: Beginning | None,
) -> Judgement:
    open_squares = [int(s) for s in np.flatnonzero(look.touched >= OPEN)]
    if open_squares or max(look.faintly_changed.values(), default=0.0) > UNLIT:
        open_squares = sorted({*open_squares, *look.faintly_changed})
    elif not beliefs:
        return _with_foreign(look, Judgement(NOTHING, 0.0, 50.0))
    likeliest = _most_changed(look, open_squares, 5)
    over = look.foreign_area(likeliest, {s: len(look.evidence.standing[s]) + 3 for s in likeliest})
    if over > AMISS:
        # An arm: no turn changes so much outside its few squares.
        return Judgement(NOTHING, 0.0, 0.0, foreign=over)
    believed = [*beliefs] if seen and beliefs else [Belief(), *beliefs]
    worlds = [World(belief, history, rules, look.evidence.standing, seen=seen) for belief in believed]
    trimmed = None
    if pending is not None and pending.move in worlds[0].acts.legal:
        belief = believe((pending.move,), history[-1], rules, Kind.TURNS.value - Kind.TURN.value)
        trimmed = World(belief, history, rules, look.evidence.standing, seen=False)
    other = None if begun is None else World.begun(begun, look.evidence.standing)
    return _with_foreign(look, _likeliest(look, worlds, open_squares, pending, trimmed, instead, other))


def _hinted(look: Look, history: Sequence[Position], rules: Rules) -> bool:
    """Whether the squares of a barely visible turn differ clearly, or the picture fits the turn better.

    During the drop set-up a piece on its own colour is common: less evidence is needed.
    """
    position = history[-1]
    if position.placing and look.change is not None:
        own = [s for s, stack in enumerate(position.stacks) if stack[-1:] == position.to_move]
        if any(look.deviations[s] >= STIRRED_PLACING for s in own):
            return True
    if not look.faintly_changed:
        return False
    turns = Acts(history, rules).turns(look.faintly_changed.keys(), whole=True)
    plainly = plainly_stirred(look)
    return any(act.changes.keys() <= plainly or look.evidence.gain(act.changes).nats > 0 for act in turns)


def _likeliest(
    look: Look,
    worlds: Sequence[World],
    open_squares: list[int],
    pending: Pending | None,
    trimmed: World | None,
    instead: Collection[Move],
    begun: World | None,
) -> Judgement:
    """The likeliest act, weighed against increasingly many others until it explains the look.

    ``trimmed``: the hypothesis that the awaited trimming was done, followed by something else. ``instead``:
    turns that may have been made in place of the last. ``begun``: the hypothesis that another player began.
    """
    stacks = look.evidence.standing
    strong = [s for s in open_squares if look.touched[s] >= STRONG]

    def of_all(list_acts: Callable[[Acts], Iterable[Act]], most: int = len(worlds)) -> Iterator[Act]:
        for world in worlds[:most]:
            yield from world.put(list_acts(world.acts))

    def since_begun(*, whole: bool) -> Iterator[Act]:
        if begun is not None:
            yield from begun.put(begun.acts.turns(set(open_squares), whole=whole))

    pool = [world.stands for world in worlds]
    if not open_squares:
        # Nothing is new, but doubtful turns may have been taken back unseen.
        return weigh(look, [*pool, *of_all(Acts.back)], pending)
    if pending is None:
        # The usual case: one turn on exactly the changed squares, which explains every pixel.
        turns = of_all(lambda acts: acts.turns(set(open_squares), whole=True))
        best = weigh(look, [*pool, *turns, *since_begun(whole=True)], pending)
        if clean(look, best.act):
            return best
        if best.act.moves:
            # A tall stack mostly changes what is behind it, and perhaps little of its own square.
            pool.append(best.act)
    # A stack may change most of the square that is seen behind it, and little of its own.
    before = [s for s in open_squares if s not in strong and _overlap(look, s, strong)]
    pool += of_all(lambda acts: acts.turns({*strong, *before} or set(open_squares)))
    pool += since_begun(whole=False)
    # From above, a piece that was moved back may be visible on only one of its two squares.
    pool += (a for a in of_all(Acts.back) if not a.changes.keys().isdisjoint(open_squares))
    best = weigh(look, pool, pending)
    if best.act.kind is not Kind.NOTHING or not strong:
        # An illegal act on the same squares may look much the same and fit better; and if no turn is legal
        # there, one more piece on its own colour changes only a rim.
        here = set(best.act.changes) | set(_most_changed(look, open_squares, MOST_BESIDE))
        pool += of_all(lambda acts: acts.displacements(here))
        pool += of_all(lambda acts: acts.removals(here))
        if best.act.moves and (best.act.trimmed or best.act.kind is Kind.PENDING or ends_high(best.act)):
            last = best.act.moves[-1]
            pool += of_all(lambda acts: acts.wrong_trims(last) if last in acts.legal else ())
        best = weigh(look, pool, pending)
    known = look.evidence.outlines.touching(list(best.act.changes))
    if (
        best.act.legal
        and best.lead >= LEAD
        # If play goes on before a stack is known to be trimmed, it may have been left too high.
        and (pending is None or len(best.act.moves) < 2)
        and explains(look, best, strong)
        and plainly_stirred(look) <= {*known}
        and Ignored(look).nats(best.act) <= (0.0 if best.act.kind is Kind.NOTHING else IGNORED / 2)
    ):
        return best
    # A clearly changed square out of the act's reach may have lost a piece, too, moved to where it is barely
    # visible.
    apart = sorted(plainly_stirred(look).difference(known))
    inside = set(_most_changed(look, open_squares, MOST_OPEN)) | _hidden_targets(stacks, [*strong, *apart])
    if strong:
        pool += of_all(lambda acts: acts.turns(set(open_squares) - set(strong)))
    successions = of_all(lambda acts: acts.successions(inside), WIDE)
    # The turn seen first cannot be the second.
    pool += (a for a in successions if begun is None or a.moves[-1:] != begun.belief.row)
    pool += of_all(lambda acts: acts.unseen(inside), WIDE)
    # They replace the last known turn, not one that is only believed.
    known_acts = None if worlds[0].belief.row else worlds[0].acts
    pool += of_all(lambda acts: acts.retries(inside, instead if acts is known_acts else ()), WIDE)
    pool += of_all(lambda acts: _illegal(acts, inside, pending), WIDE)
    if trimmed is not None:
        pool += _since_prompt(worlds[0], trimmed, inside)
    best = weigh(look, pool, pending)
    if best.act.kind is Kind.WRONG_PIECE:
        origins = _hidden_origins(stacks, best.act)
        pool += of_all(lambda acts: acts.displacements(origins.union(best.act.changes)), WIDE)
        best = weigh(look, pool, pending)
    if pending is not None and not pending.sure and _left_high(best.act):
        # It was never certain that the stack was too high: ask instead of an alert.
        best = _asked_about(best, weigh(look, [act for act in pool if not _left_high(act)], pending))
    best = _laid_where_hidden(best, pending)
    if explains(look, best, strong) or _with_foreign(look, best).covered:
        return best
    if as_due(best, pending) and not left_out(look, best.act, strong, taken=True):
        return best
    return _unexplained(look, best, strong or open_squares, worlds[0].acts.position)


def _asked_about(likelier: Judgement, asked: Judgement) -> Judgement:
    """``asked`` as a question: the likelier judgement, which must not be emitted, is among its rivals."""
    rivals = (likelier.act, *asked.rivals)
    weights = (asked.weights[0], likelier.weights[0], *asked.weights[1:])
    return replace(asked, lead=0.0, rivals=rivals, weights=weights)


def _left_high(act: Act) -> bool:
    """Whether the act is that another piece has moved while a stack awaits its trimming."""
    return act.wrong is not None and act.wrong().reason == "too_high"


def _since_prompt(world: World, trimmed: World, inside: set[int]) -> Iterator[Act]:
    """Acts that may have followed the prompt for a trimming."""
    (move,) = trimmed.belief.row
    # The next turn may have begun where a missing piece is barely visible.
    like = {s for s, stack in enumerate(world.acts.stacks) if stack[-1:] == stack[-2:-1]}
    yield from world.put(world.acts.successions(inside | like, (move,)))
    # Pieces taken from the stack and laid down in front of a square look as if they were on it.
    after = trimmed.acts
    yield from trimmed.put(act for act in _illegal(after, inside, None) if not after.adds(act))
    # Without its top piece the stack may look as before the turn, as if it had not been touched.
    yield from world.put(world.acts.wrong_trims(move))


def _with_foreign(look: Look, judgement: Judgement) -> Judgement:
    """The judgement with the foreign area over the board that its act does not explain."""
    changes = judgement.act.changes
    return replace(
        judgement, foreign=look.foreign_area(list(changes), {s: len(v) for s, v in changes.items()})
    )


def _overlap(look: Look, square: int, others: Sequence[int]) -> bool:
    """Would a piece more on the square be seen before one of the others, or behind it?"""
    stood, overlap = look.evidence.standing, look.evidence.outlines.overlap
    return any(overlap(square, len(stood[square]) + 1, s, len(stood[s]) + 1) for s in others)


def _most_changed(look: Look, squares: Sequence[int], most: int) -> list[int]:
    return sorted(squares, key=lambda square: -look.touched[square])[:most]


def _laid_where_hidden(best: Judgement, pending: Pending | None) -> Judgement:
    """Pieces that seem lifted may be where they are barely visible: then it was an illegal move, to a
    plausible target rather than to the one favoured by noise.
    """
    act = best.act
    lifted = (
        act
        if act.lifted
        else next((a for a in best.rivals if a.lifted and set(a.changes) < set(act.changes)), None)
    )
    if lifted is None or (not act.lifted and (act.legal or _far_fetched(act) < ACROSS)):
        return best
    wider = [a for a in (act, *best.rivals) if not a.legal and set(a.changes) > set(lifted.changes)]
    # Only from a stack with a prompt are pieces routinely removed.
    moved = [a for a in wider if pending is not None or a.kind is not Kind.WRONG_TRIM]
    return replace(best, act=replace(min(moved, key=_far_fetched), lifted=True)) if moved else best


def _far_fetched(act: Act) -> int:
    """Implausibility: 0 for a turn out of turn or with another player's stack; 1 for a wrong distance, or a
    piece beside its old square; :data:`ACROSS` for one carried across the board along no line.
    """
    assert act.wrong is not None
    wrong = act.wrong()
    if wrong.reason != "not_straight":
        return 0 if wrong.reason in ("out_of_turn", "not_your_stack") else 1
    one, other = wrong.squares
    return 1 if DISTANCE[one][other] <= BESIDE else ACROSS


def _hidden_targets(stacks: Sequence[str], changed: Sequence[int]) -> set[int]:
    """Squares on which one more piece of a moved colour would be barely visible, because the same colour is
    on top.

    Only if little has changed, so that a piece may be missing.
    """
    if len(changed) > 3:
        return set()
    tops = {stacks[square][-1:] for square in changed} - {""}
    return {s for s, stack in enumerate(stacks) if stack[-1:] in tops}


def _hidden_origins(stacks: Sequence[str], act: Act) -> set[int]:
    """Squares from which a piece of unknown origin may have been taken unseen, because the same colour is
    still on top.
    """
    piece = max(act.changes.values(), key=len)[-1]
    return {s for s, stood in enumerate(stacks) if stood.endswith(2 * piece) and s not in act.changes}


def _illegal(acts: Acts, inside: set[int], pending: Pending | None) -> list[Act]:
    pool: list[Act] = []
    if pending is not None and pending.move in acts.legal:
        pool += acts.left_high(pending.move, inside)
    for move in acts.legal:
        if move.target in inside and (move.origin is None or move.origin in inside):
            pool += acts.wrong_trims(move)
    pool += acts.displacements(inside)
    pool += acts.double_turns(inside)
    pool += acts.removals(inside)
    pool += acts.shuffles(inside)
    return pool


def _unexplained(look: Look, best: Judgement, squares: Sequence[int], position: Position) -> Judgement:
    """No single act explains the look: say where the board differs."""
    differ = {}
    for square in squares:
        stack, _ = look.evidence.read(square, position.players, 6)
        gain = look.evidence.stack_gain(square, stack).nats
        if stack != look.evidence.standing[square] and gain > MISSED / 2:
            differ[square] = stack
    if not differ:
        return Judgement(NOTHING, 0.0, 0.0, weighed=best.weighed, pending=best.pending)
    gained = look.evidence.gain(differ).nats
    known = bool(best.act.moves) if best.act.legal else best.lead >= LEAD
    likely = known and _since_adopted(look, differ) <= best.act.changes.keys()
    if likely or (best.act.changes and gained < look.evidence.gain(best.act.changes).nats + MISSED):
        # Badly visible, but it may be a turn or another known act on exactly these squares; or no other
        # stacks would fit much better.
        return best
    where = tuple(sorted(differ))
    turn = position.to_move or position.players[0]
    wrong = Wrong("unexplained", turn, where, words.say("unexplained", turn, squares=where))
    act = Act(Kind.WRONG_TWICE, differ, wrong=lambda: wrong)
    nats = gained + act.prior
    lead = nats - best.nats
    return Judgement(
        act,
        nats,
        lead,
        legal_lead=lead if best.act.legal else 50.0,
        rivals=(best.act,),
        weights=(act.prior, best.weights[0]),
        weighed=best.weighed,
        pending=best.pending,
    )


def _since_adopted(look: Look, squares: Collection[int]) -> set[int]:
    """Of these squares, those that have changed since the reference picture was adopted; all, if none has.

    What that picture showed otherwise from the start, under a reflection or in the shadow of an arm, and
    still shows so cannot be explained by any act since.
    """
    if look.change is None:
        return set(squares)
    changed = look.change.touched
    since = {s for s in squares if s not in look.unsettled or changed[s] > ALONE}
    return since or set(squares)
