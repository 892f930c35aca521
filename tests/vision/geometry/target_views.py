"""Draws the printed target as seen by a known camera."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import cv2
import numpy as np

from focus_companion.simulator.scene_style import aimed_camera
from focus_companion.simulator.solids import pixel_rays
from focus_companion.vision.geometry import target
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.lens_calibration import detect_target
from focus_companion.vision.geometry.scene import Camera, Lens

SIZE = (800, 600)
PIXELS_PER_MM = 6
"""Pixels per millimetre of the drawn sheet."""


@cache
def drawn_sheet() -> np.ndarray:
    sheet = target.sheet("a4")
    paper = np.full((round(sheet.height * PIXELS_PER_MM), round(sheet.width * PIXELS_PER_MM)), 235, np.uint8)
    for box in sheet.boxes:
        low = np.round(np.array([box.x, box.y]) * PIXELS_PER_MM).astype(int)
        high = np.round(np.array([box.x + box.width, box.y + box.height]) * PIXELS_PER_MM).astype(int)
        paper[low[1] : high[1], low[0] : high[0]] = 20
    # Smoothed to about a pixel of the pictures: a camera sees the mean over each of its pixels.
    return np.asarray(
        cv2.GaussianBlur(cv2.GaussianBlur(paper, (0, 0), 0.18 * PIXELS_PER_MM), (0, 0), 0.175 * PIXELS_PER_MM)
    )


@lru_cache(1)
def rays_of(lens: Lens) -> np.ndarray:
    """The rays (3, N) of all pixels in the frame of the camera."""
    pixels = np.stack(np.meshgrid(np.arange(lens.width), np.arange(lens.height)), -1)
    camera = Camera(lens, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    return np.ascontiguousarray(pixel_rays(camera, pixels.reshape(-1, 2).astype(float)).T)


@cache
def noise_of(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(3).normal(0, 2.0, (height, width)).astype(np.float32)


def picture_of_sheet(camera: Camera, stretch: tuple[float, float] = (1.0, 1.0)) -> np.ndarray:
    """The sheet as seen by the camera, with its centre at the origin."""
    sheet = target.sheet("a4")
    width, height = camera.lens.width, camera.lens.height
    across, along, down = camera.rotation_matrix.T.astype(np.float32) @ rays_of(camera.lens)
    place = camera.centre.tolist()
    depth = -place[2] / down
    x = ((place[0] + depth * across) / stretch[0] + sheet.width / 2) * PIXELS_PER_MM
    y = (-(place[1] + depth * along) / stretch[1] + sheet.height / 2) * PIXELS_PER_MM
    maps = [m.reshape(height, width) for m in (x, y)]
    grey = cv2.remap(
        drawn_sheet(), maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=120
    )
    noisy = np.clip(grey + noise_of(height, width), 0, 255).astype(np.uint8)
    return cv2.cvtColor(noisy, cv2.COLOR_GRAY2BGR)


def known_lens(field_of_view: float = 66.0, k1: float = -0.11) -> Lens:
    guess = Lens.guess(*SIZE, field_of_view)
    return replace(guess, centre=(SIZE[0] / 2 + 9, SIZE[1] / 2 - 7), distortion=(k1, 0.03, 0.0005, -0.0004))


def cameras(lens: Lens, count: int = 12, tilt: float = 38.0) -> list[Camera]:
    """Views from all sides, some of them off centre."""
    rng = np.random.default_rng(5)
    aim = replace(board_profile(), half_width=target.COLUMNS * target.SQUARE / 2)
    found = []
    for index in range(count):
        lean = tilt * (0.35 + 0.65 * (index % 3) / 2)
        shift = rng.uniform(-0.08, 0.08, 2) * SIZE
        found.append(
            aimed_camera(
                lens,
                aim,
                tilt=lean,
                azimuth=137.5 * index,
                roll=float(rng.normal(0, 8)),
                fill=float(rng.uniform(0.75, 1.05)),
                shift=(float(shift[0]), float(shift[1])),
            )
        )
    return found


def views(lens: Lens, **how: Any) -> list[Any]:
    stretch = how.pop("stretch", (1.0, 1.0))
    seen = [detect_target(picture_of_sheet(camera, stretch)) for camera in cameras(lens, **how)]
    return [view for view in seen if view is not None]
