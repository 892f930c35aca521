"""Paints objects on the table: a mug, a sheet of rules, a phone, the lid of the box."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ..vision.geometry.scene import Solid
from .canvas import UP, Canvas
from .patches import body_patch
from .scene_style import SceneStyle
from .shading import ShadowCaster, linear
from .solids import stack_body
from .stage import Pose, from_table

F32 = NDArray[np.float32]

MUG_HEIGHT = 94.0
"""Height of the mug's brim in mm."""

MUG = Solid(((36.0, 0.0), (40.0, 3.0), (42.0, 92.0), (41.0, 94.0), (38.5, 94.0), (38.0, 78.0)))
COFFEE = Solid(((38.4, 79.9), (0.0, 80.0)))

SHEETS: dict[str, tuple[tuple[float, float], str, float, float]] = {
    "paper": ((74.0, 105.0), "#e9e8e4", 0.0, 0.5),
    "phone": ((37.0, 76.0), "#15161a", 0.9, 8.0),
    "lid": ((150.0, 150.0), "#a5161c", 0.5, 35.0),
}
"""Flat objects: half sizes in mm, colour, gloss, and thickness in mm."""

_LINE_SPACING = 9
"""Distance between lines of text on the sheet, in mm."""
_HALF_LINE = 1.1
"""Half the height of a line of text, in mm."""
_TEXT_AREA = (60, 82)
"""Half the width and height of the text on the sheet, in mm."""
_BRIM_RADIUS = 38.5
"""Inner radius of the mug's brim, in mm."""

_MIN_VISIBLE_THICKNESS = 2
"""Thickness in mm above which the sides of an object are visible."""


def paint_props(canvas: Canvas, look: SceneStyle, pose: Pose) -> None:
    """Places the look's objects around the board; they stay in place when the board is pushed."""
    rng = np.random.default_rng([look.seed, 2])
    turn = rng.uniform(0, 2 * np.pi)
    for name in look.table.props:
        turn += rng.uniform(1.2, 2.4)
        away, facing = rng.uniform(330, 420), float(rng.uniform(0, 2 * np.pi))
        if name == "mug":
            _mug(canvas, look, *from_table(pose, away * np.cos(turn), away * np.sin(turn)))
        else:
            # A long object is placed farther away, so that it does not reach the board.
            away += 0.6 * max(SHEETS[name][0])
            x, y = from_table(pose, away * np.cos(turn), away * np.sin(turn))
            _sheet(canvas, look, name, x, y, facing - float(np.radians(pose[2])))


def _mug(canvas: Canvas, look: SceneStyle, x: float, y: float) -> None:
    table, place = look.profile.table, np.array([(x, y)], np.float32)
    column = ShadowCaster(x, y, 40, table, table + MUG_HEIGHT)
    canvas.shade(canvas.points, (canvas.ambient, list(canvas.lamps)), column, table)
    canvas.solid(stack_body(MUG, MUG.height, place, table), linear("#d9d8d4"), 0.6)
    patch = body_patch(canvas.camera, stack_body(COFFEE, COFFEE.height, place, table))
    if patch is None or not patch.met.any():
        return
    # The near wall occludes the coffee unless the line of sight passes over the brim.
    to_eye = canvas.eye - patch.points
    over = patch.points + to_eye * ((table + MUG_HEIGHT - patch.points[:, 2:]) / to_eye[:, 2:])
    seen = (np.hypot(over[:, 0] - x, over[:, 1] - y) < _BRIM_RADIUS).astype(np.float32)[:, None]
    share = patch.spread(seen)
    x0, y0, x1, y1 = patch.rect
    crop = np.s_[y0:y1, x0:x1]
    ambient, lamps = canvas.lit(
        patch.points, patch.normals, np.broadcast_to(linear("#2a160c"), to_eye.shape), 0.5
    )
    for below, above in zip((canvas.ambient, *canvas.lamps), (ambient, *lamps), strict=True):
        below[crop] = below[crop] * (1 - share) + patch.spread(np.asarray(above * seen * 0.6, np.float32))


def _sheet(canvas: Canvas, look: SceneStyle, name: str, x: float, y: float, turn: float) -> None:
    half, colour, gloss, thick = SHEETS[name]
    c, s = float(np.cos(turn)), float(np.sin(turn))
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float32) * np.array(half, np.float32)
    corners = np.asarray(square @ np.array([[c, s], [-s, c]]) + (x, y), np.float32)
    low, level = look.profile.table, look.profile.table + thick
    if thick > _MIN_VISIBLE_THICKNESS:  # its sides are dark below the top
        rims = np.concatenate([canvas.polygon(corners, z) for z in (low, level)])
        seen = canvas.mask(np.asarray(cv2.convexHull(rims), np.float32).reshape(-1, 2))
        if seen is not None:
            at = np.array([[x, y, level]], np.float32)
            canvas.lay(*seen, canvas.lit(at, UP[None], linear(colour)[None] * np.float32(0.45), 0.0))
    seen = canvas.mask(canvas.polygon(corners, level))
    if seen is None:
        return
    crop, share = seen
    points = canvas.plane(level, crop)
    albedo = np.broadcast_to(linear(colour), points.shape).copy()
    if name == "paper":
        local = (points[..., :2] - np.array([x, y], np.float32)) @ np.array([[c, -s], [s, c]], np.float32)
        in_line = np.abs((local[..., 1] % _LINE_SPACING) - _LINE_SPACING / 2) < _HALF_LINE
        lines = in_line & (np.abs(local) < _TEXT_AREA).all(-1)
        albedo *= 1 - 0.55 * cv2.GaussianBlur(lines.astype(np.float32), (0, 0), 0.7)[..., None]
    canvas.lay(crop, share, canvas.lit(points, np.broadcast_to(UP, points.shape), albedo, gloss), points)
