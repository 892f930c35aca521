"""What people and animals look like from above, in mm, for :mod:`.drawing`. Each looks to its -y, row 0."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from benchmarks.accuracy.alterations.drawing import Flat, relief, smooth_noise, soft
from benchmarks.accuracy.alterations.scene import Field, Floats, direction, sideways

SKIN: Final = ((105, 135, 185), (80, 110, 160), (55, 75, 115), (125, 155, 205))
"""Grey levels of blue, green and red."""

CLOTH: Final = ((75, 60, 50), (60, 60, 110), (95, 90, 85), (50, 75, 60), (140, 150, 155), (120, 90, 60))

FUR: Final = ((30, 32, 36), (35, 50, 75), (60, 62, 66))

HAIR: Final = ((25, 30, 38), (40, 60, 90), (70, 75, 80))

ARM_LENGTH: Final = 460
ARM_WIDTH: Final = 170
"""In mm, which are pixels of an arm."""

BODY_SCALE: Final = 2.0
"""The mm of a pixel of a body and of a cat."""

Ellipse = tuple[float, float, float, float]
"""The place of its middle, x and y, and half of its axes along both."""


def _light(rng: np.random.Generator) -> Floats:
    """The direction from which light comes."""
    return direction(rng.uniform(0, 2 * np.pi))


def _colours(parts: list[tuple[Field, tuple[int, int, int]]], brightness: Field) -> Field:
    """The colour of each part over those before it, in some brightness."""
    colours = np.zeros((*brightness.shape, 3), np.float32)
    for mask, colour in parts:
        colours += mask[..., None] * (np.array(colour, np.float32) - colours)
    return colours * brightness[..., None]


def _ellipses(shape: tuple[int, int], *ellipses: Ellipse) -> Field:
    """What ellipses cover of so many rows and columns, in whose middle (0, 0) is."""
    mask = np.zeros(shape, np.float32)
    for x, y, right, down in ellipses:
        centre = round(x / BODY_SCALE + shape[1] / 2), round(y / BODY_SCALE + shape[0] / 2)
        cv2.ellipse(mask, centre, (round(right / BODY_SCALE), round(down / BODY_SCALE)), 0, 0, 360, 1.0, -1)
    return mask


def arm(rng: np.random.Generator) -> Flat:
    """A forearm in a sleeve with a flat hand, whose finger tips are 10 mm from its first row."""
    hand, middle = np.zeros((ARM_LENGTH, ARM_WIDTH), np.float32), ARM_WIDTH // 2
    for x, spread, tip in ((-29, -7, 26), (-10, -2, 12), (10, 3, 10), (29, 9, 22)):
        ends = (middle + x + spread, tip + 9), (middle + x, 105)
        cv2.line(hand, *ends, 1.0, 18)
    cv2.line(hand, (middle + 62, 88), (middle + 30, 140), 1.0, 22)
    cv2.ellipse(hand, (middle, 125), (42, 50), 0, 0, 360, 1.0, -1)
    return _forearm(hand, rng)


def pointing_arm(rng: np.random.Generator) -> Flat:
    """A forearm in a sleeve whose forefinger is stretched; its tip is 10 mm from the first row."""
    hand, middle = np.zeros((ARM_LENGTH, ARM_WIDTH), np.float32), ARM_WIDTH // 2
    cv2.line(hand, (middle - 12, 18), (middle - 14, 105), 1.0, 16)
    cv2.ellipse(hand, (middle + 2, 122), (38, 40), 0, 0, 360, 1.0, -1)
    for x, knuckle in ((6, 84), (24, 90), (38, 104)):
        cv2.line(hand, (middle + x, knuckle), (middle + x - 2, 120), 1.0, 18)
    cv2.line(hand, (middle - 38, 108), (middle - 26, 140), 1.0, 20)
    return _forearm(hand, rng)


def arm_middle(tip: Floats, angle: float) -> Floats:
    """The place of an arm whose finger tips are there, turned by an angle."""
    return tip + (ARM_LENGTH / 2 - 10) * sideways(direction(angle))


def _forearm(hand: Field, rng: np.random.Generator) -> Flat:
    """The hand with a wrist and a sleeve."""
    middle = ARM_WIDTH // 2
    wrist = np.array([(-30, 150), (30, 150), (38, 300), (-38, 300)])
    cv2.fillConvexPoly(hand, wrist + np.array([middle, 0]), 1.0)
    sleeve = np.zeros_like(hand)
    cuff = int(rng.integers(190, 260))
    edges = np.array([(-39, cuff), (39, cuff), (56, ARM_LENGTH), (-56, ARM_LENGTH)])
    cv2.fillConvexPoly(sleeve, edges + np.array([middle, 0]), 1.0)
    cover = np.maximum(hand, sleeve)
    light = _light(rng)
    # Fingers and sleeve are rounded by themselves.
    brightness = np.where(sleeve > 0, relief(sleeve, 45, light), relief(hand, 22, light))
    brightness *= 1 + np.where(sleeve > 0, 0.08, 0.03) * smooth_noise(rng, cover.shape, (5.0, 3.0))
    parts = [
        (np.ones_like(hand), SKIN[rng.integers(len(SKIN))]),
        (soft(sleeve), CLOTH[rng.integers(len(CLOTH))]),
    ]
    return Flat(_colours(parts, np.asarray(brightness, np.float32)), soft(cover, 2.5))


def upper_body(rng: np.random.Generator) -> Flat:
    """Somebody who leans over the table: hair, shoulders, back, and arms that end beside the board."""
    shape = round(760 / BODY_SCALE), round(760 / BODY_SCALE)
    arms = (-225, -60, 62, 150), (225, -60, 62, 150)
    clothes = _ellipses(shape, (0, 30, 235, 120), (0, 200, 200, 260), *arms)
    hands = _ellipses(shape, (-215, -215, 42, 60), (215, -215, 42, 60))
    neck, head = _ellipses(shape, (0, -70, 62, 80)), _ellipses(shape, (0, -150, 82, 104))
    cover = np.max([clothes, hands, neck, head], axis=0)
    light = _light(rng)
    brightness = relief(np.maximum(clothes, hands), 45, light)
    brightness += soft(head, 2.5) * (relief(head, 42, light) - brightness)
    strands = smooth_noise(rng, cover.shape, (1.2, 6.0))
    folds = smooth_noise(rng, cover.shape, 12.0)
    brightness *= 1 + np.where(head > 0, 0.15 * strands, 0.07 * folds)
    skin = SKIN[rng.integers(len(SKIN))]
    parts = [
        (np.ones_like(hands), skin),
        (soft(clothes), CLOTH[rng.integers(len(CLOTH))]),
        (soft(neck), skin),
        (soft(head), HAIR[rng.integers(len(HAIR))]),
    ]
    return Flat(_colours(parts, np.asarray(brightness, np.float32)), soft(cover, 4.0), BODY_SCALE)


def cat(rng: np.random.Generator) -> list[tuple[float, Flat]]:
    """A cat that walks: slices of it, each with its height in mm, from the lowest to the highest."""
    shape = round(760 / BODY_SCALE), round(260 / BODY_SCALE)
    fur, light = FUR[rng.integers(len(FUR))], _light(rng)
    # Hairs lie along the body; stripes run across it.
    hairs, stripes = smooth_noise(rng, shape, (0.8, 2.5)), smooth_noise(rng, shape, (14.0, 5.0))
    body, head = ((0, -20, 62, 165), (0, 70, 68, 85), (0, -110, 52, 85)), (0, -225, 58, 58)
    ears = (-42, -245, 18, 34), (42, -245, 18, 34)
    along = np.linspace(0, 1, 20)
    tail = np.column_stack([40 * np.sin(3 * along), 120 + 230 * along])
    slices = []
    for height, width in ((55.0, 0.8), (105.0, 1.0), (155.0, 0.85)):
        parts = (*body, head, *(ears if height > 100 else ()))
        mask = _ellipses(shape, *((x, y, right * width, down * width) for x, y, right, down in parts))
        if height == 105.0:
            points = np.round(tail / BODY_SCALE + np.array([shape[1], shape[0]]) / 2).astype(int)
            cv2.polylines(mask, [points], False, 1.0, round(26 / BODY_SCALE))
        # The outline is as ragged as the fur.
        ragged = cv2.GaussianBlur(mask, (0, 0), 3.0) + 0.12 * hairs > 0.5
        brightness = np.clip(relief(mask, 30, light) * (1 + 0.25 * hairs + 0.12 * stripes), 0.2, 2.5)
        colours = _colours([(np.ones_like(mask), fur)], np.asarray(brightness, np.float32))
        slices.append((height, Flat(colours, soft(ragged.astype(np.float32)), BODY_SCALE)))
    return slices
