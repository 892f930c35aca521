"""Opens a frame source by name: a video file, a folder of pictures, or a live camera.

A file or folder gives every frame; a live source drops frames for a busy reader, such that the reader misses
no still board and lags as little as possible (``backlog``).
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from ...addresses import shown_address
from .frames import CAMERA_SIZE, CLOSED_CHECK_INTERVAL, Frame, FrameError, Source, read_image

PICTURE_SUFFIXES = {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"}
"""Suffixes of the files of a folder that are used."""

MAX_DECODED_AHEAD = 20
"""Maximum pictures decoded ahead of the game's thread, which is busy with a turn for the time of a dozen."""


class VideoFile(Source):
    """Every frame of a video file, decoded on its own thread; ``paced`` plays it at its recorded speed."""

    def __init__(self, path: Path, *, paced: bool = False) -> None:
        super().__init__(str(path))
        self._paced = paced
        # Imported here so that programs without a video start fast.
        from .video_file import Video

        self._video = Video(path)
        self._decoded: queue.Queue[Frame | None] = queue.Queue(maxsize=MAX_DECODED_AHEAD)
        self._thread = threading.Thread(target=self._decode, name="decoder", daemon=True)

    def _decode(self) -> None:
        try:
            for index, (when, picture) in enumerate(self._video):
                self._put(Frame(index, when, picture))
                if self._closed.is_set():
                    break
        finally:
            self._put(None)
            self._video.close()

    def _put(self, frame: Frame | None) -> None:
        while not self._closed.is_set():
            try:
                self._decoded.put(frame, timeout=CLOSED_CHECK_INTERVAL)
                return
            except queue.Full:
                continue

    def __iter__(self) -> Iterator[Frame]:
        self._thread.start()
        began = time.monotonic()
        count = 0
        while not self._closed.is_set():
            try:
                frame = self._decoded.get(timeout=CLOSED_CHECK_INTERVAL)
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
                f"{self.name} holds no picture that can be read; it may be damaged, or not a video at all"
            )

    def close(self) -> None:
        super().close()
        if self._thread.is_alive():
            self._thread.join(timeout=2)
        elif self._thread.ident is None:
            # Never read: there is no thread to release the file.
            self._video.close()


class PictureFolder(Source):
    """The pictures of a folder in order of their names, ``fps`` per second."""

    def __init__(self, path: Path, *, fps: float, paced: bool = False) -> None:
        super().__init__(str(path))
        self._files = sorted(
            p for p in path.iterdir() if p.suffix.lower() in PICTURE_SUFFIXES and p.is_file()
        )
        self._fps, self._paced = fps, paced
        if not self._files:
            raise FrameError(f"{path} holds no pictures ({', '.join(sorted(PICTURE_SUFFIXES))})")

    def __iter__(self) -> Iterator[Frame]:
        began = time.monotonic()
        for index, path in enumerate(self._files):
            try:
                image = read_image(path)
            except FrameError as error:
                raise FrameError(f"{error}; mend it, or take it out of the folder") from error
            if self._paced:
                self._closed.wait(max(0.0, began + index / self._fps - time.monotonic()))
            if self._closed.is_set():
                return
            yield Frame(index, index / self._fps, image)


def open_source(
    text: str, *, fps: float = 15.0, paced: bool = False, size: tuple[int, int] = CAMERA_SIZE
) -> Source:
    """The source that ``text`` names: a camera index or device path, ``picamera2:0``, a video file, a
    folder, an address.

    ``fps`` is the frame rate of a folder of pictures; ``paced`` plays files at their recorded speed; ``size``
    (width, height) is requested from a camera of this machine.

    Raises:
        FrameError: it does not open; the message says what to do.
    """
    if "://" in text:
        if text.split("://", 1)[0].lower() not in {"http", "https", "rtsp"}:
            raise FrameError(
                f"{shown_address(text)} is not an address of a kind that is known (http, https, rtsp)"
            )
        from .network import open_address

        return open_address(text)
    if text.startswith("picamera2:"):
        from .picamera import open_camera as open_pi_camera

        return open_pi_camera(text, size=size)
    if text.isdigit() or text.startswith("/dev/"):
        from .v4l2 import open_camera

        return open_camera(text, size=size)
    path = Path(text)
    try:
        if path.is_dir():
            return PictureFolder(path, fps=fps, paced=paced)
        if path.is_file():
            return VideoFile(path, paced=paced)
    except (OSError, ValueError) as error:
        if isinstance(error, FrameError):
            raise
        # Of a folder, it may be one of the pictures.
        name, why = getattr(error, "filename", None) or text, getattr(error, "strerror", None) or error
        raise FrameError(f"{name} cannot be read ({why})") from error
    raise FrameError(
        f"there is no {text}; give a camera number, a video file, a folder of pictures or an address"
    )
