"""Pictures whose colours are converted on demand equal those that are converted from the start."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from focus_companion.vision.capture.frames import Frame, Image, read_image
from focus_companion.vision.capture.picture_faults import picture_fault
from focus_companion.vision.capture.planes import Planes, sampling_step
from focus_companion.vision.capture.sampling import sampled, subsampled

PICTURES = sorted((Path(__file__).parents[3] / "fixtures" / "images").glob("*.jpg"))

ROUNDING = 4
"""Maximum difference in grey levels between two conversions from YUV to BGR."""


def planes_of(image: Image) -> Planes:
    """The picture as a video holds it."""
    height, width = image.shape[:2]
    joined = cv2.cvtColor(image, cv2.COLOR_BGR2YUV_I420)
    u, v = joined[height:].reshape(2, height // 2, width // 2)
    return Planes.of(joined[:height], u, v)


def smooth(height: int, width: int) -> Image:
    """A picture with many colours but no edges, which the coarser chroma planes of a video would blur."""
    few = np.random.default_rng(height).integers(30, 226, (5, 6, 3), np.uint8)
    return np.asarray(cv2.resize(few, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)


@pytest.mark.parametrize("size", [(480, 640), (960, 1280), (1080, 1920), (358, 502)])
def test_the_colours_survive_the_conversion(size: tuple[int, int]) -> None:
    image = smooth(*size)
    planes = planes_of(image)
    assert planes.shape == image.shape
    assert np.abs(planes.image.astype(int) - image).max() <= 2 * ROUNDING
    assert Frame(0, 0.0, planes).image is planes.image


@pytest.mark.parametrize("size", [(480, 640), (960, 1280), (1080, 1920), (358, 502)])
def test_a_sample_has_the_pixels_of_the_whole_picture(size: tuple[int, int]) -> None:
    planes = planes_of(smooth(*size))
    whole = subsampled(planes.image, sampling_step(size[1]))
    few = sampled(planes)
    assert few.shape == whole.shape
    assert np.abs(few.astype(int) - whole).max() <= 2 * ROUNDING


def test_a_part_is_sampled_where_it_lies() -> None:
    planes = planes_of(smooth(960, 1280))
    few = sampled(planes, (slice(200, 700), slice(310, 905)))
    assert np.array_equal(few, sampled(planes)[40:140, 62:181])
    assert few.shape == sampled(planes.image, (slice(200, 700), slice(310, 905))).shape


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_planes_are_judged_like_whole_pictures(path: Path) -> None:
    image = read_image(path)
    broken_off = image.copy()
    broken_off[-200:] = 128
    for shown in (image, np.asarray(image * 0.03, np.uint8), broken_off):
        assert picture_fault(planes_of(shown)) == picture_fault(shown)


@pytest.mark.parametrize("rows", [1, 2, 57, 480, 900])
def test_bottom_rows_are_those_of_the_whole_picture(rows: int) -> None:
    planes = planes_of(smooth(480, 640))
    foot = planes.bottom_rows(rows)
    assert len(foot) >= min(rows, 480)
    assert np.array_equal(foot, planes.image[-len(foot) :])
