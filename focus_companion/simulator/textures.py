"""Draws the board unit from above: its outline, its texture and its relief."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from ..game.squares import SQUARES
from ..vision.geometry.scene import BoardProfile
from .scene_style import BoardStyle

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

SCALE = 4
"""Pixels per millimetre of the board's texture."""
MARGIN = 8.0
"""Millimetres by which the texture extends beyond the board's edge."""


def bgr(colour: str) -> tuple[int, int, int]:
    return int(colour[5:7], 16), int(colour[3:5], 16), int(colour[1:3], 16)


def outline_points(style: BoardStyle, profile: BoardProfile) -> F32:
    """Corners of the board unit seen from above, (N, 2) mm, counter-clockwise."""
    half, pitch = profile.half_width, profile.pitch
    if style.outline == "cross":
        m = half - 4 * pitch
        m = min(m, 24.0)
        a, b, c = 2 * pitch + m, 3 * pitch + m, 4 * pitch + m
        quarter = [(c, a), (b, a), (b, b), (a, b), (a, c)]
    else:
        cut = half * (0.46 if style.outline == "octagon" else 0.05)
        quarter = [(half, half - cut), (half - cut, half)]
    turned = []
    for _ in range(4):
        turned += quarter
        quarter = [(-y, x) for x, y in quarter]
    return np.array(turned, np.float32)


def to_texture(points: F32, profile: BoardProfile) -> F32:
    """Pixels of the board's texture for board points (..., 2) in mm."""
    half = profile.half_width + MARGIN
    return np.stack([(points[..., 0] + half) * SCALE, (half - points[..., 1]) * SCALE], -1).astype(np.float32)


@lru_cache(maxsize=1)
def board_picture(style: BoardStyle, profile: BoardProfile) -> tuple[U8, F32]:
    """The board from above: sRGB values in BGR order (S, S, 3), and its relief in mm (S, S); both read-only.

    The last result is cached, as a board that is pushed or seen in another light remains the same.
    """
    size = int(2 * (profile.half_width + MARGIN) * SCALE)
    picture = np.full((size, size, 3), bgr(style.colour), np.uint8)
    relief = np.zeros((size, size), np.float32)
    cv2.fillPoly(relief, [to_texture(outline_points(style, profile), profile).astype(np.int32)], 1.5)
    relief = cv2.GaussianBlur(relief, (0, 0), 1.6 * SCALE)
    if style.labels and style.outline != "cross":
        _labels(picture, style, profile)
    if style.cells == "chess":
        _chess(picture, style, profile)
    elif style.cells != "none":
        _cells(picture, relief, style, profile)
    relief = np.asarray(cv2.GaussianBlur(relief, (0, 0), 0.35 * SCALE), np.float32)
    picture.flags.writeable = relief.flags.writeable = False
    return picture, relief


def _cells(picture: U8, relief: F32, style: BoardStyle, profile: BoardProfile) -> None:
    raised = np.zeros_like(relief)
    half = profile.pitch / 2 - 0.5
    colour = bgr(style.cell_colour or style.colour)
    gap = tuple(int(c * 0.45) for c in bgr(style.colour))
    for index in range(len(SQUARES)):
        x, y = profile.centres[index]
        corners = np.array([(x - half, y + half), (x + half, y - half)], np.float32)
        outer = to_texture(corners + np.array([(-0.5, 0.5), (0.5, -0.5)], np.float32), profile).astype(int)
        inner = to_texture(corners, profile).astype(int)
        cv2.rectangle(picture, outer[0].tolist(), outer[1].tolist(), gap, -1)
        cv2.rectangle(picture, inner[0].tolist(), inner[1].tolist(), colour, -1)
        cv2.rectangle(raised, inner[0].tolist(), inner[1].tolist(), 1.0, -1)
    if style.cells == "pads":
        relief += cv2.GaussianBlur(raised, (0, 0), 0.7 * SCALE)


def _chess(picture: U8, style: BoardStyle, profile: BoardProfile) -> None:
    """A chess board of 64 fields, of which those that Focus does not use are covered with paper."""
    colours = bgr(style.cell_colour or style.colour), bgr(style.colour)
    in_play = {(round(float(x), 3), round(float(y), 3)) for x, y in profile.centres}
    half = profile.pitch / 2
    for rank in range(8):
        for file in range(8):
            steps = np.array((file - 3.5, rank - 3.5))
            x, y = (steps * profile.pitch + np.sign(steps) * np.array(profile.gaps) / 2).tolist()
            box = np.array([(x - half, y + half), (x + half, y - half)], np.float32)
            corners = to_texture(box, profile).round().astype(int)
            covered = (round(x, 3), round(y, 3)) not in in_play
            colour = bgr(style.label_ground) if covered else colours[(rank + file) % 2]
            cv2.rectangle(picture, corners[0].tolist(), corners[1].tolist(), colour, -1)


def _labels(picture: U8, style: BoardStyle, profile: BoardProfile) -> None:
    """The four plates with the game's name on the ledges, each facing its seat."""
    size = len(picture)
    ledge = (4 * profile.pitch + profile.half_width) / 2
    for _ in range(4):
        picture[:] = np.rot90(picture)
        plate = to_texture(np.array([(-76, -ledge + 15), (76, -ledge - 15)], np.float32), profile).astype(int)
        cv2.rectangle(picture, plate[0].tolist(), plate[1].tolist(), bgr(style.label_ground), -1)
        text, font, height = "DOMINATION", cv2.FONT_HERSHEY_TRIPLEX, 15 * SCALE / 22
        (w, h), _base = cv2.getTextSize(text, font, height, 2 * SCALE // 3)
        where = (size // 2 - w // 2, int(plate[:, 1].mean()) + h // 2)
        cv2.putText(picture, text, where, font, height, bgr(style.label_ink), 2 * SCALE // 3, cv2.LINE_AA)
