"""Draws the reading over the camera picture, with the geometry by which it was read."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from .arrays import Floats
from .capture.frames import Image
from .geometry.resize import resized
from .geometry.scene import outline
from .geometry.stack_masks import Outlines

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

_WHITE = (255, 255, 255)
_WRONG_COLOUR = (40, 60, 255)
"""BGR of the rings around squares that must be corrected."""

_SHIFT = 3
"""Binary digits after the point in the coordinates of what is drawn: it is placed to an eighth of a pixel."""


def draw_reading(image: Image, outlines: Outlines, stacks: Sequence[str], wrong: Sequence[int] = ()) -> Image:
    """A copy of ``image`` (H, W, 3) BGR with the lattice, and the outlines and height of every stack.

    ``image`` shows what the camera of ``outlines`` sees, at any size. The squares ``wrong`` (indices) are
    ringed and marked; the stacks drawn there are those that should be there.
    """
    drawn = image.copy()
    camera, profile = resized(outlines.camera, image), outlines.profile
    pitch, half = camera.pitch_pixels(profile), profile.pitch / 2
    thickness = max(1, round(pitch / 40))
    for square in range(len(profile.centres)):
        _draw_line(drawn, camera.project(profile.outline_of(square, half)), _WHITE, 1)
    for square in outlines.far_to_near:
        stack = stacks[square]
        if not stack:
            continue
        x, y = profile.centres[square].tolist()
        for level, piece in enumerate(stack):
            hull = outline(camera, profile.piece, (x, y), level * profile.rise)
            _draw_line(drawn, hull, (20, 20, 20), thickness + 2)
            _draw_line(drawn, hull, _PIECE_COLOURS[piece], thickness)
        if len(stack) > 1:
            for stroke in _number_strokes(len(stack), hull.mean(0), 2.0 * thickness):
                _draw_line(drawn, stroke, (0, 0, 0), 3 * thickness, closed=False)
                _draw_line(drawn, stroke, _WHITE, thickness, closed=False)
    for square in wrong:
        ring = camera.project(profile.outline_of(square, half))
        _draw_line(drawn, ring, _WHITE, 3 * thickness + 2)
        _draw_line(drawn, ring, _WRONG_COLOUR, 3 * thickness)
        # The mark at the corner distinguishes the ring from the lattice for people who cannot see its colour.
        middle = camera.project(profile.outline_of(square, 0.7 * half))[2]
        _draw_warning_sign(drawn, middle, max(5.0, 0.13 * pitch))
    return drawn


def _draw_line(
    drawn: Image, points: Floats, colour: tuple[int, int, int], width: int, *, closed: bool = True
) -> None:
    """Draw a polyline through ``points`` (N, 2), in pixels."""
    cv2.polylines(drawn, [_shifted(points)], closed, colour, width, cv2.LINE_AA, _SHIFT)


def _shifted(pixels: Floats | float) -> NDArray[np.int32]:
    """Coordinates or lengths in pixels as OpenCV's drawing functions take them, with :data:`_SHIFT`."""
    return np.round(np.multiply(pixels, 1 << _SHIFT)).astype(np.int32)


def _draw_warning_sign(drawn: Image, middle: Floats, radius: float) -> None:
    """Draw an exclamation mark on a disc."""
    centre, size = _shifted(middle).tolist(), int(_shifted(radius))
    cv2.circle(drawn, centre, size, _WRONG_COLOUR, -1, cv2.LINE_AA, _SHIFT)
    cv2.circle(drawn, centre, size, _WHITE, max(1, round(radius / 6)), cv2.LINE_AA, _SHIFT)
    for top, end in ((-0.55, 0.1), (0.5, 0.52)):
        stroke = middle + radius * np.array([(0.0, top), (0.0, end)])
        _draw_line(drawn, stroke, _WHITE, max(1, round(radius / 3)), closed=False)


def _number_strokes(value: int, middle: Floats, unit: float) -> list[Floats]:
    """The polylines, (N, 2) pixels each, of a number 6 × ``unit`` pixels high, centred at ``middle``."""
    digits = str(value)
    left = middle - unit * np.array([3.0 * len(digits) - 1.0, 3.0])
    points = ([(int(at[0]) + 6 * i, int(at[1])) for at in _STROKES[d].split()] for i, d in enumerate(digits))
    return [left + unit * np.array(stroke, float) for stroke in points]
