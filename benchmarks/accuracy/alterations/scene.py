"""The recording that is altered, and what all effects share."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from focus_companion.game.squares import FILE, INDEX, RANK

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

WIDTH: Final = 1280
"""Of the pictures for which distances are given in pixels; in others they are in proportion."""

STEP: Final = 4
"""Pixels between those for which what is soft is computed."""

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

    def seen(self, pixels: Floats) -> float:
        """The part of these pixels that is in the picture."""
        return float(((pixels > 0) & (pixels < self.size)).all(axis=1).mean())

    def place(self, square: str) -> Floats:
        """The middle of a square, by its name."""
        index = INDEX[square]
        return self.pitch * (np.array([FILE[index], RANK[index]]) - 3.5)

    @property
    def corners(self) -> Floats:
        """The places (N, 2) of the outer corners of the outer squares: an octagon."""
        far, near = 4 * self.pitch, 2 * self.pitch
        sides = (far, near), (near, far)
        return np.array([(x * a, y * b) for x, y in sides for a in (-1, 1) for b in (-1, 1)])

    def squares(self) -> Floats:
        """The pixels of the corners."""
        return self.pixels(self.corners)

    @cached_property
    def _began(self) -> list[float]:
        return [float(frame["t"]) for frame in self.truth["frames"]]

    def segment(self, time: float) -> int:
        """The index of the truth's frame that is shown at a time."""
        return max(0, bisect_right(self._began, time + 1e-6) - 1)

    def hand_near(self, time: float, seconds: float) -> bool:
        """Whether a hand is over the board within so many seconds before or after a time."""
        first, last = self.segment(time - seconds), self.segment(time + seconds)
        return any(frame["kind"] == "hand" for frame in self.truth["frames"][first : last + 1])

    def pose(self, time: float) -> Floats:
        """By how much the board has been moved then, for :func:`posed`."""
        return np.array(self.truth["frames"][self.segment(time)]["board_pose"], float)

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


def rotation(angle: float) -> Floats:
    """The matrix that turns places by an angle in radians, from +x to +y: ``places @ rotation(angle)``."""
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([(cosine, sine), (-sine, cosine)])


def direction(angle: float) -> Floats:
    """One mm in the direction of an angle in radians."""
    return np.array([np.cos(angle), np.sin(angle)])


def sideways(way: Floats) -> Floats:
    """A way turned by a quarter, from +x to +y."""
    return np.array([-way[1], way[0]])


def posed(places: Floats, pose: Floats) -> Floats:
    """Places on the board after it has been moved: by mm along x and y, and turned by degrees."""
    return places @ rotation(np.radians(pose[2])) + pose[:2]


def circle(place: Floats, radius: float, corners: int = 16) -> Floats:
    """Places around a place."""
    angles = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    return place + radius * np.column_stack([np.cos(angles), np.sin(angles)])


def levels(light: Floats | Field) -> Field:
    """Factors of light as factors of grey levels."""
    return np.asarray(light, np.float32) ** np.float32(1 / GAMMA)


def for_all_colours(field: Field) -> Field:
    """A field (h, w) or (h, w, 1) as (h, w, 3): numpy takes several times as long to repeat it."""
    return np.asarray(cv2.merge([field, field, field]), np.float32)


def blend(picture: Picture, other: Picture | Floats | float, cover: Field) -> Picture:
    """Change the picture into another, or a colour or grey level, as far as this covers it (h, w; 0 to 1)."""
    picture += for_all_colours(cover) * (other - picture)
    return picture


def ramp(value: float, start: float, end: float) -> float:
    """0 before ``start``, 1 after ``end``, and smooth between."""
    part = min(1.0, max(0.0, (value - start) / (end - start)))
    return part * part * (3 - 2 * part)


def window(time: float, since: float, until: float, fading: float) -> float:
    """1 between two times, 0 outside, and smooth within ``fading`` seconds of both."""
    return min(ramp(time, since, since + fading), 1 - ramp(time, until - fading, until))


def changing(
    values: list[Floats], times: list[float], before: float, after: float
) -> Callable[[float], Floats]:
    """The first of the values, changed into the next at each of the times.

    It changes smoothly, from so many seconds before such a time until so many after it.
    """

    def now(time: float) -> Floats:
        value = values[0].copy()
        for at, (old, new) in zip(times, pairwise(values), strict=True):
            value += (new - old) * ramp(time, at - before, at + after)
        return value

    return now


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
