"""Finds the likeliest stacks of all squares together, each given its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ...game.position import MAX_HEIGHT
from ..appearance.colour_model import CLASS, CLASSES
from ..arrays import Floats, Singles
from .layers import Layers, LayerScores

Stack = tuple[int, ...]

_LETTER = {label: letter for letter, label in CLASS.items()}

PIECE_PENALTY = 0.7
"""Penalty in nats for each piece of a stack: the prior favours low stacks."""

_MAX_ROUNDS = 6
"""Maximum number of passes over all squares; two or three are usual."""

_UNSEEN_OFFSET = 0.2
"""Added to the number of unseen pieces of each colour: that number may be wrong, so no colour is excluded."""


@dataclass(frozen=True)
class ScoredStack:
    """A stack and its score in nats."""

    stack: Stack
    score: float


class Solver:
    """Stacks on one picture's squares, improved square by square until none changes.

    ``scores`` (h, w, CLASSES): log-likelihoods of the pixels of ``layers.window``. ``limit``: number of
    pieces of each colour in the set. ``pixel_weight``: weight of each pixel's nats, as neighbouring pixels
    are correlated.
    """

    def __init__(
        self, layers: Layers, scores: Singles, players: Sequence[str], limit: int, pixel_weight: float
    ) -> None:
        self.layers, self.players, self._scores = layers, players, scores
        self._labels = np.array([CLASS[letter] for letter in players])
        self._limit, self._pixel_weight = limit, pixel_weight
        self.classes: list[Stack] = [()] * len(layers.outlines.columns)
        """The classes of all squares' pieces, bottom first."""
        self._layer_scores: dict[int, LayerScores] = {}

    @property
    def stacks(self) -> tuple[str, ...]:
        return tuple("".join(_LETTER[label] for label in stack) for stack in self.classes)

    def start_from(self, stacks: Sequence[str]) -> None:
        """Start from these stacks instead of an empty board."""
        self.classes = [tuple(CLASS[piece] for piece in stack) for stack in stacks]
        self._layer_scores.clear()

    def solve(self) -> None:
        """Improve the stacks until nothing changes."""
        self._settle(set(range(len(self.classes))))
        for far in self.layers.outlines.far_to_near:
            for near in self.layers.hiding(far):
                if self.classes[far] and self.classes[near] and self._moved_to_near(near, far):
                    self._settle({near, far, *self.layers.neighbours(near), *self.layers.neighbours(far)})

    def _settle(self, dirty: set[int]) -> None:
        """Improve these squares one by one, and those whose neighbours change."""
        for _ in range(_MAX_ROUNDS):
            for square in self.layers.outlines.far_to_near:
                if square not in dirty:
                    continue
                dirty.discard(square)
                best = self.choices(square)[0].stack
                if best != self.classes[square]:
                    self.put(square, best)
                    dirty.update(self.layers.neighbours(square))
            if not dirty:
                return

    def _moved_to_near(self, near: int, far: int) -> bool:
        """Whether pixels read as a stack on ``far`` are better explained by a taller one on ``near``; if so,
        both are changed.

        Changing only one of the two would make the explanation worse.
        """
        before = self.classes[near], self.classes[far]
        gain = self.score(far, ()) - self.score(far, before[1])
        self.put(far, ())
        taller = self.choices(near)[0]
        if taller.stack != before[0]:
            gain += taller.score - self.score(near, before[0])
            self.put(near, taller.stack)
            rest = self.choices(far)[0]
            gain += rest.score - self.score(far, ())
            if gain > 0:
                self.put(far, rest.stack)
                return True
        self.put(near, before[0])
        self.put(far, before[1])
        return False

    def score(self, square: int, stack: Stack) -> float:
        """Score of a stack on a square in nats, given its neighbours."""
        scores, height = self._scores_of(square), len(stack)
        nats = scores.behind[height] * self._pixel_weight - PIECE_PENALTY * height
        prior = dict(zip(self._labels.tolist(), self._prior(square).tolist(), strict=True))
        shown = sum(
            float(scores.layers[height, level, label]) * self._pixel_weight + prior[label]
            for level, label in enumerate(stack, 1)
        )
        return float(nats + shown)

    def choices(self, square: int) -> list[ScoredStack]:
        """The likeliest stack of each height on the square, best first."""
        scores = self._scores_of(square)
        prior = self._prior(square)
        found = []
        for height in range(MAX_HEIGHT + 1):
            nats = scores.behind[height] * self._pixel_weight - PIECE_PENALTY * height
            preference = scores.layers[height, 1 : height + 1][:, self._labels] * self._pixel_weight + prior
            stack = tuple(int(self._labels[k]) for k in preference.argmax(1)) if height else ()
            found.append(ScoredStack(stack, float(nats + preference.max(1).sum() if height else nats)))
        return sorted(found, key=lambda choice: -choice.score)

    def similar(self, stack: Stack) -> set[Stack]:
        """The stacks that differ from this one in the colour of one piece, or have one piece more or less at
        the top or bottom.
        """
        labels: list[int] = self._labels.tolist()
        levels = range(len(stack))
        found = {(*stack[:level], label, *stack[level + 1 :]) for level in levels for label in labels}
        found |= {stack[1:], stack[:-1]}
        if len(stack) < MAX_HEIGHT:
            found |= {more for label in labels for more in ((label, *stack), (*stack, label))}
        return found - {stack}

    def put(self, square: int, stack: Stack) -> None:
        """Assume this stack on a square."""
        self.classes[square] = stack
        for other in self.layers.neighbours(square):
            self._layer_scores.pop(other, None)

    def _scores_of(self, square: int) -> LayerScores:
        if square not in self._layer_scores:
            self._layer_scores[square] = self.layers.scores(square, self._scores, self.classes)
        return self._layer_scores[square]

    def _prior(self, square: int) -> Floats:
        """Log prior of each player's colour: its share of the pieces that are not seen elsewhere."""
        elsewhere = chain.from_iterable(self.classes[:square] + self.classes[square + 1 :])
        seen = np.bincount(np.fromiter(elsewhere, int), minlength=CLASSES)
        unseen = np.maximum(self._limit - seen[self._labels], 0) + _UNSEEN_OFFSET
        return np.asarray(np.log(unseen / unseen.sum()))
