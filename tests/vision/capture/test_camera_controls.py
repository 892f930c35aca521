"""Exposure, white balance and focus are locked once settled, read back, and unlocked in different light."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from focus_companion.vision.capture import picamera, v4l2
from focus_companion.vision.capture.camera_controls import LOCKED, Locker

FRAME_INTERVAL = 1 / 15


class Webcam:
    """A camera with automatic controls, which gradually bring the picture's mean to 110 and balance its
    white.

    ``light`` is the light on the sensor, ``tint`` how blue it is; time passes with every picture.
    """

    def __init__(self, *, lies: bool = False, stubborn: bool = False, lacks: tuple[int, ...] = ()) -> None:
        self.light, self.tint = 100.0, 1.25
        self.values = {
            cv2.CAP_PROP_AUTO_EXPOSURE: 1.0,
            cv2.CAP_PROP_EXPOSURE: 20.0,
            cv2.CAP_PROP_AUTO_WB: 0.0,
            cv2.CAP_PROP_WB_TEMPERATURE: 2800.0,
        }
        self.lies, self.stubborn, self.lacks = lies, stubborn, lacks
        self.exposure, self.gain = 20.0, 1.0
        self.time = 0.0

    def get(self, key: int) -> float:
        if key in self.lacks:
            return -1.0
        if key == cv2.CAP_PROP_EXPOSURE and not self.lies:
            return float(round(self.exposure))
        if key == cv2.CAP_PROP_WB_TEMPERATURE:
            return 5000.0 / self.gain
        return self.values.get(key, -1.0)

    def set(self, key: int, value: float) -> bool:
        if key not in self.values or key in self.lacks:
            return False
        if self.stubborn and key == cv2.CAP_PROP_AUTO_EXPOSURE and value == 1.0 and self.time:
            return True
        # Like most drivers, this one has no fully automatic exposure.
        if key == cv2.CAP_PROP_AUTO_EXPOSURE and value not in (1.0, 3.0):
            return False
        self.values[key] = value
        if key == cv2.CAP_PROP_EXPOSURE:
            self.exposure = value
        if key == cv2.CAP_PROP_WB_TEMPERATURE:
            self.gain = 5000.0 / value
        return True

    def shoot(self) -> np.ndarray:
        self.time += FRAME_INTERVAL
        if self.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 3.0:
            self.exposure += 0.2 * (110 * 100 / self.light - self.exposure)
        if self.values[cv2.CAP_PROP_AUTO_WB] == 1.0:
            self.gain += 0.15 * (self.tint - self.gain)
        level = self.light * self.exposure / 100
        blue = level * self.tint / self.gain
        rng = np.random.default_rng(int(self.time * 100))
        picture = np.array([blue, level, level]) + rng.normal(0, 3, (96, 128, 3))
        return np.clip(picture, 0, 255).astype(np.uint8)


def watch(camera: Webcam, locker: Locker, seconds: float) -> np.ndarray:
    """Run a camera for ``seconds`` and return the last picture's mean colour."""
    for _ in range(round(seconds / FRAME_INTERVAL)):
        picture = camera.shoot()
        locker.process(picture, camera.time)
    return picture.reshape(-1, 3).mean(0)


def test_a_settled_camera_is_locked() -> None:
    """It was left locked at a wrong value by an earlier run, so it must be unlocked first."""
    camera = Webcam()
    locker = Locker("camera", v4l2.controls(camera))
    fine = watch(camera, locker, 10)
    assert np.allclose(fine, 110, atol=4), fine
    assert locker.state["exposure"] == locker.state["white balance"] == LOCKED
    assert "no such switch" in locker.state["focus"]
    # An arm in a white sleeve does not change the locked exposure.
    camera.light *= 1.3
    brighter = watch(camera, locker, 2)
    assert np.allclose(brighter / fine, 1.3, rtol=0.03)


def test_a_locked_camera_is_unlocked_in_different_light_and_locked_again() -> None:
    camera = Webcam()
    locker = Locker("camera", v4l2.controls(camera))
    watch(camera, locker, 10)
    camera.light, camera.tint = 30.0, 0.7
    dark = watch(camera, locker, 2)
    assert dark[1] < 40
    again = watch(camera, locker, 12)
    assert np.allclose(again, 110, atol=4), again
    assert locker.state["exposure"] == locker.state["white balance"] == LOCKED


@pytest.mark.parametrize(
    ("camera", "control", "words"),
    [
        (Webcam(stubborn=True), "exposure", "driver refuses"),
        (Webcam(lies=True), "exposure", "the picture changes"),
        (Webcam(lacks=(cv2.CAP_PROP_EXPOSURE,)), "exposure", "does not report"),
        (Webcam(lacks=(cv2.CAP_PROP_AUTO_WB,)), "white balance", "no such switch"),
    ],
    ids=["refuses", "lies", "does not report", "has none"],
)
def test_a_control_that_cannot_be_locked_is_reported_and_left_automatic(
    camera: Webcam, control: str, words: str
) -> None:
    locker = Locker("camera", v4l2.controls(camera))
    mean = watch(camera, locker, 12)
    assert words in locker.state[control]
    other = {"exposure": "white balance", "white balance": "exposure"}[control]
    assert locker.state[other] == LOCKED
    if control == "exposure":
        assert camera.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 3.0
        assert abs(mean[1] - 110) < 5


def test_a_camera_that_never_settles_is_locked_after_the_timeout() -> None:
    camera = Webcam()
    locker = Locker("camera", v4l2.controls(camera))
    for _ in range(round(40 / FRAME_INTERVAL)):
        camera.light = 100 + 25 * np.sin(2 * camera.time)
        locker.process(camera.shoot(), camera.time)
    assert LOCKED in locker.state.values()


class PiCamera:
    """The library's camera: controls take effect some pictures after they are set, and metadata contain the
    values in use.
    """

    def __init__(self) -> None:
        self.camera_controls = dict.fromkeys(
            ("AeEnable", "ExposureTime", "AnalogueGain", "AwbEnable", "ColourGains"), (0, 1, 0)
        )
        self.set_: dict[str, Any] = {"AeEnable": False, "ExposureTime": 9000}
        self.under_way: list[dict[str, Any]] = []
        self.count = 0
        self.stopped = self.closed = False

    def set_controls(self, values: dict[str, Any]) -> None:
        self.under_way.append({**values, "due": self.count + 3})

    def capture_request(self) -> PiCamera:
        self.count += 1
        for values in [v for v in self.under_way if v["due"] <= self.count]:
            self.under_way.remove(values)
            self.set_.update(values)
        return self

    def get_metadata(self) -> dict[str, Any]:
        wander = 1 + 0.3 * np.sin(self.count)
        exposure = 20000 * wander if self.set_["AeEnable"] else self.set_["ExposureTime"] * 1.001
        gains = (1.5, 1.8 * wander) if self.set_.get("AwbEnable") else self.set_.get("ColourGains", (1, 1))
        return {"ExposureTime": int(exposure), "AnalogueGain": 2.0, "ColourGains": gains}

    def make_array(self, name: str) -> np.ndarray:
        return np.full((96, 128, 3), 90, np.uint8)

    def release(self) -> None:
        return

    def stop(self) -> None:
        self.stopped = True

    def close(self) -> None:
        self.closed = self.stopped


def test_a_pi_camera_is_locked_with_the_values_in_its_metadata() -> None:
    camera = PiCamera()
    capture = picamera.PiCapture(camera)
    locker = Locker("picamera2:0", picamera.controls(capture))
    for index in range(160):
        ok, image = capture.read()
        assert ok and image is not None
        locker.process(image, index * FRAME_INTERVAL)
    assert locker.state["exposure"] == locker.state["white balance"] == LOCKED
    assert "no such switch" in locker.state["focus"]
    before = capture.metadata
    capture.read()
    assert capture.metadata == before and 13000 < before["ExposureTime"] < 27000
    capture.release()
    assert camera.closed
