"""Renders stacks and loose pieces, with the shadows that fall on them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..vision.geometry.scene import Camera, Solid
from .canvas import Box
from .patches import Patch, Rect, body_patch, body_rect, clipped
from .scene_style import Lighting, SceneStyle
from .shading import (
    OCCLUSION_REACH,
    ShadowCaster,
    ambient_occlusion,
    lamp_light,
    linear,
    sky_light,
    visibility,
)
from .solids import Body, stack_body
from .stage import Thing

F32 = NDArray[np.float32]
F16 = NDArray[np.float16]

MIN_PARALLEL = 8
"""Minimum number of things that are rendered in parallel."""
CACHE_SPARE = 24
"""Number of things kept in the cache after they left the table, as they may be put back; each takes half a
megabyte.
"""
MAX_OFFSET = 2.5
"""Maximum offset, in mm, of a piece from the axis of its stack."""

_UPSIDE_DOWN_RINGS = (
    (6.0, 0.0),
    (10.0, 0.9),
    (14.0, 5.5),
    (16.6, 13.0),
    (17.4, 16.0),
    (15.6, 16.0),
    (15.2, 11.0),
    (0.0, 10.9),
)
UPSIDE_DOWN_PIECE = Solid(_UPSIDE_DOWN_RINGS)
"""A piece that lies upside down."""
_INSIDE_RADIUS = 15.3
"""Radius of the inside of such a piece, in mm, which is darker."""


@dataclass(frozen=True)
class Sprite:
    """A lit thing: ``light`` (h, w, 3) times its coverage, and ``share`` (h, w, 1), at ``rect``."""

    rect: Rect
    light: F32
    share: F32


class PiecePainter:
    """Draws things for one look, lighting and camera, with a cache."""

    def __init__(self, look: SceneStyle, lighting: Lighting, camera: Camera) -> None:
        self.look, self._lighting, self._camera = look, lighting, camera
        self._eye = camera.centre.astype(np.float32)
        self._bodies: dict[Thing, tuple[Body, Patch | None, Rect]] = {}
        self._lights: dict[Thing, tuple[F16, tuple[F16, ...]]] = {}
        self._sprites: dict[tuple[Thing, frozenset[ShadowCaster]], Sprite | None] = {}
        self._reaches: dict[tuple[ShadowCaster, float], tuple[Box, ...]] = {}

    def paint(self, light: F32, at: tuple[int, int], columns: Mapping[Thing, ShadowCaster]) -> None:
        """Draws all things on light (h, w, 3) whose top left pixel is ``at`` (x, y), back to front."""
        self._evict(columns)
        x0, y0 = at
        x1, y1 = x0 + light.shape[1], y0 + light.shape[0]
        far = sorted(
            columns, key=lambda t: (-float(np.hypot(t.x - self._eye[0], t.y - self._eye[1])), t.square)
        )
        for thing in far:
            bx0, by0, bx1, by1 = self._body(thing)[2]
            if bx0 >= x1 or bx1 <= x0 or by0 >= y1 or by1 <= y0:
                continue
            sprite = self._lit(thing, self._neighbours(thing, columns))
            if sprite is not None:
                _lay(light, sprite, at)

    def alone(self, thing: Thing, *, coarse: bool = False) -> Sprite | None:
        """The thing without any shadows on it; not cached. ``coarse``: faster, with jagged edges."""
        patch = body_patch(self._camera, self._made(thing), 1 if coarse else 2)
        if patch is None or not patch.met.any():
            return None
        return _sprite(patch, *self._unshadowed(thing, patch))

    def _evict(self, standing: Mapping[Thing, ShadowCaster]) -> None:
        """Drops cached things that have left the table, if there are many."""
        if len(self._reaches) > 2 * (len(standing) + CACHE_SPARE):
            self._reaches.clear()
        if len(self._bodies) > len(standing) + CACHE_SPARE:
            self._bodies = {thing: body for thing, body in self._bodies.items() if thing in standing}
            self._lights = {thing: glow for thing, glow in self._lights.items() if thing in standing}
        if len(self._sprites) > len(standing) + 2 * CACHE_SPARE:
            self._sprites = {
                key: sprite for key, sprite in self._sprites.items() if self._is_current(key, standing)
            }

    def _is_current(
        self, key: tuple[Thing, frozenset[ShadowCaster]], standing: Mapping[Thing, ShadowCaster]
    ) -> bool:
        thing, neighbours = key
        return thing in standing and neighbours == self._neighbours(thing, standing)

    def prepare(self, things: Sequence[Thing]) -> None:
        """Render the bodies of these things in parallel, before they are used."""
        if len(things) >= MIN_PARALLEL:
            with ThreadPoolExecutor(os.cpu_count()) as makers:
                list(makers.map(self._body, things))

    def _body(self, thing: Thing) -> tuple[Body, Patch | None, Rect]:
        if thing not in self._bodies:
            body = self._made(thing)
            patch = body_patch(self._camera, body)
            if patch is not None:
                ambient, lamps = self._unshadowed(thing, patch)
                self._lights[thing] = ambient.astype(np.float16), tuple(g.astype(np.float16) for g in lamps)
                # From here on only the points are needed.
                patch = replace(patch, normals=patch.normals[:0], parts=patch.parts[:0])
            self._bodies[thing] = body, patch, body_rect(self._camera, body)
        return self._bodies[thing]

    def _made(self, thing: Thing) -> Body:
        style, profile = self.look.pieces, self.look.profile
        places = []
        for level, letter in enumerate(thing.pieces):
            # A piece keeps its exact place as long as the number of pieces below it does not change.
            rng = np.random.default_rng([self.look.seed, thing.square, level, ord(letter)])
            off = rng.normal(0, style.jitter, 2)
            if rng.random() < style.crooked:
                angle = rng.uniform(0, 2 * np.pi)
                off = rng.uniform(1, MAX_OFFSET) * np.array([np.cos(angle), np.sin(angle)])
            dx, dy = (float(np.clip(part, -MAX_OFFSET, MAX_OFFSET)) for part in off)
            places.append((thing.x + dx, thing.y + dy))
        at = np.array(places, np.float32)
        if thing.flipped:
            return stack_body(UPSIDE_DOWN_PIECE, profile.rise, at, thing.base)
        return stack_body(profile.piece, profile.rise, at, thing.base)

    def column(self, thing: Thing) -> ShadowCaster:
        """The thing as a shadow caster."""
        profile = self.look.profile
        top = thing.base + (len(thing.pieces) - 1) * profile.rise + profile.piece.height * 0.72
        return ShadowCaster(thing.x, thing.y, profile.piece.radius * 0.95, thing.base, top)

    def touched(self, thing: Thing, standing: Iterable[Thing]) -> list[Rect]:
        """The parts of the picture that change with a thing: itself, its shadows, and things in these."""
        x0, y0, x1, y1 = self._body(thing)[2]
        column = self.column(thing)
        rects: list[Rect] = [(x0 - 2, y0 - 2, x1 + 2, y1 + 2)]
        for lamp in self._lighting.lamps:
            for floor in {self.look.profile.table, thing.base}:
                rects.append(self._seen(column.reach(lamp, floor), floor))
        pad = column.radius + OCCLUSION_REACH
        rects.append(self._seen((thing.x - pad, thing.y - pad, thing.x + pad, thing.y + pad), thing.base))
        low, high = np.array(rects)[:, :2].min(0), np.array(rects)[:, 2:].max(0)
        shaded = [
            self._body(other)[2] for other in standing if other != thing and self._falls_on(column, other)
        ]
        return [clipped((low[0], low[1], high[0], high[1]), self.look.size), *shaded]

    def _seen(self, box: tuple[float, float, float, float], floor: float) -> Rect:
        """The part of the picture that contains a box in mm on the plane ``floor``, and a little above it."""
        corners = [(x, y, z) for x in (box[0], box[2]) for y in (box[1], box[3]) for z in (floor, floor + 12)]
        pixels = self._camera.project(np.array(corners, float))
        return clipped((*pixels.min(0), *pixels.max(0)), self.look.size)

    def _falls_on(self, column: ShadowCaster, thing: Thing) -> bool:
        """Whether a column's shadow may fall on a thing."""
        if column.top < thing.base + 6:
            return False
        x, y = thing.x, thing.y
        return any(x0 < x < x1 and y0 < y < y1 for x0, y0, x1, y1 in self._reach(column, thing.base))

    def _reach(self, column: ShadowCaster, floor: float) -> tuple[Box, ...]:
        """Where things stand on which the column's shadow may fall, for each lamp."""
        at = column, floor
        if at not in self._reaches:
            reaches = (column.reach(lamp, floor) for lamp in self._lighting.lamps)
            self._reaches[at] = tuple((x0 - 18, y0 - 18, x1 + 18, y1 + 18) for x0, y0, x1, y1 in reaches)
        return self._reaches[at]

    def _neighbours(self, thing: Thing, columns: Mapping[Thing, ShadowCaster]) -> frozenset[ShadowCaster]:
        return frozenset(c for other, c in columns.items() if other != thing and self._falls_on(c, thing))

    def _lit(self, thing: Thing, neighbours: frozenset[ShadowCaster]) -> Sprite | None:
        key = (thing, neighbours)
        if key not in self._sprites:
            patch = self._body(thing)[1]
            self._sprites[key] = self._shaded(thing, patch, neighbours) if patch and patch.met.any() else None
        return self._sprites[key]

    def _unshadowed(self, thing: Thing, patch: Patch) -> tuple[F32, tuple[F32, ...]]:
        """The light (M, 3) of the sky and of each lamp on a thing that stands alone."""
        style, rise = self.look.pieces, self.look.profile.rise
        shades = []
        for level, letter in enumerate(thing.pieces):
            rng = np.random.default_rng([self.look.seed, 5, thing.square, level, ord(letter)])
            shades.append(linear(style.colours[letter]) * (1 + style.spread * rng.normal()))
        albedo = np.array(shades, np.float32)[patch.parts]
        points, normals = patch.points, patch.normals
        if thing.flipped:
            inside = np.hypot(points[:, 0] - thing.x, points[:, 1] - thing.y) < _INSIDE_RADIUS
            albedo[inside & (normals[:, 2] > 0.9)] *= 0.35
        # Little skylight reaches the joints under the rims, and the foot of the lowest piece.
        above = points[:, 2] - thing.base
        below_rim = np.where(patch.parts < len(thing.pieces) - 1, (patch.parts + 1) * rise - above, 99.0)
        openness = (0.55 + 0.45 * np.clip(below_rim / 4.5, 0, 1)) * (0.6 + 0.4 * np.clip(above / 5, 0, 1))
        joint_light = 0.35 + 0.65 * np.clip(below_rim / 3.0, 0, 1)
        ambient = sky_light(self._lighting, points, normals, albedo, style.gloss, self._eye)
        ambient *= openness[:, None].astype(np.float32)
        lamps = tuple(
            lamp_light(lamp, points, normals, albedo, style.gloss, self._eye)
            * joint_light[:, None].astype(np.float32)
            for lamp in self._lighting.lamps
        )
        return ambient, lamps

    def _shaded(self, thing: Thing, patch: Patch, neighbours: frozenset[ShadowCaster]) -> Sprite:
        around = sorted(neighbours, key=lambda c: (c.x, c.y))
        ambient, lamps = self._lights[thing]
        light = ambient.astype(np.float32) * ambient_occlusion(patch.points, around, 0.3)[:, None]
        for lamp, glow in zip(self._lighting.lamps, lamps, strict=True):
            light += glow * visibility(patch.points, lamp, around)[:, None]
        return Sprite(patch.rect, patch.spread(light), patch.coverage)


def _sprite(patch: Patch, ambient: F32, lamps: tuple[F32, ...]) -> Sprite:
    light = ambient.copy()
    for glow in lamps:
        light += glow
    return Sprite(patch.rect, patch.spread(light), patch.coverage)


def _lay(light: F32, sprite: Sprite, at: tuple[int, int]) -> None:
    """Blends a sprite into light (h, w, 3) whose top left pixel is ``at`` (x, y)."""
    sx0, sy0, sx1, sy1 = sprite.rect
    x0, y0 = max(sx0, at[0]), max(sy0, at[1])
    x1, y1 = min(sx1, at[0] + light.shape[1]), min(sy1, at[1] + light.shape[0])
    part = np.s_[y0 - sy0 : y1 - sy0, x0 - sx0 : x1 - sx0]
    below = light[y0 - at[1] : y1 - at[1], x0 - at[0] : x1 - at[0]]
    below *= 1 - sprite.share[part]
    below += sprite.light[part]
