"""Draws the reading over the camera picture, with the geometry by which it was read."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from .arrays import Floats
from .capture.frames import Image
from .geometry.scene import outline
from .geometry.stack_masks import Outlines

Colour = tuple[int, int, int]

_PIECE_COLOURS = {"r": (60, 60, 255), "g": (90, 220, 90), "b": (255, 140, 60), "y": (40, 220, 255)}
"""BGR of the outlines of pieces, by letter."""

_STROKES = {
    "0": "10 30 41 45 36 16 05 01 10",
    "1": "11 20 26",
    "2": "01 10 30 41 42 06 46",
    "3": "01 10 30 41 42 33 13 33 44 45 36 16 05",
    "4": "36 30 04 44",
    "5": "40 00 02 32 43 45 36 16 05",
    "6": "41 30 10 01 05 16 36 45 44 33 13 04",
    "7": "00 40 16",
    "8": "13 02 01 10 30 41 42 33 13 04 05 16 36 45 44 33",
    "9": "05 16 36 45 41 30 10 01 02 13 33 42",
}
"""Each digit as one polyline through points xy of a grid 4 wide and 6 high.

OpenCV's text is not used, as it caches some 6 MB of fonts for every thread that ever wrote, and hundreds of
threads serve the page."""


_WRONG_COLOUR = (40, 60, 255)
"""BGR of the rings around squares that must be corrected."""


def draw_reading(image: Image, outlines: Outlines, stacks: Sequence[str], wrong: Sequence[int] = ()) -> Image:
    """A copy of ``image`` (H, W, 3) BGR with the lattice, and the outlines and height of every stack.

    The squares ``wrong`` (indices) are ringed and marked; the stacks drawn there are those that should be
    there.
    """
    drawn = image.copy()
    camera, profile = outlines.camera, outlines.profile
    scale = image.shape[1] / camera.lens.width
    thickness = max(1, round(camera.pitch_pixels(profile) * scale / 40))

    def line(points: Floats, colour: Colour, width: int, *, closed: bool = True) -> None:
        pixels = np.round(points * scale * 8).astype(np.int32)
        cv2.polylines(drawn, [pixels], closed, colour, width, cv2.LINE_AA, 3)

    half = profile.pitch / 2
    for square in range(len(profile.centres)):
        line(camera.project(profile.outline_of(square, half)), (255, 255, 255), 1)
    for square in outlines.far_to_near:
        stack = stacks[square]
        if not stack:
            continue
        centre = (float(profile.centres[square][0]), float(profile.centres[square][1]))
        for level, piece in enumerate(stack):
            hull = outline(camera, profile.piece, centre, level * profile.rise)
            line(hull, (20, 20, 20), thickness + 2)
            line(hull, _PIECE_COLOURS[piece], thickness)
        if len(stack) > 1:
            for stroke in _number_strokes(len(stack), hull.mean(0) * scale, 2.0 * thickness):
                line(stroke / scale, (0, 0, 0), 3 * thickness, closed=False)
                line(stroke / scale, (255, 255, 255), thickness, closed=False)
    for square in wrong:
        ring = camera.project(profile.outline_of(square, half))
        line(ring, (255, 255, 255), 3 * thickness + 2)
        line(ring, _WRONG_COLOUR, 3 * thickness)
        # The mark at the corner distinguishes the ring from the lattice for people who cannot see its colour.
        middle = camera.project(profile.outline_of(square, 0.7 * half))[2]
        _draw_warning_sign(drawn, middle * scale, max(5.0, 0.13 * camera.pitch_pixels(profile) * scale))
    return drawn


def _draw_warning_sign(drawn: Image, middle: Floats, radius: float) -> None:
    """Draw an exclamation mark on a disc."""
    centre = (round(middle[0] * 8), round(middle[1] * 8))
    cv2.circle(drawn, centre, round(radius * 8), _WRONG_COLOUR, -1, cv2.LINE_AA, 3)
    cv2.circle(drawn, centre, round(radius * 8), (255, 255, 255), max(1, round(radius / 6)), cv2.LINE_AA, 3)
    stroke = max(1, round(radius / 3))
    for top, end in ((-0.55, 0.1), (0.5, 0.52)):
        ends = np.round((middle + np.array([(0.0, top * radius), (0.0, end * radius)])) * 8).astype(np.int32)
        cv2.polylines(drawn, [ends], False, (255, 255, 255), stroke, cv2.LINE_AA, 3)


def _number_strokes(value: int, middle: Floats, unit: float) -> list[Floats]:
    """The polylines, (N, 2) pixels each, of a number 6 × ``unit`` pixels high, centred at ``middle``."""
    digits = str(value)
    left = middle - unit * np.array([3.0 * len(digits) - 1.0, 3.0])
    points = ([(int(at[0]) + 6 * i, int(at[1])) for at in _STROKES[d].split()] for i, d in enumerate(digits))
    return [left + unit * np.array(stroke, float) for stroke in points]
