"""The demonstration: a camera over a simulated table where a game plays itself, for as long as asked."""

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
from ..vision.capture.frames import SIZE, Frame, Source
from .beats import Beat, Pace
from .board_view import BoardView
from .director import Director
from .mischief import Carry, Slip, find_slip
from .player import choose
from .scene_style import pleasant_look

PACE = Pace(reach=0.35, carry=0.45, leave=0.3, settle=1.5, pending=1.1, wrong=1.1)

HURRIED = replace(PACE, reach=0.23, carry=0.33, leave=0.2)
"""The pace of an illegal act and of the turn after it, so that turns stay less than 5 s apart."""

BEFORE_TROUBLE, AFTER_TROUBLE = 0.85, 0.6
"""Seconds of stillness before an illegal act and after it is put right."""

FIRST_LOOK = 2.5
"""Seconds for which the board stands still at the start of a game, so that it can be found."""

AFTER_A_GAME = 4.0
"""Seconds for which the last position of a game stands."""

SLIPS = ("wrong_distance", "opponents_stack", "diagonal", "drop_no_reserve")

EVERY = 8
"""One illegal act in about so many turns."""

WRONG_REPLIES = 9
"""A turn asked for is made wrongly, and put right, in about one of so many."""

LISTENING = 0.2
"""Seconds between two looks at whether a turn has been asked for."""

STALL = 0.25
"""Seconds of play that pass at most between two pictures: a slow reader misses no still picture."""


class Orders(Protocol):
    """What the people at the simulated table are asked to do for players without hands."""

    def awaited(self, position: Position) -> bool:
        """Whether the player to move has no hands, so that the table has to wait for what they ask for."""
        ...

    def asked(self, position: Position) -> Move | None:
        """The turn that they ask for here, once they do."""
        ...


class DemoSource(Source):
    """A live frame source. After a restart, ``position`` is what the board shows, and whose turn it is.

    ``earlier`` are the stacks that stood before it in its game: no illegal act leads back to them, which
    would be a turn taken back.

    ``rules`` is for any number of players; None is the plain two-player game. ``seed`` None is another game
    every time. The game goes on while pictures are taken from it, ``fps`` a second. ``view`` is that of an
    earlier source, whose table need not be painted again; the size is then its own. ``orders``: whose turns
    the players make as they are told, None if nobody's.
    """

    live = True
    waits = True
    """No picture is taken before the last one was looked at, so no turn is played unseen."""

    def __init__(
        self,
        rules: Rules | None = None,
        position: Position | None = None,
        seed: int | None = None,
        fps: float = 15.0,
        size: tuple[int, int] = SIZE,
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
        # Two players of unlike strength bring a game to its end sooner.
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
            # What is owed after a late picture is played once, and no more of it than the pictures can show.
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
        """What happens at the table, without end."""
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
                position = yield from self._as_told(position)
                continue
            until -= 1
            move = self._choose(position, plain=until <= 1)
            if move is None:
                break
            # A trimming after an illegal act would keep the players waiting: then the act waits.
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

    def _as_told(self, position: Position) -> Generator[Beat, None, Position]:
        """Wait for the turn that is asked for and make it, now and then after another one; the position after
        it. While nothing is asked for the board stands.
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
        """Another legal turn than the one asked for, that can be put back as it was."""
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
        """An illegal act that can be done here, of any kind."""
        kinds = [SLIPS[int(i)] for i in self._rng.permutation(len(SLIPS))]
        found = (find_slip(position, self.rules, kind, self._rng, self._earlier) for kind in kinds)
        return next((slip for slip in found if slip is not None), None)

    def _choose(self, position: Position, *, plain: bool) -> Move | None:
        """A turn; a ``plain`` one needs no trimming, if there is such a turn."""
        for _ in range(6 if plain else 1):
            move = choose(position, self.rules, self._rng, warmth=self._warmth[position.to_move])
            if move is None or not removed(position, move, self.rules):
                break
        return move
