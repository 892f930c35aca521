"""Reads the stacks of an explained picture once more, with their pieces off centre: from nearly straight
above, the rims of lower pieces are visible only where a stack leans, and flat pieces stand anywhere near the
middle of their squares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from ..appearance.evidence import TEMPERATURE
from ..appearance.piece_play import FLAT_PLACEMENT, Place, displacement_variances, nats_of_play, parts_of
from .search import Explanation
from .solver import ScoredStack, Stack

MAX_BEHIND: Final = 30.0
"""Nats behind the likeliest stack, with all pieces centred, within which another one is tried. Raising it
takes more time."""
_SAME_COLOUR_SHARE: Final = 0.15
"""Share of the pieces on others that have the colour of the piece below: players move on to others' stacks.
In games of computer players it is 5 to 20 %. With the prior that follows from it, 122 instead of 146 of 2,444
stacks were misread in simulated positions of games, and 41 instead of 45 of 1,040 in photo-like stills.
Lowering it more often gives a piece that is hardly seen another colour than its neighbour. Flat pieces are
read without it: that it helps there was not shown."""
_PLACEMENTS: Final = (0.01, 0.02, FLAT_PLACEMENT)
"""How far off the centre flat pieces may usually stand, in squares, as in
:data:`~focus_companion.vision.appearance.piece_play.FLAT_PLACEMENT`. Each takes a pass over all squares."""
_MAX_ROUNDS: Final = 2
"""Maximum number of passes over all squares: another stack changes what is visible of its neighbours."""


@dataclass(frozen=True)
class _Square:
    """What is read on a square: the possible stacks, best first, and the places of the pieces of the best."""

    choices: list[ScoredStack]
    places: list[Place]


def read_off_centre(explanation: Explanation) -> tuple[Explanation, list[list[ScoredStack]]]:
    """The explanation with the best stacks, and for each square those that are possible there, best first.

    How carefully flat pieces were placed is estimated from the picture: it limits what the places of their
    tops say of heights.
    """
    if explanation.palette.flat is None:
        return explanation, [square.choices for square in _read(explanation, None)]
    placement = usual_placement(explanation)
    read = _read(explanation, placement)
    # Where the pieces stand, the picture shows the shades of their sides.
    explanation = explanation.with_places([square.places for square in read])
    return explanation, [square.choices for square in _read(explanation, placement)]


def usual_placement(explanation: Explanation) -> float:
    """How far off the centre the flat pieces of an explanation usually stand, in squares."""
    before = explanation.solver.stacks

    # With the same colours, the scores of the squares can be compared. With colours learned anew for each
    # value, as in :func:`nats_of_picture`, 77 stacks were misread on 36 simulated boards, instead of 70.
    def nats(placement: float) -> float:
        best = [square.choices[0] for square in _read(explanation, placement)]
        explanation.solver.start_from(before)
        stacks = sum(1 for choice in best if choice.stack)
        # The density of a normal distribution in two dimensions.
        density = -2 * stacks * float(np.log(placement))
        return sum(choice.score for choice in best) / TEMPERATURE + density

    return max(_PLACEMENTS, key=nats)


def nats_of_picture(explanation: Explanation) -> float:
    """The log-likelihood of the picture with the stacks that are likeliest if flat pieces were placed as
    carefully as usual, relative to one of random colours.
    """
    # With the other two placements, the same width won in a photograph. A larger one lets wrong widths fit.
    before, view, placement = explanation.solver.stacks, explanation.view, _PLACEMENTS[1]
    places = [square.places for square in _read(explanation, placement)]
    placed = explanation.with_places(places)
    explanation.solver.start_from(before)
    seen = view.log_likelihood(placed.palette, view.painted(placed.stacks, places))
    # Of the pieces of a stack, the picture shows where the top one stands.
    tops = [(pieces[-1], len(pieces)) for pieces in places if pieces]
    standing = sum(
        _log_density(place, displacement_variances(view.layers.outlines, height, placement)[-1])
        for place, height in tops
    )
    return (seen + view.log_prior(placed.stacks)) / TEMPERATURE + standing


def _log_density(place: Place, variance: float) -> float:
    """Log-density, in square pixels, of a normal distribution with this variance in each direction."""
    return -(place[0] ** 2 + place[1] ** 2) / (2 * variance) - float(np.log(2 * np.pi * variance))


def _read(explanation: Explanation, placement: float | None) -> list[_Square]:
    """Read every square; the best stacks become those of the explanation's solver. ``placement``: that of
    :func:`displacement_variances`, for flat pieces.
    """
    solver = explanation.solver
    read = [_Square([], [])] * len(solver.stacks)
    for _ in range(_MAX_ROUNDS):
        before = solver.stacks
        for number in solver.layers.outlines.far_to_near:
            read[number] = _read_square(explanation, number, placement)
            solver.put(number, read[number].choices[0].stack)
        if solver.stacks == before:
            break
    return read


def _read_square(explanation: Explanation, square: int, placement: float | None) -> _Square:
    """Read one square: the likeliest stack of each height, with all pieces centred, is improved by one piece
    at a time.
    """
    solver, gained = explanation.solver, _gained_by_play(explanation, square, placement)
    scores: dict[Stack, float] = {}
    places: dict[Stack, list[Place]] = {}

    def best_with(stacks: Iterable[Stack]) -> Stack:
        for stack in sorted(set(stacks) - scores.keys()):
            nats, places[stack] = gained(stack)
            prior = _log_prior(stack, len(solver.players)) if placement is None else 0.0
            scores[stack] = solver.score(square, stack) + nats + prior
        return max(scores, key=lambda stack: scores[stack])

    heights = solver.choices(square)
    # Of flat pieces, all heights are tried: far off the centre, a single one fits worse than a tall stack.
    most = MAX_BEHIND if placement is None else np.inf
    best = best_with(each.stack for each in heights if each.score > heights[0].score - most)
    while (better := best_with(solver.similar(best))) != best:
        best = better
    ordered = sorted(scores.items(), key=lambda scored: -scored[1])
    return _Square([ScoredStack(stack, score) for stack, score in ordered], places[best])


def _log_prior(stack: Stack, colours: int) -> float:
    """Nats of a picture that the order of the stack's colours is worth, compared with one in which each
    colour is as likely as any other; ``colours``: the number of those in play.
    """
    others = max(1, colours - 1)
    odds = _SAME_COLOUR_SHARE * others / (1 - _SAME_COLOUR_SHARE)
    return TEMPERATURE * float(np.log(odds)) * sum(below == piece for below, piece in pairwise(stack))


def lead(choices: list[ScoredStack]) -> float:
    """Nats by which the best stack of a square leads any other."""
    return choices[0].score - choices[1].score if len(choices) > 1 else MAX_BEHIND


def _gained_by_play(
    explanation: Explanation, square: int, placement: float | None
) -> Callable[[Stack], tuple[float, list[Place]]]:
    """The function that gives the nats that a stack on a square gains with its pieces off centre, and where
    they stand.
    """
    view, solver = explanation.view, explanation.solver
    layers, outlines = view.layers, view.layers.outlines
    scores = view.scores(explanation.palette)[layers.slices(square)]
    nats = np.moveaxis(scores, 2, 0) * np.float32(view.picture.pixel_weight)
    free, shown = outlines.uncovered(square, solver.classes), layers.behind(square, solver.classes)
    behind = np.take_along_axis(nats, shown[None].astype(np.intp), 0)[0]

    def gained(stack: Stack) -> tuple[float, list[Place]]:
        variances = displacement_variances(outlines, len(stack), placement)
        return nats_of_play(parts_of(stack, outlines, square, nats), behind, free, variances)

    return gained
