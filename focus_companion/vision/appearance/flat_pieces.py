"""Pieces with a flat top, such as draughts: their tops have one shade each, and their sides others.

The shade of a top is known from the other tops of its class, but for the brightness of the light there.
A side is lit from another direction: often it is all that distinguishes a white draught from a white field.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from ..geometry.scene import Camera, ring_points
from ..geometry.stack_masks import Outlines, filled, made_once
from .background import lit, of_shade
from .colour_model import BARE, CLASSES, ColourModel

Mask = NDArray[np.bool_]

TOP = CLASSES - 1
"""Added to the class of a piece, the class of its top."""
_WIDE = 0.8
"""Minimum radius of a flat top, as a share of the piece's."""
_AROUND = 0.3
"""Side of the square, in squares of the board, over which the light on a surface is measured."""
_FEWEST = 30
"""Pixels of a top that must be visible for its shade to be learned."""


@made_once
def flat_tops(outlines: Outlines) -> tuple[Mask, ...]:
    """For every square the pixels (tallest, h, w), in the window of its column, of the top of each piece that
    may be the topmost; empty for a set whose pieces have no flat tops, or whose empty squares have domes.
    """
    profile = outlines.profile
    radius, height = profile.piece.rings[-2]
    if not profile.flat or radius < _WIDE * profile.piece.radius or height < profile.piece.height:
        return ()
    return tuple(
        _tops(outlines.camera, outlines, square, radius, height) for square in range(len(outlines.columns))
    )


def _tops(camera: Camera, outlines: Outlines, square: int, radius: float, height: float) -> Mask:
    profile, column = outlines.profile, outlines.columns[square]
    x, y = profile.centres[square].tolist()
    disc = type(profile.piece)(((radius, height),))
    masks = []
    for level in range(len(column.masks) - 1):
        ring = camera.project(ring_points(disc, (x, y), level * profile.rise)).astype(np.float32)
        corner = np.array((column.left, column.top), np.float32)
        masks.append(filled(ring - corner, (column.width, column.height)) & column.masks[level + 1])
    return np.array(masks)


def around_pixels(pixels: NDArray[np.uint8], pitch: float) -> NDArray[np.uint8]:
    """(h, w, 3) the shade around each pixel, a median; ``pitch``: side of a square in pixels."""
    size = 2 * int(_AROUND * pitch / 2) + 1
    return np.asarray(cv2.medianBlur(np.ascontiguousarray(pixels), max(3, size)), np.uint8)


def with_tops(pieces: NDArray[np.float32]) -> NDArray[np.float32]:
    """(h, w, CLASSES + TOP) log-likelihoods if tops look as the pieces (h, w, CLASSES) do."""
    return np.concatenate([pieces, pieces[..., BARE + 1 :]], axis=-1)


class FlatPieceColours(ColourModel):
    """A colour model that also knows the tops and the sides of the pieces of each class."""

    def __init__(self) -> None:
        super().__init__()
        self._sides = ColourModel()
        self._tops: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}

    def learn_parts(
        self,
        pixels: NDArray[np.uint8],
        painted: NDArray[np.uint8],
        outlines: Outlines,
        stacks: Sequence[str],
        keep: float,
    ) -> None:
        """Learn from the pixels (h, w, 3) of the window of all columns; ``painted`` (h, w) are their classes,
        those of tops apart, and something else where nothing is to be learned.
        """
        window = outlines.window(range(len(stacks)))
        sides = {label: pixels[painted == label] for label in range(BARE + 1, CLASSES)}
        self._sides.learn({label: found for label, found in sides.items() if len(found)}, keep)
        seen: dict[int, list[tuple[NDArray[np.float64], NDArray[np.float64]]]] = {}
        for square, masks in enumerate(flat_tops(outlines)):
            if not stacks[square]:
                continue
            column = outlines.columns[square]
            part = np.s_[
                column.top - window.top : column.top - window.top + column.height,
                column.left - window.left : column.left - window.left + column.width,
            ]
            top = masks[min(len(stacks[square]), len(masks)) - 1] & (painted[part] >= CLASSES)
            if top.sum() >= _FEWEST:
                label = int(painted[part][top][0])
                shade = np.median(pixels[part][top], axis=0)
                seen.setdefault(label, []).append((outlines.profile.centres[square], shade))
        for label, found in seen.items():
            places, shades = zip(*found, strict=True)
            self._tops[label] = np.array(places), np.array(shades)

    def of_parts(
        self,
        pixels: NDArray[np.uint8],
        around: NDArray[np.uint8],
        pieces: NDArray[np.float32],
        outlines: Outlines,
        square: int,
    ) -> NDArray[np.float32]:
        """(h, w, CLASSES + TOP) log-likelihoods of the pixels around a square: those of whole ``pieces``
        (h, w, CLASSES), replaced by those of sides and tops for the classes whose sides and tops are known.
        ``around`` is that of :func:`around_pixels`.
        """
        scores = with_tops(pieces)
        known = np.flatnonzero(self._sides.known)
        if len(known):
            scores[..., known] = self._sides.log_likelihood(pixels)[..., known]
        for label, (places, shades) in self._tops.items():
            distance = np.linalg.norm(places - outlines.profile.centres[square], axis=1)
            weight = 1 / (1 + (distance / outlines.profile.pitch) ** 2)
            shade = np.asarray(weight @ shades / weight.sum(), np.uint8)
            scores[..., label] = of_shade(pixels, lit(shade, around))
        return scores
