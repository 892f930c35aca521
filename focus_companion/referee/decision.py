"""What the referee decides about a look: its verdicts, and what the watcher should take to stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..game.play import apply
from ..game.position import Position
from ..game.rules import Rules
from .verdict import OtherBegins, TurnSeen, Verdict, WentBack

Stacks = tuple[str, ...]


@dataclass(frozen=True)
class Standing:
    """The stacks (52) that the board is taken to show.

    ``doubtful``: squares on which turns that are still in doubt disagree. ``shown``: the newest look shows
    just these stacks, so that it may be learned from.
    """

    stacks: Stacks
    doubtful: tuple[int, ...] = ()
    shown: bool = True


@dataclass(frozen=True)
class Decision:
    """All that follows from one look."""

    verdicts: tuple[Verdict, ...]
    """To be taken in this order; empty while nothing new can be said."""
    standing: Standing
    """What the board is taken to show until something speaks against it."""
    outcome: Stacks | None
    """The stacks that stand once the verdicts are taken; ``None`` if they do not change the position."""
    partial: bool
    """The verdicts are only a part of what the look shows; the next look brings the rest."""
    unchanged: bool
    """The look shows what stood before, uncovered, and not even a turn that hardly shows."""
    covered: bool
    """Something lies over the board."""


def outcome(verdicts: Iterable[Verdict], history: Sequence[Position], rules: Rules) -> Stacks | None:
    """The stacks (52) that stand once ``verdicts`` are taken; ``None`` if they do not change the position."""
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
