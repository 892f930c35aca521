"""A phone as the camera: its browser sends JPEG pictures, which the web server passes on to this module."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from .frames import CLOSED_CHECK_INTERVAL
from .jpeg import Header
from .live import EncodedLive

NAME: Final = "phone"

MAX_BYTES: Final = 2 * 1024 * 1024
"""Maximum bytes of a picture; one of 1280 × 960 has a quarter of that."""

SIDE_RANGE: Final = (240, 4096)
"""Minimum and maximum pixels of a side."""

MAX_RATE: Final = 30
"""Maximum pictures accepted per second."""


class PictureRefused(ValueError):
    """The picture is unusable; the text says why."""


class TooFast(PictureRefused):
    """More than :data:`MAX_RATE` pictures arrived within a second."""


class PhoneCamera:
    """Holds the phone's newest picture until its source reads it. May be used from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._change = threading.Condition()
        self._newest: tuple[bytes, tuple[int, int]] | None = None
        self._number = -1
        self._times: deque[float] = deque(maxlen=MAX_RATE)

    def begin(self) -> None:
        """A phone starts to send pictures: their numbering restarts."""
        with self._change:
            self._number = -1

    def put(self, data: bytes, number: int) -> bool:
        """Add a JPEG picture. Returns False if it is dropped because a later ``number`` has already arrived.

        Raises:
            PictureRefused: it is too large or no JPEG of a usable size.
            TooFast: too many pictures arrive.
        """
        size = jpeg_size(data)
        with self._change:
            now = self._clock()
            if len(self._times) == MAX_RATE and now - self._times[0] < 1.0:
                raise TooFast(f"more than {MAX_RATE} pictures a second")
            if number <= self._number:
                return False
            self._times.append(now)
            self._number = number
            self._newest = data, size
            self._change.notify_all()
            return True

    def take(self, timeout: float) -> tuple[bytes, tuple[int, int]] | None:
        """The newest picture and its size (width, height); None if ``timeout`` seconds pass without one."""
        with self._change:
            self._change.wait_for(lambda: self._newest is not None, timeout)
            taken, self._newest = self._newest, None
            return taken

    def open(self) -> PhonePictures:
        """A source of the pictures from now on, which waits for the phone without a timeout."""
        return PhonePictures(self)


class PhonePictures(EncodedLive):
    """The pictures of a :class:`PhoneCamera`. It ends when their size changes: the phone was rotated, or
    replaced by another one."""

    # There is nothing to reopen, so the reader decides when the phone counts as gone.
    timeout = threading.TIMEOUT_MAX
    silence_reason = "phone"

    def __init__(self, camera: PhoneCamera) -> None:
        super().__init__(NAME, self)
        self._camera = camera
        self._size: tuple[int, int] | None = None

    def read(self) -> tuple[bool, bytes | None]:
        """The next picture's bytes; (False, None) once closed, or when the size changes."""
        while not self._closed.is_set():
            if (taken := self._camera.take(CLOSED_CHECK_INTERVAL)) is None:
                continue
            data, size = taken
            self._size = self._size or size
            return (True, data) if size == self._size else (False, None)
        return False, None

    def release(self) -> None:
        """Nothing to release: the camera belongs to the phone."""


def jpeg_size(data: bytes) -> tuple[int, int]:
    """Width and height from a JPEG's header; nothing is decoded. Raises :class:`PictureRefused`."""
    if len(data) > MAX_BYTES:
        raise PictureRefused(f"{len(data)} bytes are more than a picture may have ({MAX_BYTES})")
    try:
        header = Header(data)
    except ValueError as error:
        raise PictureRefused("this is not a JPEG picture") from error
    width, height = header.width, header.height
    least, most = SIDE_RANGE
    if not (least <= min(width, height) and max(width, height) <= most):
        raise PictureRefused(f"{width} × {height} is not a valid picture size (a side has {least} to {most})")
    return width, height
