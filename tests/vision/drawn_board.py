"""Simple drawn pictures of a board with the start position."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from focus_companion.game import setups
from focus_companion.game.rules import Rules
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.scene import Camera, Lens, Solid, outline

Image = NDArray[np.uint8]

PROFILE = board_profile()
PAINT = {"r": (32, 30, 175), "g": (55, 110, 20), "b": (170, 85, 38), "y": (25, 188, 238)}


def start_stacks() -> tuple[str, ...]:
    return setups.start_stacks(Rules.make(2))


def look(tilt: float, azimuth: float, distance: float, size: tuple[int, int], field: float) -> Camera:
    """A camera above the board that looks at its centre; ``azimuth`` rotates the board in the picture."""
    lens = replace(Lens.guess(*size, field), distortion=(-0.05, 0.01, 0.0, 0.0))
    tip = cv2.Rodrigues(np.array([np.pi - np.radians(tilt), 0.0, 0.0]))[0]
    spin = cv2.Rodrigues(np.array([0.0, 0.0, np.radians(azimuth)]))[0]
    x, y, z = cv2.Rodrigues(tip @ spin)[0].reshape(3)
    return Camera(lens, (float(x), float(y), float(z)), (6.0, -9.0, distance))


def draw(
    camera: Camera,
    stacks: tuple[str, ...],
    rng: np.random.Generator,
    board: tuple[int, int, int] = (205, 214, 220),
    table: tuple[int, int, int] = (70, 95, 60),
    noise: float = 2.0,
) -> Image:
    """A simple picture of the board: shaded solids drawn as filled outlines, far ones first."""
    size = camera.lens
    image = np.full((size.height, size.width, 3), table, np.uint8)
    half = PROFILE.half_width
    slab = np.array([(x, y, 0.0) for x, y in ((-half, -half), (half, -half), (half, half), (-half, half))])
    cv2.fillConvexPoly(image, np.rint(camera.project(slab)).astype(np.int32), board, cv2.LINE_AA)

    def solid(shape: Solid, centre: tuple[float, float], base: float, colour: tuple[int, int, int]) -> None:
        for share, light in ((1.0, 0.62), (0.85, 0.8), (0.65, 0.95), (0.4, 1.08), (0.15, 1.3)):
            inner = Solid(
                tuple((r * share, shape.height - (shape.height - z) * share) for r, z in shape.rings)
            )
            paint = tuple(min(255.0, c * light) for c in colour)
            points = np.rint(outline(camera, inner, centre, base) * 16).astype(np.int32)
            cv2.fillConvexPoly(image, points, paint, cv2.LINE_AA, shift=4)

    order = np.argsort(-np.linalg.norm(PROFILE.centres - camera.centre[:2], axis=1))
    for index in order:
        x, y = (float(v) for v in PROFILE.centres[index])
        if not stacks[index]:
            solid(PROFILE.dome, (x, y), PROFILE.dome_base, board)
        for level, letter in enumerate(stacks[index]):
            solid(PROFILE.piece, (x, y), level * PROFILE.rise, PAINT[letter])
    blurred = cv2.GaussianBlur(image, (0, 0), 0.8) + rng.normal(0, noise, image.shape)
    return np.asarray(np.clip(blurred, 0, 255), np.uint8)
