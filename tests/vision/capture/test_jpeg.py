"""A camera's JPEG pictures are decoded only as far as needed."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image as Pillow

from focus_companion.session.picture import Pictures
from focus_companion.vision.capture.frames import Frame, FrameError, Image, lazily_decoded, read_image
from focus_companion.vision.capture.jpeg import Header, JpegPicture
from focus_companion.vision.capture.live import EncodedLive
from focus_companion.vision.capture.picture_faults import Repeats, picture_fault
from focus_companion.vision.capture.planes import sampling_step
from focus_companion.vision.capture.sampling import sampled, subsampled
from focus_companion.vision.machine_speed import REDUCED_SIZE
from focus_companion.vision.tracking.stillness import Stillness

PATH = Path(__file__).parents[3] / "fixtures" / "images" / "2p-oblique-start.jpg"


@pytest.fixture(scope="module")
def image() -> Image:
    return np.asarray(cv2.resize(read_image(PATH), (1280, 960), interpolation=cv2.INTER_AREA), np.uint8)


def file_of(image: Image, *options: int) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 85, *options])[1])


def lazily(image: Image, *options: int) -> JpegPicture:
    picture = lazily_decoded(file_of(image, *options), "test")
    assert isinstance(picture, JpegPicture)
    return picture


def with_exif(data: bytes, orientation: int) -> bytes:
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    body = b"Exif\0\0" + exif.tobytes().removeprefix(b"Exif\0\0")
    return data[:2] + b"\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body + data[2:]


@pytest.mark.parametrize("options", [(), (cv2.IMWRITE_JPEG_PROGRESSIVE, 1)], ids=["baseline", "progressive"])
def test_the_whole_picture_is_the_one_decoded_at_once(image: Image, options: tuple[int, ...]) -> None:
    picture = lazily(image, *options)
    assert picture.shape == (960, 1280, 3)
    assert np.array_equal(
        picture.image, cv2.imdecode(np.frombuffer(picture.data, np.uint8), cv2.IMREAD_COLOR)
    )
    assert Frame(0, 0.0, picture).image is picture.image


def test_the_subsampled_copy_shows_the_same_in_the_same_place(image: Image) -> None:
    picture = lazily(image)
    copy, plain = sampled(picture), subsampled(cv2.blur(image, (5, 5))[2:, 2:], 5)
    assert copy.shape == (192, 256, 3)
    # The difference is clearly smaller than to the same copy shifted by a pixel.
    inner = np.asarray(copy[:190, :254], float)
    right = np.abs(inner - plain[:190, :254]).mean()
    assert right < 4
    assert right < 0.7 * np.abs(inner - plain[1:191, 1:255]).mean()


@pytest.mark.parametrize("strength", [4, 8])
def test_noise_is_no_motion_as_in_whole_pictures(image: Image, strength: int) -> None:
    random = np.random.default_rng(2)
    noisy = [
        np.asarray(np.clip(image + random.normal(0, strength, image.shape), 0, 255), np.uint8)
        for _ in range(8)
    ]
    for pictures in (noisy, [lazily(each) for each in noisy]):
        stillness = Stillness()
        for index, each in enumerate(pictures):
            stillness.update(index / 15, stillness.small_copy(each))
        assert stillness.frames == len(noisy) - 1


@pytest.mark.parametrize("orientation", [1, 6])
def test_a_picture_that_may_be_rotated_is_decoded_at_once(image: Image, orientation: int) -> None:
    picture = lazily_decoded(with_exif(file_of(image), orientation), "test")
    assert isinstance(picture, np.ndarray)
    assert picture.shape[:2] == ((960, 1280) if orientation == 1 else (1280, 960))


def test_the_size_that_is_asked_for_on_slow_machines_is_reduced_too(image: Image) -> None:
    smaller = lazily(np.asarray(cv2.resize(image, REDUCED_SIZE, interpolation=cv2.INTER_AREA), np.uint8))
    assert sampled(smaller).shape == subsampled(smaller.image, sampling_step(REDUCED_SIZE[0])).shape


def test_small_pictures_and_other_formats_are_decoded_at_once(image: Image) -> None:
    small = np.ascontiguousarray(image[:480, :640])
    for data in (file_of(small), bytes(cv2.imencode(".png", small)[1])):
        assert isinstance(lazily_decoded(data, "test"), np.ndarray)


@pytest.mark.parametrize("length", [0, 1, 2, 3, 20, 200])
def test_a_picture_cut_off_in_its_header_is_refused(image: Image, length: int) -> None:
    with pytest.raises(FrameError, match="test is not a picture"):
        lazily_decoded(file_of(image)[:length], "test")


def test_a_header_that_names_a_huge_picture_is_refused_unread(image: Image) -> None:
    data = bytearray(file_of(image))
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = b"\xff\x00\xff\x00"
    with pytest.raises(FrameError, match="65280"):
        lazily_decoded(bytes(data), "test")


def test_random_bytes_in_the_header_never_end_the_program(image: Image) -> None:
    random, data = np.random.default_rng(5), file_of(image)
    for _ in range(60):
        broken = bytearray(data)
        for at in random.integers(2, 700, 4):
            broken[at] = random.integers(256)
        try:
            picture = lazily_decoded(bytes(broken), "test")
        except FrameError:
            continue
        assert picture.shape[2] == 3 and Frame(0, 0.0, picture).image.shape == picture.shape


def test_a_truncated_picture_is_refused(image: Image) -> None:
    data = file_of(image)
    assert picture_fault(lazily_decoded(data, "test")) == ""
    with pytest.raises(FrameError, match="test is not a picture"):
        lazily_decoded(data[: len(data) // 2], "test")


def test_the_bottom_of_a_reduced_picture_is_checked(image: Image) -> None:
    grey = image.copy()
    grey[-200:] = 128
    assert picture_fault(lazily(grey)) == "damaged"


def test_an_identical_file_counts_as_a_repetition(image: Image) -> None:
    repeats, other = Repeats(), image.copy()
    other[40:80, 40:80] ^= 255
    assert repeats.update(lazily(image), 1.0) == 0
    assert repeats.update(lazily(image), 3.5) == 2.5
    assert repeats.update(lazily(other), 4.0) == 0
    assert repeats.update(lazily(other).image, 4.5) == 0.5


def test_the_page_gets_the_cameras_file_without_metadata(image: Image) -> None:
    secret = b"52.2297 N 21.0122 E"
    plain = file_of(image)
    data = plain[:2] + b"\xff\xfe" + (len(secret) + 2).to_bytes(2, "big") + secret + plain[2:]
    pictures = Pictures()
    pictures.take(Frame(0, 0.0, lazily_decoded(data, "test")))
    assert pictures.jpeg() == pictures.jpeg(width=1280) == plain
    assert Header(data).without_metadata() == plain


def test_the_page_gets_no_file_that_a_browser_may_not_show(image: Image) -> None:
    data = file_of(image)
    # Many cameras omit the tables (DHT) that nearly all pictures share.
    while (at := data.find(b"\xff\xc4")) >= 0:
        data = data[:at] + data[at + 2 + int.from_bytes(data[at + 2 : at + 4], "big") :]
    pictures = Pictures()
    pictures.take(Frame(0, 0.0, lazily_decoded(data, "test")))
    shown = pictures.jpeg()
    assert shown is not None and Header(shown).has_tables and not Header(data).has_tables
    assert (
        np.abs(
            cv2.imdecode(np.frombuffer(shown, np.uint8), cv2.IMREAD_COLOR) - np.asarray(image, float)
        ).mean()
        < 6
    )


@pytest.mark.parametrize("width", [320, 480, 640, 960])
def test_a_narrower_picture_is_made_from_a_reduced_one(image: Image, width: int) -> None:
    pictures = Pictures()
    pictures.take(Frame(0, 0.0, lazily(image)))
    data = pictures.jpeg(width=width)
    assert data is not None
    shown = np.asarray(Pillow.open(io.BytesIO(data)).convert("RGB"), float)[..., ::-1]
    wanted = cv2.resize(image, (width, width * 3 // 4), interpolation=cv2.INTER_AREA)
    assert np.abs(shown - wanted).mean() < 6


def test_while_nothing_moves_viewers_share_a_picture_for_a_second(image: Image) -> None:
    pictures = Pictures()
    frames = [Frame(at, at / 5, lazily(image)) for at in range(12)]
    shown = []
    for frame in frames[:10]:
        pictures.take(frame, same=True)
        shown.append(pictures.jpeg(width=640))
    # It is encoded twice in two seconds of five pictures each.
    assert len({id(data) for data in shown}) == 2
    # A picture with movement is shown at once.
    pictures.take(frames[10])
    assert pictures.jpeg(width=640) is not shown[-1]
    assert pictures.newest is frames[10]


def test_overlays_are_drawn_on_the_full_size_picture(image: Image) -> None:
    pictures, seen = Pictures(), []
    pictures.take(Frame(0, 0.0, lazily(image)))

    def draw(whole: Image) -> Image:
        seen.append(whole.shape)
        return np.zeros_like(whole)

    data = pictures.jpeg(draw, "drawn", 640)
    assert data is not None and seen == [(960, 1280, 3)]
    assert not np.asarray(Pillow.open(io.BytesIO(data))).any()


class Endless:
    """A camera with a picture every hundredth of a second."""

    def __init__(self, data: bytes) -> None:
        self.data, self.released = data, threading.Event()

    def read(self) -> tuple[bool, Any]:
        return not self.released.wait(0.01), self.data

    def release(self) -> None:
        self.released.set()


def times(source: EncodedLive, seconds: float) -> Iterator[float]:
    end = time.monotonic() + seconds
    for frame in source:
        yield frame.time
        if time.monotonic() > end:
            return


def test_a_reader_gets_pictures_at_its_minimum_interval(image: Image) -> None:
    data = file_of(np.ascontiguousarray(image[:240, :320]))
    with EncodedLive("test", Endless(data)) as source:
        source.min_interval = 0.1
        few = list(times(source, 1.0))
    assert 4 <= len(few) <= 15
    assert np.diff(few).min() > 0.07
