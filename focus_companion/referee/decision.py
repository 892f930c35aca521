"""What the referee decides about a look: its verdicts, and the position that the watcher should assume."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ..game.play import apply
from ..game.position import Position
from ..game.rules import Rules
from .verdict import OtherBegins, TurnSeen, Verdict, WentBack
from .weighing import Judgement

Stacks = tuple[str, ...]


@dataclass(frozen=True)
class Standing:
    """The stacks (52) that the board is assumed to show.

    ``doubtful``: squares on which the remaining beliefs disagree. ``shown``: the newest look shows exactly
    these stacks, so that the watcher may learn from it.
    """

    stacks: Stacks
    doubtful: tuple[int, ...] = ()
    shown: bool = True


@dataclass(frozen=True)
class Condition:
    """What a verdict required: the value ``reached``, and the ``least`` value that is enough.

    ``what``: "seconds" for which the picture has been still, or "nats" of lead over the acts that would mean
    another verdict.
    """

    what: str
    reached: float
    least: float

    @property
    def met(self) -> bool:
        return self.reached >= self.least

    @property
    def text(self) -> str:
        """The condition in a few words."""
        name = "a lead, in nats, of" if self.what == "nats" else "a still picture, in seconds, of"
        return f"{name} {self.least:g}: {self.reached:.2f}{'' if self.met else ', too little'}"


@dataclass(frozen=True)
class Decision:
    """Everything that follows from one look."""

    verdicts: tuple[Verdict, ...]
    """The verdicts, to be processed in this order; empty if there is nothing new to report."""
    standing: Standing
    """What the board is assumed to show until there is evidence against it."""
    outcome: Stacks | None
    """The stacks on the board after the verdicts; ``None`` if they do not change the position."""
    partial: bool
    """Whether the verdicts cover only a part of what the look shows; the next look is judged for the rest."""
    unchanged: bool
    """Whether the look shows the same stacks as before, uncovered, without a hint of a barely visible
    turn."""
    covered: bool
    """Whether an occluder covers a part of the board."""
    lost_track: bool = False
    """Whether more has happened, while there were no pictures, than can be reconstructed: the players must
    set up the last known position, or say which one stands."""
    lifted: tuple[int, str] | None = None
    """See :attr:`.weighing.Judgement.lifted`."""
    judgement: Judgement | None = field(default=None, compare=False, repr=False)
    """What the verdicts rest on; ``None`` if the look was not judged."""
    conditions: tuple[Condition, ...] = field(default=(), compare=False, repr=False)
    """What was required of the look, in the order in which it was checked."""


def outcome(verdicts: Iterable[Verdict], history: Sequence[Position], rules: Rules) -> Stacks | None:
    """The stacks (52) on the board after ``verdicts``; ``None`` if they do not change the position."""
    position, stacks = history[-1], None
    for verdict in verdicts:
        if isinstance(verdict, WentBack):
            position = history[verdict.ply]
        elif isinstance(verdict, OtherBegins):
            position = verdict.start
            rules = replace(rules, order=position.players)
        elif isinstance(verdict, TurnSeen) and not position.over:
            position = apply(position, verdict.move, rules)
        else:
            continue
        stacks = position.stacks
    return stacks
