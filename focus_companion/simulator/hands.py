"""Makes the beats of hands that carry pieces: out from the seat, over the squares, and away again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..game.squares import SQUARES
from .beats import Beat, Pace
from .mischief import Carry, carried_out
from .scene_style import SceneStyle
from .stage import SEAT_DIRECTIONS, Hand, Stage, reserve_place, square_centre

LIFT_HEIGHT = 24.0
"""Millimetres by which a stack is lifted to take pieces from beneath it."""


class Hands:
    """Makes the beats of hands at one table."""

    def __init__(self, look: SceneStyle, pace: Pace) -> None:
        self._look, self.pace = look, pace

    def away(self, seat: str, near: Hand) -> Hand:
        """The hand out of the way, beyond the board's edge opposite ``near``."""
        tx, ty = SEAT_DIRECTIONS[seat]
        out = self._look.profile.half_width + 150
        return Hand(seat, tx * out or near.x * 0.5, ty * out or near.y * 0.5, 45.0, closed=0.3)

    def over(self, seat: str, square: int | None, stacks: tuple[str, ...], pieces: str = "") -> Hand:
        """The empty hand at a stack's top piece, or holding ``pieces`` where they will rest on the stack.

        ``square`` None is the player's reserve, on the ledge.
        """
        if square is None:
            x, y = reserve_place(self._look, seat, 0)
            return Hand(seat, x, y, 0.0, pieces)
        x, y = square_centre(self._look, square)
        rise = self._look.profile.rise
        level = len(stacks[square]) * rise
        return Hand(seat, x, y, level if pieces else max(level - rise, 0.0), pieces)

    def reach(self, before: Stage, goal: Hand, over: str, start: Hand | None = None) -> Beat:
        """The empty hand goes to ``goal``."""
        hand = start or self.away(goal.seat, goal)
        return Beat("hand", self.pace.reach, replace(before, hand=hand), goal, over)

    def leave(self, after: Stage, last: Hand, over: str) -> Beat:
        """The hand goes away."""
        goal = replace(self.away(last.seat, last), pieces=last.pieces)
        return Beat("hand", self.pace.leave, replace(after, hand=last), goal, over)

    def carry(self, seat: str, before: Stage, carries: tuple[Carry, ...], after: Stage) -> Iterator[Beat]:
        """The hand carries pieces from square to square in one visit; ``after`` is the table afterwards."""
        stacks = before.stacks
        last: Hand | None = None
        for carry in carries:
            at = self.over(seat, carry.origin, stacks)
            spot = "reserve" if carry.origin is None else SQUARES[carry.origin]
            yield self.reach(replace(before, stacks=stacks), at, spot, last)
            lifted = _lifted(stacks, carry)
            begin = self.over(seat, carry.origin, lifted, carry.pieces)
            goal = self.over(seat, carry.target, lifted, carry.pieces)
            held = replace(after if carry.origin is None else before, stacks=lifted, hand=begin)
            yield Beat("hand", self.pace.carry, held, goal, SQUARES[carry.target])
            stacks = carried_out(stacks, (carry,))
            last = self.over(seat, carry.target, stacks)
        if last is not None:
            yield self.leave(after, last, SQUARES[carries[-1].target])

    def rework(self, seat: str, square: int, before: Stage, after: Stage) -> Iterator[Beat]:
        """A hand lifts a stack, takes pieces from it or adds some, and puts it down again."""
        name = SQUARES[square]
        yield self.reach(before, self.over(seat, square, before.stacks), name)
        empty = (*after.stacks[:square], "", *after.stacks[square + 1 :])
        down = self.over(seat, square, empty, after.stacks[square])
        held = replace(after, stacks=empty, hand=replace(down, height=LIFT_HEIGHT))
        yield Beat("hand", self.pace.carry, held, down, name)
        yield self.leave(after, self.over(seat, square, after.stacks), name)

    def take_away(self, seat: str, square: int, pieces: str, before: Stage, after: Stage) -> Iterator[Beat]:
        """A hand takes the top ``pieces`` off a square, back to their place beside the board."""
        name = SQUARES[square]
        yield self.reach(before, self.over(seat, square, before.stacks), name)
        yield self.leave(after, self.over(seat, square, after.stacks, pieces), name)

    def brush(self, seat: str, square: int, before: Stage, after: Stage) -> Iterator[Beat]:
        """A hand passes over a square and knocks something over."""
        at = self.over(seat, square, before.stacks)
        yield self.reach(before, at, SQUARES[square])
        yield self.leave(after, at, SQUARES[square])


def _lifted(stacks: tuple[str, ...], carry: Carry) -> tuple[str, ...]:
    """The stacks while the pieces are held in the hand."""
    if carry.origin is None:
        return stacks
    rest = stacks[carry.origin][: len(stacks[carry.origin]) - len(carry.pieces)]
    return (*stacks[: carry.origin], rest, *stacks[carry.origin + 1 :])
