"""Video4Linux cameras, by number, by device, or by a stable path, which survives replugging."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from .camera_controls import MAX_ROUNDING, Locker
from .frames import CAMERA_SIZE, FrameError, Picture
from .jpeg import JPEG_START
from .live import EncodedLive, Live
from .sampling import sampled

STABLE_NAMES: Final = Path("/dev/v4l")
"""The system's stable names of cameras: ``by-id`` by maker and serial number, ``by-path`` by port."""

AUTO_EXPOSURE: Final = (3.0, 0.0)
"""The driver's values for automatic exposure: aperture priority without a motorized iris, else fully
automatic."""
MANUAL_EXPOSURE: Final = 1.0
"""The driver's value for manual exposure."""

MJPG: Final = cv2.VideoWriter.fourcc(*"MJPG")
CONTROL_INTERVAL: Final = 0.2
"""Minimum seconds between two JPEG pictures that are decoded for the camera's controls."""

Opener = Callable[[str], Any]


class Undecoded:
    """Reads the JPEG pictures of a camera without decoding them, as bytes; or arrays (H, W, 3) if the camera
    or driver does not give JPEG pictures.
    """

    def __init__(self, capture: Any) -> None:
        self._capture = capture
        if self._capture.get(cv2.CAP_PROP_FOURCC) == MJPG:
            self._capture.set(cv2.CAP_PROP_CONVERT_RGB, 0.0)

    def read(self) -> tuple[bool, Any]:
        done, raw = self._capture.read()
        if not done or raw is None or raw.ndim == 3:
            return done, raw
        data = raw.tobytes()
        if data[:2] == JPEG_START:
            return True, data
        # It is not what the driver promised: let OpenCV decode it.
        self._capture.set(cv2.CAP_PROP_CONVERT_RGB, 1.0)
        done, raw = self._capture.read()
        return done and raw is not None and raw.ndim == 3, raw

    def release(self) -> None:
        self._capture.release()


class Device(EncodedLive):
    """A camera whose pictures may or may not be encoded."""

    _processed_at = 0.0

    def _process_controls(self, locker: Locker, raw: Any, now: float) -> None:
        if not isinstance(raw, bytes):
            super()._process_controls(locker, raw, now)
        elif now - self._processed_at >= CONTROL_INTERVAL and (picture := self._picture(raw)) is not None:
            self._processed_at = now
            locker.process(sampled(picture), now)

    def _picture(self, raw: Any) -> Picture | None:
        return super()._picture(raw) if isinstance(raw, bytes) else np.asarray(raw, np.uint8)


@dataclass
class DriverControl:
    """One control of the driver: OpenCV's numbers of the switch ``auto`` and of the ``value`` that it
    controls, and the values of the switch that mean ``on`` and ``off``.
    """

    capture: Any
    name: str
    auto: int
    value: int
    on: tuple[float, ...] = (1.0,)
    off: float = 0.0

    def release(self) -> None:
        for on in self.on:
            if self.capture.set(self.auto, on) and self.capture.get(self.auto) == on:
                return

    def hold(self) -> str:
        if self.capture.get(self.auto) not in (*self.on, self.off):
            return "cannot be locked: the camera has no such switch"
        chosen = self.capture.get(self.value)
        if chosen < 0:
            return "cannot be locked: the camera does not report its value"
        self.capture.set(self.auto, self.off)
        if self.capture.get(self.auto) != self.off:
            return "cannot be locked: the driver refuses"
        self.capture.set(self.value, chosen)
        kept = self.capture.get(self.value)
        if abs(kept - chosen) > max(1.0, MAX_ROUNDING * abs(chosen)):
            self.release()
            return f"cannot be locked: the driver makes {kept:g} of {chosen:g}"
        return ""


def controls(capture: Any) -> tuple[DriverControl, ...]:
    """The automatic controls of a Video4Linux camera that can be locked."""
    return (
        DriverControl(
            capture,
            "exposure",
            cv2.CAP_PROP_AUTO_EXPOSURE,
            cv2.CAP_PROP_EXPOSURE,
            AUTO_EXPOSURE,
            MANUAL_EXPOSURE,
        ),
        DriverControl(capture, "white balance", cv2.CAP_PROP_AUTO_WB, cv2.CAP_PROP_WB_TEMPERATURE),
        DriverControl(capture, "focus", cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_FOCUS),
    )


def device(source: str) -> Path:
    """The device that a number or path currently refers to.

    Raises:
        FrameError: a stable path whose camera is not plugged in.
    """
    if source.isdigit():
        return Path(f"/dev/video{source}")
    path = Path(source)
    if path.is_symlink() and not path.exists():
        raise FrameError(f"camera {source} is not plugged in", "unplugged")
    return path.resolve()


def stable_path(source: str, folder: Path = STABLE_NAMES) -> str:
    """A path that refers to the camera at ``source`` even after replugging, preferably by maker and serial
    number, otherwise by port; ``source`` if there is none.
    """
    try:
        wanted = device(source)
    except FrameError:
        return source
    for kind in ("by-id", "by-path"):
        for link in sorted((folder / kind).glob("*")):
            if link.resolve() == wanted:
                return str(link)
    return source


def open_camera(
    source: str,
    opener: Opener = lambda path: cv2.VideoCapture(path, cv2.CAP_V4L2),
    *,
    size: tuple[int, int] = CAMERA_SIZE,
) -> Live:
    """The camera of that number or path, with pictures of this ``size`` (width, height) or the nearest size
    that it has.

    Raises:
        FrameError: it does not open.
    """
    capture = opener(str(device(source)))
    if not capture.isOpened():
        raise FrameError(
            f"camera {source} does not open; is it plugged in, and free of other programs?", "unplugged"
        )
    capture.set(cv2.CAP_PROP_FOURCC, MJPG)
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    name = f"camera {source}"
    return Device(name, Undecoded(capture), Locker(name, controls(capture)), end_reason="unplugged")
