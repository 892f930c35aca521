"""The source of the demo: a camera over a simulated table on which games are played automatically."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from typing import Protocol

import numpy as np

from ..game.moves import Move, carried, legal_moves
from ..game.play import apply, removed
from ..game.position import Position
from ..game.rules import Rules
from ..game.setups import start_position
from ..vision.capture.frames import CAMERA_SIZE, Frame, Source
from .beats import Beat, Pace
from .board_view import BoardView
from .director import Director
from .mischief import Carry, Slip, find_slip
from .player import choose
from .scene_style import pleasant_look

PACE = Pace(reach=0.35, carry=0.45, leave=0.3, settle=1.5, pending=1.1, wrong=1.1)
"""The usual pace."""

HURRIED = replace(PACE, reach=0.23, carry=0.33, leave=0.2)
"""The pace of an illegal act and of the turn after it, so that turns are less than 5 s apart."""

BEFORE_SLIP = 0.85
"""Seconds of stillness before an illegal act."""

AFTER_SLIP = 0.6
"""Seconds of stillness after an illegal act was put right."""

START_STILL = 2.5
"""Seconds of stillness at the start of a game, so that the board can be found."""

END_STILL = 4.0
"""Seconds for which the last position of a game stays."""

SLIPS = ("wrong_distance", "opponents_stack", "diagonal", "drop_no_reserve")
"""Kinds of illegal acts in the demo."""

TURNS_PER_SLIP = 8
"""Average number of turns per illegal act."""

REPLIES_PER_MISTAKE = 9
"""Average number of requested turns per one that is at first made wrongly."""

REQUEST_INTERVAL = 0.2
"""Seconds between two checks for a requested turn."""

MAX_STEP = 0.25
"""Maximum seconds of play between two pictures, so that a slow reader misses no still board."""

PLAIN_ATTEMPTS = 6
"""Maximum number of turns that are drawn to find one without trimming."""


class Orders(Protocol):
    """The turns that people at the simulated table make for players who are not there, such as programs."""

    def awaited(self, position: Position) -> bool:
        """Whether the player to move is not at the table, which then has to wait for a request."""
        ...

    def asked(self, position: Position) -> Move | None:
        """The turn requested in this position, or None as long as there is none."""
        ...


class DemoSource(Source):
    """A live frame source, from which ``fps`` pictures can be taken per second; the game advances with them.

    Args:
        rules: for any number of players; None is the standard two-player game.
        position: with which to begin, for example after a restart; None is the start position.
        seed: None gives a different game every time.
        view: that of an earlier source, to avoid repainting the table; its size then applies.
        earlier: the stacks earlier in the game: no illegal act leads back to them, since that would be a turn
            taken back.
        orders: the turns requested for players who are not at the table; None if there are no such players.
    """

    live = True
    on_demand = True
    """No picture is taken before the last one was processed, so no turn is missed."""

    def __init__(
        self,
        rules: Rules | None = None,
        position: Position | None = None,
        seed: int | None = None,
        fps: float = 15.0,
        size: tuple[int, int] = CAMERA_SIZE,
        view: BoardView | None = None,
        earlier: Iterable[tuple[str, ...]] = (),
        orders: Orders | None = None,
    ) -> None:
        super().__init__("demo")
        self.rules = rules or Rules.make(2)
        self._position = position
        self._earlier = set(earlier)
        self._fps = fps
        self._orders = orders
        self._rng = np.random.default_rng(seed)
        self.view = view or BoardView(pleasant_look(*size))
        self.look = self.view.look
        self._director = Director(self.look, self.rules, PACE)
        # A game ends sooner if the players differ in strength.
        self._temperatures: dict[str, float] = {}
        self._hurried = Director(self.look, self.rules, HURRIED)

    def __iter__(self) -> Iterator[Frame]:
        beats = self.beats()
        beat, done = next(beats), 0.0
        began = last = time.monotonic()
        index = 0
        while not self._closed.is_set():
            due = last + 1 / self._fps
            if self._closed.wait(max(0.0, due - time.monotonic())):
                return
            now = time.monotonic()
            # After a late picture, at most MAX_STEP of the missed time is made up for.
            reached = max(due, now - MAX_STEP)
            done += min(reached - last, MAX_STEP)
            last = reached
            while done >= beat.seconds:
                done -= beat.seconds
                beat = next(beats)
            stage = beat.at(done / beat.seconds)
            yield Frame(index, now - began, self.view.shoot(stage, self._rng, detail=0.5))
            index += 1

    def beats(self) -> Iterator[Beat]:
        """An endless sequence of beats."""
        position = self._position or start_position(self.rules)
        while True:
            over = yield from self._game(position)
            position = start_position(self.rules)
            self._earlier = set()
            yield from self._director.set_up(over, position)

    def _game(self, position: Position) -> Generator[Beat, None, Position]:
        """One game from a position to its end; returns the last position."""
        rng, director = self._rng, self._director
        strong = str(rng.choice(list(self.rules.order)))
        self._temperatures = {player: 0.5 if player == strong else 1.6 for player in self.rules.order}
        yield director.still(position, START_STILL)
        until = int(rng.integers(3, TURNS_PER_SLIP))
        while not position.over:
            if self._awaited(position):
                position = yield from self._as_requested(position)
                continue
            until -= 1
            move = self._choose(position, plain=until <= 1)
            if move is None:
                break
            # A trimming after an illegal act would take too long, so the act is postponed.
            plain = not removed(position, move, self.rules)
            slip = self._slip(position) if until <= 0 and plain else None
            if slip is not None:
                yield from self._hurried.slip(position, slip, AFTER_SLIP)
                until = int(rng.integers(TURNS_PER_SLIP - 2, TURNS_PER_SLIP + 3))
            hands = director if slip is None else self._hurried
            settle = BEFORE_SLIP if until <= 1 else PACE.settle
            yield from hands.turn(position, move, settle=settle)
            self._earlier.add(position.stacks)
            position = apply(position, move, self.rules)
        yield director.still(position, END_STILL)
        return position

    def _awaited(self, position: Position) -> bool:
        return self._orders is not None and self._orders.awaited(position)

    def _as_requested(self, position: Position) -> Generator[Beat, None, Position]:
        """Makes the requested turn, occasionally after a wrong one, and returns the position after it. As
        long as no turn is requested, nothing moves.
        """
        assert self._orders is not None
        move = self._orders.asked(position)
        if move is None:
            yield self._director.still(position, REQUEST_INTERVAL)
            return position
        if self._rng.integers(REPLIES_PER_MISTAKE) == 0 and (wrong := self._misread(position, move)):
            yield from self._director.slip(position, wrong, AFTER_SLIP)
        yield from self._director.turn(position, move)
        self._earlier.add(position.stacks)
        return apply(position, move, self.rules)

    def _misread(self, position: Position, asked: Move) -> Slip | None:
        """A legal turn other than the requested one, made by mistake, which can be put right."""
        others = [
            move
            for move in legal_moves(position, self.rules)
            if move != asked and move.origin is not None and not removed(position, move, self.rules)
        ]
        for at in self._rng.permutation(len(others)):
            move = others[int(at)]
            carry = Carry(move.origin, move.target, carried(position, move))
            stacks = apply(position, move, self.rules).stacks
            if stacks not in self._earlier:
                return Slip("not_the_reply", position.to_move, (carry,), stacks, f"{move} instead of {asked}")
        return None

    def _slip(self, position: Position) -> Slip | None:
        """An illegal act of any kind that is possible here."""
        kinds = [SLIPS[int(i)] for i in self._rng.permutation(len(SLIPS))]
        found = (find_slip(position, self.rules, kind, self._rng, self._earlier) for kind in kinds)
        return next((slip for slip in found if slip is not None), None)

    def _choose(self, position: Position, *, plain: bool) -> Move | None:
        """A turn; with ``plain``, if possible one that needs no trimming."""
        for _ in range(PLAIN_ATTEMPTS if plain else 1):
            move = choose(position, self.rules, self._rng, temperature=self._temperatures[position.to_move])
            if move is None or not removed(position, move, self.rules):
                break
        return move
