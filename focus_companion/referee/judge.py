"""Weighs what may have happened against the evidence of one look, and says which act it was.

Score of an act = nats by which it explains the picture better than nothing having happened + its prior.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..game.position import Position
from ..game.rules import Rules
from . import words
from .acts import Act, Acts, Kind
from .beliefs import Belief, World, ends_high
from .course import ALONE, IGNORED, MOST_FOR, OPEN, Ignored, Pending, course, differing
from .verdict import Wrong

if TYPE_CHECKING:
    from ..vision.look import Look

STRONG = 0.22
"""Share from which something did happen on the square or right before it."""
LEAD = 9.0
"""Nats by which an act must lead the next best for the referee to be sure."""
RIMS = 0.5
"""Worth of nats between outcomes that differ in heights alone, and …"""
RIM, RIM_SHOWN = 0.06, 0.45
"""… the share of a square's pixels, or of what a piece more changes there, from which they are worth all."""
PAINTED = 8
"""Acts, the best by their squares alone, that are painted whole."""
HIDDEN = 26.0
"""Nats within which pieces that seem lifted may as well lie on a stack where they hardly show."""
GOOD = 1.7
"""Nats a pixel (of at most 4) from which an act explains the pixels that it changes well."""
OVERLAPPED = 0.5
"""Share of a square's pixels up to which the stack before it may have changed them."""
CLEAN = 3.1
"""Nats a pixel from which an act explains them as well as anything can."""
PLAINLY = 8.0
"""Standard deviations by which a square must look different for something to have happened there at all."""
UNLIT = 10.0
"""The same where no square changed by as much as pixels do in a lit room: blue pieces on blue in the dark."""
MISSED = 55.0
"""Nats that some other stack on an unexplained square would gain, from which the act does not explain the
look."""
AMISS = 1.2
"""Area in squares of a foreign change, from which something covers the board."""
LEANING = 120.0
"""Nats by which a stack's lean alone can make a wrong height look better than the right one, at the most."""
SURE_HIGH = 45.0
"""Nats by which a stack too high must lead the trimmed one for an alert to be built on it."""
MOST_BESIDE = 3
"""Further changed squares on which illegal acts are weighed beside a legal turn."""
WIDE = 3
"""Beliefs, the likeliest, in whose worlds more than turns and slips of the hand is looked for."""
MOST_OPEN = 10
"""Squares, the most changed ones, among which illegal acts and quick successions are looked for."""


@dataclass(frozen=True)
class Judgement:
    """The likeliest act of one look; ``lead`` in nats over the best act with another outcome."""

    act: Act
    nats: float
    lead: float
    legal_lead: float = 0.0
    """The same over the best that the rules allow: a turn, or nothing at all."""
    foreign: float = 0.0
    rivals: tuple[Act, ...] = ()
    weights: tuple[float, ...] = ()
    """Of ``act`` and every rival, the nats that do not come from how the board looks now."""
    trim_lead: float = 0.0
    """For a stack that awaits its trimming, nats by which it leads the same turn with the trimming done."""

    @property
    def covered(self) -> bool:
        """Something lies over the board: what is under it cannot be judged."""
        return self.foreign > AMISS

    @property
    def confidence(self) -> float:
        return float(1 / (1 + np.exp(-np.clip(self.lead / 4, -30, 30))))


NOTHING = Act(Kind.NOTHING, {})


def judge(
    look: Look,
    history: Sequence[Position],
    rules: Rules,
    pending: Pending | None,
    beliefs: Sequence[Belief] = (),
    *,
    seen: bool = False,
) -> Judgement:
    """What happened between the position that stood and this look.

    ``beliefs`` are what may have been played since, as earlier looks could not tell; ``seen``: it was played
    before the picture with which the look is compared. Without it the position itself may stand as well.
    """
    open_squares = [int(s) for s in np.flatnonzero(look.touched >= OPEN)]
    if open_squares or max(look.stirred.values(), default=0.0) > UNLIT:
        open_squares = sorted({*open_squares, *look.stirred})
    elif not beliefs:
        return _with_foreign(look, Judgement(NOTHING, 0.0, 50.0))
    likeliest = _most_changed(look, open_squares, 5)
    over = look.foreign(likeliest, {s: len(look.evidence.standing[s]) + 3 for s in likeliest})
    if over > AMISS:
        # An arm: no turn changes so much elsewhere than on its few squares.
        return Judgement(NOTHING, 0.0, 0.0, foreign=over)
    believed = [*beliefs] if seen and beliefs else [Belief(), *beliefs]
    worlds = [World(belief, history, rules, look.evidence.standing, seen=seen) for belief in believed]
    return _with_foreign(look, _likeliest(look, worlds, open_squares, pending))


def _likeliest(
    look: Look, worlds: Sequence[World], open_squares: list[int], pending: Pending | None
) -> Judgement:
    """The likeliest act, weighed against ever more others until it explains the look."""
    stacks = look.evidence.standing
    strong = [s for s in open_squares if look.touched[s] >= STRONG]

    def of_all(list_acts: Callable[[Acts], Iterable[Act]], most: int = len(worlds)) -> Iterator[Act]:
        for world in worlds[:most]:
            yield from world.put(list_acts(world.acts))

    pool = [world.stands for world in worlds]
    if not open_squares:
        # Nothing is new; it may be that what was doubtful has been put back, unseen.
        return _weigh(look, [*pool, *of_all(Acts.back)], pending)
    if pending is None:
        # Nearly every look: one turn, on just the squares that changed, that explains every pixel.
        best = _weigh(look, [*pool, *of_all(lambda acts: acts.turns(set(open_squares), whole=True))], pending)
        if _clean(look, best.act):
            return best
        if best.act.moves:
            # A tall stack changes most of what lies behind it, and perhaps little of its own square.
            pool.append(best.act)
    pool += of_all(lambda acts: acts.turns(set(strong or open_squares)))
    # From above, a piece that is back where it was may show on one of its two squares only.
    pool += (a for a in of_all(Acts.back) if not a.changes.keys().isdisjoint(open_squares))
    best = _weigh(look, pool, pending)
    if best.act.kind is not Kind.NOTHING or not strong:
        # What is against the rules on the same squares may look much the same, and explain it better; and
        # where the rules allow nothing, one piece more on its own colour changes but a rim.
        here = set(best.act.changes) | set(_most_changed(look, open_squares, MOST_BESIDE))
        pool += of_all(lambda acts: acts.displacements(here))
        pool += of_all(lambda acts: acts.removals(here))
        if best.act.moves and (best.act.trimmed or best.act.kind is Kind.PENDING or ends_high(best.act)):
            last = best.act.moves[-1]
            pool += of_all(lambda acts: acts.wrong_trims(last) if last in acts.legal else ())
        best = _weigh(look, pool, pending)
    known = look.evidence.outlines.touching(list(best.act.changes))
    if (
        best.act.legal
        and best.lead >= LEAD
        and _explains(look, best, strong)
        and _plainly_stirred(look) <= {*known}
        and Ignored(look).nats(best.act) < IGNORED / 2
    ):
        return best
    inside = set(_most_changed(look, open_squares, MOST_OPEN)) | _hidden_targets(stacks, strong)
    if strong:
        pool += of_all(lambda acts: acts.turns(set(open_squares) - set(strong)))
    pool += of_all(lambda acts: acts.successions(inside), WIDE)
    pool += of_all(lambda acts: acts.unseen(inside), WIDE)
    pool += of_all(lambda acts: acts.retries(inside), WIDE)
    pool += of_all(lambda acts: _illegal(acts, inside, pending), WIDE)
    best = _weigh(look, pool, pending)
    if best.act.kind is Kind.WRONG_PIECE:
        origins = _hidden_origins(stacks, best.act)
        pool += of_all(lambda acts: acts.displacements(origins.union(best.act.changes)), WIDE)
        best = _weigh(look, pool, pending)
    best = _laid_where_hidden(best, pending)
    if _explains(look, best, strong) or _as_due(best, pending) or _with_foreign(look, best).covered:
        return best
    return _unexplained(look, best, strong or open_squares, worlds[0].acts.position)


def _with_foreign(look: Look, judgement: Judgement) -> Judgement:
    """The judgement with what lies over the board and no piece of its act explains."""
    changes = judgement.act.changes
    return replace(judgement, foreign=look.foreign(list(changes), {s: len(v) for s, v in changes.items()}))


def _most_changed(look: Look, squares: Sequence[int], most: int) -> list[int]:
    return sorted(squares, key=lambda square: -look.touched[square])[:most]


def _clean(look: Look, act: Act) -> bool:
    """Does a turn explain every pixel of its squares so well that nothing else could do better there?"""
    if act.kind not in (Kind.TURN, Kind.TURNS) or act.trimmed or ends_high(act) or not act.changes:
        return False
    own = [look.evidence.stack_gain(square, stack) for square, stack in act.changes.items()]
    if not all(gain.per_pixel >= CLEAN and gain.pixels > 30 for gain in own):
        return False
    # All that it changes may be right, and still not be all that has changed: two pieces went, not one.
    if any(_other_height(look, square, stack) > MISSED / 2 for square, stack in act.changes.items()):
        return False
    # Seen at a slant, a stack that grew or shrank changes a part of the columns behind it.
    behind = look.evidence.outlines.touching(list(act.changes))
    apart = {*np.flatnonzero(look.touched >= ALONE).tolist()} | _plainly_stirred(look)
    return all(s in behind and look.touched[s] < OVERLAPPED for s in apart.difference(act.changes))


def _plainly_stirred(look: Look) -> set[int]:
    """Squares that look so different that hardly a shadow does that."""
    return {s for s, by in look.stirred.items() if by >= PLAINLY}


def _other_height(look: Look, square: int, stack: str) -> float:
    """Nats by which the square alone shows this stack with a piece less or more rather than it."""
    colours = sorted(set("".join(look.evidence.standing)))
    others = [stack[:-1], *(stack + colour for colour in colours)] if stack else colours
    gain = look.evidence.stack_gain
    return max(gain(square, other).nats for other in others) - gain(square, stack).nats


def _laid_where_hidden(best: Judgement, pending: Pending | None) -> Judgement:
    """Pieces that seem lifted may lie where they hardly show: then they were moved against the rules."""
    if not best.act.lifted:
        return best
    wider = [a for a in best.rivals if not a.legal and set(a.changes) > set(best.act.changes)]
    # Only from a stack that was told too high are pieces taken away as a matter of course.
    moved = [a for a in wider if pending is not None or a.kind is not Kind.WRONG_TRIM]
    return replace(best, act=replace(moved[0], lifted=True)) if moved else best


def _hidden_targets(stacks: Sequence[str], strong: Sequence[int]) -> set[int]:
    """Squares on which one piece more of a colour that was moved would hardly show: its own is on top.

    Only where little else has changed, so that there is a piece to be looked for.
    """
    if len(strong) > 3:
        return set()
    tops = {stacks[square][-1:] for square in strong} - {""}
    return {s for s, stack in enumerate(stacks) if stack[-1:] in tops}


def _hidden_origins(stacks: Sequence[str], act: Act) -> set[int]:
    """Squares from which a piece that seems to have come from nowhere may have been taken unseen: one of its
    colour is on top of them still.
    """
    piece = max(act.changes.values(), key=len)[-1]
    return {s for s, stood in enumerate(stacks) if stood.endswith(2 * piece) and s not in act.changes}


def _illegal(acts: Acts, inside: set[int], pending: Pending | None) -> list[Act]:
    pool: list[Act] = []
    if pending is not None and pending.sure and pending.move in acts.legal:
        pool += acts.left_high(pending.move, inside)
    for move in acts.legal:
        if move.target in inside and (move.origin is None or move.origin in inside):
            pool += acts.wrong_trims(move)
    pool += acts.displacements(inside)
    pool += acts.double_turns(inside)
    pool += acts.removals(inside)
    pool += acts.shuffles(inside)
    return pool


def _weigh(look: Look, pool: Sequence[Act], pending: Pending | None) -> Judgement:
    """The best of the pool: all acts screened square by square, the best few painted whole."""
    priors = _screened(look, pool, pending)
    nats = {i: look.evidence.gain(pool[i].changes).nats for i in priors}
    # Acts on the same squares differ in heights and hidden pieces, of which the outline is a poor witness.
    family: dict[frozenset[int], float] = {}
    for i, gained in nats.items():
        squares = frozenset(pool[i].changes)
        family[squares] = max(family.get(squares, gained), gained)
    scored = []
    for i, gained in nats.items():
        most = family[frozenset(pool[i].changes)]
        scored.append((most - _doubted(most - gained) + priors[i], i))
    scored.sort(key=lambda pair: (-pair[0], pair[1]))
    top, index = scored[0]
    act = pool[index]
    shown = {i: gained + priors[i] for i, gained in nats.items()}
    others = sorted(
        (_behind(look, act, pool[i], top - score, shown[index] - shown[i]), i)
        for score, i in scored[1:]
        if _outcome(pool[i]) != _outcome(act)
    )
    lead = others[0][0] if others else 50.0
    legal_lead = next((behind for behind, i in others if pool[i].legal), 50.0)
    near = HIDDEN if act.lifted else LEAD
    rivals = [i for behind, i in others if behind < near]
    done = (score for score, i in scored if pool[i].kind is Kind.TURN and pool[i].moves == act.moves)
    trim_lead = top - next(done, -np.inf) if act.kind is Kind.PENDING else 0.0
    return Judgement(
        act,
        top,
        lead,
        legal_lead=legal_lead,
        rivals=tuple(pool[i] for i in rivals),
        trim_lead=trim_lead,
        weights=tuple(priors[i] for i in (index, *rivals)),
    )


def _screened(look: Look, pool: Sequence[Act], pending: Pending | None) -> dict[int, float]:
    """The acts, by their number in the pool, that are best square by square, the best first; and of each the
    nats that do not come from how the board looks now.

    What can be said for an act besides is bounded: most of thousands are left out for their squares.
    """
    gain, ignored = look.evidence.stack_gain, Ignored(look)
    shown = [sum(gain(s, stack).nats for s, stack in act.changes.items()) + act.prior for act in pool]
    priors: dict[int, float] = {}
    best: list[tuple[float, int]] = []
    for i in sorted(range(len(pool)), key=lambda i: (-shown[i], i)):
        if len(best) == PAINTED and shown[i] + MOST_FOR < best[0][0]:
            break
        said = course(look, pool[i], pending) - ignored.nats(pool[i])
        priors[i] = pool[i].prior + said
        # Of equal ones the first listed stays.
        (heapq.heappush if len(best) < PAINTED else heapq.heappushpop)(best, (shown[i] + said, -i))
    return {-i: priors[-i] for _, i in sorted(best, reverse=True)}


def _behind(look: Look, act: Act, other: Act, told: float, shown: float) -> float:
    """Nats by which the other act is behind: ``told`` with what heights are worth, ``shown`` without.

    Whether a stack was trimmed as it should be is a matter of its height alone: then both must say so.
    """
    behind = told * _worth(look, act, other)
    wrongly = bool(act.trimmed) and act.legal and other.kind is Kind.WRONG_TRIM
    return min(behind, shown) if wrongly else behind


def _worth(look: Look, act: Act, other: Act) -> float:
    """What the nats between two acts are worth. Where both leave the same tops, they differ in rims and
    shadows alone, which the way a piece was set down or nudged changes as much as a piece more: unless as
    much of the rim has changed as a piece changes.
    """
    if act.changes.keys() == other.changes.keys() or not (act.legal and other.legal):
        return 1.0
    stood = look.evidence.standing
    squares = {*act.changes, *other.changes}
    tops = ((act.changes.get(s, stood[s])[-1:], other.changes.get(s, stood[s])[-1:]) for s in squares)
    if any(one != two for one, two in tops):
        return 1.0
    own = [s for s in act.changes if s not in other.changes and s not in act.past]
    shown = all(look.touched[s] > min(RIM, RIM_SHOWN * differing(look, s, act.changes[s])) for s in own)
    return 1.0 if own and shown else RIMS


def _doubted(behind: float) -> float:
    """What ``behind`` nats are worth between outcomes of one move that differ in the height of its stack.

    A stack leans by a piece's play, so a small difference of the outline says little, and a large one much.
    """
    return behind * (0.4 + 0.6 * min(1.0, behind / LEANING))


def _outcome(act: Act) -> object:
    """Acts that leave the same board and mean the same count as one."""
    return (
        act.kind is Kind.NOTHING,
        act.legal,
        tuple(sorted(act.changes.items())),
        act.moves if act.legal else (),
    )


def _explains(look: Look, best: Judgement, strong: Sequence[int]) -> bool:
    """Does the act account for what is seen, so that none less likely need be weighed?"""
    act = best.act
    if act.kind is Kind.NOTHING and strong:
        return False
    if act.changes:
        gain = look.evidence.gain(act.changes)
        if gain.nats < 4 and act.kind is not Kind.BACK:
            return False
        for square, stack in act.changes.items():
            own = look.evidence.stack_gain(square, stack)
            if own.nats < -25 and own.per_pixel < -0.5:
                return False
    for square in strong:
        if square not in act.changes and _better(look, square, act) > MISSED:
            return False
    return not act.changes or look.evidence.gain(act.changes).per_pixel >= GOOD or best.nats < 120


def _as_due(best: Judgement, pending: Pending | None) -> bool:
    """Has just that been done for which a prompt stands? It need not show: a stack that lost its lowest
    piece after another was set on top may look as before the turn.
    """
    act = best.act
    return pending is not None and act.legal and act.moves[:1] == (pending.move,) and best.lead >= LEAD


def _better(look: Look, square: int, act: Act) -> float:
    """Nats that the best simple change of a further square would gain on top of the act."""
    stack = look.evidence.standing[square]
    changed = [stack[:-n] for n in range(1, len(stack) + 1)]
    changed += [stack + colour for colour in sorted(set("".join(look.evidence.standing)))]
    gained = look.evidence.gain(act.changes).nats
    return max(look.evidence.gain(act.changes | {square: other}).nats for other in changed) - gained


def _unexplained(look: Look, best: Judgement, squares: Sequence[int], position: Position) -> Judgement:
    """No single act explains the look: say where the board differs."""
    differ = {}
    for square in squares:
        stack, _ = look.evidence.read(square, position.players, 6)
        gain = look.evidence.stack_gain(square, stack).nats
        if stack != look.evidence.standing[square] and gain > MISSED / 2:
            differ[square] = stack
    if not differ:
        return Judgement(NOTHING, 0.0, 0.0)
    gained = look.evidence.gain(differ).nats
    sure = bool(
        best.act.legal and best.act.moves and best.lead >= LEAD and differ.keys() <= best.act.changes.keys()
    )
    if sure or (best.act.changes and gained < look.evidence.gain(best.act.changes).nats + MISSED):
        # Seen badly, but it was a turn on just these squares, or no other stacks there would do much better.
        return best
    where = tuple(sorted(differ))
    turn = position.to_move or position.players[0]
    wrong = Wrong("unexplained", turn, where, words.say("unexplained", turn, squares=where))
    act = Act(Kind.WRONG_TWICE, differ, wrong=lambda: wrong)
    nats = gained + act.prior
    lead = nats - best.nats
    return Judgement(act, nats, lead, lead if best.act.legal else 50.0, rivals=(best.act,))
