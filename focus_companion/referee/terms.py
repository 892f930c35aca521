"""The terms of a decision as values: the likeliest acts, square by square, with their text and JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from .decision import Condition
from .terms_text import shown

Explained = Literal["act", "not explained", "hidden", "beside", "hardly changed"]
"""What explains the picture of a square: the act changes it; the square has changed, and the act does not
account for that; an occluder covers it; the act may change how it looks, by a shadow or a stack in front of
it; or too little has changed to count against any act."""


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
    """What all squares together add to the sum of the single squares, as stacks hide parts of each other."""
    picture: float
    """Log-likelihood ratio of the picture: the sum of the above."""
    prior: float
    context: dict[str, float]
    """Contextual evidence, in nats by name."""
    heights: float
    """What the score gains or loses because stacks lean: their pieces are taken to stand where they fit best,
    and what distinguishes heights is discounted.
    """
    score: float
    behind: float
    """Nats by which the act is behind the likeliest one, as the decision counts them: 0 for the likeliest;
    negative if the picture alone would have favoured this act.
    """
    probability: float
    """The probability of the act among those listed here."""

    @property
    def summary(self) -> str:
        """The act with its probability and its score."""
        behind = f", {self.behind:.1f} behind" if self.behind else ""
        return f"{self.probability:6.1%}  {self.act}: {self.score:.1f} nats{behind}"

    def lines(self) -> list[str]:
        """The terms of the score, one per line."""
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
    """The stack that the square alone looks like; "" also if that was not requested."""
    like_nats: float
    """Nats by which the square looks more like that stack than like the one of the best act."""
    touched: float
    """Fraction of its pixels that have, or may have, changed."""
    differs: float
    """Difference of the square from the reference, in standard deviations."""

    @property
    def text(self) -> str:
        """The terms of the square on one line."""
        what = (
            f"act: {shown(self.before)} to {shown(self.act)}" if self.act != self.before else self.explained
        )
        like = (
            f", looks like {shown(self.like)} by {self.like_nats:.0f} nats" if self.like_nats >= 0.5 else ""
        )
        return f"{self.square} {what}; {self.touched:.0%} changed, {self.differs:.1f} s.d.{like}"


@dataclass(frozen=True)
class Terms:
    """Everything that a decision rests on."""

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


def _rounded(value: Any) -> Any:
    """The value with all numbers rounded to three decimals."""
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return value
