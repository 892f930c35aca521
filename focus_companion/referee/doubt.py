"""Keeps the turns that a look could not distinguish, until later looks or the players decide between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ..game.moves import Move
from ..game.position import Position
from ..game.rules import Rules
from .act import SECOND_TURN_PENALTY, Act
from .beliefs import (
    MAX_BELIEFS,
    Belief,
    beliefs_in,
    beliefs_while_visible,
    believe,
    board_of,
    doubtful_squares,
    turn_sequences,
)
from .decision import Standing

_MAX_REMEMBERED = 2
"""Maximum number of sequences of turns that are remembered if the picture changes before the settle time."""


class Doubt:
    """The beliefs of one game, and the question about them that is open."""

    def __init__(self, rules: Rules, max_beliefs: int = MAX_BELIEFS) -> None:
        """``max_beliefs``: how many beliefs are kept at most while they cannot be distinguished."""
        self.rules, self._max_beliefs = rules, max_beliefs
        self.beliefs: tuple[Belief, ...] = ()
        """Likeliest first."""
        self.in_reference = False
        """Whether the turns of the beliefs were made before the reference picture."""
        self._remembered: tuple[Belief, ...] = ()
        """The beliefs of the last look if it ended before its settle time: the next act may follow one of
        them."""
        self.question: tuple[Move, ...] = ()
        """The turns of the question that is open."""
        self._last_question: tuple[Position, tuple[Move, ...]] | None = None
        """The position in which the players were asked last, and the turns that they were asked about."""

    def __bool__(self) -> bool:
        return bool(self.beliefs)

    def take_beliefs(self) -> tuple[Belief, ...]:
        """The beliefs under which a look is to be judged. Those that were remembered from the last look are
        forgotten, since they count for one look only.
        """
        kept = {belief.turns for belief in self.beliefs}
        remembered, self._remembered = self._remembered, ()
        return (*self.beliefs, *(belief for belief in remembered if belief.turns not in kept))

    def standing(self, position: Position) -> Standing | None:
        """What the board shows under the likeliest belief; ``None`` if the game's position is to be expected.

        ``position``: the game's last one.
        """
        if not self.in_reference:
            return None
        return Standing(board_of(self.beliefs[0], position), self.squares(position))

    def squares(self, position: Position) -> tuple[int, ...]:
        """The squares on which the beliefs disagree; ``position``: the game's last one."""
        return doubtful_squares(self.beliefs, position)

    @property
    def only_order_open(self) -> bool:
        """Whether the beliefs are the same turns in different orders that led to the same position: no later
        picture distinguishes them, and nothing depends on them.
        """
        turns = {frozenset(Counter(belief.turns).items()) for belief in self.beliefs}
        positions = {belief.positions[-1:] for belief in self.beliefs}
        return len(turns) == 1 and len(positions) == 1

    def asked_in(self, position: Position) -> tuple[Move, ...]:
        """The turns that the players were asked about last, if that was in this position."""
        asked = self._last_question
        return asked[1] if asked is not None and asked[0] is position else ()

    def ask(self, moves: tuple[Move, ...], position: Position) -> None:
        """The players are being asked which of these turns was played in the position."""
        self.question, self._last_question = moves, (position, moves)

    def believe(self, acts: Sequence[Act], weights: Sequence[float], position: Position) -> None:
        """Keep these acts as beliefs; the position of the likeliest is assumed from now on."""
        beliefs = beliefs_in(list(zip(acts, weights, strict=True)), position, self.rules)
        self.beliefs, self.in_reference = beliefs[: self._max_beliefs], True

    def believe_while_visible(
        self, acts: Sequence[Act], weights: Sequence[float], position: Position
    ) -> None:
        """Keep these acts as beliefs while the reference still shows the position before them."""
        self.beliefs = beliefs_while_visible(acts, weights, position, self.rules)

    def ask_if_trimmed(self, move: Move, position: Position) -> None:
        """The players are being asked whether the turn was trimmed. As without the question, the next act
        counts as a second turn.
        """
        self.question = (move,)
        self.beliefs = (believe((move,), position, self.rules, -SECOND_TURN_PENALTY),)

    def remember(self, acts: Sequence[Act], weights: Sequence[float], position: Position) -> None:
        """Keep these acts for the next look only, because the picture may change before the settle time is
        over.
        """
        sequences = turn_sequences(acts)[:_MAX_REMEMBERED]
        shown = [
            (act, weight)
            for act, weight in zip(acts, weights, strict=True)
            if act.legal and act.moves in sequences
        ]
        since = {act.moves: frozenset(act.changes) - act.changed_before for act, _ in reversed(shown)}
        self._remembered = tuple(
            replace(belief, changed_since=since[belief.turns])
            for belief in beliefs_in(shown, position, self.rules)
        )

    def advance(self, played: Sequence[Position] | None) -> bool:
        """The game has reached the last of these positions, or another one if ``None``; returns whether later
        turns remain in doubt. The question is no longer open.
        """
        left = () if played is None else tuple(belief.rest(played) for belief in self.beliefs)
        rest = tuple(belief for belief in left if belief is not None)
        self.clear()
        if any(belief.turns for belief in rest):
            self.beliefs, self.in_reference = rest, True
        return bool(rest)

    def drop(self) -> None:
        """The beliefs are no longer valid; the question stays open."""
        self.beliefs, self.in_reference = (), False

    def clear(self) -> None:
        """Nothing is in doubt, and no question is open."""
        self.question, self._remembered = (), ()
        self.drop()
