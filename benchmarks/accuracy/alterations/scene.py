"""The recording that is altered, and what all effects share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Field = NDArray[np.float32]
"""A value, or some, at every pixel: (h, w) or (h, w, n)."""

Picture = NDArray[np.float32]
"""Grey levels, 0 to 255, of blue, green and red: (h, w, 3)."""

Alteration = Callable[[Picture, float], Picture]
"""Returns the altered picture of a time in seconds. It is called once for every picture, in order of time. It
may write to the picture that it is given, so one that needs an earlier picture keeps a copy."""

GAMMA: Final = 2.2
"""Of the pictures: so many times the light is that power of it in grey levels."""

SEATS: Final = ((0.0, -1.0), (-1.0, 0.0), (0.0, 1.0), (1.0, 0.0))
"""Directions from the centre of the board to the four sides at which people sit."""

PIECE: Final = 10.0
"""Height in mm, above the place of a single piece, of most of what the camera sees of the board."""


@dataclass(frozen=True)
class Scene:
    """A recording: its truth, its duration in seconds, and the size (w, h) of its pictures.

    Places are in mm from the centre of the board, heights in mm above where a single piece lies.
    """

    truth: dict[str, Any]
    seconds: float
    size: tuple[int, int]

    @property
    def pitch(self) -> float:
        """The width of a square in mm."""
        return float(self.truth["geometry"]["pitch_mm"])

    @property
    def half(self) -> float:
        """From the centre of the board to its rim, in mm."""
        return float(self.truth["geometry"]["board_half_mm"])

    @property
    def table(self) -> float:
        """The height of the table in mm."""
        return float(self.truth["geometry"]["table_z_mm"])

    @property
    def square(self) -> float:
        """The width in pixels of a square in the middle of the board."""
        return float(np.linalg.norm(np.diff(self.pixels(np.array([(0.0, 0.0), (self.pitch, 0.0)])), axis=0)))

    def pixels(self, places: Floats, height: float = PIECE) -> Floats:
        """The pixels (N, 2) of places (N, 2)."""
        camera = self.truth["camera"]
        points = np.column_stack([places, np.full(len(places), height)])
        turn, shift = cv2.Rodrigues(np.array(camera["R"]))[0], np.array(camera["t"], float)
        lens = np.array(camera["K"]), np.array(camera["dist"])
        return np.asarray(cv2.projectPoints(points, turn, shift, *lens)[0].reshape(-1, 2), float)

    def places(self, step: int) -> Floats:
        """What is seen of the board's plane: the places (h, w, 2) of every ``step``-th pixel."""
        camera, (width, height) = self.truth["camera"], self.size
        columns, rows = (np.arange(step / 2 - 0.5, length, step) for length in (width, height))
        grid = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 1, 2)
        rays = cv2.undistortPoints(grid, np.array(camera["K"]), np.array(camera["dist"])).reshape(-1, 2)
        turn, shift = np.array(camera["R"], float), np.array(camera["t"], float)
        ways = np.column_stack([rays, np.ones(len(rays))]) @ turn
        eye = -turn.T @ shift
        # A ray that misses the plane ends far away on it.
        lengths = (PIECE - eye[2]) / np.minimum(ways[:, 2], -0.05)
        return np.asarray((eye + ways * lengths[:, None])[:, :2].reshape(len(rows), len(columns), 2))

    def squares(self) -> Floats:
        """The pixels (N, 2) of the outer corners of the outer squares: an octagon."""
        far, near = 4 * self.pitch, 2 * self.pitch
        corners = [(x * a, y * b) for x, y in ((far, near), (near, far)) for a in (-1, 1) for b in (-1, 1)]
        return self.pixels(np.array(corners))

    def reaches(self) -> list[float]:
        """The times in the middle of each stretch in which a hand is over the board."""
        return [
            float(frame["t"]) + 0.2
            for before, frame in pairwise(self.truth["frames"])
            if frame["kind"] == "hand" and before["kind"] != "hand"
        ]

    def pauses(self) -> list[float]:
        """The times half-way between two reaches."""
        return [(before + after) / 2 for before, after in pairwise(self.reaches())]


Effect = Callable[[Scene, int, np.random.Generator], Alteration]
"""What happens in a recording at a strength of 1 to 3."""


def levels(light: Floats | Field) -> Field:
    """Factors of light as factors of grey levels."""
    return np.asarray(light, np.float32) ** np.float32(1 / GAMMA)


def for_all_colours(field: Field) -> Field:
    """A field (h, w) or (h, w, 1) as (h, w, 3): numpy takes several times as long to repeat it."""
    return np.asarray(cv2.merge([field, field, field]), np.float32)


def ramp(value: float, start: float, end: float) -> float:
    """0 before ``start``, 1 after ``end``, and smooth between."""
    part = min(1.0, max(0.0, (value - start) / (end - start)))
    return part * part * (3 - 2 * part)


def window(time: float, since: float, until: float, fading: float) -> float:
    """1 between two times, 0 outside, and smooth within ``fading`` seconds of both."""
    return min(ramp(time, since, since + fading), 1 - ramp(time, until - fading, until))


def some(times: list[float], number: int, rng: np.random.Generator) -> list[float]:
    """One of the times from each of so many parts of the recording."""
    return [float(rng.choice(part)) for part in np.array_split(np.array(times), number) if len(part)]


def stretches(
    scene: Scene, number: int, lasting: tuple[float, float], rng: np.random.Generator
) -> list[tuple[float, float]]:
    """Stretches of time of so many seconds, one in each of so many parts of the recording."""
    part = scene.seconds / number
    found = []
    for start in np.arange(number) * part:
        length = min(float(rng.uniform(*lasting)), 0.8 * part)
        since = float(start + rng.uniform(0.1 * part, 0.95 * part - length))
        found.append((since, since + length))
    return found


def wander(rng: np.random.Generator, count: int, seconds: tuple[float, float]) -> Callable[[float], Floats]:
    """So many values that change smoothly about 0 by about 1, with periods of so many seconds."""
    rates = 2 * np.pi / rng.uniform(*seconds, (3, count))
    phases = rng.uniform(0, 2 * np.pi, (3, count))
    return lambda time: np.asarray(np.sin(rates * time + phases).sum(axis=0) / np.sqrt(1.5))
