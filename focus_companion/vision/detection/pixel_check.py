"""How well a camera explains the whole picture of a known position: every pixel, not the outlines alone.

Outlines of another set, seen from a little aside, may meet as many edges as those of the right one. But
then pieces are painted where the picture shows the board, and the board where it shows pieces.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from ..appearance.background import Background
from ..appearance.colour_model import BARE, ColourModel
from ..appearance.evidence import TRUST
from ..appearance.learning import columns_mask, labels, learn
from ..geometry.resize import reduced, resized
from ..geometry.scene import BoardProfile, Camera
from ..geometry.stack_masks import Outlines, lattice_mask

_RIM = np.ones((3, 3), np.uint8)
PIXELS = 640 * 480
"""Painted in a picture of so many pixels at the most: what lies amiss is areas, not threads."""


def amiss(
    image: NDArray[np.uint8],
    camera: Camera,
    profile: BoardProfile,
    stacks: Sequence[str],
    doubtful: Collection[int] = (),
) -> float:
    """Mean nats a pixel of the board (0 … 4) by which some other class looks likelier than the painted one,
    with the colours as that camera's own painting teaches them: up to about 0.01 where it is right. Pixels
    that a stack on a ``doubtful`` square may show are left out.
    """
    small, _ = reduced(image, PIXELS)
    outlines = Outlines(resized(camera, small), profile, tallest=max(1, *(len(stack) for stack in stacks)))
    colours = ColourModel()
    bare = Background(*small.shape[:2])
    learn(small, outlines, stacks, colours, bare, keep=0.0, except_squares=doubtful)
    window, painted = labels(outlines, stacks)
    # Pixels on an outline mix what lies on its two sides: a smaller piece would always look better.
    inner = np.asarray(cv2.erode(painted, _RIM)) == np.asarray(cv2.dilate(painted, _RIM))
    shown = inner & (lattice_mask(outlines, window) | (painted != BARE))
    shown &= ~columns_mask(outlines, window, doubtful)
    nats = colours.log_likelihood(small[window.slices][shown])
    own = np.take_along_axis(nats, painted[shown][:, None].astype(np.intp), -1)[:, 0]
    return float(np.clip(nats.max(1) - own, 0.0, TRUST).mean()) if len(own) else TRUST
