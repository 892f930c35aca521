"""Learning from a picture whose position is known: which pixels show which class."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from ...game.squares import SQUARES
from ..geometry.stack_masks import Outlines, Window, fields, lattice_mask
from .background import Background
from .colour_model import BARE, CLASSES, ColourModel
from .evidence import classes

MOST = 6000
"""Pixels of one class that are learned from one picture; more say nothing new."""


def labels(outlines: Outlines, stacks: Sequence[str]) -> tuple[Window, NDArray[np.uint8]]:
    """The window of the whole board and the class of its every pixel, as the position would show."""
    window = outlines.window(range(len(SQUARES)))
    painted = outlines.paint(
        {s: classes(stack) for s, stack in enumerate(stacks)}, window, outlines.far_to_near
    )
    return window, painted


def _hidden(outlines: Outlines, window: Window, squares: Collection[int]) -> NDArray[np.bool_]:
    """Pixels of the window in the columns of squares that must not be learned from."""
    hidden = np.zeros((window.bottom - window.top, window.right - window.left), bool)
    for square in squares:
        column = outlines.columns[square]
        rows = slice(column.top - window.top, column.top - window.top + column.height)
        hidden[rows, column.left - window.left : column.left - window.left + column.width] = True
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
    """Teach the colours and the bare board from a picture of a known position.

    ``keep`` is the weight left to what was known; ``except_squares`` may be covered and are left out.
    """
    window, painted = labels(outlines, stacks)
    pixels = image[window.slices]
    usable = ~_hidden(outlines, window, except_squares)
    lattice = lattice_mask(outlines, window)
    rim = np.ones((3, 3), np.uint8)
    # The outermost pixels mix with what lies behind: only those count whose neighbours show the same.
    inner = (np.asarray(cv2.erode(painted, rim)) == np.asarray(cv2.dilate(painted, rim))) & usable
    inner &= lattice | (painted != BARE)
    of_label = np.where(inner, painted, CLASSES)
    samples = {}
    for label in range(CLASSES):
        found = np.flatnonzero(of_label == label)
        if len(found):
            rows, columns = np.unravel_index(found[:: max(1, len(found) // MOST)], painted.shape)
            samples[label] = pixels[rows, columns]
    colours.learn(samples, keep)
    background.learn(image, window, (painted == BARE) & usable, 1.0 - keep)
    if outlines.profile.flat:
        # The fields of a chess board have shades of their own, which show beside the pieces on them.
        background.suppose(window, fields(outlines, window))
