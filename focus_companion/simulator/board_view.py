"""Renders a plausible picture of a stage: table, board, stacks with their shadows, and an arm.

The background is painted once. From picture to picture, only the parts where a thing or its shadow appeared,
vanished or changed are redrawn.
"""

from __future__ import annotations

import threading
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ..vision.geometry.scene import Camera
from .arm import draw_arm
from .background import BAND_ROWS, paint_background
from .canvas import crop_inside
from .patches import Rect
from .pieces import PiecePainter
from .scene_style import Lamp, Lighting, SceneStyle
from .sensor import Film, ImageSensor, Shot
from .shading import OCCLUSION_REACH, ambient_occlusion, visibility
from .stage import Hand, Pose, Stage, Thing, from_table, things_of

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

HELD_PLACE = 999
"""Index of the place of pieces held in a hand (:attr:`.stage.Thing.square`)."""


def placed_camera(camera: Camera, pose: Pose) -> Camera:
    """The camera in the frame of a board that lies at ``pose`` on the table."""
    dx, dy, turn = pose
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    matrix = camera.rotation_matrix
    x, y, z = (matrix @ np.array([dx, dy, 0.0]) + np.array(camera.translation)).tolist()
    turned = matrix @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    rx, ry, rz = np.asarray(cv2.Rodrigues(turned)[0], float).ravel().tolist()
    return Camera(camera.lens, (rx, ry, rz), (x, y, z))


def placed_lighting(lighting: Lighting, pose: Pose) -> Lighting:
    """The lamps in the frame of a board that lies at ``pose`` on the table."""

    def moved(lamp: Lamp) -> Lamp:
        return replace(lamp, place=(*from_table(pose, *lamp.place[:2]), lamp.place[2]))

    return replace(lighting, lamps=tuple(moved(lamp) for lamp in lighting.lamps))


class BoardView:
    """Draws stages with one look; a lock serializes callers.

    Painting the background takes seconds and about 60 MB, so a view should be reused for the same look.
    """

    def __init__(self, look: SceneStyle) -> None:
        self.look = look
        self._placed: tuple[Pose, int] | None = None
        self._version = 0
        self._sensor = ImageSensor(look)
        self._drawing = threading.Lock()

    def draw(self, stage: Stage, *, detail: float = 1.0) -> U8:
        """The ideal picture (H, W, 3) uint8 BGR: no noise, no blur, no compression.

        ``detail`` below 1 draws the arm and what it holds more coarsely and faster.
        """
        with self._drawing:
            shot = self._drawn(stage, detail)
            return shot.still.copy() if shot.hand is None else shot.hand[0]

    def shoot(self, stage: Stage, rng: np.random.Generator, *, detail: float = 1.0) -> U8:
        """The picture (H, W, 3) uint8 BGR as the camera delivers it, with fresh noise from ``rng``."""
        with self._drawing:
            return self._sensor.expose(self._drawn(stage, detail), rng)

    def _drawn(self, stage: Stage, detail: float) -> Shot:
        self._place(stage)
        self._update(things_of(stage, self.look))
        shot = Shot(self._still, self._version, drift=stage.drift, nudge=stage.nudge)
        return shot if stage.hand is None else replace(shot, hand=self._with_hand(stage.hand, detail))

    def _place(self, stage: Stage) -> None:
        """Repaints the background if the board has moved or the light has changed."""
        if self._placed == (stage.pose, stage.light):
            return
        self._placed = (stage.pose, stage.light)
        self._camera = placed_camera(self.look.camera, stage.pose)
        lighting = self.look.lightings[stage.light % len(self.look.lightings)]
        self._lighting = placed_lighting(lighting, stage.pose)
        self._canvas = paint_background(self.look, self._lighting, self._camera, stage.pose)
        self._pieces = PiecePainter(self.look, self._lighting, self._camera)
        self._things: frozenset[Thing] = frozenset()
        self._film = Film(self.look.sensor, self.look.size, self._gain())
        self._version += 1
        width, height = self.look.size
        self._still = np.zeros((height, width, 3), np.uint8)
        for row in range(0, height, BAND_ROWS):
            crop = np.s_[row : row + BAND_ROWS, :width]
            self._still[crop] = self._film.develop(self._canvas.light(crop), (0, row))

    def _gain(self) -> float:
        """The automatic exposure for the empty board, with a mean slightly below middle grey."""
        few = self._canvas.light(np.s_[::8, ::8])
        mean = float(np.sqrt(np.clip(few.mean(-1), 0, 2)).mean() ** 2)
        bright = float(np.percentile(few.max(-1), 97))
        full = self._lighting.ambient + 0.8 * sum(lamp.strength for lamp in self._lighting.lamps)
        automatic = min(0.22 / max(mean, 1e-4), 0.85 / max(bright, 1e-4), 1.15 / full)
        return float(automatic * 2.0**self._lighting.exposure)

    def _update(self, things: frozenset[Thing]) -> None:
        """Redraws the parts that differ from the things drawn last."""
        if things == self._things:
            return
        self._version += 1
        changed = sorted(things ^ self._things, key=lambda t: (t.square, t.pieces))
        self._pieces.prepare(changed)
        dirty = [rect for thing in changed for rect in self._pieces.touched(thing, things)]
        self._things = things
        for rect in merged(dirty):
            self._redraw(rect)

    def _redraw(self, rect: Rect) -> None:
        x0, y0, x1, y1 = rect
        crop = np.s_[y0:y1, x0:x1]
        points = self._canvas.points[crop]
        light = self._canvas.ambient[crop].astype(np.float32)
        lamps = [layer[crop].astype(np.float32) for layer in self._canvas.lamps]
        columns = {thing: self._pieces.column(thing) for thing in self._things}
        for column in columns.values():
            pad = column.radius + OCCLUSION_REACH
            spot = crop_inside(points, (column.x - pad, column.y - pad, column.x + pad, column.y + pad))
            if spot is not None:
                light[spot] *= ambient_occlusion(points[spot], [column])[..., None]
            for lamp, layer in zip(self._lighting.lamps, lamps, strict=True):
                spot = crop_inside(points, column.reach(lamp, self.look.profile.table))
                if spot is not None:
                    layer[spot] *= visibility(points[spot], lamp, [column])[..., None]
        for layer in lamps:
            light += layer
        self._pieces.paint(light, (x0, y0), columns)
        self._still[crop] = self._film.develop(light, (x0, y0))

    def _with_hand(self, hand: Hand, detail: float) -> tuple[U8, Rect]:
        """The picture with the arm, its shadow and the pieces it holds, and the part that they change."""
        picture = self._still.copy()
        held = None
        if hand.pieces:
            thing = Thing(hand.x, hand.y, hand.height, hand.pieces, HELD_PLACE)
            sprite = self._pieces.alone(thing, coarse=detail < 1)
            if sprite is not None:
                bare = np.asarray(sprite.light / np.maximum(sprite.share, 1e-3), np.float32)
                colour = self._film.develop(bare, sprite.rect[:2])
                held = (sprite.rect, colour, sprite.share)
        return picture, draw_arm(
            picture, hand, held, self.look, self._camera, self._lighting, self._film, detail
        )


def merged(rects: list[Rect]) -> list[Rect]:
    """Merge overlapping rectangles; empty ones are dropped."""
    out: list[Rect] = []
    for rect in rects:
        if rect[2] <= rect[0] or rect[3] <= rect[1]:
            continue
        joined = rect
        while hit := next((r for r in out if _overlap(r, joined)), None):
            out.remove(hit)
            low = min(hit[0], joined[0]), min(hit[1], joined[1])
            joined = (*low, max(hit[2], joined[2]), max(hit[3], joined[3]))
        out.append(joined)
    return out


def _overlap(a: Rect, b: Rect) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
