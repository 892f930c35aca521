"""What dims or bends the camera's view of everything: on its lens, or shortly before it."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from benchmarks.accuracy.alterations.drawing import smooth_noise
from benchmarks.accuracy.alterations.scene import (
    STEP,
    WIDTH,
    Alteration,
    Effect,
    Field,
    Floats,
    Picture,
    Scene,
    blend,
    ramp,
    stretches,
    wander,
    window,
)


def steam(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Steam of a tea pot drifts over a part of the board: a moving white veil of up to 30, 50 or 70 %."""
    most, lasting = ((0.3, (5, 9)), (0.5, (7, 12)), (0.7, (9, 15)))[strength - 1]
    shown = stretches(scene, strength + 1, lasting, rng)
    # All is in steps of four pixels.
    width, height = scene.size[0] // STEP, scene.size[1] // STEP
    sheets = [smooth_noise(rng, (3 * height, width), sigma) for sigma in (9.0, 22.0)]
    spouts = [scene.pixels(rng.uniform(-200, 200, (1, 2)))[0] / STEP for _ in shown]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    sway = wander(rng, 1, (3, 9))

    def plume(spout: Floats, time: float) -> Field:
        """How dense it is; it rises from below the spout, gets wider and thinner, and bends."""
        up = np.clip(spout[1] + 60 - y, 0, None)
        bend = 0.14 * up * np.sin(up / 45 - 1.2 * time) + 0.1 * up * sway(time)[0]
        across = (x - spout[0] - bend) / (22 + 0.22 * up)
        first = (int(rate * time) % (2 * height) for rate in (26, 17))
        clouds = sum(sheet[row : row + height] for sheet, row in zip(sheets, first, strict=True))
        dense = np.clip(0.62 + 0.4 / 1.4 * clouds, 0, 1)
        return np.asarray(np.exp(-(across**2) / 2 - up / 190) * np.clip(up / 25, 0, 1) * dense, np.float32)

    def altered(picture: Picture, time: float) -> Picture:
        for (since, until), spout in zip(shown, spouts, strict=True):
            if on := window(time, since, until, 2.0):
                veil = cv2.resize(np.float32(most * on) * plume(spout, time), picture.shape[1::-1])
                # As bright as what is bright in this light.
                bright = np.percentile(picture[::16, ::16].max(axis=2), 95)
                blend(picture, min(235.0, 0.9 * float(bright) + 20), veil)
        return picture

    return altered


def fogged_lens(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The lens fogs over within 8 to 14 s, stays so for 3 to 6 s, and clears: less contrast, and blur."""
    number, most, blur = ((1, 0.3, 2.0), (1, 0.5, 4.0), (2, 0.7, 6.0))[strength - 1]
    blur *= scene.size[0] / WIDTH
    cycles = [
        scene.seconds * (part + rng.uniform(0.1, 0.3)) / number
        + np.cumsum([0, rng.uniform(8, 14), rng.uniform(3, 6), rng.uniform(5, 9)])
        for part in range(number)
    ]
    uneven = cv2.resize(smooth_noise(rng, (60, 80), 9.0), scene.size, interpolation=cv2.INTER_CUBIC)
    late = 0.35 * (0.5 + 0.5 * np.clip(uneven / 2, -1, 1))

    def altered(picture: Picture, time: float) -> Picture:
        fog = max(ramp(time, *cycle[:2]) * (1 - ramp(time, *cycle[2:])) for cycle in cycles)
        if fog < 0.01:
            return picture
        # Drops spread the light of everything around.
        coarse = cv2.GaussianBlur(cv2.resize(picture, (80, 60), interpolation=cv2.INTER_AREA), (0, 0), 14)
        light = cv2.resize(coarse, scene.size)
        unsharp = cv2.GaussianBlur(picture, (0, 0), max(0.3, blur * fog))
        hazy = (1 - most) * unsharp + most * (0.8 * light + 35)
        return blend(picture, hazy, np.clip(1.35 * fog - late, 0, 1).astype(np.float32))

    return altered


def hair(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """From some time on, a hair (at 3 two, and dust) is on the lens: an unsharp line over some squares."""
    dark, thick = ((0.4, 5), (0.6, 7), (0.8, 10))[strength - 1]
    since, scale = rng.uniform(0.2, 0.4) * scene.seconds, scene.size[0] / WIDTH
    hairs, dust = (2, 6) if strength == 3 else (1, 0)
    mask = np.max([dark * _hair(scene, max(1, round(thick * scale)), rng) for _ in range(hairs)], axis=0)
    for _ in range(dust):
        grain = np.zeros_like(mask)
        middle = scene.pixels(rng.uniform(-160, 160, (1, 2)))[0].astype(int)
        cv2.circle(grain, middle.tolist(), round(rng.integers(6, 14) * scale), 0.45, -1)
        mask = np.maximum(mask, cv2.GaussianBlur(grain, (0, 0), 4 * scale))
    return lambda picture, time: blend(picture, 12.0, mask) if time >= since else picture


def _hair(scene: Scene, width: int, rng: np.random.Generator) -> Field:
    """How much a bent hair covers, 5 squares long and so many pixels wide."""
    middle = scene.pixels(rng.uniform(-80, 80, (1, 2)))[0]
    angles = rng.uniform(0, 2 * np.pi) + np.cumsum(rng.normal(0, 0.06, 120) + rng.normal(0, 0.02))
    points = 0.045 * scene.square * np.cumsum(np.column_stack([np.cos(angles), np.sin(angles)]), axis=0)
    corners = np.round(8 * (points + middle - points.mean(axis=0))).astype(int)
    layer = np.zeros(scene.size[::-1], np.float32)
    # In eighths of a pixel.
    cv2.polylines(layer, [corners], False, 1.0, width, cv2.LINE_AA, 3)
    return np.asarray(cv2.GaussianBlur(layer, (0, 0), 2.2), np.float32)


def lens_drop(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """From some time on, a drop as wide as 1 to 3 squares is on the lens; it bends and blurs what is seen."""
    radius = 0.5 * strength * scene.square
    since = rng.uniform(0.3, 0.55) * scene.seconds
    centre = scene.pixels(rng.uniform(-100, 100, (1, 2)))[0]
    low = np.maximum(np.floor(centre - 1.2 * radius), 0).astype(int)
    high = np.minimum(np.ceil(centre + 1.2 * radius) + 1, scene.size).astype(int)
    y, x = np.mgrid[low[1] : high[1], low[0] : high[0]].astype(np.float32)
    dx, dy = x - np.float32(centre[0]), y - np.float32(centre[1])
    far = np.hypot(dx, dy) / np.float32(radius)
    # It shows more of the scene than what it hides, most in its middle, and shifted.
    wide, aside = 1.7 - 0.5 * np.minimum(far, 1.2) ** 2, rng.uniform(-0.3, 0.3, 2) * radius
    maps = cv2.convertMaps(
        np.float32(centre[0] + aside[0]) + dx * wide,
        np.float32(centre[1] + aside[1]) + dy * wide,
        cv2.CV_16SC2,
    )
    cover = np.clip((1 - far) / 0.25 + 0.5, 0, 1)

    def altered(picture: Picture, time: float) -> Picture:
        if time >= since:
            seen = cv2.remap(picture, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            blurred = cv2.GaussianBlur(seen, (0, 0), max(1.0, radius / 9))
            part = picture[low[1] : high[1], low[0] : high[0]]
            blend(part, blurred * np.float32(1.05) + 8, cover)
        return picture

    return altered


EFFECTS: Final[dict[str, Effect]] = {each.__name__: each for each in (steam, fogged_lens, hair, lens_drop)}
