"""Where pictures come from: a video file, a folder of pictures, or what ``vision.cameras`` opens.

A file or folder gives every frame, with times in the stream; a live source gives the newest frame only, so
that a slow reader never lags behind the table.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from ..addresses import shown_address

Image = NDArray[np.uint8]

PICTURES = {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"}
READ_TIMEOUT = 5.0
"""Seconds without a picture after which a live source counts as gone."""
FROZEN = 10.0
"""Seconds of the same picture, bit for bit: a sensor's noise never repeats, an encoder's stillness may for a
while.
"""

LARGEST = 40_000_000
"""Pixels of the largest picture of a video or stream that is taken; 8K has 33 million."""


class FrameError(OSError):
    """A source that gives no pictures: the message says which, why, and what to do.

    ``why`` is one word for the state: "unplugged" (a camera of this machine), "unreachable" (an address),
    "stalled" (open, but silent), "damaged" (broken pictures alone), or "unreadable".
    """

    def __init__(self, message: str, why: str = "unreadable") -> None:
        super().__init__(message)
        self.why = why


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture: ``image`` (H, W, 3) uint8 BGR, ``time`` in seconds of the stream."""

    index: int
    time: float
    image: Image


class FrameSource(Protocol):
    """Frames in order of time. ``live`` sources drop frames that nobody took in time."""

    live: bool
    name: str
    gone: str
    """One word for what has happened when a live source gives no more: "unplugged" or "ended"."""
    silent: str
    """The same where it is open but gives none: "stalled", or "damaged" where those that come are broken."""
    frozen_after: float
    """Seconds of one and the same picture, bit for bit, after which a live source counts as frozen."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def __iter__(self) -> Iterator[Frame]: ...


class Source:
    """What all sources share: they are context managers, may be closed twice, and stop when closed."""

    live = False
    gone = "ended"
    silent = "stalled"
    frozen_after = FROZEN

    def __init__(self, name: str) -> None:
        self.name = name
        self._closed = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[Frame]:
        raise TypeError(f"{type(self).__name__} gives no frames")

    def close(self) -> None:
        self._closed.set()


AHEAD = 8
"""Pictures decoded ahead of the game's thread, which is busy with one for three or four at the longest."""


class VideoFile(Source):
    """Every frame of a video file, decoded on a thread of its own; ``paced`` plays it at its own speed."""

    def __init__(self, path: Path, *, paced: bool = False) -> None:
        super().__init__(str(path))
        self._paced = paced
        self._capture = cv2.VideoCapture(str(path))
        if not self._capture.isOpened():
            raise FrameError(
                f"{path} cannot be read as a video; give a video file, a folder of pictures or a camera"
            )
        check_size(self._capture, str(path))
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        self._fps = fps if 0.5 < fps < 1000 else 25.0
        self._decoded: queue.Queue[Frame | None] = queue.Queue(maxsize=AHEAD)
        self._thread = threading.Thread(target=self._decode, name="decoder", daemon=True)

    def _decode(self) -> None:
        index, last = 0, -1.0
        while not self._closed.is_set():
            ok, image = self._capture.read()
            # A file may change its size on the way: huge pictures must not fill the memory.
            if not ok or _pixels(image) > LARGEST:
                break
            stamp = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
            # Some containers give no usable stamps: then the frame rate tells the time.
            when = stamp if stamp > last or index == 0 else index / self._fps
            last = when = max(when, last)
            self._put(Frame(index, when, np.asarray(image, np.uint8)))
            index += 1
        self._put(None)
        self._capture.release()

    def _put(self, frame: Frame | None) -> None:
        while not self._closed.is_set():
            try:
                self._decoded.put(frame, timeout=0.2)
                return
            except queue.Full:
                continue

    def __iter__(self) -> Iterator[Frame]:
        self._thread.start()
        began = time.monotonic()
        count = 0
        while not self._closed.is_set():
            try:
                frame = self._decoded.get(timeout=0.2)
            except queue.Empty:
                continue
            if frame is None:
                break
            if self._paced:
                self._closed.wait(max(0.0, began + frame.time - time.monotonic()))
            count += 1
            yield frame
        if not count and not self._closed.is_set():
            raise FrameError(
                f"{self.name} holds no picture that can be read; it may be damaged or no video at all"
            )

    def close(self) -> None:
        super().close()
        if self._thread.is_alive():
            self._thread.join(timeout=2)


class PictureFolder(Source):
    """The pictures of a folder in the order of their names, ``fps`` a second."""

    def __init__(self, path: Path, *, fps: float, paced: bool = False) -> None:
        super().__init__(str(path))
        self._files = sorted(p for p in path.iterdir() if p.suffix.lower() in PICTURES and p.is_file())
        self._fps, self._paced = fps, paced
        if not self._files:
            raise FrameError(f"{path} holds no pictures ({', '.join(sorted(PICTURES))})")

    def __iter__(self) -> Iterator[Frame]:
        began = time.monotonic()
        for index, path in enumerate(self._files):
            image = read_image(path)
            if self._paced:
                self._closed.wait(max(0.0, began + index / self._fps - time.monotonic()))
            if self._closed.is_set():
                return
            yield Frame(index, index / self._fps, image)


class Capture(Protocol):
    """What a live source is read from: OpenCV's capture, or what is made to look like it."""

    def read(self) -> tuple[bool, Any]:
        """Whether there is another picture, and that picture; waits for it."""
        ...

    def release(self) -> None: ...


class Keeper(Protocol):
    """Looks after a camera's controls, on the thread that reads it."""

    @property
    def state(self) -> Mapping[str, str]: ...

    def tend(self, image: Image, now: float) -> None: ...


class Live(Source):
    """A camera or stream read on a thread of its own; only the newest frame waits for the reader."""

    live = True

    def __init__(
        self, name: str, capture: Capture, keeper: Keeper | None = None, *, gone: str = "ended"
    ) -> None:
        super().__init__(name)
        self.gone = gone
        self._capture, self._keeper = capture, keeper
        self._newest: tuple[int, float, Any] | None = None
        self._fresh = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._grab, name="camera", daemon=True)

    @property
    def locks(self) -> Mapping[str, str]:
        """By control (exposure, white balance, focus): locked, settling, or why it cannot be locked."""
        return self._keeper.state if self._keeper is not None else {}

    def _grab(self) -> None:
        began, index = time.monotonic(), 0
        try:
            while not self._closed.is_set():
                ok, held = self._capture.read()
                if not ok or held is None or _pixels(held) > LARGEST:
                    break
                now = time.monotonic()
                with self._fresh:
                    self._newest = index, now - began, held
                    self._fresh.notify_all()
                index += 1
                if self._keeper is not None:
                    self._keeper.tend(held, now)
        finally:
            with self._fresh:
                self._ended = True
                self._fresh.notify_all()
            self._capture.release()

    def __iter__(self) -> Iterator[Frame]:
        self._thread.start()
        seen = -1
        while not self._closed.is_set():
            with self._fresh:
                waited = self._fresh.wait_for(partial(self._changed_since, seen), timeout=READ_TIMEOUT)
                if not waited:
                    raise FrameError(
                        f"{self.name} has sent no picture for {READ_TIMEOUT:.0f} seconds", "stalled"
                    )
                newest = self._newest
                if newest is None or newest[0] <= seen:
                    return
            seen, when, held = newest
            image = self._picture(held)
            if image is not None:
                yield Frame(seen, when, image)

    def _picture(self, held: Any) -> Image | None:
        """The picture (H, W, 3) of what was read; None if it cannot be used."""
        return np.asarray(held, np.uint8)

    def _changed_since(self, seen: int) -> bool:
        newest = self._newest is not None and self._newest[0] > seen
        return self._ended or newest or self._closed.is_set()

    def close(self) -> None:
        super().close()
        with self._fresh:
            self._fresh.notify_all()
        if self._thread.is_alive():
            # A driver or a stream that hangs is left behind on its thread, which lets go of it when it wakes.
            self._thread.join(timeout=0.5)
        elif self._thread.ident is None:
            # Never read: there is no thread that lets go of the camera.
            self._capture.release()


def check_size(capture: cv2.VideoCapture, name: str) -> None:
    """Refuse a video whose pictures are too large to be true, before the first of them is decoded."""
    width, height = (int(capture.get(kind)) for kind in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
    if width * height > LARGEST:
        capture.release()
        raise FrameError(f"{name} has pictures of {width} × {height}; give a video of at most 8K")


def _pixels(image: Any) -> int:
    """Of a picture; what is not decoded yet has none."""
    return image.shape[0] * image.shape[1] if isinstance(image, np.ndarray) else 0


def decoded(data: bytes, name: str) -> Image:
    """The picture (H, W, 3) BGR in the bytes of a picture file. Raises FrameError, naming ``name``."""
    picture = None
    # An empty or hostile file makes OpenCV raise rather than answer None.
    with contextlib.suppress(cv2.error):
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        raise FrameError(f"{name} is not a picture that can be read (JPEG, PNG, WebP, BMP and TIFF can)")
    return np.asarray(picture, np.uint8)


def read_image(path: str | Path) -> Image:
    """The picture in a file, (H, W, 3) BGR.

    Raises:
        FrameError: there is no such file, or it is no picture.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FrameError(f"{path} cannot be read ({error.strerror or error})") from error
    return decoded(data, str(path))


def open_source(text: str, *, fps: float = 15.0, paced: bool = False) -> Source:
    """The source that ``text`` names: a camera index or device path, ``picamera2:0``, a video file, a
    folder, an
    address.

    ``fps`` is the rate of a folder of pictures; ``paced`` plays files at their own speed.

    Raises:
        FrameError: it does not open, with what to do.
    """
    if "://" in text:
        if text.split("://", 1)[0].lower() not in {"http", "https", "rtsp"}:
            raise FrameError(
                f"{shown_address(text)} is not an address of a kind that is known (http, https, rtsp)"
            )
        from .cameras.network import open_address

        return open_address(text)
    if text.startswith("picamera2:"):
        from .cameras.picamera import open_camera as open_pi_camera

        return open_pi_camera(text)
    if text.isdigit() or text.startswith("/dev/"):
        from .cameras.v4l2 import open_camera

        return open_camera(text)
    path = Path(text)
    try:
        if path.is_dir():
            return PictureFolder(path, fps=fps, paced=paced)
        if path.is_file():
            return VideoFile(path, paced=paced)
    except (OSError, ValueError) as error:
        if isinstance(error, FrameError):
            raise
        raise FrameError(f"{text} cannot be read ({error})") from error
    raise FrameError(
        f"there is no {text}; give a camera number, a video file, a folder of pictures or an address"
    )
