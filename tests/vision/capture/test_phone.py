"""A phone's pictures: only the newest is kept, in order, and unusable ones are refused."""

from __future__ import annotations

import threading
import time
from itertools import islice

import cv2
import numpy as np
import pytest

from focus_companion.vision.capture.phone import (
    MAX_BYTES,
    MAX_RATE,
    PhoneCamera,
    PictureRefused,
    TooFast,
    jpeg_size,
)


def jpeg(shade: int = 90, width: int = 320, height: int = 240) -> bytes:
    return cv2.imencode(".jpg", np.full((height, width, 3), shade, np.uint8))[1].tobytes()


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_pictures_are_delivered_as_a_live_source() -> None:
    camera = PhoneCamera()
    shades = [60, 120, 180]
    with camera.open() as source:
        assert source.live and source.silence_reason == "phone"

        def send() -> None:
            for number, shade in enumerate(shades):
                camera.put(jpeg(shade), number)
                time.sleep(0.1)

        sender = threading.Thread(target=send)
        sender.start()
        frames = list(islice(source, len(shades)))
        sender.join()
    assert [round(float(frame.image.mean())) for frame in frames] == shades
    assert frames[0].image.shape == (240, 320, 3)
    assert frames[0].time < frames[1].time < frames[2].time


def test_only_the_newest_picture_is_kept() -> None:
    camera = PhoneCamera()
    for number in range(3):
        camera.put(jpeg(50 * number), number)
    assert camera.take(0) == (jpeg(100), (320, 240)) and camera.take(0) is None


def test_a_late_picture_is_dropped_until_the_numbering_restarts() -> None:
    camera = PhoneCamera()
    assert camera.put(jpeg(10), 7)
    assert not camera.put(jpeg(20), 6) and not camera.put(jpeg(20), 7)
    assert camera.take(0) == (jpeg(10), (320, 240))
    camera.begin()
    assert camera.put(jpeg(30), 0)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"garbage" * 100,
        b"\xff\xd8\xff\xe0",
        jpeg()[:100],
        cv2.imencode(".png", np.zeros((240, 320, 3), np.uint8))[1].tobytes(),
        jpeg(width=64, height=64),
        jpeg(width=5000, height=240),
        jpeg() + bytes(MAX_BYTES),
    ],
    ids=["empty", "garbage", "begun", "cut in its header", "png", "small", "wide", "heavy"],
)
def test_an_unusable_picture_is_refused(data: bytes) -> None:
    camera = PhoneCamera()
    with pytest.raises(PictureRefused):
        camera.put(data, 1)
    assert camera.take(0) is None


def test_a_huge_size_is_refused_without_decoding() -> None:
    data = bytearray(jpeg())
    at = data.index(b"\xff\xc0") + 5
    data[at : at + 4] = b"\xff\xff\xff\xff"
    with pytest.raises(PictureRefused, match="65535"):
        jpeg_size(bytes(data))


def test_too_many_pictures_are_refused() -> None:
    clock = Clock()
    camera = PhoneCamera(clock)
    for number in range(MAX_RATE):
        camera.put(jpeg(), number)
    with pytest.raises(TooFast):
        camera.put(jpeg(), MAX_RATE)
    clock.now = 1.0
    assert camera.put(jpeg(), MAX_RATE)


def test_a_picture_truncated_after_its_header_is_skipped() -> None:
    camera = PhoneCamera()
    whole = jpeg()
    head = whole[: whole.index(b"\xff\xda") + 14]
    with camera.open() as source:
        frames = iter(source)
        timer = threading.Timer(0.4, lambda: camera.put(jpeg(200), 2))
        camera.put(head, 1)
        timer.start()
        assert round(float(next(frames).image.mean())) == 200
        timer.join()


def test_the_source_ends_when_the_phone_is_rotated() -> None:
    camera = PhoneCamera()
    with camera.open() as source:
        frames = iter(source)
        camera.put(jpeg(), 1)
        next(frames)
        camera.put(jpeg(width=240, height=320), 2)
        assert next(frames, None) is None


def test_closing_wakes_a_source_that_waits() -> None:
    source = PhoneCamera().open()
    reader = threading.Thread(target=lambda: list(source))
    reader.start()
    time.sleep(0.1)
    source.close()
    reader.join(60)
    assert not reader.is_alive()
