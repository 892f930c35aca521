"""The base of all live cameras: each is read on its own thread, with a queue for a busy reader."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final, Protocol

import numpy as np

from . import frames
from .backlog import Backlog, QueuedPicture
from .camera_controls import Locker
from .frames import Frame, FrameError, Picture, Source, lazily_decoded

READ_TIMEOUT = 5.0
"""Seconds without a picture after which a live source counts as stalled."""

MIN_INTERVAL_SHARE: Final = 0.75
"""Share of :attr:`Live.min_interval` after which a picture is taken, as no camera or network is exactly
regular."""

CLOSE_TIMEOUT: Final = 0.5
"""Maximum seconds to wait for the reading thread to end."""


class Capture(Protocol):
    """What a live source reads from: OpenCV's capture, or something with its interface."""

    def read(self) -> tuple[bool, Any]:
        """Whether there is another picture, and that picture; blocks."""
        ...

    def release(self) -> None: ...


class Live(Source):
    """A camera or stream read on its own thread, with a :class:`Backlog` for the reader."""

    live = True
    timeout = READ_TIMEOUT
    """Seconds without a picture after which this source counts as stalled."""

    def __init__(
        self, name: str, capture: Capture, locker: Locker | None = None, *, end_reason: str = "ended"
    ) -> None:
        super().__init__(name)
        self.end_reason = end_reason
        self._capture, self._locker = capture, locker
        self._backlog = Backlog()
        self._error: FrameError | None = None
        self._fresh = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._grab, name="camera", daemon=True)

    @property
    def locks(self) -> Mapping[str, str]:
        return self._locker.state if self._locker is not None else {}

    def _grab(self) -> None:
        began, index, kept = time.monotonic(), 0, 0.0
        try:
            while not self._closed.is_set():
                ok, raw = self._capture.read()
                if not ok or raw is None:
                    break
                if isinstance(raw, np.ndarray) and raw.shape[0] * raw.shape[1] > frames.MAX_PIXELS:
                    break
                now = time.monotonic()
                if now - kept >= MIN_INTERVAL_SHARE * self.min_interval:
                    kept = now
                    with self._fresh:
                        self._backlog.add(QueuedPicture(index, now - began, raw, _size(raw)))
                        self._fresh.notify_all()
                index += 1
                if self._locker is not None:
                    self._process_controls(self._locker, raw, now)
        except FrameError as error:
            # To be raised on the reader's thread.
            self._error = error
        finally:
            with self._fresh:
                self._ended = True
                self._fresh.notify_all()
            self._capture.release()

    def __iter__(self) -> Iterator[Frame]:
        self._thread.start()
        while not self._closed.is_set():
            with self._fresh:
                if not self._fresh.wait_for(self._ready, timeout=self.timeout):
                    raise FrameError(
                        f"{self.name} has sent no picture for {self.timeout:.0f} seconds", "stalled"
                    )
                if self._closed.is_set() or not self._backlog:
                    break
                taken = self._backlog.take()
            image = self._picture(taken.raw)
            if image is not None:
                yield Frame(taken.index, taken.time, image)
        if self._error is not None and not self._closed.is_set():
            raise self._error

    def _process_controls(self, locker: Locker, raw: Any, now: float) -> None:
        """Pass what was read to the locker, on the camera's thread."""
        locker.process(raw, now)

    def _picture(self, raw: Any) -> Picture | None:
        """The picture from what was read; None if it is unusable."""
        return np.asarray(raw, np.uint8)

    def _ready(self) -> bool:
        return bool(self._backlog) or self._ended or self._closed.is_set()

    def close(self) -> None:
        super().close()
        with self._fresh:
            self._fresh.notify_all()
        if self._thread.is_alive():
            # A driver or stream that hangs is abandoned on its thread, which releases it when it wakes.
            self._thread.join(timeout=CLOSE_TIMEOUT)
        elif self._thread.ident is None:
            # Never read: there is no thread to release the camera.
            self._capture.release()


class EncodedLive(Live):
    """A camera whose pictures arrive encoded, as JPEG or PNG. Only those that the reader takes are decoded,
    and a JPEG not yet in full (:class:`~.jpeg.JpegPicture`).
    """

    def _picture(self, raw: Any) -> Picture | None:
        # A picture corrupted in transit is dropped; the next one will be complete.
        try:
            picture = lazily_decoded(raw, self.name)
        except FrameError:
            self.silence_reason = "damaged"
            return None
        self.silence_reason = type(self).silence_reason
        return picture


def _size(raw: Any) -> int:
    """Size of a picture in bytes, decoded or not."""
    return raw.nbytes if isinstance(raw, np.ndarray) else len(raw)
