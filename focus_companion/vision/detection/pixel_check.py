"""Checks a camera against all pixels of a picture of a known position, not against its edges alone.

The outlines of the wrong set at a slightly different pose may match as many edges as those of the right one.
But then some pieces are rendered where the picture shows the board, and vice versa.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from ..appearance.background import Background
from ..appearance.colour_model import BARE, ColourModel
from ..appearance.learning import columns_mask, labels, learn
from ..appearance.pixel_scores import MAX_PIXEL_NATS
from ..geometry.resize import WORK_PIXELS, reduced, resized
from ..geometry.scene import BoardProfile, Camera
from ..geometry.stack_masks import Outlines, lattice_mask
from ..masks import uniform


def pixel_mismatch(
    image: NDArray[np.uint8],
    camera: Camera,
    profile: BoardProfile,
    stacks: Sequence[str],
    doubtful: Collection[int] = (),
) -> float:
    """Mean log-likelihood ratio per pixel of the board, in nats (0 … 4), of the most likely class against the
    rendered one, with colours learned from the same rendering: up to about 0.01 for the correct camera.
    Pixels that a stack on a ``doubtful`` square may cover are excluded.
    """
    # Few pixels are enough, as mismatches are areas, not thin lines.
    small, _ = reduced(image, WORK_PIXELS)
    outlines = Outlines(resized(camera, small), profile, tallest=max(1, *(len(stack) for stack in stacks)))
    colours = ColourModel()
    bare = Background()
    learn(small, outlines, stacks, colours, bare, keep=0.0, except_squares=doubtful)
    window, painted = labels(outlines, stacks)
    # Pixels on an outline mix the colours of both sides, so that a smaller piece would always score better.
    shown = uniform(painted) & (lattice_mask(outlines, window) | (painted != BARE))
    shown &= ~columns_mask(outlines, window, doubtful)
    nats = colours.log_likelihood(small[window.slices][shown])
    own = np.take_along_axis(nats, painted[shown][:, None].astype(np.intp), -1)[:, 0]
    return float(np.clip(nats.max(1) - own, 0.0, MAX_PIXEL_NATS).mean()) if len(own) else MAX_PIXEL_NATS
