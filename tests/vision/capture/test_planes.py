"""Pictures whose colours are made when somebody wants them: as those that are whole from the start."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from focus_companion.vision.capture.frames import Frame, Image, read_image
from focus_companion.vision.capture.picture_faults import picture_fault
from focus_companion.vision.capture.planes import Planes, sampling_step
from focus_companion.vision.capture.sampling import sampled, thinned

PICTURES = sorted((Path(__file__).parents[3] / "fixtures" / "images").glob("*.jpg"))

ROUNDING = 4
"""Grey levels between two ways to turn brightness and colours into blue, green and red."""


def planes_of(image: Image) -> Planes:
    """As a video holds it."""
    height, width = image.shape[:2]
    joined = cv2.cvtColor(image, cv2.COLOR_BGR2YUV_I420)
    u, v = joined[height:].reshape(2, height // 2, width // 2)
    return Planes.of(joined[:height], u, v)


def smooth(height: int, width: int) -> Image:
    """All colours, and no edges that a video's colours, being coarser, would blur."""
    few = np.random.default_rng(height).integers(30, 226, (5, 6, 3), np.uint8)
    return np.asarray(cv2.resize(few, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)


@pytest.mark.parametrize("size", [(480, 640), (960, 1280), (1080, 1920), (358, 502)])
def test_the_colours_come_back(size: tuple[int, int]) -> None:
    image = smooth(*size)
    planes = planes_of(image)
    assert planes.shape == image.shape
    assert np.abs(planes.image.astype(int) - image).max() <= 2 * ROUNDING
    assert Frame(0, 0.0, planes).image is planes.image


@pytest.mark.parametrize("size", [(480, 640), (960, 1280), (1080, 1920), (358, 502)])
def test_a_sample_has_the_pixels_of_the_whole_picture(size: tuple[int, int]) -> None:
    planes = planes_of(smooth(*size))
    whole = thinned(planes.image, sampling_step(size[1]))
    few = sampled(planes)
    assert few.shape == whole.shape
    assert np.abs(few.astype(int) - whole).max() <= 2 * ROUNDING


def test_a_part_is_sampled_where_it_lies() -> None:
    planes = planes_of(smooth(960, 1280))
    few = sampled(planes, (slice(200, 700), slice(310, 905)))
    assert np.array_equal(few, sampled(planes)[40:140, 62:181])
    assert few.shape == sampled(planes.image, (slice(200, 700), slice(310, 905))).shape


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_a_picture_is_judged_as_if_it_were_whole(path: Path) -> None:
    image = read_image(path)
    broken_off = image.copy()
    broken_off[-200:] = 128
    for shown in (image, np.asarray(image * 0.03, np.uint8), broken_off):
        assert picture_fault(planes_of(shown)) == picture_fault(shown)


@pytest.mark.parametrize("rows", [1, 2, 57, 480, 900])
def test_the_foot_is_the_end_of_the_picture(rows: int) -> None:
    planes = planes_of(smooth(480, 640))
    foot = planes.bottom_rows(rows)
    assert len(foot) >= min(rows, 480)
    assert np.array_equal(foot, planes.image[-len(foot) :])
