"""What a camera does: where it is directed, its lens, and how it makes a picture of what it sees."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import cv2
import numpy as np

from benchmarks.accuracy.alterations.light import lighting
from benchmarks.accuracy.alterations.scene import (
    STEP,
    WIDTH,
    Alteration,
    Effect,
    Field,
    Floats,
    Picture,
    Scene,
    changing,
    for_all_colours,
    ramp,
    some,
    stretches,
    wander,
)

INFRARED: Final = np.array([0.15, 0.35, 0.5], np.float32)
"""How bright blue, green and red objects look under an infrared lamp."""


def moved(picture: Picture, scale: float, angle: float = 0.0, shift: Floats | None = None) -> Picture:
    """The picture enlarged and turned (in degrees) about its middle, then shifted. Its edge is continued."""
    height, width = picture.shape[:2]
    matrix = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), angle, scale)
    if shift is not None:
        matrix[:, 2] += shift
    if np.allclose(matrix, np.eye(2, 3), atol=1e-6):
        return picture
    return np.asarray(
        cv2.warpAffine(picture, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE), np.float32
    )


def in_view(scene: Scene, scale: float, shift: Floats | float = 0.0) -> bool:
    """Whether all squares remain in view when the picture is enlarged about its middle, then shifted."""
    middle = (np.array(scene.size) - 1) / 2
    return bool((np.abs((scene.squares() - middle) * scale + shift) < 0.99 * middle).all())


def zoom(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Somebody zooms by 10 to 25 % while a hand is over the board, within half a second, and later back."""
    by = 1 + (0.10, 0.17, 0.25)[strength - 1]
    times = some(scene.reaches(), strength + 1, rng)
    factors = [1.0]
    for _ in times:
        closer = bool(rng.random() < 0.5) and in_view(scene, by)
        factors.append((by if closer else 1 / by) if factors[-1] == 1 else 1.0)

    def altered(picture: Picture, time: float) -> Picture:
        factor = 1.0
        for at, (before, after) in zip(times, pairwise(factors), strict=True):
            factor *= (after / before) ** ramp(time, at - 0.25, at + 0.25)
        return moved(picture, factor)

    return altered


def autoframe(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The camera frames the picture anew now and then: it zooms and pans by some percent in two seconds."""
    by = (0.02, 0.045, 0.09)[strength - 1]
    times = np.arange(rng.uniform(3, 6), scene.seconds, 9.0)
    times = times + rng.uniform(-2, 2, len(times))
    views: list[Floats] = [np.array([1.0, 0.0, 0.0])]
    for _ in times:
        drawn = [(np.exp(rng.uniform(-by, by)), rng.uniform(-by, by, 2) * scene.size / 2) for _ in range(20)]
        fitting = (np.array([scale, *shift]) for scale, shift in drawn if in_view(scene, scale, shift))
        views.append(next(fitting, views[0]))
    view = changing(views, list(times), 0.0, 2.0)

    def altered(picture: Picture, time: float) -> Picture:
        scale, *shift = view(time)
        return moved(picture, float(scale), shift=np.array(shift))

    return altered


def fisheye(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The lens has a wide angle: straight lines are bent like the staves of a barrel, all the time."""
    bend = (0.06, 0.14, 0.28)[strength - 1] * rng.uniform(0.9, 1.1)
    width, height = scene.size
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    x, y = x - np.float32((width - 1) / 2), y - np.float32((height - 1) / 2)
    # The middle of the upper edge keeps its place, so squares nearer to the middle remain in view.
    squared = (x * x + y * y) / np.float32((width / 2) ** 2)
    factor = (1 + np.float32(bend) * squared) / np.float32(1 + bend * (height / width) ** 2)
    maps = cv2.convertMaps(
        x * factor + np.float32((width - 1) / 2), y * factor + np.float32((height - 1) / 2), cv2.CV_16SC2
    )
    return lambda picture, time: np.asarray(
        cv2.remap(picture, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32
    )


def turned(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Somebody turns the camera about its axis by 10 to 45 degrees, three times, while a hand is in view."""
    by = (10.0, 20.0, 45.0)[strength - 1]
    times = some(scene.reaches(), 3, rng)
    angles = by * rng.choice((-1, 1), len(times))

    def altered(picture: Picture, time: float) -> Picture:
        parts = [ramp(time, at - 0.2, at + 0.2) for at in times]
        return moved(picture, 1.0, float(angles @ np.array(parts)))

    return altered


def rolling(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The camera shakes while its rows are read one after another, so the picture is sheared to and fro."""
    amplitude = (2.0, 5.0, 12.0)[strength - 1] * scene.size[0] / WIDTH
    rate, reading, phase = rng.uniform(4, 9), rng.uniform(0.02, 0.033), rng.uniform(0, 2 * np.pi)
    y, x = np.mgrid[0 : scene.size[1], 0 : scene.size[0]].astype(np.float32)
    rows = np.arange(scene.size[1]) / scene.size[1] * reading

    def altered(picture: Picture, time: float) -> Picture:
        shifts = amplitude * np.sin(2 * np.pi * rate * (time + rows) + phase)
        return np.asarray(
            cv2.remap(
                picture,
                x + shifts[:, None].astype(np.float32),
                y,
                cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_REPLICATE,
            ),
            np.float32,
        )

    return altered


def moire(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Interference from a cable or a screen: bands 12 to 50 pixels wide that move over the picture."""
    amplitude = np.float32((2.5, 6.0, 14.0)[strength - 1])
    period, angle = rng.uniform(12, 50) * scene.size[0] / WIDTH, rng.uniform(0, 2 * np.pi)
    speed = rng.uniform(0.3, 1.5) * rng.choice((-1, 1))
    right = 2 * np.pi / period * np.cos(angle) * np.arange(scene.size[0])
    down = 2 * np.pi / period * np.sin(angle) * np.arange(scene.size[1])
    columns = np.sin(right).astype(np.float32), np.cos(right).astype(np.float32)

    def altered(picture: Picture, time: float) -> Picture:
        rows = down + 2 * np.pi * speed * time
        cosines, sines = (amplitude * part(rows)[:, None].astype(np.float32) for part in (np.cos, np.sin))
        # The sine of a sum.
        picture += for_all_colours(cosines * columns[0] + sines * columns[1])
        return picture

    return altered


def interlaced(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The odd lines are those of an earlier picture, so whatever moves has the edges of a comb."""
    earlier: list[Picture] = []

    def altered(picture: Picture, time: float) -> Picture:
        earlier.append(picture[1::2].copy())
        del earlier[: -strength - 1]
        picture[1::2] = earlier[0]
        return picture

    return altered


def tear(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Some pictures are torn: the lower part is that of the picture before, and shifted to one side."""
    often, farthest = (0.5, 1.5, 4.0)[strength - 1], (10, 30, 80)[strength - 1] * scene.size[0] / WIDTH
    times = sorted(rng.uniform(0, scene.seconds, round(often * scene.seconds)))
    before: list[Picture] = []

    def altered(picture: Picture, time: float) -> Picture:
        kept = picture.copy()
        while times and times[0] < time:
            del times[0]
            row, shift = rng.uniform(0.1, 0.9), round(rng.uniform(-farthest, farthest))
            lower = slice(int(row * len(picture)), None)
            picture[lower] = np.roll(before[0][lower], shift, axis=1)
        before[:] = [kept]
        return picture

    return altered


def few_greys(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The camera tells only 24, 16 or 10 levels of each colour apart."""
    step = np.float32(255 / ((24, 16, 10)[strength - 1] - 1))
    return lambda picture, time: np.round(picture / step) * step


def dimming(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The camera's HDR breathes: parts of the picture get darker or brighter by themselves within seconds."""
    amount, waves = (0.1, 0.22, 0.4)[strength - 1], wander(rng, 20, (1.2, 8.0))
    size = scene.size[0] // STEP, scene.size[1] // STEP

    def lit(time: float) -> Field:
        cells = np.exp(amount * waves(time).reshape(4, 5)).astype(np.float32)
        return np.asarray(cv2.resize(cells, size, interpolation=cv2.INTER_CUBIC), np.float32)[..., None]

    return lighting(lit)


def night_mode(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The camera takes it for night for some seconds: its picture is grey, under its own infrared lamp."""
    nights = stretches(scene, strength, ((1.5, 3.0), (3.0, 5.0), (5.0, 9.0))[strength - 1], rng)
    y, x = np.mgrid[-1 : 1 : scene.size[1] * 1j, -1 : 1 : scene.size[0] * 1j]
    lamp = (0.55 + 0.75 * np.exp(-(x * x + y * y) / 0.7)).astype(np.float32)

    def altered(picture: Picture, time: float) -> Picture:
        for since, until in nights:
            # The exposure and the white balance settle within half a second after each change.
            if since <= time < until:
                bright = lamp * np.float32(1 + 0.8 * np.exp(-(time - since) / 0.15))
                noise = np.float32(4) * rng.standard_normal(lamp.shape, np.float32)
                picture = for_all_colours((20 + 0.9 * (picture @ INFRARED)) * bright + noise)
            elif until <= time < until + 0.6:
                wrong = np.exp(-(time - until) / 0.15)
                picture *= (1 - 0.5 * wrong) * (1 + 0.25 * wrong * np.array([-1, 0, 1]))
        return picture

    return altered


EFFECTS: Final[dict[str, Effect]] = {
    each.__name__: each
    for each in (
        zoom, autoframe, turned, fisheye, rolling, dimming, night_mode, moire, interlaced, tear, few_greys,
    )
}  # fmt: skip
