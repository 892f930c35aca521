"""Raspberry Pi camera modules (``picamera2:0``), through the system's library picamera2."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .camera_controls import MAX_ROUNDING, Locker
from .frames import CAMERA_SIZE, FrameError
from .live import Live

PREFIX: Final = "picamera2:"


class PiCapture:
    """A running camera with the interface of a capture; ``read`` blocks until the next picture."""

    def __init__(self, camera: Any) -> None:
        self._camera = camera
        self.metadata: dict[str, Any] = {}

    def read(self) -> tuple[bool, NDArray[np.uint8] | None]:
        request = self._camera.capture_request()
        try:
            self.metadata = request.get_metadata()
            # A copy, since the buffer goes back to the camera.
            return True, np.array(request.make_array("main"), np.uint8)
        finally:
            request.release()

    def release(self) -> None:
        self._camera.stop()
        self._camera.close()

    def set(self, **values: Any) -> None:
        self._camera.set_controls(values)

    def has(self, *names: str) -> bool:
        return all(name in self._camera.camera_controls for name in names)


class PiControl:
    """One automatic control: ``switch`` is the name and the values (on, off) of its switch, ``values`` are
    the names of the values to lock.
    """

    def __init__(
        self, capture: PiCapture, name: str, switch: tuple[str, Any, Any], values: tuple[str, ...]
    ) -> None:
        self.name = name
        self._capture, self._values = capture, values
        self._switch, self._on, self._off = switch

    def release(self) -> None:
        if self._capture.has(self._switch):
            self._capture.set(**{self._switch: self._on})

    def hold(self) -> str:
        if not self._capture.has(self._switch, *self._values):
            return "cannot be locked: the camera has no such switch"
        missing = [name for name in self._values if name not in self._capture.metadata]
        if missing:
            return f"cannot be locked: the camera does not report its {', '.join(missing)}"
        chosen = {name: self._capture.metadata[name] for name in self._values}
        self._capture.set(**{self._switch: self._off}, **chosen)
        for _ in range(_MAX_LATENCY):
            self._capture.read()
            if all(_near(self._capture.metadata.get(name), value) for name, value in chosen.items()):
                return ""
        self.release()
        return "cannot be locked: the camera goes on changing it"


_MAX_LATENCY: Final = 8
"""Maximum pictures until a control takes effect: several are in flight when it is set."""


def _near(got: Any, wanted: Any) -> bool:
    # The sensor counts lines, not microseconds, so exposures are rounded.
    return got is not None and bool(np.allclose(got, wanted, rtol=MAX_ROUNDING, atol=1e-3))


def controls(capture: PiCapture) -> tuple[PiControl, ...]:
    """Exposure, white balance and, for cameras with a moving lens, focus (libcamera: 2 continuous, 0
    manual).
    """
    return (
        PiControl(capture, "exposure", ("AeEnable", True, False), ("ExposureTime", "AnalogueGain")),
        PiControl(capture, "white balance", ("AwbEnable", True, False), ("ColourGains",)),
        PiControl(capture, "focus", ("AfMode", 2, 0), ("LensPosition",)),
    )


def open_camera(source: str, *, size: tuple[int, int] = CAMERA_SIZE) -> Live:
    """The camera that ``picamera2:N`` names, with pictures of this ``size`` (width, height).

    Raises:
        FrameError: there is no such library or camera.
    """
    number = source.removeprefix(PREFIX) or "0"
    if not (number.isascii() and number.isdigit()):
        raise FrameError(f"{source} names no camera; give picamera2:0, or 1 for the second one")
    try:
        library = import_module("picamera2")
    except ImportError as error:
        raise FrameError(
            f"{source} needs the library picamera2, which is not here ({error}); on Raspberry Pi OS: "
            "sudo apt install python3-picamera2, then reinstall this program so that it sees the library: "
            "pipx uninstall focus-companion; pipx install --system-site-packages ."
        ) from error
    try:
        camera = library.Picamera2(int(number))
    except (IndexError, RuntimeError, OSError) as error:
        raise FrameError(
            f"{source} does not open ({error}); is it plugged in, and free of other programs?", "unplugged"
        ) from error
    # What the library calls RGB888 is in the order blue, green, red in memory. Without a queue, each
    # requested picture is taken after the request.
    camera.configure(
        camera.create_video_configuration(
            main={"size": size, "format": "RGB888"}, buffer_count=3, queue=False
        )
    )
    camera.start()
    capture = PiCapture(camera)
    return Live(source, capture, Locker(source, controls(capture)), end_reason="unplugged")
