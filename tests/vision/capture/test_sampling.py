"""Subsampled copies of pictures."""

from __future__ import annotations

import numpy as np
import pytest

from focus_companion.vision.capture.sampling import subsampled


@pytest.mark.parametrize("step", [1, 2, 3, 5])
def test_thinned_pictures_have_the_pixels_that_a_slice_gives(step: int) -> None:
    image = np.random.default_rng(step).integers(0, 255, (61, 47, 3), np.uint8)
    few = subsampled(image, step)
    assert few.shape == (61 // step, 47 // step, 3)
    assert np.array_equal(few, image[::step, ::step][: few.shape[0], : few.shape[1]])


def test_a_picture_smaller_than_a_step_keeps_a_pixel() -> None:
    image = np.full((2, 3, 3), 7, np.uint8)
    assert subsampled(image, 5).shape == (1, 1, 3)
