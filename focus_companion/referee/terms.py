"""The terms of a decision, for people who examine it: the likeliest acts, square by square.

They are computed from a decision and its look when somebody asks: nearly all that they need has been computed
for the decision, and is cached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from ..game.squares import SQUARES
from .acts import Act, Kind
from .course import OPEN, Ignored, course_terms
from .decision import Condition, Decision
from .trimming import as_trimmed
from .verdict import (
    OtherBegins,
    PutRight,
    TrimAwaited,
    TurnSeen,
    Undecided,
    Verdict,
    WentBack,
    Wrong,
)
from .weighing import NOTHING, TEMPERATURE, Weighed

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

TALLEST: Final = 6
"""Maximum height of the stacks that are tried on a square to say what it looks like."""

Explained = Literal["act", "not explained", "hidden", "beside", "hardly changed"]
"""What explains the picture of a square: the act changes it; it has changed, and the act does not say why;
something lies over it; the act may change its look, by a shadow or a stack before it; or too little has
changed to count against any act."""


@dataclass(frozen=True)
class StackTerm:
    """The nats by which a square alone fits the stack ``now`` better than the one that stood there
    ``before``, and the number of ``pixels`` that distinguish them.
    """

    square: str
    before: str
    now: str
    nats: float
    pixels: int


@dataclass(frozen=True)
class ActTerms:
    """An act and the terms of its score, in nats relative to nothing having happened."""

    act: str
    legal: bool
    squares: tuple[StackTerm, ...]
    overlap: float
    """What its squares together add to their sum, as stacks hide parts of each other."""
    picture: float
    """Log-likelihood ratio of the picture: the sum of the above."""
    prior: float
    context: dict[str, float]
    """Evidence other than its squares, by name."""
    heights: float
    """What the score gains or loses because differences of height count less than the picture says."""
    score: float
    behind: float
    """Nats by which it is behind the likeliest act, as the decision counts them; 0 for that act. Negative if
    the picture alone would have favoured it.
    """
    probability: float
    """Among the acts listed here."""

    @property
    def summary(self) -> str:
        """The act with its probability and its score."""
        behind = f", {self.behind:.1f} behind" if self.behind else ""
        return f"{self.probability:6.1%}  {self.act}: {self.score:.1f} nats{behind}"

    def lines(self) -> list[str]:
        """The terms of the score, one a line."""
        parts = [
            f"{term.square} {shown(term.before)} to {shown(term.now)} {term.nats:+.1f}"
            for term in self.squares
        ]
        if abs(self.overlap) >= 0.05:
            parts.append(f"together {self.overlap:+.1f}")
        terms = [f"prior {self.prior:+.1f}"]
        terms += [f"{name} {nats:+.1f}" for name, nats in self.context.items()]
        if abs(self.heights) >= 0.05:
            terms.append(f"heights {self.heights:+.1f}")
        picture = [f"picture {self.picture:+.1f}: {'; '.join(parts)}"] if parts else []
        return [*picture, "; ".join(terms)]


@dataclass(frozen=True)
class SquareTerms:
    """What is known of a square that has changed, or that the best act changes."""

    square: str
    explained: Explained
    before: str
    act: str
    """The stack that the best act leaves there."""
    like: str
    """The stack that the square alone looks like; "" also if that was not asked for."""
    like_nats: float
    """Nats by which it looks more like that than like the stack of the best act."""
    touched: float
    """Share of its pixels that have, or may have, changed."""
    differs: float
    """Standard deviations by which it differs, over all squares."""

    @property
    def text(self) -> str:
        """All of it on one line."""
        what = (
            f"act: {shown(self.before)} to {shown(self.act)}" if self.act != self.before else self.explained
        )
        like = (
            f", looks like {shown(self.like)} by {self.like_nats:.0f} nats" if self.like_nats >= 0.5 else ""
        )
        return f"{self.square} {what}; {self.touched:.0%} changed, {self.differs:.1f} s.d.{like}"


@dataclass(frozen=True)
class Terms:
    """All that a decision rests on."""

    time: float
    since: float
    """When the picture came to rest."""
    look: int
    decided: tuple[str, ...]
    """The verdicts; empty if none."""
    why: str
    """The decision in one sentence."""
    conditions: tuple[Condition, ...]
    acts: tuple[ActTerms, ...]
    squares: tuple[SquareTerms, ...]
    foreign: float
    """Area in squares of the largest change that no act explains."""
    light: str
    camera: float
    """Motion of the camera since the reference, in pixels."""

    def to_json(self) -> dict[str, Any]:
        """The terms as JSON values, rounded."""
        rounded: dict[str, Any] = _rounded(asdict(self))
        return rounded

    @property
    def required(self) -> str:
        """The conditions of the decision, on one line."""
        return f"Required: {'; '.join(condition.text for condition in self.conditions)}."

    def text(self) -> str:
        """The terms for people, on several lines."""
        light = f"; {self.light}; camera moved by {self.camera:.1f} px" if self.look else ""
        lines = [f"{self.time:.2f} s, picture {self.look}, still since {self.since:.2f} s{light}", self.why]
        lines += [self.required] if self.conditions else []
        for act in self.acts:
            lines.append(f"  {act.summary}")
            lines += [f"      {line}" for line in act.lines()]
        listed = [square for square in self.squares if square.explained != "hardly changed"]
        if listed:
            lines.append("  squares that have changed, or that the likeliest act changes:")
        lines += [f"      {square.text}" for square in listed]
        return "\n".join(lines)


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
            # It was not weighed with the others: pieces that fit no single act, or a likelier variant.
            others = [replace(each, behind=max(0.0, judgement.nats - each.score)) for each in weighed]
            weighed = [Weighed(best, judgement.nats, 0.0), *others]
        weighed = [*{_meaning(each.act): each for each in reversed(weighed)}.values()][::-1]
        odds = np.exp(-np.array([max(0.0, each.behind) for each in weighed]) / TEMPERATURE)
        acts = tuple(
            _act_terms(look, each, float(share), decision)
            for each, share in zip(weighed, odds / odds.sum(), strict=True)
        )
    light = "as in the reference"
    moved = 0.0
    if look.conditions is not None:
        moved = look.conditions.moves()
        if look.conditions.light is not None:
            light = (
                "another light" if look.conditions.light.veil is None else "another light, with a reflection"
            )
    return Terms(
        look.time,
        look.since,
        look.number,
        tuple(verdict_text(verdict) for verdict in decision.verdicts),
        _why(decision),
        decision.conditions,
        acts,
        tuple(_squares(look, best, decision, thorough=thorough)),
        0.0 if judgement is None else judgement.foreign,
        light,
        moved,
    )


def _meaning(act: Act) -> object:
    """A key: acts that say the same of the same squares are listed once."""
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
    context = dict(course_terms(look, act, pending))
    context["its stack still looks too high"] = as_trimmed(look, act, pending)
    ignored = Ignored(look)
    context["a changed square that it leaves alone"] = -ignored.nats(act)
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
    """Those that have changed, or that the best act changes, the most important ones first."""
    ignored = Ignored(look)
    alone = set(ignored.alone(best))
    over: tuple[int, ...] = ()
    if decision.covered and look.covering is not None:
        over = look.covering.under
    found = []
    for square, before in enumerate(look.evidence.standing):
        changed = look.touched[square] >= OPEN or square in look.stirred
        if not changed and square not in best.changes:
            continue
        explained: Explained = "beside" if square in ignored.changed else "hardly changed"
        if square in over:
            explained = "hidden"
        elif square in best.changes:
            explained = "act"
        elif square in alone:
            explained = "not explained"
        now = best.changes.get(square, before)
        like, nats = "", 0.0
        if thorough:
            like, _ = look.evidence.read(square, _letters(look), TALLEST)
            gain = look.evidence.stack_gain
            nats = gain(square, like).nats - gain(square, now).nats
        touched, differs = float(look.touched[square]), float(look.differs[square])
        name = str(SQUARES[square])
        found.append(SquareTerms(name, explained, before, now, like, nats, touched, differs))
    kinds = get_args(Explained)
    return sorted(found, key=lambda terms: (kinds.index(terms.explained), -terms.touched))


def _letters(look: Look) -> str:
    return "".join(sorted(set("".join(look.evidence.standing))))


def act_text(act: Act) -> str:
    """An act in a few words, such as "turn d5-d6" or "wrong: distance e7 e4"."""
    moves = " ".join(map(str, act.moves))
    if act.kind is Kind.NOTHING:
        return "nothing happened"
    if act.wrong is not None:
        wrong = act.wrong()
        after = f" after {moves}" if moves else ""
        return f"wrong: {wrong.reason} {_names(wrong.squares)}{after}"
    if act.kind is Kind.BACK:
        return f"back to ply {act.ply}{f', then {moves}' if moves else ''}"
    ends = (
        ", to be trimmed"
        if act.kind is Kind.PENDING
        else f", trimmed by {act.trimmed}"
        if act.trimmed
        else ""
    )
    return f"turn{'s' if len(act.moves) > 1 else ''} {moves}{ends}"


def verdict_text(verdict: Verdict) -> str:
    """A verdict in a few words, such as "alert distance e7 e4"."""
    match verdict:
        case TurnSeen(move, confidence):
            return f"turn {move} ({confidence:.2f} sure)"
        case Wrong(reason, _, squares, _):
            return f"alert {reason} {_names(squares)}"
        case Undecided(candidates):
            return f"question: {' or '.join(map(str, candidates))}"
        case TrimAwaited(move, square, _):
            return f"prompt: trim {SQUARES[square]} after {move}"
        case WentBack(ply):
            return f"taken back to ply {ply}"
        case PutRight():
            return "put right"
        case OtherBegins(player, _):
            return f"{player} begins"
        case _:
            return type(verdict).__name__


def _why(decision: Decision) -> str:
    """The decision in one sentence."""
    judgement = decision.judgement
    if judgement is None:
        return "The game is over, so that nothing is judged."
    if decision.covered:
        return f"Something that covers {judgement.foreign:.1f} squares lies over the board: it is not judged."
    best = act_text(judgement.act)
    failed = [condition for condition in decision.conditions if not condition.met]
    short = ", and ".join(map(_short_of, failed))
    if decision.verdicts:
        said = "; ".join(verdict_text(verdict) for verdict in decision.verdicts)
        return f"The likeliest act is \u201c{best}\u201d; so: {said}" + (f" (as {short})." if short else ".")
    if decision.unchanged:
        return "The board shows what it showed."
    if judgement.act.kind is Kind.NOTHING:
        return "No act explains the picture better than that nothing happened."
    return f"The likeliest act is \u201c{best}\u201d; nothing new is said" + (
        f", as {short}." if short else "."
    )


def _short_of(condition: Condition) -> str:
    if condition.what == "seconds":
        return f"the picture has been still for {condition.reached:.2f} s, not yet {condition.least:.2f} s"
    return f"it leads by {condition.reached:.1f} nats, and {condition.least:.0f} would be certain"


def shown(stack: str) -> str:
    """A stack, bottom to top, for people."""
    return stack or "empty"


def _names(squares: Sequence[int]) -> str:
    return " ".join(str(SQUARES[square]) for square in squares)


def _rounded(value: Any) -> Any:
    """The value with all numbers rounded to three decimals."""
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return value
