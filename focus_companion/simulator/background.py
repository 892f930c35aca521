"""Paints the static scene: table, objects on it, board unit and bare domes."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
from numpy.typing import NDArray

from ..vision.geometry.scene import Camera
from .canvas import UP, Canvas, remap_maps
from .props import paint_props
from .scene_style import Lamp, Lighting, SceneStyle
from .shading import ShadowCaster, linear, to_light, unit
from .solids import stack_body
from .stage import Pose, to_table
from .table_top import TableTop
from .textures import board_picture, outline_points, to_texture

F32 = NDArray[np.float32]

BAND_ROWS = 160
"""Rows of the picture painted at a time."""

MIN_SHRINK = 0.95
"""Scale above which the board's texture is not worth reducing."""

OVERCAST = Lamp((0.0, 0.0, 1e5), 1.0, size=6e4)
"""The sky as a lamp, for the ambient occlusion around the foot of the board unit."""


def paint_background(look: SceneStyle, lighting: Lighting, camera: Camera, pose: Pose) -> Canvas:
    """The empty table and board; ``camera`` and lamps are in the frame of the board at ``pose``."""
    canvas = Canvas(camera, lighting)
    outline = outline_points(look.board, look.profile)
    _table(canvas, look, pose, outline)
    paint_props(canvas, look, pose)
    _sides(canvas, look, outline)
    _board(canvas, look, outline)
    dome, style = look.profile.dome, look.board
    for centre in [] if look.profile.flat else look.profile.centres:
        body = stack_body(dome, dome.height, centre[None].astype(np.float32), look.profile.dome_base)
        canvas.solid(body, linear(style.cell_colour or style.colour), style.gloss * 0.9)
    canvas.finish()
    return canvas


def _table(canvas: Canvas, look: SceneStyle, pose: Pose, outline: F32) -> None:
    level, top = look.profile.table, TableTop(look.table, look.seed)
    height, width = canvas.points.shape[:2]

    def band(rows: slice) -> None:
        crop = rows, slice(width)
        points = canvas.plane(level, crop)
        albedo = top.albedo(*to_table(pose, points[..., 0], points[..., 1]))
        ambient, lamps = canvas.lit(points, np.broadcast_to(UP, points.shape), albedo, look.table.gloss)
        for lamp, layer in zip(canvas.lighting.lamps, lamps, strict=True):
            layer *= 1 - canvas.slab_shadow(points, lamp, outline, -level)[..., None]
        ambient *= 1 - 0.55 * canvas.slab_shadow(points, OVERCAST, outline, -level)[..., None]
        canvas.lay(crop, np.ones((*points.shape[:2], 1), np.float32), (ambient, lamps), points)

    _in_bands(slice(height), band)


def _sides(canvas: Canvas, look: SceneStyle, outline: F32) -> None:
    """Paints the board unit's sides that face the camera, the farthest first."""
    table, steps = look.profile.table, np.linspace(0, 1, 8)[:, None]
    ends = sorted(
        zip(outline, np.roll(outline, -1, 0), strict=True),
        key=lambda e: -float(np.linalg.norm((e[0] + e[1]) / 2 - canvas.eye[:2])),
    )
    for a, b in ends:
        side = b - a
        normal = np.array([side[1], -side[0], 0], np.float32) / float(np.linalg.norm(side))
        middle = np.array([*(a + b) / 2, table / 2], np.float32)
        if float(normal @ (canvas.eye - middle)) <= 0:
            continue
        top, bottom = np.array([(*a, 0), (*b, 0)]), np.array([(*b, table), (*a, table)])
        rim = np.concatenate([p[0] + (p[1] - p[0]) * steps for p in (top, bottom)])
        seen = canvas.mask(canvas.camera.project(rim).astype(np.float32))
        if seen is not None:
            albedo = linear(look.board.colour)[None] * np.float32(0.9)
            canvas.lay(*seen, canvas.lit(middle[None], normal[None], albedo, look.board.gloss * 0.3))


def _board(canvas: Canvas, look: SceneStyle, outline: F32) -> None:
    """Paints the top of the board unit, with cells, labels and relief."""
    profile, style = look.profile, look.board
    seen = canvas.mask(canvas.polygon(outline, 0.0))
    if seen is None:
        return
    (rows, columns), share = seen
    picture, relief = board_picture(style, profile)
    slopes = [cv2.Sobel(relief, cv2.CV_32F, *d, scale=0.5) for d in ((1, 0), (0, 1))]
    # Downscaling the drawing to the size of the picture preserves thin lines and letters.
    shrink = min(1.0, 1.6 * canvas.camera.pitch_pixels(profile) / (profile.pitch * 4))
    if shrink < MIN_SHRINK:
        picture = cv2.resize(picture, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    size = len(picture) / len(relief)
    dome = profile.dome
    bumps = [
        ShadowCaster(x, y, dome.radius, profile.dome_base, profile.dome_base + dome.height * 0.8)
        for x, y in profile.centres.tolist()
        if not profile.flat
    ]

    def band(within: slice) -> None:
        crop = within, columns
        points = canvas.plane(0.0, crop)
        at = to_texture(points[..., :2], profile)
        dx, dy = (cv2.remap(slope, *remap_maps(at), cv2.INTER_LINEAR) for slope in slopes)
        normals = unit(np.stack([-dx, dy, np.ones_like(dx)], -1))
        texels = cv2.remap(picture, *remap_maps((at + 0.5) * size - 0.5), cv2.INTER_LINEAR)
        albedo = to_light(texels.astype(np.float32) / 255).astype(np.float32)
        light = canvas.lit(points, normals, albedo, style.gloss)
        for bump in bumps:
            canvas.shade(points, light, bump, 0.0)
        canvas.lay(crop, share[within.start - rows.start : within.stop - rows.start], light, points)

    _in_bands(rows, band)


def _in_bands(rows: slice, paint: Callable[[slice], None]) -> None:
    """Paint ``rows`` of the picture in bands, which limits memory; bands are painted in parallel."""
    first = rows.start or 0
    bands = [slice(row, min(row + BAND_ROWS, rows.stop)) for row in range(first, rows.stop, BAND_ROWS)]
    with ThreadPoolExecutor(os.cpu_count()) as painters:
        list(painters.map(paint, bands))
