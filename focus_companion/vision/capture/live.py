"""Shared by all live cameras: each is read on its own thread, with a queue for a busy reader."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final, Protocol

import numpy as np

from . import frames
from .backlog import Backlog, Waiting
from .frames import Frame, FrameError, Image, Picture, Source, lazily_decoded

READ_TIMEOUT = 5.0
"""Seconds without a picture after which a live source counts as gone."""

JITTER: Final = 0.75
"""Share of :attr:`Live.apart` after which a picture is taken, as no camera or network is exactly regular."""


class Capture(Protocol):
    """What a live source reads from: OpenCV's capture, or something with its interface."""

    def read(self) -> tuple[bool, Any]:
        """Whether there is another picture, and that picture; blocks."""
        ...

    def release(self) -> None: ...


class Keeper(Protocol):
    """Manages a camera's controls, on the thread that reads it."""

    @property
    def state(self) -> Mapping[str, str]: ...

    def tend(self, image: Image, now: float) -> None: ...


class Live(Source):
    """A camera or stream read on its own thread, with a :class:`Backlog` for the reader."""

    live = True
    timeout = READ_TIMEOUT
    """Seconds without a picture after which it counts as stalled."""

    def __init__(
        self, name: str, capture: Capture, keeper: Keeper | None = None, *, gone: str = "ended"
    ) -> None:
        super().__init__(name)
        self.gone = gone
        self._capture, self._keeper = capture, keeper
        self._waiting = Backlog()
        self._error: FrameError | None = None
        self._fresh = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._grab, name="camera", daemon=True)

    @property
    def locks(self) -> Mapping[str, str]:
        return self._keeper.state if self._keeper is not None else {}

    def _grab(self) -> None:
        began, index, kept = time.monotonic(), 0, 0.0
        try:
            while not self._closed.is_set():
                ok, held = self._capture.read()
                if not ok or held is None or frames.pixels(held) > frames.LARGEST:
                    break
                now = time.monotonic()
                if now - kept >= JITTER * self.apart:
                    kept = now
                    with self._fresh:
                        self._waiting.add(Waiting(index, now - began, held, _size(held)))
                        self._fresh.notify_all()
                index += 1
                if self._keeper is not None:
                    self._tend(self._keeper, held, now)
        except FrameError as error:
            # For whoever reads us.
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
                if not self._fresh.wait_for(self._due, timeout=self.timeout):
                    raise FrameError(
                        f"{self.name} has sent no picture for {self.timeout:.0f} seconds", "stalled"
                    )
                if self._closed.is_set() or not self._waiting:
                    break
                taken = self._waiting.take()
            image = self._picture(taken.held)
            if image is not None:
                yield Frame(taken.index, taken.time, image)
        if self._error is not None and not self._closed.is_set():
            raise self._error

    def _tend(self, keeper: Keeper, held: Any, now: float) -> None:
        """Show what was read to the keeper; on the camera's thread."""
        keeper.tend(held, now)

    def _picture(self, held: Any) -> Picture | None:
        """The picture from what was read; None if it is unusable."""
        return np.asarray(held, np.uint8)

    def _due(self) -> bool:
        return bool(self._waiting) or self._ended or self._closed.is_set()

    def close(self) -> None:
        super().close()
        with self._fresh:
            self._fresh.notify_all()
        if self._thread.is_alive():
            # A driver or stream that hangs is abandoned on its thread, which releases it when it wakes.
            self._thread.join(timeout=0.5)
        elif self._thread.ident is None:
            # Never read: there is no thread to release the camera.
            self._capture.release()


class EncodedLive(Live):
    """A camera whose pictures arrive encoded, as JPEG or PNG. Only those the reader takes are decoded, and
    those not yet in full (:class:`~.jpeg.JpegPicture`).
    """

    def _picture(self, held: Any) -> Picture | None:
        # A picture corrupted on its way is dropped; the next one is complete.
        try:
            picture = lazily_decoded(held, self.name)
        except FrameError:
            self.silent = "damaged"
            return None
        self.silent = type(self).silent
        return picture


def _size(held: Any) -> int:
    """Size of a picture in bytes, decoded or not."""
    return held.nbytes if isinstance(held, np.ndarray) else len(held)
