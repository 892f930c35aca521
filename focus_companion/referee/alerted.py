"""Lists what may have followed an illegal act that was alerted and has not been put right: the players may
have gone on playing from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..game.moves import Move
from ..game.squares import FILE, RANK
from .act import SECOND_TURN_PENALTY, Act, Kind, changes_between, squares_of
from .verdict import Wrong
from .visible_change import MIN_CHANGED_FRACTION

if TYPE_CHECKING:
    from ..vision.tracking.look import Look

_LIFT_PENALTY = -Kind.TURNS.value
"""Penalty in nats of pieces that somebody has lifted to play next: that of a lift together with a legal
turn."""

_FURTHER_WRONG_PENALTY = SECOND_TURN_PENALTY + Kind.TURN.value - Kind.WRONG.value
"""Penalty in nats of a further move that cannot be a turn."""


@dataclass(frozen=True)
class Alerted:
    """The alert that stands, and the ``stacks`` (52) that its act, and what has followed it, left on the
    board; ``besides``: the other squares that had changed by then, or were hidden by an object; ``since``:
    for each square that they changed, the number of the first look that showed it.
    """

    wrong: Wrong
    stacks: Sequence[str]
    besides: frozenset[int]
    since: Mapping[int, int]

    @classmethod
    def by(cls, wrong: Wrong, act: Act, look: Look, before: Alerted | None = None) -> Alerted:
        """The alert for an act that explains the look; ``before``: the same alert in an earlier look."""
        stacks = [act.changes.get(square, stack) for square, stack in enumerate(look.evidence.standing)]
        changed = np.flatnonzero(look.touched > MIN_CHANGED_FRACTION)
        besides = frozenset([*changed.tolist(), *look.hidden_by_object]) - act.changes.keys()
        earlier = {} if before is None else before.since
        return cls(wrong, stacks, besides, {s: earlier.get(s, look.number) for s in act.changes})

    def in_order(self, turns: Iterable[Move]) -> bool:
        """Whether the turns were seen in this order, as far as the looks tell it."""
        seen = [max(self.since.get(square, 0) for square in squares_of(turn)) for turn in turns]
        return seen == sorted(seen)

    def followed(self, squares: Collection[int], players: str, standing: Sequence[str]) -> Iterator[Act]:
        """What may have followed on these squares, as changes of the ``standing`` stacks; the alert is the
        same.
        """
        for changes, penalty, lifted in self._further(squares, players):
            after = [changes.get(s, stack) for s, stack in enumerate(self.stacks)]
            yield Act(
                Kind.WRONG,
                changes_between(standing, after),
                wrong=lambda: self.wrong,
                lifted=lifted,
                given_prior=Kind.WRONG.value - penalty,
            )

    def _further(
        self, squares: Collection[int], players: str
    ) -> Iterator[tuple[dict[int, str], float, bool]]:
        """The changed stacks of each further act, its penalty in nats, and whether it is a lift."""
        for origin in squares:
            stack = self.stacks[origin]
            for number in range(1, len(stack) + 1):
                left, moved = stack[:-number], stack[-number:]
                yield {origin: left}, _LIFT_PENALTY, True
                for target in squares:
                    if target != origin:
                        across, along = abs(FILE[origin] - FILE[target]), abs(RANK[origin] - RANK[target])
                        turn = {across, along} == {0, number}
                        penalty = SECOND_TURN_PENALTY if turn else _FURTHER_WRONG_PENALTY
                        yield {origin: left, target: self.stacks[target] + moved}, penalty, False
        for target in squares:
            for colour in players:
                yield {target: self.stacks[target] + colour}, SECOND_TURN_PENALTY, False
