"""Makes the beats of what happens at a table while somebody thinks: mostly nothing, and never a turn.

An arm or a head passes over the board, a hand hovers, a piece is lifted and put back, the light drifts, or
the camera is nudged. Afterwards, the board is as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from ...game.position import Position
from ..beats import Beat
from ..director import Director
from ..hands import Hands
from ..stage import SEAT_DIRECTIONS, SEATS, Hand, Stage, square_centre

STILL_SECONDS: Final = (3.0, 15.0)
"""Minimum and maximum seconds for which nothing happens."""

MAX_DRIFT: Final = 0.3
"""Maximum drift of the light from its initial level, in stops."""

NUDGE_SHIFT: Final = 0.0016
"""Standard deviation of a nudge's shift, as a fraction of the picture's width."""

DRIFT_PROBABILITY: Final = 0.3
"""Probability that the light drifts while nothing else happens."""

NUDGE_PROBABILITY: Final = 0.04
"""Probability of a nudge after each time in which nothing happened."""

MOVER_PROBABILITY: Final = 0.7
"""Probability that the player to move does something, rather than any player."""


class Thinker:
    """Makes the beats of thinking time for a director's table."""

    def __init__(self, director: Director, seed: int) -> None:
        self._director = director
        self._hands = Hands(director.look, director.pace)
        self._rng = np.random.default_rng([seed, 13])
        # The probability of each, its name in the ground truth, and the method that makes its beats.
        self._doings: tuple[tuple[float, str, Callable[[Stage, Position], Iterator[Beat]]], ...] = (
            (0.12, "an arm passed over", self._arm),
            (0.06, "a head passed over", self._head),
            (0.14, "a hand hovered", self._hover),
            (0.06, "a piece was lifted and put back", self._lift),
        )

    def beats(self, position: Position, seconds: float) -> Iterator[Beat]:
        """About this many seconds in which the board keeps its ``position``; the last beat is still."""
        left, event = seconds, "thinking"
        while left > 0:
            still = min(left, float(self._rng.uniform(*STILL_SECONDS)))
            beat = self._director.still(position, still, event=event)
            if self._rng.random() < DRIFT_PROBABILITY:
                beat = self._drifting(beat)
            yield beat
            left -= still
            if left > STILL_SECONDS[0]:
                event = self._nudged()
                for beat in self._doing(position) if not event else ():
                    yield beat
                    left -= beat.seconds
                    event = str(beat.truth["doing"])
            event = event or "thinking"

    def _doing(self, position: Position) -> Iterator[Beat]:
        """One of the things that happen, or nothing."""
        chance = float(self._rng.random())
        for share, name, beats in self._doings:
            if chance < share:
                before = self._director.stage(position)
                for beat in beats(before, position):
                    yield replace(beat, truth={**beat.truth, "doing": name})
                return
            chance -= share

    def _drifting(self, beat: Beat) -> Beat:
        goal = float(np.clip(self._director.drift + self._rng.normal(0, 0.12), -MAX_DRIFT, MAX_DRIFT))
        self._director.drift = goal
        return replace(beat, drift=goal)

    def _nudged(self) -> str:
        """Occasionally pushes the camera a little; returns what happened, if anything."""
        if self._rng.random() > NUDGE_PROBABILITY:
            return ""
        size = NUDGE_SHIFT * self._director.look.size[0]
        dx, dy, turn = self._director.nudge
        by = self._rng.normal(0, (size, size, 0.06))
        self._director.nudge = dx + float(by[0]), dy + float(by[1]), turn + float(by[2])
        return "the camera was nudged"

    def _arm(self, before: Stage, position: Position) -> Iterator[Beat]:
        """Somebody reaches high across the pieces for something beyond the board."""
        seat = self._seat(position)
        tx, ty = SEAT_DIRECTIONS[seat]
        far, aside = self._rng.uniform(-150, 120), self._rng.uniform(-140, 140)
        goal = Hand(
            seat,
            tx * float(far) - ty * float(aside),
            ty * float(far) + tx * float(aside),
            float(self._rng.uniform(70, 120)),
            closed=0.4,
        )
        yield from self._visit(before, replace(self._hands.away(seat, goal), height=goal.height), goal, 0.4)

    def _head(self, before: Stage, position: Position) -> Iterator[Beat]:
        """Somebody leans over the board to see better."""
        seat = str(self._rng.choice(SEATS))
        tx, ty = SEAT_DIRECTIONS[seat]
        half = self._director.look.profile.half_width
        height = float(self._rng.uniform(180, 280))
        out, aside = half * float(self._rng.uniform(0.2, 1.0)), float(self._rng.uniform(-80, 80))
        goal = Hand(seat, tx * out - ty * aside, ty * out + tx * aside, height, head=True)
        start = replace(goal, x=tx * 3 * half - ty * aside, y=ty * 3 * half + tx * aside, height=height + 80)
        yield from self._visit(before, start, goal, 0.7)

    def _hover(self, before: Stage, position: Position) -> Iterator[Beat]:
        """A hand hovers above a stack and goes away."""
        seat, square = self._seat(position), self._some(position)
        at = self._hands.over(seat, square, before.stacks)
        goal = replace(at, height=at.height + float(self._rng.uniform(22, 60)), closed=0.5)
        yield from self._visit(before, self._hands.away(seat, goal), goal, self._director.pace.reach)

    def _visit(self, before: Stage, start: Hand, goal: Hand, seconds: float) -> Iterator[Beat]:
        """The hand or head comes, stays for a moment, not quite still, and goes."""
        rest = float(self._rng.uniform(0.2, 2.0))
        sway = replace(
            goal,
            x=goal.x + float(self._rng.normal(0, 6)),
            y=goal.y + float(self._rng.normal(0, 6)),
            height=goal.height + float(self._rng.normal(0, 3)),
        )
        for length, first, last in ((seconds, start, goal), (rest, goal, sway), (seconds, sway, start)):
            yield Beat("hand", length, replace(before, hand=first), last)

    def _lift(self, before: Stage, position: Position) -> Iterator[Beat]:
        """Somebody lifts pieces, changes their mind, and puts them back."""
        seat, square = self._seat(position), self._some(position)
        stack = before.stacks[square]
        taken = stack[-int(self._rng.integers(1, len(stack) + 1)) :]
        lifted = (*before.stacks[:square], stack[: len(stack) - len(taken)], *before.stacks[square + 1 :])
        at = self._hands.over(seat, square, before.stacks)
        foot = self._hands.over(seat, square, lifted, taken)
        x, y = square_centre(self._director.look, square)
        aim = replace(foot, x=0.5 * x, y=0.5 * y, height=foot.height + 45.0)
        held = replace(before, stacks=lifted)
        yield self._hands.reach(before, at, "")
        yield Beat("hand", self._director.pace.carry, replace(held, hand=foot), aim)
        sway = replace(aim, x=aim.x + float(self._rng.normal(0, 8)), y=aim.y + float(self._rng.normal(0, 8)))
        yield Beat("hand", float(self._rng.uniform(0.3, 1.5)), replace(held, hand=aim), sway)
        yield Beat("hand", self._director.pace.carry, replace(held, hand=sway), foot)
        yield self._hands.leave(before, at, "")

    def _seat(self, position: Position) -> str:
        """A seat, usually that of the player to move."""
        players = position.players
        if self._rng.random() < MOVER_PROBABILITY and position.to_move:
            return self._director.seats[position.to_move]
        return self._director.seats[players[int(self._rng.integers(len(players)))]]

    def _some(self, position: Position) -> int:
        """A random square with a stack, which if possible the player to move controls."""
        own = [s for s, stack in enumerate(position.stacks) if stack and stack[-1] == position.to_move]
        squares = own or [s for s, stack in enumerate(position.stacks) if stack]
        return int(squares[int(self._rng.integers(len(squares)))])
