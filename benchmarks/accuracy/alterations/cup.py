"""A cup of coffee on the table, drawn as the camera sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from benchmarks.accuracy.alterations.drawing import NO_COLOURS, Flat
from benchmarks.accuracy.alterations.scene import (
    SEATS,
    Floats,
    Picture,
    Scene,
    blend,
    circle,
    direction,
    sideways,
)

HEIGHT: Final = 85.0
BASE: Final = 32.0
RIM: Final = 41.0
WALL: Final = 4.0
"""All in mm: the height, the radii of the foot and the rim, and how thick the wall is."""

COLOURS: Final = ((225, 230, 232), (60, 60, 170), (150, 95, 40), (70, 120, 70))
COFFEE: Final = (25, 40, 62)


@dataclass(frozen=True)
class Cup:
    """A cup of some colour at a place beside the board, brought from outside, and its shadow."""

    place: Floats
    outwards: Floats
    handle: float
    colour: tuple[int, int, int]
    aside: Floats
    shade: Flat

    @classmethod
    def beside_board(cls, scene: Scene, aside: Floats, rng: np.random.Generator) -> Cup:
        """A cup within 40 mm of the board, where most of it is in view.

        Shadows lie by ``aside`` away for each mm of height.
        """
        found: list[tuple[float, Floats, Floats]] = []
        for _ in range(40):
            outwards = np.array(SEATS[rng.integers(4)])
            along = rng.uniform(-0.9, 0.9) * scene.half * sideways(outwards)
            place = outwards * (scene.half + RIM + rng.uniform(5, 40)) + along
            outline = np.concatenate(
                [_circle(scene, place, RIM, height) for height in (scene.table, scene.table + HEIGHT)]
            )
            found.append((scene.seen(outline), place, outwards))
        # The first of those that are in view best.
        _, place, outwards = max(found, key=lambda each: each[0])
        size = round(2 * BASE + HEIGHT)
        shade = np.zeros((size, size), np.float32)
        middle = np.array([size / 2, size / 2])
        ends = np.array([middle + part * aside * HEIGHT / 2 for part in (-1, 1)])
        cv2.polylines(shade, [np.round(ends).astype(int)], False, 1.0, round(2 * BASE))
        dark = Flat(NO_COLOURS, shade).shadow(14.0, 0.5)
        return cls(
            place, outwards, rng.uniform(0, 2 * np.pi), COLOURS[rng.integers(len(COLOURS))], aside, dark
        )

    def draw(self, scene: Scene, picture: Picture, away: float) -> None:
        """Draw it; while it is brought or taken, a part of the 250 mm of its way is left."""
        place, floor = self.place + 250 * away * self.outwards, scene.table
        self.shade.darken(scene, picture, place + self.aside * HEIGHT / 2, 0.0, floor)
        foot, rim = (_circle(scene, place, *each) for each in ((BASE, floor), (RIM, floor + HEIGHT)))
        hull = cv2.convexHull(np.concatenate([foot, rim]).astype(np.float32))[:, 0]
        way = direction(self.handle)
        grip = np.concatenate(
            [
                scene.pixels((place + way * far)[None], floor + part * HEIGHT)
                for far, part in ((RIM - 3, 0.85), (RIM + 22, 0.75), (RIM + 22, 0.4), (BASE, 0.25))
            ]
        )
        everything = np.concatenate([hull, grip])
        margin = 2 + round(10 * scene.square / scene.pitch)
        low = np.maximum(everything.min(axis=0) - margin, 0).astype(int)
        high = np.minimum(everything.max(axis=0) + margin, scene.size).astype(int)
        if (high <= low).any():
            return
        part = picture[low[1] : high[1], low[0] : high[0]]
        colour, size = np.array(self.colour, np.float32), part.shape[:2]

        def paint(mask: Picture, colours: Picture) -> None:
            blend(part, colours, cv2.GaussianBlur(mask, (0, 0), 0.8))

        mask = np.zeros(size, np.float32)
        thick = max(1, round(9 * scene.square / scene.pitch))
        cv2.polylines(mask, [np.round(grip - low).astype(int)], False, 1.0, thick)
        paint(mask, colour * np.float32(0.75))
        # The wall is lit from one side: it gets darker across its width.
        across = np.arange(low[0], high[0], dtype=np.float32)
        side = (across - hull[:, 0].min()) / max(1.0, float(np.ptp(hull[:, 0])))
        lit = 0.55 + 0.4 * np.sin(np.pi * np.clip(0.15 + 0.8 * side, 0, 1))
        paint(_filled(hull - low, size), colour * lit[None, :, None].astype(np.float32))
        paint(_filled(rim - low, size), colour)
        opening = _filled(_circle(scene, place, RIM - WALL, floor + HEIGHT) - low, size)
        paint(opening, colour * np.float32(0.6))
        coffee = _filled(_circle(scene, place, RIM - WALL - 2, floor + HEIGHT - 14) - low, size)
        paint(coffee * opening, np.array(COFFEE, np.float32))


def _circle(scene: Scene, place: Floats, radius: float, height: float) -> Floats:
    """The pixels of a circle around a place."""
    return scene.pixels(circle(place, radius, 48), height)


def _filled(outline: Floats, size: tuple[int, ...]) -> Picture:
    mask = np.zeros(size, np.float32)
    cv2.fillPoly(mask, [np.round(outline).astype(int)], 1.0)
    return mask
