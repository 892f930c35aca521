"""Pieces with a flat top, such as draughts: the visible top of a stack is a class of its own.

A top has one shade, which other tops of its colour show, except for the brightness of the light. Sides face
other ways and are lit differently; often a side is all that distinguishes a white draught from a white field.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Mask, Singles
from ..geometry.scene import Solid, at_height, ring_points
from ..geometry.stack_masks import Outlines, cached_per_outlines, filled
from .background import relit, shade_log_likelihood
from .colour_model import BARE, CLASSES, MIN_SAMPLES, ColourModel

TOP = CLASSES - 1
"""Offset from the class of a piece to the class of its top."""
_MIN_FLAT_RADIUS = 0.8
"""Minimum radius of a flat top, relative to the piece's radius. Around a narrower one is a slope, whose
brightness is between those of the top and the side."""
_MEDIAN_WINDOW = 0.3
"""Side of the window, in squares of the board, whose median is the local shade: well inside a top, which is
0.7 squares wide."""


@cached_per_outlines
def flat_tops(outlines: Outlines) -> tuple[Mask, ...]:
    """For every square, in the window of its column, a mask (tallest, h, w): for each piece, the pixels of
    its top if it is the topmost piece. Empty if the pieces have no flat tops, or the empty squares have
    domes.
    """
    piece = outlines.profile.piece
    radius = max(radius for radius, height in piece.rings if height == piece.height)
    if not outlines.profile.flat or radius < _MIN_FLAT_RADIUS * piece.radius:
        return ()
    disc, profile = Solid(((radius, piece.height),)), outlines.profile
    levels = range(outlines.columns[0].tallest)
    rings = np.array([ring_points(disc, (0.0, 0.0), level * profile.rise) for level in levels])
    points = at_height(profile.centres)[:, None, None] + rings
    pixels = outlines.camera.project(points.reshape(-1, 3)).astype(np.float32).reshape(*points.shape[:3], 2)
    tops = []
    for own, column in zip(pixels, outlines.columns, strict=True):
        corner = np.array((column.left, column.top), np.float32)
        pieces = np.stack([column.mask(level + 1) for level in levels])
        tops.append(filled(own - corner, (column.width, column.height)) & pieces)
    return tuple(tops)


def local_shade(pixels: NDArray[np.uint8], pitch: float) -> NDArray[np.uint8]:
    """The median shade (h, w, 3) around each of the pixels (h, w, 3); ``pitch`` is the side of a square in
    pixels.
    """
    size = 2 * int(_MEDIAN_WINDOW * pitch / 2) + 1
    return np.asarray(cv2.medianBlur(np.ascontiguousarray(pixels), max(3, size)), np.uint8)


class FlatPieceColours(ColourModel):
    """A colour model that also knows the tops and the sides of the pieces of each class."""

    def __init__(self) -> None:
        super().__init__()
        self._sides = ColourModel()
        self._tops: dict[int, tuple[Floats, Floats]] = {}
        """For each class of tops, the centres (N, 2) in mm of the squares that showed one in the last picture
        learned, and the shades (N, 3) BGR there.
        """

    def learn_parts(
        self,
        pixels: NDArray[np.uint8],
        painted: NDArray[np.uint8],
        outlines: Outlines,
        stacks: Sequence[str],
        keep: float,
    ) -> None:
        """Learn from the pixels (h, w, 3) of the window of all columns, with the position ``stacks`` on it.

        ``painted`` (h, w) are the classes of the pixels, including those of tops; :data:`BARE` where nothing
        is to be learned. ``keep`` is the weight of previous knowledge of sides; knowledge of tops is
        replaced.
        """
        window = outlines.window(range(len(stacks)))
        sides = {label: pixels[painted == label] for label in range(BARE + 1, CLASSES)}
        self._sides.learn(sides, keep)
        seen: dict[int, list[tuple[Floats, Floats]]] = {}
        for square, masks in enumerate(flat_tops(outlines)):
            if not stacks[square]:
                continue
            part = outlines.columns[square].window.within(window)
            visible = masks[min(len(stacks[square]), len(masks)) - 1] & (painted[part] >= CLASSES)
            if visible.sum() >= MIN_SAMPLES:
                label = int(painted[part][visible][0])
                shade = np.median(pixels[part][visible], axis=0)
                seen.setdefault(label, []).append((outlines.profile.centres[square], shade))
        for label, found in seen.items():
            places, shades = zip(*found, strict=True)
            self._tops[label] = np.array(places), np.array(shades)

    def parts_log_likelihood(
        self, pixels: NDArray[np.uint8], around: NDArray[np.uint8], outlines: Outlines, square: int
    ) -> dict[int, Singles]:
        """Log-likelihoods (h, w), in nats, of the pixels (h, w, 3) around a square, for each class of sides
        and of tops that has been seen. ``around`` (h, w, 3) is that of :func:`local_shade`.
        """
        sides = self._sides.log_likelihood(pixels)
        scores = {int(label): sides[..., label] for label in np.flatnonzero(self._sides.known)}
        for label, (places, shades) in self._tops.items():
            # Nearby tops, which are in much the same light, have more weight.
            distance = np.linalg.norm(places - outlines.profile.centres[square], axis=1)
            weight = 1 / (1 + (distance / outlines.profile.pitch) ** 2)
            shade = np.asarray(weight @ shades / weight.sum(), np.uint8)
            scores[label] = shade_log_likelihood(pixels, relit(shade, around))
        return scores


def parts_log_likelihood(
    colours: ColourModel,
    pixels: NDArray[np.uint8],
    around: NDArray[np.uint8],
    pieces: Singles,
    outlines: Outlines,
    square: int,
) -> Singles:
    """(CLASSES + TOP, h, w) log-likelihoods, in nats, of the pixels (h, w, 3) around a square, for the bare
    board, the sides and the tops of pieces.

    Sides and tops that ``colours`` does not know are taken to look like whole pieces, whose log-likelihoods
    are ``pieces`` (CLASSES, h, w). ``around`` (h, w, 3) is that of :func:`local_shade`.
    """
    scores = np.concatenate([pieces, pieces[BARE + 1 :]])
    if isinstance(colours, FlatPieceColours):
        for label, known in colours.parts_log_likelihood(pixels, around, outlines, square).items():
            scores[label] = known
    return scores
