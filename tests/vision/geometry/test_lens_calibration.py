"""The printed target, and lenses measured with it from pictures drawn with a known lens."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from target_views import SIZE, known_lens, views

from focus_companion.vision.geometry import target
from focus_companion.vision.geometry.lens_calibration import detect_target, measure
from focus_companion.vision.geometry.lens_profiles import (
    LensError,
    lens_of_camera,
    lens_profile,
    lens_text,
    read_lens,
)
from focus_companion.vision.geometry.scene import Camera, Lens


@pytest.mark.slow
@pytest.mark.parametrize(("field_of_view", "k1"), [(48.0, -0.02), (66.0, -0.11), (78.0, -0.16)])
def test_a_known_lens_is_recovered(field_of_view: float, k1: float) -> None:
    lens = known_lens(field_of_view, k1)
    measured = measure(views(lens), "test")
    found = measured.profile.lens
    assert abs(found.focal / lens.focal - 1) < 0.01
    assert np.linalg.norm(np.subtract(found.centre, lens.centre)) < 0.01 * SIZE[0]
    assert abs(found.distortion[0] - k1) < 0.03
    # The uncertainty is realistic.
    assert abs(np.log(found.focal / lens.focal)) < 3 * measured.profile.spread < 0.02
    # The measured lens projects every ray as the true one does, except for a common shift.
    grid = np.array([(x, y, 1.0) for x in np.linspace(-0.5, 0.5, 9) for y in np.linspace(-0.4, 0.4, 9)])
    one, other = (Camera(some, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)).project(grid) for some in (found, lens))
    moved = one - other - (one - other).mean(0)
    assert np.abs(moved).max() < 0.012 * SIZE[0]


@pytest.mark.slow
def test_unusable_views_are_refused_with_the_reason() -> None:
    lens = known_lens()
    good = views(lens, count=9)
    assert len(good) >= 6
    with pytest.raises(LensError, match="in only 3 pictures"):
        measure(good[:3], "test")
    with pytest.raises(LensError, match="same angle"):
        measure(views(lens, count=7, tilt=4.0), "test")
    stretched = views(lens, count=9, stretch=(1.03, 1.0))
    with pytest.raises(LensError, match=r"3\.\d% too long across.*--rulers"):
        measure(stretched, "test")
    # The measured lengths of the rulers correct it.
    corrected = measure(stretched, "test", rulers=(103.0, 100.0)).profile.lens
    assert abs(corrected.focal / lens.focal - 1) < 0.01
    other = replace(good[0], width=640, height=480)
    with pytest.raises(LensError, match="different sizes"):
        measure([*good, other], "test")
    with pytest.raises(LensError, match="100 mm long"):
        measure(good, "test", rulers=(9.85, 9.85))


def test_no_target_is_detected_in_a_picture_without_it() -> None:
    rng = np.random.default_rng(1)
    assert detect_target(rng.integers(0, 255, (240, 320, 3), dtype=np.uint8)) is None
    assert detect_target(np.zeros((240, 320, 3), np.uint8)) is None


def corners_in(grey: np.ndarray, per_mm: float) -> tuple[np.ndarray, np.ndarray]:
    """The target's corners as detected in a flat picture, and their true positions, in mm on the sheet."""
    view = detect_target(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR))
    assert view is not None and len(view.points) == (target.COLUMNS - 1) * (target.ROWS - 1)
    first = next(iter(target.sheet("a4").boxes))
    return (view.pixels + 0.5) / per_mm, view.points[:, :2] + (first.x, first.y)


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_the_pdf_prints_at_true_scale(paper: str, tmp_path: Path) -> None:
    place = tmp_path / "target.pdf"
    place.write_bytes(target.pdf(paper))
    dots = 127
    subprocess.run(
        ["pdftoppm", "-r", str(dots), "-gray", "-singlefile", str(place), str(tmp_path / "page")], check=True
    )
    page = cv2.imread(str(tmp_path / "page.pgm"), cv2.IMREAD_GRAYSCALE)
    per_mm = dots / 25.4
    width, height = target.PAPERS[paper]
    assert abs(page.shape[1] / per_mm - width) < 0.5 and abs(page.shape[0] / per_mm - height) < 0.5
    found, wanted = corners_in(page, per_mm)
    wanted = wanted - wanted.mean(0)
    assert np.abs(found - found.mean(0) - wanted).max() < 0.15
    # Both rulers are 100 mm long.
    left = min(box.x for box in target.sheet(paper).boxes if box.width == target.SQUARE)
    top = min(box.y for box in target.sheet(paper).boxes if box.width == target.SQUARE)
    below = page[round((top + 6 * target.SQUARE + 4.0) * per_mm), :]
    dark = np.flatnonzero(below < 160) / per_mm
    assert abs(dark.min() - left) < 0.4 and abs(dark.max() - left - 100) < 0.4
    beside = page[:, round((left - 4.0) * per_mm)]
    dark = np.flatnonzero(beside < 160) / per_mm
    assert abs(dark.min() - top) < 0.4 and abs(dark.max() - top - 100) < 0.4


@pytest.mark.slow
@pytest.mark.browser
def test_the_svg_is_the_same_sheet(tmp_path: Path, launch_browser: Callable[[list[str]], Any]) -> None:
    place = tmp_path / "target.svg"
    place.write_text(target.svg(), encoding="utf-8")
    page = launch_browser([]).new_page(viewport={"width": 1200, "height": 900}, device_scale_factor=1)
    page.goto(place.as_uri())
    page.screenshot(path=str(tmp_path / "page.png"))
    page.close()
    grey = cv2.imread(str(tmp_path / "page.png"), cv2.IMREAD_GRAYSCALE)
    found, wanted = corners_in(grey, 96 / 25.4)
    assert np.abs(found - wanted).max() < 0.25


def test_a_written_profile_is_read_back(tmp_path: Path) -> None:
    lens = Lens(1280, 960, 1011.5, (640.25, 470.5), (-0.08, 0.01, 0.0004, 0.0))
    profile = replace(lens_profile("raspberry-pi-camera-2"), lens=lens, camera='usb-"odd\n', name="mine")
    (tmp_path / "mine.toml").write_text(lens_text(profile, "two\nlines"), encoding="utf-8")
    back = lens_profile("mine", [tmp_path])
    assert back == read_lens(tmp_path / "mine.toml") == replace(profile, camera="usb-odd")
    assert lens_of_camera("usb-odd", [tmp_path]) == back
    assert lens_of_camera("another", [tmp_path]) is lens_of_camera("", [tmp_path]) is None


def test_a_lens_is_scaled_to_another_picture_size() -> None:
    profile = lens_profile("raspberry-pi-camera-2")
    assert profile.fits(640, 480) and not profile.fits(1280, 720)
    small = profile.at(640, 480)
    assert abs(np.degrees(2 * np.arctan(320 / small.focal)) - 62.2) < 0.05
    assert np.allclose(small.centre, (320, 240), atol=0.5)
    cut = profile.at(1280, 720)
    assert np.allclose(cut.centre, (640, 360), atol=0.5) and abs(cut.focal / small.focal - 2) < 1e-6


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "width must be a number"),
        ("width = [", "not a lens profile"),
        ("width=640\nheight=480\nfocal='f'\n", "focal must be"),
        ("width=640\nheight=480\nfocal=inf\n", "focal must be"),
        (f"width=640\nheight=1{'0' * 400}\nfocal=600\n", "height must be"),
        ("width=640\nheight=480\nfocal=3.0\ncentre=[1,2]\ndistortion=[0,0,0,0]\n", "is not a lens"),
        ("width=640\nheight=480\nfocal=600\ncentre=[1]\ndistortion=[0,0,0,0]\n", "centre must be 2"),
        (
            "width=640\nheight=480\nfocal=600\ncentre=[1,2]\ndistortion=[0,0,0,0]\nspread=2\n",
            "between 0 and 1",
        ),
    ],
)
def test_an_invalid_lens_profile_is_reported(text: str, words: str, tmp_path: Path) -> None:
    place = tmp_path / "broken.toml"
    place.write_text(text, encoding="utf-8")
    with pytest.raises(LensError, match=words) as raised:
        read_lens(place)
    assert "broken.toml" in str(raised.value)
    with pytest.raises(LensError, match="raspberry-pi-camera-3"):
        lens_profile("no-such-lens")
