"""How many pixels are as good as one independent sample."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from focus_companion.vision.appearance.correlation import correlation_area

SIZE = 200
EVERYWHERE = np.ones((SIZE, SIZE), bool)


def noise(size: int = SIZE) -> np.ndarray:
    return np.random.default_rng(3).normal(0, 1, (size, size)).astype(np.float32)


def test_independent_pixels_count_as_they_are() -> None:
    assert correlation_area(noise(), EVERYWHERE) == pytest.approx(1.0, abs=0.3)


@pytest.mark.parametrize("sigma", [0.5, 0.75, 1.0])
def test_blurred_noise_counts_less(sigma: float) -> None:
    """White noise blurred by a Gaussian has a Gaussian autocorrelation, √2 times as wide."""
    smeared = cv2.GaussianBlur(noise(), (0, 0), sigma)
    assert correlation_area(smeared, EVERYWHERE) == pytest.approx(max(1.0, 4 * np.pi * sigma**2), rel=0.25)


@pytest.mark.parametrize("block", [2, 3])
def test_noise_stored_at_a_lower_resolution_counts_by_its_blocks(block: int) -> None:
    coarse = noise(SIZE // block + 1).repeat(block, 0).repeat(block, 1)[:SIZE, :SIZE]
    assert correlation_area(coarse, EVERYWHERE) == pytest.approx(block * block, rel=0.15)


def test_only_the_pixels_asked_about_are_measured() -> None:
    where = np.zeros((SIZE, SIZE), bool)
    where[:, : SIZE // 2] = True
    errors = noise()
    errors[:, SIZE // 2 :] = 1e6
    assert correlation_area(errors, where) == pytest.approx(1.0, abs=0.5)


def test_equal_errors_are_no_sample_of_a_correlation() -> None:
    assert correlation_area(np.full((SIZE, SIZE), 2.5, np.float32), EVERYWHERE) == 1.0
