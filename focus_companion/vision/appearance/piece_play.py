"""How much better a stack explains a picture if its pieces may stand off centre.

Pieces have play on each other, so a tall stack leans or bends, and from nearly straight above that shifts its
top as much as one more piece does. Nothing guides flat pieces: people put them down anywhere near the middle
of a square. From the square to the top, the displacements are a random walk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import cv2
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Mask, Singles
from ..geometry.stack_masks import Outlines, Window
from ..masks import shifted_parts
from .flat_pieces import TOP, flat_tops

PLAY = 0.2
"""Standard deviation in mm, in each direction, of how far a piece stands off the centre of the dome or piece
below it. Chosen among 0.15, 0.2, 0.3 and 0.5 on altered versions of one recording, seen from 13°. Raising it
makes heights harder to tell from nearly straight above, and the order of the pieces from any side."""

FLAT_PLACEMENT = 0.05
"""Standard deviation, in squares and in each direction, of how far a flat piece stands off the centre of its
square: 0.03 to 0.07 in four photographs of draughts. Raising it makes heights harder to tell."""

_FLAT_PLAY = 0.3
"""How far a flat piece stands off the centre of the piece below, relative to :data:`FLAT_PLACEMENT`: an
assumption, as no stack is in these photographs. Raising it makes the order of the pieces harder to tell."""

_REACH = 3.0
"""Maximum displacement of a piece, in standard deviations. Raising it costs time."""


@dataclass(frozen=True, slots=True)
class Part:
    """The side of a piece, its top, or all of it: the pixels (h, w) of the ``mask`` at the centre, and the
    ``nats`` (h, w) of the pixels if they show it.
    """

    mask: Mask
    nats: Singles


Piece = Sequence[Part]
"""The parts of a piece, which do not overlap."""

Place = tuple[int, int]
"""How far a piece stands off the centre of its square: pixels (down, right)."""


def parts_of(stack: Sequence[int], outlines: Outlines, square: int, nats: Singles) -> list[Piece]:
    """The pieces of a stack on a square, given by their classes, bottom first. ``nats`` (classes, h, w):
    those of each class at the pixels of the square's column.
    """
    column, tops = outlines.columns[square], flat_tops(outlines)
    whole = [(column.mask(level), label) for level, label in enumerate(stack, 1)]
    if not tops:
        return [(Part(mask, nats[label]),) for mask, label in whole]
    return [
        (Part(mask & ~top, nats[label]), Part(top, nats[label + TOP]))
        for (mask, label), top in zip(whole, tops[square], strict=False)
    ]


def displacement_variances(outlines: Outlines, pieces: int, placement: float | None = None) -> list[float]:
    """For each piece of a stack, bottom first, the variance in square pixels, in each direction, of how far
    it stands off the centre of its square: each adds its own to that of the piece below. ``placement``
    replaces :data:`FLAT_PLACEMENT`.
    """
    if flat_tops(outlines):
        foot = (placement or FLAT_PLACEMENT) * outlines.pitch
        play = _FLAT_PLAY * foot
    else:
        foot = play = PLAY * outlines.pitch / outlines.profile.pitch
    return [foot**2 + number * play**2 for number in range(pieces)]


def nats_of_play(
    pieces: Sequence[Piece], behind: Singles, free: Mask, variances: Sequence[float]
) -> tuple[float, list[Place]]:
    """The nats that a stack gains if its pieces stand where they fit best, at least 0, and these places,
    bottom first.

    From the top down, each piece is moved to where it fits best below those already moved.

    Args:
        pieces: those of the stack, bottom first.
        behind: the nats (h, w) of the pixels if they show what is behind the stack.
        free: the pixels (h, w) that nothing nearer occludes.
        variances: those of :func:`displacement_variances`.
    """
    below = [behind]
    for parts in pieces:
        shown = below[-1]
        for part in parts:
            shown = np.where(part.mask, part.nats, shown)
        below.append(shown)
    gained = -float(below[-1][free].sum())
    above: Floats = np.zeros(2)
    places: list[Place] = []
    for number in range(len(pieces), 0, -1):
        # The top is where a random walk from the square may end; a lower piece is on the way from the square
        # to the piece above (a Brownian bridge).
        mean, variance = np.zeros(2), variances[number - 1]
        if number < len(pieces):
            share = variance / variances[number]
            mean, variance = above * share, variance * (1 - share)
        nothing = np.float32(0.0)
        better = [
            Part(part.mask, np.where(free, part.nats - below[number - 1], nothing))
            for part in pieces[number - 1]
        ]
        place = _best_place(better, mean, variance)
        gained -= float(((place - mean) ** 2).sum()) / (2 * variance)
        for part in pieces[number - 1]:
            covered = free & _moved(part.mask, *place.astype(int))
            gained += float(part.nats[covered].sum())
            free = free & ~covered
        above = place
        places.insert(0, (int(place[0]), int(place[1])))
    return max(0.0, gained + float(behind[free].sum())), places


def most_off_centre(
    pieces: Sequence[Piece], behind: Singles, free: Mask, variances: Sequence[float]
) -> float:
    """An upper bound of the nats of the ``free`` pixels, wherever the pieces of a stack stand: its top hides
    what it would hide from every place, and the likeliest piece, or what is behind, is visible elsewhere. The
    arguments are those of :func:`nats_of_play`, which takes several times as long.
    """
    most = behind
    for part in chain.from_iterable(pieces):
        most = np.maximum(most, part.nats)
    around = np.ones((2 * _reach(0.0, variances[-1]) + 1,) * 2, np.uint8)
    for part in pieces[-1]:
        covered = cv2.erode(part.mask.view(np.uint8), around, borderType=cv2.BORDER_CONSTANT, borderValue=0)
        most = np.where(covered, part.nats, most)
    return float(most[free].sum())


def painted_off_centre(
    stacks: Mapping[int, Sequence[int]], places: Sequence[Sequence[Place]], outlines: Outlines, window: Window
) -> NDArray[np.uint8]:
    """(h, w): the class that each pixel of the window of all columns shows if the flat pieces of these
    stacks, given by their classes, stand at these ``places``, for each square bottom first.
    """
    tops = flat_tops(outlines)
    painted = np.zeros(window.shape, np.uint8)
    for square in outlines.far_to_near:
        column = outlines.columns[square]
        part = painted[column.window.within(window)]
        for level, (label, place) in enumerate(zip(stacks[square], places[square], strict=True)):
            part[_moved(column.mask(level + 1), *place)] = label
            part[_moved(tops[square][level], *place)] = label + TOP
    return painted


def _best_place(better: Piece, mean: Floats, variance: float) -> Floats:
    """The displacement (down, right), in whole pixels, at which the parts of a piece are better than what is
    below it by most nats, given the normal distribution of displacements.
    """
    reach = _reach(float(np.abs(mean).max()), variance)
    down, right = ((np.arange(-reach, reach + 1) - m) ** 2 / (2 * variance) for m in mean)
    nats = -down[:, None] - right
    for part in better:
        rows, columns = np.flatnonzero(part.mask.any(1)), np.flatnonzero(part.mask.any(0))
        if not len(rows):
            continue
        template = part.mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        padded = cv2.copyMakeBorder(part.nats, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=0.0)
        around = padded[rows[0] : rows[-1] + 1 + 2 * reach, columns[0] : columns[-1] + 1 + 2 * reach]
        nats = nats + cv2.matchTemplate(around, template.astype(np.float32), cv2.TM_CCORR)
    best = np.unravel_index(np.argmax(nats), nats.shape)
    return np.array(best, float) - reach


def _reach(mean: float, variance: float) -> int:
    """The maximum displacement in whole pixels, in each direction."""
    return int(np.ceil(mean + _REACH * np.sqrt(variance)))


def _moved(mask: Mask, down: int, right: int) -> Mask:
    """The mask (h, w) moved by so many pixels, cut off at the edges."""
    moved = np.zeros_like(mask)
    of, to = shifted_parts(mask.shape, down, right)
    moved[to] = mask[of]
    return moved
