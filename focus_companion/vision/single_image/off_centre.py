"""Reads the stacks of an explained picture once more, with their pieces a little off centre: from nearly
straight above, the rims of lower pieces are visible only where a stack leans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import numpy as np

from ..appearance.piece_play import PLAY, nats_of_play
from .search import Explanation
from .solver import ScoredStack, Stack

MAX_BEHIND: Final = 30.0
"""Nats behind the likeliest stack, with all pieces centred, within which another one is tried. Raising it
takes more time."""
_MAX_ROUNDS: Final = 2
"""Maximum number of passes over all squares: another stack changes what is visible of its neighbours."""


def read_off_centre(explanation: Explanation) -> list[list[ScoredStack]]:
    """For each square, the stacks that are possible there, best first; the best ones become those of the
    explanation's solver.

    Of flat pieces, the tops show where they stand, and no displacement is estimated.
    """
    solver = explanation.solver
    found: list[list[ScoredStack]] = [[] for _ in solver.stacks]
    for _ in range(_MAX_ROUNDS):
        before = solver.stacks
        for square in solver.layers.outlines.far_to_near:
            found[square] = _read_square(explanation, square)
            solver.put(square, found[square][0].stack)
        if solver.stacks == before:
            break
    return found


def _read_square(explanation: Explanation, square: int) -> list[ScoredStack]:
    """The stacks that are possible on a square, best first. The likeliest of each height, with all pieces
    centred, are improved by one piece at a time.
    """
    solver, gained = explanation.solver, _gained_by_play(explanation, square)
    scores: dict[Stack, float] = {}

    def best_with(stacks: Iterable[Stack]) -> Stack:
        for stack in sorted(set(stacks) - scores.keys()):
            scores[stack] = solver.score(square, stack) + gained(stack)
        return max(scores, key=lambda stack: scores[stack])

    heights = solver.choices(square)
    best = best_with(each.stack for each in heights if each.score > heights[0].score - MAX_BEHIND)
    while (better := best_with(solver.similar(best))) != best:
        best = better
    ordered = sorted(scores.items(), key=lambda scored: -scored[1])
    return [ScoredStack(stack, score) for stack, score in ordered]


def lead(choices: list[ScoredStack], *, top: bool) -> float:
    """Nats by which the best stack of a square leads any other, or (``top``) any with another top."""
    best, *others = choices
    rivals = [each.score for each in others if not top or each.stack[-1:] != best.stack[-1:]]
    return best.score - max(rivals, default=best.score - MAX_BEHIND)


def _gained_by_play(explanation: Explanation, square: int) -> Callable[[Stack], float]:
    """The function that gives the nats that a stack on a square gains with its pieces off centre."""
    view, solver = explanation.view, explanation.solver
    layers, outlines = view.layers, view.layers.outlines
    if explanation.palette.flat is not None:
        return lambda _: 0.0
    column, spread = outlines.columns[square], PLAY * outlines.pitch / outlines.profile.pitch
    scores = view.scores(explanation.palette)[layers.slices(square)]
    nats = np.moveaxis(scores, 2, 0) * np.float32(view.picture.pixel_weight)
    free, shown = layers.uncovered(square, solver.classes), layers.behind(square, solver.classes)
    behind = np.take_along_axis(nats, shown[None].astype(np.intp), 0)[0]

    def gained(stack: Stack) -> float:
        masks = column.masks[1 : len(stack) + 1]
        return nats_of_play(masks, [nats[label] for label in stack], behind, free, spread)

    return gained
