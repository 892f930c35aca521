"""Computes the terms of a decision, for people who examine it.

They are computed on request from a decision and its look: nearly everything they need was computed for the
decision and is cached.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import numpy as np

from ..game.squares import SQUARES
from ..vision.appearance.evidence import TEMPERATURE
from .act import Act
from .course import IgnoredChanges, context_terms
from .decision import Decision
from .explaining import MAX_READ_HEIGHT
from .terms import ActTerms, Explained, SquareTerms, StackTerm, Terms
from .terms_text import act_text, light_text, reason_text, verdict_text
from .trimming import gain_if_trimmed
from .visible_change import MIN_OPEN_FRACTION
from .weighing import NOTHING, Weighed

if TYPE_CHECKING:
    from ..vision.tracking.look import Look


def terms_of(look: Look, decision: Decision, *, thorough: bool = False) -> Terms:
    """The terms of a decision on a look. ``thorough``: also which stack each changed square looks like, which
    takes some hundredths of a second.
    """
    judgement = decision.judgement
    acts: tuple[ActTerms, ...] = ()
    best = NOTHING
    if judgement is not None:
        best = judgement.act
        weighed = [*judgement.weighed]
        if weighed and all(each.act is not best for each in weighed):
            # The best act was not weighed with the others: a change that no single act explains, or a more
            # plausible variant.
            others = [replace(each, behind=max(0.0, judgement.nats - each.score)) for each in weighed]
            weighed = [Weighed(best, judgement.nats, 0.0), *others]
        weighed = [*{_meaning(each.act): each for each in reversed(weighed)}.values()][::-1]
        odds = np.exp(-np.array([max(0.0, each.behind) for each in weighed]) / TEMPERATURE)
        acts = tuple(
            _act_terms(look, each, float(share), decision)
            for each, share in zip(weighed, odds / odds.sum(), strict=True)
        )
    conditions = look.conditions
    return Terms(
        look.time,
        look.since,
        look.number,
        tuple(verdict_text(verdict) for verdict in decision.verdicts),
        reason_text(decision),
        decision.conditions,
        acts,
        tuple(_squares(look, best, decision, thorough=thorough)),
        0.0 if judgement is None else judgement.foreign,
        light_text(None if conditions is None else conditions.light),
        0.0 if conditions is None else conditions.corner_displacement(),
    )


def _meaning(act: Act) -> object:
    """A key: acts with the same text and the same changes are listed once."""
    return act_text(act), tuple(act.changes.items())


def _act_terms(look: Look, weighed: Weighed, probability: float, decision: Decision) -> ActTerms:
    act, evidence = weighed.act, look.evidence
    pending = None if decision.judgement is None else decision.judgement.pending
    squares = []
    for square, stack in act.changes.items():
        gain = evidence.stack_gain(square, stack)
        squares.append(
            StackTerm(str(SQUARES[square]), evidence.standing[square], stack, gain.nats, gain.pixels)
        )
    picture = evidence.gain(act.changes).nats
    context = dict(context_terms(look, act, pending))
    context["its stack still looks too high"] = gain_if_trimmed(look, act, pending)
    ignored = IgnoredChanges(look)
    context["a changed square that it leaves alone"] = -ignored.penalty(act)
    context = {name: nats for name, nats in context.items() if nats}
    return ActTerms(
        act_text(act),
        act.legal,
        tuple(squares),
        picture - sum(term.nats for term in squares),
        picture,
        act.prior,
        context,
        weighed.score - picture - act.prior - sum(context.values()),
        weighed.score,
        weighed.behind,
        probability,
    )


def _squares(look: Look, best: Act, decision: Decision, *, thorough: bool) -> list[SquareTerms]:
    """The squares that have changed or that the best act changes, the most important ones first."""
    ignored = IgnoredChanges(look)
    unexplained = set(ignored.ignored_squares(best))
    over: tuple[int, ...] = ()
    if decision.covered and look.occluder is not None:
        over = look.occluder.squares
    found = []
    for square, before in enumerate(look.evidence.standing):
        changed = look.touched[square] >= MIN_OPEN_FRACTION or square in look.faintly_changed
        if not changed and square not in best.changes:
            continue
        explained: Explained = "beside" if square in ignored.changed else "hardly changed"
        if square in over:
            explained = "hidden"
        elif square in best.changes:
            explained = "act"
        elif square in unexplained:
            explained = "not explained"
        now = best.changes.get(square, before)
        like, nats = "", 0.0
        if thorough:
            like, _ = look.evidence.read(square, _letters(look), MAX_READ_HEIGHT)
            gain = look.evidence.stack_gain
            nats = gain(square, like).nats - gain(square, now).nats
        touched, differs = float(look.touched[square]), float(look.deviations[square])
        name = str(SQUARES[square])
        found.append(SquareTerms(name, explained, before, now, like, nats, touched, differs))
    kinds = get_args(Explained)
    return sorted(found, key=lambda terms: (kinds.index(terms.explained), -terms.touched))


def _letters(look: Look) -> str:
    return "".join(sorted(set("".join(look.evidence.standing))))
