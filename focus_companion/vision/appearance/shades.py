"""The shades that the players' pieces have in a picture whose position is known."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ..geometry.stack_masks import Outlines
from ..masks import uniform
from .colour_model import CLASS, MIN_SAMPLES
from .learning import labels

LOG_OFFSET = 12.0
"""Grey levels added before taking logarithms, so that the noise of dark pixels counts less."""

Shade = tuple[int, int, int]
"""Red, green, blue, 0 … 255."""

USUAL_SHADES: dict[str, Shade] = {
    "r": (175, 30, 32),
    "g": (20, 110, 55),
    "b": (38, 85, 170),
    "y": (238, 188, 25),
}
"""Shades of usual pieces by letter, as a camera shows them in daylight."""


def measured_shades(
    image: NDArray[np.uint8], outlines: Outlines, stacks: Sequence[str], except_squares: Collection[int] = ()
) -> dict[str, Shade]:
    """The median shade of each colour's pieces, by letter, in a BGR picture (H, W, 3) that shows ``stacks``
    except on ``except_squares``. Colours of which few pixels are visible are omitted.
    """
    shown = ["" if square in except_squares else stack for square, stack in enumerate(stacks)]
    window, painted = labels(outlines, shown)
    inner, pixels = uniform(painted), image[window.slices]
    found = {}
    for letter in sorted(set("".join(shown))):
        own = pixels[inner & (painted == CLASS[letter])]
        if len(own) >= MIN_SAMPLES:
            blue, green, red = np.median(own, axis=0)
            found[letter] = int(red), int(green), int(blue)
    return found


def matched(seen: Mapping[str, Shade], known: Mapping[str, Shade]) -> dict[str, str]:
    """For each letter of ``seen``, the letter of the shade in ``known`` that it matches, in a light that
    tints and dims all pieces alike. Empty unless both have the same letters, at least one.
    """
    letters = sorted(seen)
    if not letters or letters != sorted(known):
        return {}
    found, meant = (np.log(np.array([of[x] for x in letters], float) + LOG_OFFSET) for of in (seen, known))
    found, meant = found - found.mean(0), meant - meant.mean(0)
    orders = permutations(range(len(letters)))
    best = min(orders, key=lambda order: float(((found - meant[list(order)]) ** 2).sum()))
    return {letter: letters[at] for letter, at in zip(letters, best, strict=True)}


def shade_text(shade: Shade) -> str:
    """A shade as ``#rrggbb``."""
    return "#{:02x}{:02x}{:02x}".format(*shade)
