"""What is over things that lie on the board: hands, stacks and, for light, the domes of empty squares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from benchmarks.accuracy.alterations.drawing import fill_hull
from benchmarks.accuracy.alterations.scene import (
    Alteration,
    Field,
    Floats,
    Picture,
    Scene,
    blend,
    circle,
    posed,
)
from focus_companion.game.squares import SQUARES

FOOT: Final = 17.0
TOP: Final = 14.0
"""Radii in mm of the outlines of a stack where it stands, and at its height."""

APEX: Final = 16.0
RISE: Final = 7.5
"""The height in mm of a piece, and by how much each further one makes a stack higher."""

DOME: Final = 13.0, 11.0
"""The radius of the shadow, and the height, of the dome of an empty square, in mm."""

NEAR: Final = 0.25
"""Seconds before and after each reach in which a hand may be in the picture, too."""

SHRINK: Final = 4
"""How many times smaller the pictures are in which hands are looked for."""


class HandCover:
    """Finds hands: what differs from the last picture without any. Called with every picture in turn."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.without: Picture = np.zeros((0, 0, 3), np.float32)
        """The last picture without a hand."""

    def __call__(self, picture: Picture, time: float) -> Field | None:
        """How much hands cover of each pixel; None if no hand is near."""
        if self.without.size == 0 or not self._scene.hand_near(time, NEAR):
            self.without = picture.copy()
            return None
        now, before = (
            cv2.resize(each, None, fx=1 / SHRINK, fy=1 / SHRINK, interpolation=cv2.INTER_AREA)
            for each in (picture, self.without)
        )
        change = cv2.GaussianBlur(np.abs(now - before).max(axis=2), (0, 0), 1.0)
        # Noise changes less than 9 grey levels, and hands mostly more than 23.
        cover = cv2.morphologyEx(np.clip((change - 9) / 14, 0, 1), cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
        size = picture.shape[1::-1]
        return np.asarray(cv2.resize(cover, size, interpolation=cv2.INTER_LINEAR), np.float32)


@dataclass(frozen=True)
class LyingThing:
    """What lies on the board or beside it for a time, and draws itself over a picture of a time."""

    since: float
    until: float
    draw: Callable[[Picture, float], None]


def lying(scene: Scene, things: list[LyingThing], under_stacks: bool = True) -> Alteration:
    """Draws these things below hands and, unless they are out of their way, below stacks."""
    hands = HandCover(scene)

    @lru_cache(maxsize=1)
    def stacks(segment: int) -> Field:
        return stack_cover(scene, segment)

    def altered(picture: Picture, time: float) -> Picture:
        cover = hands(picture, time)
        shown = [each for each in things if each.since <= time < each.until]
        if not shown:
            return picture
        before = picture.copy()
        for each in shown:
            each.draw(picture, time)
        if under_stacks:
            over = stacks(scene.segment(time))
            cover = over if cover is None else np.maximum(cover, over)
        return picture if cover is None else blend(picture, before, cover)

    return altered


def stack_cover(scene: Scene, segment: int) -> Field:
    """How much the stacks of a frame of the truth hide of each pixel."""
    frame, mask = scene.truth["frames"][segment], np.zeros(scene.size[::-1], np.float32)
    for square, pieces in frame["board"].items():
        foot, top = (
            scene.pixels(posed(circle(scene.place(square), radius), frame["board_pose"]), height)
            for radius, height in ((FOOT, 0.0), (TOP, _height(pieces)))
        )
        fill_hull(mask, np.concatenate([foot, top]))
    return np.asarray(cv2.GaussianBlur(mask, (0, 0), 1.0), np.float32)


def stack_shadows(scene: Scene, segment: int, aside: Floats) -> Field:
    """How dark the shadows of stacks and domes are; they lie ``aside`` for each mm of height."""
    frame, mask = scene.truth["frames"][segment], np.zeros(scene.size[::-1], np.float32)
    for square in SQUARES:
        pieces = frame["board"].get(square, "")
        radius, height = (TOP + 2, _height(pieces)) if pieces else DOME
        foot, top = (
            posed(circle(scene.place(square), each), frame["board_pose"]) for each in (radius, 0.8 * radius)
        )
        fill_hull(mask, scene.pixels(np.concatenate([foot, top + height * aside]), 0.0))
    # Stacks rise out of the shadows of others, so they get less dark.
    dark = cv2.GaussianBlur(mask, (0, 0), 2.5) * (1 - 0.6 * stack_cover(scene, segment))
    return np.asarray(dark, np.float32)


def _height(pieces: str) -> float:
    return APEX + RISE * (len(pieces) - 1)
