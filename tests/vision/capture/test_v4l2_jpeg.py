"""Video4Linux cameras that give JPEG pictures, which are decoded only as far as needed."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import cv2
import numpy as np
import pytest

from focus_companion.vision.capture import v4l2
from focus_companion.vision.capture.jpeg import JpegPicture

SHADES = np.random.default_rng(4).integers(40, 210, (24, 32, 3), np.uint8)
IMAGE = np.asarray(cv2.resize(SHADES, (1280, 960), interpolation=cv2.INTER_NEAREST), np.uint8)
DATA = bytes(cv2.imencode(".jpg", IMAGE)[1])


class Webcam:
    """A driver with OpenCV's interface, which gives 50 pictures per second.

    ``formats``: the pixel formats that it supports; ``raw``: the bytes that it gives if JPEG is requested.
    """

    def __init__(self, formats: tuple[str, ...] = ("YUYV", "MJPG"), raw: bytes = DATA) -> None:
        self.formats, self.raw = formats, raw
        self.set_to: dict[int, float] = {
            cv2.CAP_PROP_FOURCC: cv2.VideoWriter.fourcc(*"YUYV"),
            cv2.CAP_PROP_CONVERT_RGB: 1.0,
            cv2.CAP_PROP_AUTO_EXPOSURE: 3.0,
            cv2.CAP_PROP_EXPOSURE: 120.0,
        }
        self.released = False

    def isOpened(self) -> bool:
        return True

    def set(self, key: int, value: float) -> bool:
        if key == cv2.CAP_PROP_FOURCC and value not in {
            cv2.VideoWriter.fourcc(*each) for each in self.formats
        }:
            return False
        self.set_to[key] = value
        return True

    def get(self, key: int) -> float:
        return self.set_to.get(key, -1.0)

    def read(self) -> tuple[bool, Any]:
        time.sleep(0.02)
        if self.set_to[cv2.CAP_PROP_CONVERT_RGB]:
            return True, IMAGE.copy()
        return True, np.frombuffer(self.raw, np.uint8).reshape(1, -1)

    def release(self) -> None:
        self.released = True


def pictures_of(driver: Webcam, number: int = 3) -> list[Any]:
    with v4l2.open_camera("0", lambda path: driver) as source:
        return [frame.picture for frame in islice(source, number)]


def test_its_jpeg_pictures_are_not_decoded_yet() -> None:
    driver = Webcam()
    for picture in pictures_of(driver):
        assert isinstance(picture, JpegPicture)
        assert picture.data == DATA
        assert np.abs(picture.image - IMAGE.astype(int)).mean() < 8
    assert driver.released


@pytest.mark.parametrize(
    "make",
    [lambda: Webcam(formats=("YUYV",)), lambda: Webcam(raw=bytes(1000))],
    ids=["no such format", "something else than promised"],
)
def test_others_are_decoded_by_the_driver(make: Callable[[], Webcam]) -> None:
    for picture in pictures_of(make()):
        assert np.array_equal(picture, IMAGE)


def test_its_controls_are_locked_once_its_pictures_have_settled() -> None:
    driver = Webcam()
    with v4l2.open_camera("0", lambda path: driver) as source:
        began = time.monotonic()
        for _ in source:
            if source.locks.get("exposure") == "locked" or time.monotonic() - began > 8:
                break
        assert source.locks["exposure"] == "locked"
    assert driver.get(cv2.CAP_PROP_AUTO_EXPOSURE) == v4l2.MANUAL_EXPOSURE
