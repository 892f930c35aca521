"""What a camera does: where it is directed, its lens, and how it makes a picture of what it sees."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import cv2
import numpy as np

from benchmarks.accuracy.alterations.scene import (
    Alteration,
    Effect,
    Floats,
    Picture,
    Scene,
    for_all_colours,
    ramp,
    some,
)

WIDTH: Final = 1280
"""Of the pictures for which distances are given in pixels; in others they are in proportion."""


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
    views = [np.array([1.0, 0.0, 0.0])]
    for _ in times:
        drawn = [(np.exp(rng.uniform(-by, by)), rng.uniform(-by, by, 2) * scene.size / 2) for _ in range(20)]
        fitting = (np.array([scale, *shift]) for scale, shift in drawn if in_view(scene, scale, shift))
        views.append(next(fitting, views[0]))

    def altered(picture: Picture, time: float) -> Picture:
        view = views[0].copy()
        for at, (before, after) in zip(times, pairwise(views), strict=True):
            view += (after - before) * ramp(time, at, at + 2.0)
        return moved(picture, float(view[0]), shift=view[1:])

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


def squeezed(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The camera delivers another size, 704×576, 704×480 or 640×360, without square pixels."""
    size = ((704, 576), (704, 480), (640, 360))[strength - 1]
    return lambda picture, time: np.asarray(
        cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.float32
    )


EFFECTS: Final[dict[str, Effect]] = {
    each.__name__: each
    for each in (
        zoom, autoframe, turned, fisheye, rolling, moire, interlaced, tear, few_greys, squeezed,
    )
}  # fmt: skip
