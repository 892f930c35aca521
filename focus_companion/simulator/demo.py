"""The demonstration: a camera over a simulated table on which games play themselves."""

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

HURRIED = replace(PACE, reach=0.23, carry=0.33, leave=0.2)
"""The pace of an illegal act and of the turn after it, so that turns are less than 5 s apart."""

BEFORE_TROUBLE, AFTER_TROUBLE = 0.85, 0.6
"""Seconds of stillness before an illegal act and after it has been put right."""

FIRST_LOOK = 2.5
"""Seconds of stillness at the start of a game, so that the board can be found."""

AFTER_A_GAME = 4.0
"""Seconds for which the last position of a game stays."""

SLIPS = ("wrong_distance", "opponents_stack", "diagonal", "drop_no_reserve")

EVERY = 8
"""Average number of turns per illegal act."""

WRONG_REPLIES = 9
"""Average number of requested turns per one that is first made wrongly and then put right."""

LISTENING = 0.2
"""Seconds between two checks for a requested turn."""

STALL = 0.25
"""Maximum seconds of play between two pictures, so that a slow reader misses no still picture."""


class Orders(Protocol):
    """The turns that the people at the simulated table make for players without hands."""

    def awaited(self, position: Position) -> bool:
        """Whether the player to move has no hands, so that the table has to wait for a request."""
        ...

    def asked(self, position: Position) -> Move | None:
        """The turn requested in this position, or None so far."""
        ...


class DemoSource(Source):
    """A live frame source. After a restart, ``position`` is what the board shows, and whose turn it is.

    ``earlier`` are the earlier positions of its game: no illegal act leads back to one of them, since that
    would be a turn taken back.

    ``rules`` is for any number of players; None is the standard two-player game. ``seed`` None gives a
    different game every time. The game advances as pictures are taken from it, ``fps`` a second. ``view`` may
    be that of an earlier source, to avoid repainting the table; its size then applies. ``orders``: the turns
    requested for players without hands, None if there are none.
    """

    live = True
    on_demand = True
    """No picture is taken before the last one was processed, so no turn is played unseen."""

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
        # Two players of different strength end a game sooner.
        self._warmth: dict[str, float] = {}
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
            # After a late picture, the missed time is made up once, and only as far as pictures can show it.
            reached = max(due, now - STALL)
            done += min(reached - last, STALL)
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
        self._warmth = {player: 0.5 if player == strong else 1.6 for player in self.rules.order}
        yield director.still(position, FIRST_LOOK)
        until = int(rng.integers(3, EVERY))
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
                yield from self._hurried.slip(position, slip, AFTER_TROUBLE)
                until = int(rng.integers(EVERY - 2, EVERY + 3))
            hands = director if slip is None else self._hurried
            settle = BEFORE_TROUBLE if until <= 1 else PACE.settle
            yield from hands.turn(position, move, settle=settle)
            self._earlier.add(position.stacks)
            position = apply(position, move, self.rules)
        yield director.still(position, AFTER_A_GAME)
        return position

    def _awaited(self, position: Position) -> bool:
        return self._orders is not None and self._orders.awaited(position)

    def _as_requested(self, position: Position) -> Generator[Beat, None, Position]:
        """Wait for the requested turn and make it, now and then after a wrong one; returns the position after
        it. Until a turn is requested, nothing moves.
        """
        assert self._orders is not None
        move = self._orders.asked(position)
        if move is None:
            yield self._director.still(position, LISTENING)
            return position
        if self._rng.integers(WRONG_REPLIES) == 0 and (wrong := self._misread(position, move)):
            yield from self._director.slip(position, wrong, AFTER_TROUBLE)
        yield from self._director.turn(position, move)
        self._earlier.add(position.stacks)
        return apply(position, move, self.rules)

    def _misread(self, position: Position, asked: Move) -> Slip | None:
        """A legal turn other than the requested one, that can be undone."""
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
        """A turn; with ``plain``, one that needs no trimming, if there is one."""
        for _ in range(6 if plain else 1):
            move = choose(position, self.rules, self._rng, warmth=self._warmth[position.to_move])
            if move is None or not removed(position, move, self.rules):
                break
        return move
