"""The camera's motion and the light between two pictures: measured, and undone."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from focus_companion.vision.capture.frames import Image, read_image
from focus_companion.vision.geometry.scene import Lens
from focus_companion.vision.geometry.stack_masks import Window
from focus_companion.vision.tracking.change import blurred
from focus_companion.vision.tracking.conditions import Baseline, Conditions, Motion, Sampling, rays, unlike

NDFloat = NDArray[np.float64]

BOARD = read_image(Path(__file__).parents[3] / "fixtures" / "images" / "2p-oblique-start.jpg")
HEIGHT, WIDTH = BOARD.shape[:2]
LENS = Lens(WIDTH, HEIGHT, 0.9 * WIDTH, (WIDTH / 2, HEIGHT / 2), (-0.08, 0.01, 0.0, 0.0))
WINDOW = Window(WIDTH // 10, HEIGHT // 10, WIDTH * 9 // 10, HEIGHT * 9 // 10)
PITCH = WIDTH / 17
EVERY = max(1, round(PITCH / 18))
SAMPLING = Sampling(WINDOW, EVERY, PITCH / EVERY, LENS)


def coarse(image: Image) -> Image:
    return blurred(image[WINDOW.slices])[::EVERY, ::EVERY].copy()


def found(image: Image) -> Conditions:
    before = coarse(BOARD)
    return Baseline(before, SAMPLING).conditions(coarse(image), before)[0]


def left(image: Image, conditions: Conditions | None = None) -> float:
    """Share of the picture that plainly differs once the conditions, those found in it, are undone."""
    return unlike(coarse((conditions or found(image)).undone(image, WINDOW)), coarse(BOARD))


@cache
def all_rays() -> NDFloat:
    """Those of all the pixels."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    return rays(np.column_stack([x.ravel(), y.ravel()]).astype(float), LENS)


def taken(motion: Motion) -> Image:
    """The picture after the camera has moved so."""
    back = Motion((-motion.turn[0], -motion.turn[1], -motion.turn[2]), -motion.zoom)
    at = back.seen(all_rays(), LENS).reshape(HEIGHT, WIDTH, 2).astype(np.float32)
    return np.asarray(cv2.remap(BOARD, at, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)


@pytest.mark.parametrize("pixels", [2.0, 6.0, 25.0, -25.0], ids=["shakes", "sways", "was knocked", "back"])
def test_a_motion_is_measured_to_parts_of_a_pixel(pixels: float) -> None:
    turn = pixels / LENS.focal
    image = taken(Motion((turn, -0.7 * turn, 0.5 * turn), 0.002))
    conditions = found(image)
    off = conditions.motion.vector - [turn, -0.7 * turn, 0.5 * turn, 0.002]
    assert np.abs(off * WIDTH / 2).max() < 0.4
    assert left(image, conditions) < 0.01


def test_a_motion_is_undone_beyond_where_it_was_measured() -> None:
    """Pieces lie beside the board farther off than the board's surroundings reach."""
    turn = 12 / LENS.focal
    moved = taken(Motion((turn, turn, 0.0)))
    table = Window(31, 22, WIDTH - 17, HEIGHT - 14)
    back = found(moved).undone(moved, table)
    ring = np.zeros((HEIGHT, WIDTH), bool)
    # The outermost pixels show what the moved picture does not.
    inner = Window(table.left + 20, table.top + 20, table.right - 20, table.bottom - 20)
    ring[inner.slices], ring[WINDOW.slices] = True, False

    def off(image: Image) -> float:
        return unlike(blurred(image)[ring], blurred(BOARD)[ring])

    assert off(moved) > 0.05 > 0.01 > off(back)


def test_the_same_picture_stays_as_it_is() -> None:
    noisy = np.clip(BOARD + np.random.default_rng(1).normal(0, 4, BOARD.shape), 0, 255).astype(np.uint8)
    assert found(noisy).same
    assert found(noisy).undone(noisy, WINDOW) is noisy


def lit(factor: NDFloat) -> Image:
    return np.asarray(np.clip(BOARD * factor, 0, 255), np.uint8)


ACROSS = np.linspace(-1, 1, WIDTH)[None, :, None]


@pytest.mark.parametrize(
    "factor",
    [
        np.full((1, 1, 3), 0.7),
        np.array([[[0.85, 1.0, 1.1]]]),
        1 - 0.3 / (1 + np.exp(-ACROSS / 0.15)),
        1 + 0.06 * np.sin(2 * np.pi * 2 * np.linspace(0, 1, HEIGHT))[:, None, None],
    ],
    ids=["exposure", "white balance", "the shadow of a body", "flicker"],
)
def test_another_light_is_undone(factor: NDFloat) -> None:
    assert left(lit(factor)) < 0.004


def reflection(image: Image, x: int, y: int, amount: float = 0.2) -> Image:
    gy, gx = np.mgrid[0:HEIGHT, 0:WIDTH]
    blob = amount * np.exp(-0.5 * (((gx - x) / (0.8 * PITCH)) ** 2 + ((gy - y) / (0.6 * PITCH)) ** 2))
    light = np.clip((image / 255.0) ** 2.2 + blob[..., None], 0, 1)
    return np.asarray(255 * light ** (1 / 2.2), np.uint8)


def test_a_reflection_is_taken_off() -> None:
    shown = reflection(BOARD, WIDTH // 2, HEIGHT // 2)
    assert unlike(coarse(shown), coarse(BOARD)) > 0.008
    assert left(shown) < 0.3 * unlike(coarse(shown), coarse(BOARD))


def test_a_reflection_that_stays_is_taken_off_though_less_of_it_shows() -> None:
    """Of what is left of it a gain explains nearly enough: it is known from the look before."""
    before, baseline = coarse(BOARD), Baseline(coarse(BOARD), SAMPLING)
    bright, faint = (reflection(BOARD, WIDTH // 2, HEIGHT // 2, amount) for amount in (0.2, 0.05))
    alone, _ = baseline.conditions(coarse(faint), before)
    assert alone.light is None or alone.light.veil is None
    baseline.conditions(coarse(bright), before)
    after, _ = baseline.conditions(coarse(faint), before)
    assert after.light is not None and after.light.veil is not None
    assert unlike(coarse(after.undone(faint, WINDOW)), before) <= unlike(
        coarse(alone.undone(faint, WINDOW)), before
    )


@pytest.mark.parametrize(
    "colour", [(40, 40, 45), (32, 30, 175), (25, 188, 238)], ids=["gone", "red", "yellow"]
)
def test_a_piece_that_came_or_went_is_no_light(colour: tuple[int, int, int]) -> None:
    other = np.asarray(cv2.circle(BOARD.copy(), (WIDTH // 2, HEIGHT // 2), round(0.4 * PITCH), colour, -1))
    assert left(other) > 0.8 * unlike(coarse(other), coarse(BOARD)) > 0


def test_what_happened_on_the_board_is_no_motion() -> None:
    arm = BOARD.copy()
    arm[: HEIGHT // 2, WIDTH // 3 : WIDTH // 2] = (120, 150, 200)
    assert found(arm).moves() < 1.0
