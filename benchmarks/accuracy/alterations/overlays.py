"""What software writes over the pictures of a camera."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from benchmarks.accuracy.alterations.drawing import soft
from benchmarks.accuracy.alterations.scene import (
    WIDTH,
    Alteration,
    Effect,
    Field,
    Picture,
    Scene,
    blend,
    window,
)

FONT: Final = cv2.FONT_HERSHEY_SIMPLEX

MESSAGES: Final = (
    "Anna: are you coming?", "Battery is low (15 %)", "Mail: 2 new messages", "Update is available",
)  # fmt: skip

STYLES: Final = (((45, 42, 40), (235, 235, 235)), ((245, 243, 242), (30, 30, 30)))
"""Grey levels of blue, green and red of a message's background and its letters: dark and light."""

ICONS: Final = ((60, 180, 60), (40, 60, 220), (220, 130, 30))


def banner(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """3, 5 or 8 messages pop up at an edge of the telephone's screen for 3 s, and are in its pictures.

    They take 7, 11 or 16 % of the height and 55, 65 or 80 % of the width, on the side with more room.
    """
    number, height, width = ((3, 0.07, 0.55), (5, 0.11, 0.65), (8, 0.16, 0.8))[strength - 1]
    times = scene.seconds / number * (np.arange(number) + rng.uniform(0.1, 0.5, number))
    width, height = int(width * scene.size[0]), int(height * scene.size[1])
    plates = [_message((width, height), MESSAGES[each % len(MESSAGES)], rng) for each in range(number)]
    cover = _rounded((width, height))
    columns = slice((scene.size[0] - width) // 2, (scene.size[0] + width) // 2)
    squares = scene.squares()[:, 1]
    on_top = squares.min() > scene.size[1] - squares.max()

    def altered(picture: Picture, time: float) -> Picture:
        for since, plate in zip(times, plates, strict=True):
            # It slides in from beyond the edge, and out again.
            inwards = window(time, since, since + 3.4, 0.25) * (height + 0.015 * scene.size[1])
            first = round(inwards) - height if on_top else scene.size[1] - round(inwards)
            area = picture[max(0, first) : max(0, first + height), columns]
            if len(area):
                rows = slice(max(0, -first), max(0, -first) + len(area))
                blend(area, plate[rows], cover[rows])
        return picture

    return altered


def _message(size: tuple[int, int], text: str, rng: np.random.Generator) -> Picture:
    """An icon and a line of text."""
    width, height = size
    paper, ink = STYLES[int(rng.random() < 0.5)]
    plate = np.full((height, width, 3), paper, np.uint8)
    icon = ICONS[rng.integers(len(ICONS))]
    cv2.circle(plate, (int(0.55 * height), height // 2), int(0.3 * height), icon, -1, cv2.LINE_AA)
    at, thick = (height, int(0.62 * height)), max(1, round(height / 45))
    cv2.putText(plate, text, at, FONT, height / 90, ink, thick, cv2.LINE_AA)
    return plate.astype(np.float32)


def _rounded(size: tuple[int, int]) -> Field:
    """How much a message covers: nearly all but its corners."""
    width, height = size
    mask, radius = np.zeros((height, width), np.float32), max(1, height // 4)
    for thick in (cv2.FILLED, 2 * radius):
        # Thick lines have round corners.
        cv2.rectangle(mask, (radius, radius), (width - 1 - radius, height - 1 - radius), 0.93, thick)
    return soft(mask, 1.0)


def clock_overlay(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The camera writes the time into the picture: over the table, and at strength 3 over squares."""
    scale = (0.9, 1.5, 1.8)[strength - 1] * scene.size[0] / WIDTH
    thick, began = max(1, round(2 * scale)), int(rng.integers(8 * 3600, 23 * 3600))
    (width, height), _ = cv2.getTextSize("00:00:00", FONT, scale, thick)
    margin = 2 * thick + round(0.4 * height)
    if strength == 3:
        middle = scene.pixels(rng.uniform(-100, 100, (1, 2)))[0]
    else:
        # In the corner that is farthest from the squares.
        corners = [
            (x, y)
            for x in (margin + width / 2, scene.size[0] - margin - width / 2)
            for y in (margin + height / 2, scene.size[1] - margin - height / 2)
        ]
        middle = np.array(max(corners, key=lambda each: np.linalg.norm(scene.squares() - each, axis=1).min()))
    at = round(middle[0] - width / 2), round(middle[1] + height / 2)

    def altered(picture: Picture, time: float) -> Picture:
        now = began + int(time)
        text = f"{now // 3600 % 24:02}:{now // 60 % 60:02}:{now % 60:02}"
        shown = np.clip(picture, 0, 255).astype(np.uint8)
        for colour, wide in (((0, 0, 0), 3 * thick), ((255, 255, 255), thick)):
            cv2.putText(shown, text, at, FONT, scale, colour, wide, cv2.LINE_AA)
        return shown.astype(np.float32)

    return altered


EFFECTS: Final[dict[str, Effect]] = {each.__name__: each for each in (clock_overlay, banner)}
