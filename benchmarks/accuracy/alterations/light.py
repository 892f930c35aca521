"""Light that changes: sun, shadows, lamps and screens. It multiplies what is seen, so black remains black."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Final

import cv2
import numpy as np

from benchmarks.accuracy.alterations.drawing import NO_COLOURS, Flat
from benchmarks.accuracy.alterations.scene import (
    STEP,
    Alteration,
    Effect,
    Field,
    Floats,
    Picture,
    Scene,
    direction,
    for_all_colours,
    levels,
    rotation,
    some,
    stretches,
    window,
)

UNCHANGED: Final = np.ones((1, 1, 1), np.float32)
"""Factors for :func:`lighting`."""


@dataclass(frozen=True)
class Patch:
    """A rectangle on the board in ``factor`` times the light, with hard edges.

    Times in seconds; on the board, in mm from its centre, the ``centre`` at first, its ``drift`` in a second,
    and ``half`` of both sides; their ``angle`` in radians.
    """

    since: float
    until: float
    centre: Floats
    drift: Floats
    angle: float
    half: Floats
    factor: float

    def lit(self, scene: Scene, time: float, fading: float) -> Field:
        """The factors of grey levels; the patch comes and goes within ``fading`` seconds."""
        shown = np.clip(min(time - self.since, self.until - time) / fading, 0, 1)
        if shown == 0:
            return UNCHANGED
        sides = rotation(self.angle) * self.half[:, None]
        centre = self.centre + self.drift * (time - self.since)
        corners = centre + np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) @ sides
        mask = np.zeros(scene.size[::-1], np.float32)
        cv2.fillConvexPoly(mask, np.round(scene.pixels(corners)).astype(int), 1.0)
        mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), 2.0), np.float32)
        return levels(1 + np.float32((self.factor - 1) * shown) * mask[..., None])


def one_side(scene: Scene, angle: float, step: int = 1) -> Floats:
    """How near to one side of the picture every ``step``-th pixel is: along x or y, from -1 to 1."""
    y, x = np.mgrid[-1 : 1 : scene.size[1] / step * 1j, -1 : 1 : scene.size[0] / step * 1j]
    return np.asarray(x * np.cos(angle) + y * np.sin(angle))


def lighting(lit: Callable[[float], Field]) -> Alteration:
    """Multiplies grey levels by factors (h, w, 1 or 3); they may be of a smaller picture or of one pixel."""

    def altered(picture: Picture, time: float) -> Picture:
        factors = lit(time)
        if factors.shape[:2] not in ((1, 1), picture.shape[:2]):
            size = picture.shape[1::-1]
            factors = cv2.resize(factors, size, interpolation=cv2.INTER_LINEAR).reshape(*size[::-1], -1)
        if factors.shape[0] > 1 and factors.shape[2] == 1:
            factors = for_all_colours(factors)
        picture *= factors
        return picture

    return altered


def patches(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Sun and shadows with hard edges come while a hand is over the board, and stay for some turns."""
    factor, number, reaches = (1.3, 1.6, 2.4)[strength - 1], strength + 1, scene.reaches()
    lasting = 0.7 * scene.seconds / number
    found: list[Patch] = []
    for part in np.array_split(np.array(reaches), number):
        since = float(rng.choice(part))
        where = (
            rng.uniform(-110, 110, 2),
            rng.uniform(-1, 1, 2),
            rng.uniform(0, np.pi),
            rng.uniform(60, 140, 2),
        )
        found.append(Patch(since, since + lasting, *where, factor if len(found) % 2 == 0 else 1 / factor))
    return lighting(lambda time: reduce(np.multiply, (each.lit(scene, time, 0.4) for each in found)))


def sun(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The sun comes through a window at any time, moves by up to 4 mm a second, and goes."""
    factor, number = (1.25, 1.6, 2.4)[strength - 1], strength + 1
    found = []
    for part in range(number):
        since = scene.seconds * (part + rng.uniform(0.2, 0.6)) / number
        where = (
            rng.uniform(-120, 120, 2),
            rng.uniform(-4, 4, 2),
            rng.uniform(0, np.pi),
            rng.uniform(60, 130, 2),
        )
        found.append(Patch(since, since + rng.uniform(5, 14), *where, factor))
    return lighting(lambda time: reduce(np.multiply, (each.lit(scene, time, 0.8) for each in found)))


def leaves(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The dappled shadows of leaves that move in the wind, half a square across."""
    size, depth, square = scene.size, 2 * (0.1, 0.2, 0.35)[strength - 1], scene.square
    noise = cv2.GaussianBlur(rng.standard_normal((size[1] + 400, size[0] + 400)), (0, 0), square / 2)
    dark = depth / (1 + np.exp(-3 * noise / noise.std()))
    phases = rng.uniform(0, 2 * np.pi, 4)

    def lit(time: float) -> Field:
        waves = np.sin(np.array([0.7, 1.3, 0.9, 1.1]) * time + phases)
        right, down = (200 + 0.5 * square * (waves[::2] + 0.5 * waves[1::2])).astype(int)
        return levels(1 - dark[down : down + size[1], right : right + size[0], None])

    return lighting(lit)


def television(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """A television lights one side of the picture; its colour and brightness jump."""
    spread, angle = (0.05, 0.12, 0.25)[strength - 1], rng.uniform(0, 2 * np.pi)
    times = np.cumsum(rng.uniform(0.3, 2.5, round(scene.seconds) * 2))
    colours = np.clip(
        rng.normal(0, spread, (len(times) + 1, 3)) + rng.normal(0, spread, (len(times) + 1, 1)), -0.6, 1
    )
    near = 0.5 + 0.5 * np.clip(one_side(scene, angle), -1, 1)

    def lit(time: float) -> Field:
        colour = colours[np.searchsorted(times, time)]
        return levels(np.clip(1 + near[..., None] * colour, 0.2, 2.5))

    return lighting(lit)


def blackout(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The lamp goes out for some seconds while play goes on; a little daylight is left."""
    left, lasting = ((0.3, (1.0, 2.0)), (0.08, (1.5, 3.0)), (0.015, (2.5, 4.0)))[strength - 1]
    dark = stretches(scene, strength + 1, lasting, rng)
    daylight = np.array([1.25, 1.0, 0.8])

    def lit(time: float) -> Field:
        out = max(window(time, *each, 0.1) for each in dark)
        return levels(1 - out + out * left * daylight)[None, None]

    return lighting(lit)


def lightning(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Lightning flashes through a window, some times in succession, for about a tenth of a second each."""
    brightest = (1.6, 2.5, 5.0)[strength - 1]
    flashes: list[tuple[float, float]] = []
    for since in rng.uniform(0.05, 0.95, 3 * strength + 1) * scene.seconds:
        gaps = np.cumsum(rng.uniform(0.08, 0.3, rng.integers(1, 4)))
        flashes += [(since + gap, (brightest - 1) * rng.uniform(0.5, 1)) for gap in gaps]
    bluish = np.array([1.15, 1.0, 0.9])

    def lit(time: float) -> Field:
        # A flash is at its brightest at once, and fades.
        light = sum(more * np.exp(-(time - at) / 0.06) for at, more in flashes if 0 <= time - at < 0.5)
        return levels(1 + light * bluish)[None, None]

    return lighting(lit)


def blinds(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The sun comes through venetian blinds: stripes on the board come, move by 1 to 3 mm/s, and go."""
    factor = (1.3, 1.7, 2.6)[strength - 1]
    # Slats are 25 mm apart. Their light is wider on the table, as it falls at a slant.
    angle, spacing = rng.uniform(0, np.pi), rng.uniform(30, 55)
    shown, drift = stretches(scene, strength + 1, (8.0, 16.0), rng), rng.uniform(1, 3) * rng.choice((-1, 1))
    across = scene.places(2) @ direction(angle)

    def lit(time: float) -> Field:
        sunny = max(window(time, *each, 1.0) for each in shown)
        if sunny == 0:
            return UNCHANGED
        # The edges of the stripes are about 4 mm wide, since the sun is not a point.
        phase = (across + drift * time) / spacing
        edge = spacing / 4 - np.abs(phase - np.round(phase)) * spacing
        return levels(1 + (factor - 1) * sunny * np.clip(0.5 + edge / 4, 0, 1).astype(np.float32))[..., None]

    return lighting(lit)


def fan(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The blades of a ceiling fan below the lamp turn, and their shadows sweep over the board."""
    dark, blades = (0.08, 0.2, 0.4)[strength - 1], int(rng.integers(3, 6))
    turns = rng.uniform(0.6, 1.4) * rng.choice((-1, 1))
    offsets = scene.places(STEP) - rng.uniform(-250, 250, 2)
    distance, angle = np.hypot(*np.moveaxis(offsets, 2, 0)), np.arctan2(offsets[..., 1], offsets[..., 0])
    # A blade takes 30 to 50 % of the angle to the next one; ``blade`` is half of its own.
    sector, blade = 2 * np.pi / blades, rng.uniform(0.15, 0.25) * 2 * np.pi / blades
    # The shadow's edge is 30 mm wide, as the lamp is, and wider for what the blade moves in 1/30 s.
    soft = (30 + distance * 2 * np.pi * abs(turns) / 30).astype(np.float32)
    distance, angle = distance.astype(np.float32), angle.astype(np.float32)

    def lit(time: float) -> Field:
        phase = (angle - np.float32(2 * np.pi * turns * time)) / np.float32(sector)
        edge = distance * (np.float32(blade) - np.abs(phase - np.round(phase)) * np.float32(sector))
        return levels(1 - np.float32(dark) * np.clip(0.5 + edge / soft, 0, 1))[..., None]

    return lighting(lit)


def glow(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """A telephone that lies beside a corner of the board lights up at times for some seconds."""
    # How much light it adds to that of the room, 100 mm from its screen.
    more = (0.15, 0.4, 1.0)[strength - 1]
    corner = rng.choice((-1, 1), 2) * (scene.half + np.array([20.0, -30.0]))
    squared = ((scene.places(STEP) - corner) ** 2).sum(axis=2) + 60.0**2
    # The screen faces up, so little of its light falls on what lies far from it.
    near = ((100.0**2 + 60.0**2) / squared) ** 1.5
    bluish = np.array([1.3, 1.0, 0.85])
    added = np.minimum(near[..., None] * more, 6.0) * bluish
    shown = stretches(scene, 2 * strength + 1, (2.0, 7.0), rng)

    def lit(time: float) -> Field:
        on = max(window(time, *each, 0.15) for each in shown)
        return levels(1 + on * added) if on else UNCHANGED

    return lighting(lit)


def caustic(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Sun through a glass of water: curved lines of light over 3 x 4 squares, which shake at every reach."""
    more, number = (0.6, 1.4, 3.0)[strength - 1], strength
    part = scene.seconds / number
    shown = stretches(scene, number, (0.5 * part, 0.7 * part), rng)
    patterns = [(_curves(rng), rng.uniform(-100, 100, 2), rng.uniform(0, 2 * np.pi)) for _ in shown]
    reaches = scene.reaches()

    def altered(picture: Picture, time: float) -> Picture:
        ages = (time - at for at in reaches if at <= time)
        # In mm: three times a second, and weaker with time.
        shake = sum(4 * np.exp(-age / 0.5) * np.sin(2 * np.pi * 3 * age) for age in ages)
        for (since, until), (curves, place, angle) in zip(shown, patterns, strict=True):
            on = window(time, since, until, 1.0)
            covered = curves.covered(scene, picture, place + shake, angle, 8.0) if on else None
            if covered is not None:
                seen, cover = covered
                seen *= for_all_colours(levels(1 + np.float32(more * on) * cover))
        return picture

    return altered


def _curves(rng: np.random.Generator) -> Flat:
    """Parts of three to five closed curves with cusps, as light that water gathers has."""
    size = 320
    light, around = np.zeros((size, size), np.float32), np.linspace(0, 2 * np.pi, 200)
    for _ in range(rng.integers(3, 6)):
        cusp, bend, phase = rng.uniform(0.5, 1.1), rng.uniform(0, 0.45), rng.uniform(0, 2 * np.pi)
        radius, turn = rng.uniform(45, 100), rng.uniform(0, 2 * np.pi)
        x = 3 * np.cos(around) - cusp * np.cos(3 * around) + bend * np.sin(2 * around + phase)
        y = 0.7 * (3 * np.sin(around) - cusp * np.sin(3 * around)) + bend * np.cos(3 * around + phase)
        points = np.column_stack([x, y]) @ rotation(turn) * radius / 4 + size / 2 + rng.uniform(-30, 30, 2)
        points = np.roll(points, rng.integers(200), axis=0)[: rng.integers(90, 200)]
        line = np.zeros_like(light)
        # In eighths of a pixel.
        corners, width = np.round(8 * points).astype(int), int(rng.integers(3, 7))
        cv2.polylines(line, [corners], False, 1.0, width, cv2.LINE_AA, 3)
        # A sharp line in a wide glow.
        light += 0.7 * cv2.GaussianBlur(line, (0, 0), 1.2) + 1.3 * cv2.GaussianBlur(line, (0, 0), 7)
    return Flat(NO_COLOURS, np.clip(light / np.float32(1.2), 0, 1), 0.55)


def tints(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The camera's white balance jumps between reaches, and stays so until the next jump."""
    spread, number = (0.08, 0.18, 0.35)[strength - 1], 2 * strength + 1
    times = some(scene.pauses(), number, rng)
    # From warm to cold, which cameras take for one another most, and a little from green to magenta.
    cold, green = rng.uniform(0.5, 1, number + 1) * spread, rng.normal(0, 0.25 * spread, number + 1)
    cold *= np.where(np.arange(number + 1) % 2, 1, -1) * rng.choice((-1, 1))
    gains = np.exp(np.column_stack([cold, green, -cold]))
    gains[0] = 1.0

    def lit(time: float) -> Field:
        return levels(gains[np.searchsorted(times, time)])[None, None]

    return lighting(lit)


EFFECTS: Final[dict[str, Effect]] = {
    each.__name__: each
    for each in (patches, sun, leaves, television, blackout, lightning, blinds, caustic, fan, glow, tints)
}
