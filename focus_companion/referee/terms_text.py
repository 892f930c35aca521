"""Acts, verdicts and decisions in a few words, for people who examine why something was decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..game.squares import SQUARES
from .act import Act, Kind
from .decision import Condition, Decision
from .verdict import OtherBegins, PutRight, TrimAwaited, TurnSeen, Undecided, Verdict, WentBack, Wrong

if TYPE_CHECKING:
    from ..vision.registration.light import Light


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


def reason_text(decision: Decision) -> str:
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


def light_text(light: Light | None) -> str:
    """The change of light since the reference, in words."""
    if light is None:
        return "as in the reference"
    if light.veil is not None:
        return "another light, with a reflection"
    factors = " and ".join(f"{patch.factor.mean():.2f}" for patch in light.patches)
    return f"another light, in parts with hard edges: levels times {factors}" if factors else "another light"


def shown(stack: str) -> str:
    """A stack, bottom to top, for people."""
    return stack or "empty"


def _names(squares: Sequence[int]) -> str:
    return " ".join(str(SQUARES[square]) for square in squares)
