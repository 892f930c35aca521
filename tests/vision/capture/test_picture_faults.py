"""Dark, covered, grey, damaged and frozen pictures are distinguished from all usable ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from focus_companion.vision.capture.frames import Image, read_image
from focus_companion.vision.capture.picture_faults import Repeats, picture_fault

PICTURES = sorted((Path(__file__).parents[3] / "fixtures" / "images").glob("*.jpg"))
START = next(path for path in PICTURES if path.name == "2p-oblique-start.jpg")


def noisy(image: Image, strength: float, seed: int = 3) -> Image:
    noise = np.random.default_rng(seed).normal(0, strength, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)


def dimmed(image: Image, factor: float) -> Image:
    return np.asarray(image * factor, np.uint8)


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
@pytest.mark.parametrize("light", [1.0, 0.4, 1.6])
def test_no_picture_of_a_board_is_faulty(path: Path, light: float) -> None:
    image = read_image(path)[::2, ::2]
    assert picture_fault(np.clip(image * light, 0, 255).astype(np.uint8)) == ""


@pytest.mark.parametrize("shade", [0, 70, 255])
def test_a_letterboxed_picture_is_not_damaged(shade: int) -> None:
    image = read_image(START)[::2, ::2]
    bar = np.full((image.shape[0] // 4, image.shape[1], 3), shade, np.uint8)
    assert picture_fault(np.vstack([bar, image, bar])) == ""


def test_a_black_board_on_a_black_table_has_the_colour_of_the_lamp() -> None:
    tinted = cv2.add(without_colours(read_image(START)[::2, ::2]), (6, 0, 1, 0))
    assert picture_fault(np.asarray(tinted, np.uint8)) == ""


def standby_light(image: Image) -> Image:
    return np.asarray(cv2.circle(image, (50, 50), 6, (0, 0, 255), -1), np.uint8)


def covered_by_a_finger(image: Image) -> Image:
    """A picture that is reddish, brighter on one side, and noisy."""
    height, width = image.shape[:2]
    glow = np.linspace(20, 150, width, dtype=np.float32)[None, :, None] * np.array(
        [0.2, 0.3, 1.0], np.float32
    )
    return noisy(np.broadcast_to(glow, (height, width, 3)), 6)


def blurred(image: Image) -> Image:
    few = cv2.resize(image, (5, 4), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(few, image.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.uint8)


def broken_off(image: Image) -> Image:
    """The picture as decoded if its last third did not arrive."""
    broken = image.copy()
    broken[2 * len(image) // 3 :] = 128
    return broken


def compressed(image: Image) -> Image:
    return np.asarray(
        cv2.imdecode(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 60])[1], 1), np.uint8
    )


def without_colours(image: Image) -> Image:
    return np.asarray(cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR), np.uint8)


FAULTS: list[tuple[str, Callable[[Image], Image], str]] = [
    ("black", lambda image: np.zeros_like(image), "dark"),
    ("night", lambda image: noisy(dimmed(image, 0.05), 5), "dark"),
    ("night with a standby light", lambda image: standby_light(noisy(image * 0, 5)), "dark"),
    ("a finger", covered_by_a_finger, "covered"),
    ("a cap of grey plastic", lambda image: noisy(np.full_like(image, 90), 4), "covered"),
    ("far out of focus", lambda image: noisy(blurred(image), 3), "covered"),
    ("black and white", without_colours, "grey"),
    ("black and white, tinted", lambda image: cv2.add(without_colours(image), (0, 3, 1, 0)), "grey"),
    ("black and white, compressed", lambda image: compressed(without_colours(image)), "grey"),
    ("broken off", broken_off, "damaged"),
    ("missing", lambda image: np.full_like(image, 128), "damaged"),
    ("broken off and dark above", lambda image: broken_off(image // 20), "damaged"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "fault"), [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS])
@pytest.mark.parametrize("width", [320, 1280])
def test_faulty_pictures_are_classified(make: Callable[[Image], Image], fault: str, width: int) -> None:
    image = read_image(START)[::2, ::2]
    made = make(image)
    small = cv2.resize(
        made, (width, round(width * made.shape[0] / made.shape[1])), interpolation=cv2.INTER_NEAREST
    )
    assert picture_fault(np.asarray(small, np.uint8)) == fault


def test_only_an_identical_picture_counts_as_repeated() -> None:
    image = read_image(START)
    repeats = Repeats()
    assert repeats.update(image, 1.0) == 0
    assert repeats.update(image.copy(), 3.5) == 2.5
    other = image.copy()
    other[7, 9, 1] ^= 1
    assert repeats.update(other, 4.0) == 0
    assert repeats.update(other, 4.5) == 0.5
    assert repeats.update(other[:-2], 5.0) == 0
