"""Two pictures of one scene that are focused differently are compared as if they were not."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from focus_companion.vision.capture.frames import Image, read_image
from focus_companion.vision.registration.focus import blur_difference, focused_alike
from focus_companion.vision.tracking.change import blurred

IMAGES = Path(__file__).parents[3] / "fixtures" / "images"
BOARD = read_image(IMAGES / "2p-oblique-start.jpg")
SQUARE = BOARD.shape[1] / 17
"""Approximate side of a square in pixels."""


def taken(picture: Image, sigma: float, seed: int, noise: float = 3.0) -> Image:
    """The picture out of focus by ``sigma`` pixels, with noise of its own, and blurred as for comparison."""
    shown = cv2.GaussianBlur(picture, (0, 0), sigma) if sigma else picture
    noisy = shown + np.random.default_rng(seed).normal(0, noise, shown.shape)
    return blurred(np.clip(noisy, 0, 255).astype(np.uint8))


def with_a_piece(picture: Image, x: float = 0.45, y: float = 0.5) -> Image:
    """The picture after a piece was set down."""
    height, width = picture.shape[:2]
    return np.asarray(
        cv2.circle(
            picture.copy(), (round(x * width), round(y * height)), round(0.4 * SQUARE), (35, 35, 190), -1
        )
    )


def changed(now: Image, before: Image) -> int:
    return int((cv2.absdiff(now, before) > 26).any(2).sum())


@pytest.mark.parametrize("sigma", [2.0, 4.0, 6.0])
@pytest.mark.parametrize("piece", [False, True], ids=["nothing happened", "a turn"])
def test_another_focus_is_measured_and_no_change(sigma: float, piece: bool) -> None:
    after = with_a_piece(BOARD) if piece else BOARD
    for now, before, sign in (
        (taken(after, sigma, 1), taken(BOARD, 0.0, 2), 1),
        (taken(after, 0.0, 3), taken(BOARD, sigma, 4), -1),
    ):
        blur = blur_difference(now, before, SQUARE)
        assert blur * sign == pytest.approx(sigma, rel=0.3)
        left = changed(*focused_alike(now, before, blur))
        act = np.pi * (0.4 * SQUARE) ** 2 if piece else 0.0
        assert 0.6 * act <= left < 1.3 * act + 0.1 * changed(now, before)


@pytest.mark.parametrize("noise", [1.0, 6.0, 15.0])
@pytest.mark.parametrize("sigma", [0.0, 4.0])
@pytest.mark.parametrize("piece", [False, True], ids=["nothing happened", "a turn"])
def test_pictures_in_the_same_focus_stay_as_they_are(noise: float, sigma: float, piece: bool) -> None:
    """Any blur makes noisy pictures more alike, and a piece has a softer outline than what it hides."""
    after = with_a_piece(BOARD) if piece else BOARD
    now, before = taken(after, sigma, 1, noise), taken(BOARD, sigma, 2, noise)
    assert blur_difference(now, before, SQUARE) == 0
    assert focused_alike(now, before, 0.0) == (now, before)
