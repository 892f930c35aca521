"""Light by which people play: lamps, candles and toys. What a camera amplifies in little light is noisy."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from benchmarks.accuracy.alterations.drawing import NO_COLOURS, Flat
from benchmarks.accuracy.alterations.light import UNCHANGED, lighting, one_side
from benchmarks.accuracy.alterations.occlusion import stack_shadows
from benchmarks.accuracy.alterations.scene import (
    SEATS,
    STEP,
    Alteration,
    Effect,
    Field,
    Picture,
    Scene,
    direction,
    levels,
    ramp,
    stretches,
    wander,
)

OFFSETS: Final = 97
"""Rows, and columns, by which a sheet of noise is larger than the pictures that show parts of it."""

LASERS: Final = ((40, 30, 255), (60, 255, 60))
"""Grey levels of blue, green and red."""


def grainy(
    scene: Scene, light: Alteration, noise: Callable[[float], float], rng: np.random.Generator
) -> Alteration:
    """This light, with a camera's noise: about its deviation in grey levels at a time."""
    # Demosaicking and compression make it somewhat coarse.
    shape = scene.size[1] + OFFSETS, scene.size[0] + OFFSETS, 3
    sheet = 1.3 * cv2.GaussianBlur(rng.standard_normal(shape, np.float32), (0, 0), 0.6)

    def altered(picture: Picture, time: float) -> Picture:
        picture = light(picture, time)
        down, right = rng.integers(0, OFFSETS, 2)
        picture += np.float32(noise(time)) * sheet[down:, right:][: picture.shape[0], : picture.shape[1]]
        return picture

    return altered


def evening(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Day turns to lamp light over the whole recording: warmer, darker, from one side, and noisier."""
    left, warm, noise = ((0.75, 0.85, 3.0), (0.5, 0.7, 6.0), (0.3, 0.5, 10.0))[strength - 1]
    colour = warm ** np.array([1.0, 0.25, -0.35])
    side = 1 + 0.3 * one_side(scene, rng.uniform(0, 2 * np.pi), STEP)[..., None]

    def dusk(time: float) -> float:
        return ramp(time, 0.05 * scene.seconds, 0.9 * scene.seconds)

    light = lighting(lambda time: levels(1 + dusk(time) * (left * colour * side - 1)))
    return grainy(scene, light, lambda time: noise * dusk(time), rng)


def candle(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The game is played by candle light: dark, warm, unsteady, brighter towards one side, and noisy."""
    left, unsteady, noise = ((0.5, 0.08, 2.0), (0.3, 0.15, 4.0), (0.17, 0.25, 6.0))[strength - 1]
    warm = np.array([0.5, 0.85, 1.15])
    flame = np.array(SEATS[rng.integers(4)]) * 330
    slow, fast = wander(rng, 3, (0.8, 4.0)), wander(rng, 3, (0.12, 0.4))
    places = scene.places(STEP)

    def lit(time: float) -> Field:
        sway, flicker = slow(time), fast(time)
        offsets = places - flame - 12 * sway[:2] - 5 * flicker[:2]
        near = 1.6 / (1 + (offsets**2).sum(axis=2) / 450.0**2) + 0.15
        bright = left * np.exp(0.6 * unsteady * (sway[2] + flicker[2]))
        return levels(bright * near[..., None] * warm)

    return grainy(scene, lighting(lit), lambda time: noise, rng)


def second_lamp(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """A second lamp is switched on (at 3 also off and on again): light from one side, and second shadows."""
    more, number = (0.3, 0.6, 1.1)[strength - 1], (1, 1, 3)[strength - 1]
    parts = ((0.25, 0.45), (0.55, 0.65), (0.75, 0.85))[:number]
    switched = [scene.seconds * rng.uniform(*part) for part in parts]
    colour, away = np.array([0.8, 1.0, 1.12], np.float32), direction(rng.uniform(0, 2 * np.pi))
    near = np.clip(1 - scene.places(STEP) @ away / 500, 0.4, 1.8).astype(np.float32)
    near = cv2.resize(near, scene.size, interpolation=cv2.INTER_LINEAR)

    @lru_cache(maxsize=1)
    def factors(segment: int, on: float) -> Field:
        light = near * (1 - 0.9 * stack_shadows(scene, segment, 0.9 * away))
        return levels(1 + np.float32(more * on) * light[..., None] * colour)

    def lit(time: float) -> Field:
        on = sum((-1) ** turn * ramp(time, at, at + 0.12) for turn, at in enumerate(switched))
        return factors(scene.segment(time), on) if on else UNCHANGED

    return lighting(lit)


def party(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Coloured lights from two sides, whose hues sweep through all colours within 10 to 25 seconds."""
    depth = (0.2, 0.38, 0.6)[strength - 1]
    rates, phases = 1 / rng.uniform(10, 25, 2) * rng.choice((-1, 1), 2), rng.uniform(0, 1, 2)
    side = 0.5 + 0.5 * np.clip(one_side(scene, rng.uniform(0, 2 * np.pi), STEP), -1, 1)[..., None]
    thirds = np.array([[0.0], [1 / 3], [2 / 3]])

    def lit(time: float) -> Field:
        one, other = depth * np.cos(2 * np.pi * (rates * time + phases - thirds)).T
        return levels(1 + side * one + (1 - side) * other)

    return lighting(lit)


def laser(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """A child plays with a cat's laser toy: a red or green spot darts over the board, and rests at times."""
    shown = stretches(scene, strength + 1, ((2.0, 4.0), (4.0, 7.0), (6.0, 12.0))[strength - 1], rng)
    wide, quick = wander(rng, 2, (1.5, 5.0)), wander(rng, 2, (0.15, 0.4))
    colour = np.array(LASERS[rng.integers(len(LASERS))], np.float32)
    y, x = np.mgrid[-20:21, -20:21]
    # A small spot in a wider glow, both with speckle.
    light = np.exp(-(x * x + y * y) / (2 * 2.2**2)) + 0.22 * np.exp(-(x * x + y * y) / (2 * 7.0**2))
    light *= 1 + 0.15 * rng.standard_normal(light.shape, np.float32)
    spot = Flat(NO_COLOURS, np.clip(light / 1.22, 0, 1).astype(np.float32))

    def altered(picture: Picture, time: float) -> Picture:
        if any(since < time < until for since, until in shown):
            covered = spot.covered(scene, picture, 85 * wide(time) + 3 * quick(time))
            if covered is not None:
                part, cover = covered
                power = 2.5 * cover[..., None]
                # Its middle is so bright that it looks white.
                part += power * colour + 160 * np.clip(power - 0.9, 0, 1)
        return picture

    return altered


EFFECTS: Final[dict[str, Effect]] = {
    each.__name__: each for each in (evening, second_lamp, candle, party, laser)
}
