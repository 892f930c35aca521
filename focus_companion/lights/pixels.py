"""What every pixel shows: the light board's patterns, in exactly the firmware's integer arithmetic.

The WLED back end draws with this; the firmware's tests compare it with the pixels decoded from the chip. A
*phase* is a tick of 20 ms, cycling through 0…99; a new state begins at phase 0.
"""

from __future__ import annotations

from typing import Final

from ..game.squares import FILES_OF_RANK, INDEX, SQUARES
from .meaning import Meaning
from .settings import COLOURS

CYCLE: Final = 100
TICK: Final = 0.02
"""Seconds of a phase."""
BAR: Final = 6
"""Pixels of a reserve bar."""
PIXELS: Final = 52 + 4 + 4 * BAR

Rgb = tuple[int, int, int]

PLAYER: Final[tuple[Rgb, ...]] = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 150, 0))
WHITE: Final[Rgb] = (255, 255, 255)
WRONG: Final[Rgb] = (255, 0, 255)
LOST: Final[Rgb] = (0, 160, 160)
DARK: Final[Rgb] = (0, 0, 0)

BAR_LEVELS: Final = (0, 24, 80, 255)
"""A pixel of a bar by how many rounds of pieces reach it."""


def _serpentine() -> tuple[int, ...]:
    chain: list[str] = []
    for row, rank in enumerate(range(8, 0, -1)):
        files = FILES_OF_RANK[rank] if row % 2 == 0 else FILES_OF_RANK[rank][::-1]
        chain += [f"{file}{rank}" for file in files]
    return tuple(chain.index(name) for name in SQUARES)


SQUARE_PIXEL: Final = _serpentine()
"""Pixel of each square: the chain runs c8…f8, then back g7…b7, and so on to f1…c1 reversed."""

TURN_PIXEL: Final = 52
"""First of the four turn pixels, in the order of the colours."""

BAR_PIXEL: Final = 56
"""First of the four bars."""


def scaled(colour: Rgb, level: int) -> Rgb:
    """``colour`` at ``level`` 0…255."""
    red, green, blue = colour
    return (red * (level + 1)) >> 8, (green * (level + 1)) >> 8, (blue * (level + 1)) >> 8


def draw(meaning: Meaning, phase: int) -> list[Rgb]:
    """All pixels in chain order at full brightness."""
    pixels = [DARK] * PIXELS
    _draw_path(pixels, meaning, phase)
    if meaning.take:
        square, count = meaning.take
        on = phase < 16 * count and phase % 16 < 8
        pixels[SQUARE_PIXEL[square]] = scaled(WHITE, 160 if on else 12)
    for square in meaning.wrong:
        pixels[SQUARE_PIXEL[square]] = scaled(WRONG, 160) if phase % 25 < 13 else DARK
    for index, colour in enumerate(COLOURS):
        pixels[TURN_PIXEL + index] = _turn(meaning, index, colour, phase)
        for place in range(BAR):
            rounds = sum(meaning.reserves[index] > place + BAR * n for n in range(3))
            if rounds:
                pixels[BAR_PIXEL + BAR * index + place] = scaled(PLAYER[index], BAR_LEVELS[rounds])
    return pixels


def _draw_path(pixels: list[Rgb], meaning: Meaning, phase: int) -> None:
    colour = PLAYER[COLOURS.index(meaning.mover)] if meaning.mover else WHITE
    runner = (phase >> 3) % (len(meaning.path) + 4)
    for step, square in enumerate(meaning.path):
        level = 200 if step == runner else 110 if step == len(meaning.path) - 1 else 30
        pixels[SQUARE_PIXEL[square]] = scaled(colour, level)


def _turn(meaning: Meaning, index: int, colour: str, phase: int) -> Rgb:
    if meaning.camera_lost:
        return scaled(LOST, 120) if phase < 50 else DARK
    if meaning.over:
        return PLAYER[index] if colour in meaning.winners and phase % 50 < 25 else DARK
    if colour == meaning.turn:
        return scaled(PLAYER[index], 255 - 3 * min(phase, CYCLE - phase))
    return DARK


def warning_on(meaning: Meaning, phase: int) -> bool:
    """Whether the warning light is lit."""
    return meaning.warning or (meaning.camera_lost and phase < 50)


def dimmed(pixels: list[Rgb], brightness: int, budget: int | None = None) -> list[Rgb]:
    """``pixels`` at ``brightness`` 0…255, all scaled down if they would draw more than ``budget`` mA.

    A pixel draws 1 mA for itself and 20 mA for each channel at 255.
    """
    shown = [scaled(pixel, brightness) for pixel in pixels]
    if budget is None:
        return shown
    drawn = sum(map(sum, shown)) * 20 // 255
    room = budget - len(shown)
    if drawn <= room:
        return shown
    factor = room * 256 // drawn
    return [((r * factor) >> 8, (g * factor) >> 8, (b * factor) >> 8) for r, g, b in shown]


def pixel_names() -> dict[str, int]:
    """Names of all pixels of our own chain, as used in the settings for other strips."""
    names = {name: SQUARE_PIXEL[INDEX[name]] for name in SQUARES}
    for index, colour in enumerate(COLOURS):
        names[f"turn {colour}"] = TURN_PIXEL + index
        for place in range(BAR):
            names[f"reserve {colour} {place + 1}"] = BAR_PIXEL + BAR * index + place
    return names
