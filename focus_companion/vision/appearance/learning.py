"""Learns from a picture of a known position, which determines the class of every pixel."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from ...game.squares import SQUARES
from ..arrays import Integers, Mask
from ..capture.sampling import STRIP_ROWS
from ..geometry.stack_masks import Outlines, Window, fields, lattice_mask
from ..masks import uniform
from .background import Background
from .colour_model import BARE, CLASSES, MAX_SAMPLES, ColourModel, bins
from .correlation import correlation_area
from .evidence import classes
from .flat_pieces import TOP, FlatPieceColours, flat_tops

_EDGE_WIDTH = 7
"""Width in pixels of the strips along the edges of pieces where the correlation of errors is learned.
Raising it includes pixels that are far from any edge, and whose shade the whole piece shares."""


def labels(outlines: Outlines, stacks: Sequence[str]) -> tuple[Window, NDArray[np.uint8]]:
    """The window of the whole board, and the class of every pixel in it according to the position."""
    window = outlines.window(range(len(SQUARES)))
    painted = outlines.paint(
        {s: classes(stack) for s, stack in enumerate(stacks)}, window, outlines.far_to_near
    )
    return window, painted


def columns_mask(outlines: Outlines, window: Window, squares: Collection[int]) -> Mask:
    """Mask (h, w) of the window's pixels in which stacks on these squares may be visible."""
    hidden = np.zeros(window.shape, bool)
    for square in squares:
        hidden[outlines.columns[square].window.within(window)] = True
    return hidden


def learn(
    image: NDArray[np.uint8],
    outlines: Outlines,
    stacks: Sequence[str],
    colours: ColourModel,
    background: Background,
    *,
    keep: float,
    except_squares: Collection[int] = (),
) -> None:
    """Update the colour model and the background from a picture of a known position.

    ``keep`` is the weight of previous knowledge; without any, the correlation of pixels is learned, too.
    ``except_squares`` may be occluded and are excluded.
    """
    window, painted = labels(outlines, stacks)
    pixels = image[window.slices]
    usable = ~columns_mask(outlines, window, except_squares)
    lattice = lattice_mask(outlines, window)
    inner = uniform(painted) & usable & (lattice | (painted != BARE))
    of_label = np.where(inner, painted, CLASSES)
    samples = {}
    for label in range(CLASSES):
        chosen = _evenly(of_label == label, MAX_SAMPLES)
        if len(chosen):
            rows, columns = np.unravel_index(chosen, painted.shape)
            samples[label] = pixels[rows, columns]
    colours.learn(samples, keep)
    if not keep:
        colours.correlation_area = _correlation_along_edges(colours, pixels, painted, usable)
    background.learn(image, window, (painted == BARE) & usable, 1.0 - keep)
    tops = flat_tops(outlines)
    if tops and isinstance(colours, FlatPieceColours):
        standing = {s: classes(stack) for s, stack in enumerate(stacks)}
        parts = outlines.paint(standing, window, outlines.far_to_near, tops, TOP)
        parts[~(uniform(parts) & usable)] = BARE
        colours.learn_parts(pixels, parts, outlines, stacks, keep)
    if outlines.profile.flat:
        # The fields of a chess board have shades of their own, which are visible around the pieces on them.
        background.infer_hidden(fields(outlines, window))


def _evenly(mask: Mask, most: int) -> Integers:
    """The flat indices of about ``most`` of a mask's pixels, or of all if it has fewer: every so many. In
    strips, as the indices of all pixels would take several times the memory of the picture.
    """
    every, before, chosen = max(1, int(np.count_nonzero(mask)) // most), 0, []
    for first in range(0, len(mask), STRIP_ROWS):
        found = np.flatnonzero(mask[first : first + STRIP_ROWS])
        chosen.append(found[-before % every :: every] + first * mask.shape[1])
        before += len(found)
    return np.concatenate(chosen)


def _correlation_along_edges(
    colours: ColourModel, pixels: NDArray[np.uint8], painted: NDArray[np.uint8], usable: Mask
) -> float:
    """:func:`.correlation_area` of what the ``usable`` pixels (h, w) along the edges of pieces say for the
    classes ``painted`` (h, w); 1 if there are none.
    """
    edges = ~uniform(painted, _EDGE_WIDTH) & usable
    if not edges.any():
        return 1.0
    nats = np.zeros(painted.shape, np.float32)
    nats[edges] = colours.table_by_class[painted[edges], bins(pixels[edges])]
    return correlation_area(nats, edges)
