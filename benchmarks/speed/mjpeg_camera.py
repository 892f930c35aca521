"""A network camera: serves the pictures of a recording as an MJPEG stream at a fixed rate on loopback.

Like a real camera it does not wait: a viewer who is not ready for a picture gets the next one.
"""

from __future__ import annotations

import struct
import tempfile
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from itertools import chain, cycle
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from benchmarks.mjpeg_server import MjpegServer

FRAME_RATE: Final = 15.0
"""Pictures a second."""
JPEG_QUALITY: Final = 85
SEND_BUFFER_BYTES: Final = 256 * 1024
"""Bytes that may be on the way to the viewer: one or two pictures."""
LAST_PICTURES: Final = 12
"""Number of pictures at the end of a recording that are shown back and forth."""


def encoded(recording: Path, most: int | None = None) -> list[bytes]:
    """The pictures of a video as a webcam sends them: JPEG with its colours at half the width (4:2:2).

    They are cached in the system's folder for temporary files, so that further runs need not encode them.
    """
    name = f"focus-companion-{recording.stem}-{recording.stat().st_mtime_ns}-{JPEG_QUALITY}.npz"
    kept = Path(tempfile.gettempdir()) / name
    if not kept.exists():
        np.savez(kept, *(np.frombuffer(picture, np.uint8) for picture in _encode(str(recording))))
    with np.load(kept) as pictures:
        return [pictures[each].tobytes() for each in pictures.files[:most]]


def _encode(recording: str) -> Iterator[bytes]:
    source = cv2.VideoCapture(recording)
    how = [
        *(cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY),
        *(cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_422),
    ]
    while (read := source.read())[0]:
        yield cv2.imencode(".jpg", read[1], how)[1].tobytes()
    source.release()


def swinging(pictures: Sequence[bytes]) -> Iterator[bytes]:
    """The pictures back and forth endlessly: a still board, with the camera's noise."""
    return cycle(chain(pictures, pictures[-2:0:-1]))


def marked(picture: bytes, due: float) -> bytes:
    """The picture with its time in a comment, because no two pictures of a real camera are identical."""
    return picture[:2] + b"\xff\xfe\x00\x0a" + struct.pack(">d", due) + picture[2:]


class MjpegCamera:
    """Serves the first ``before`` pictures back and forth until :meth:`play`, then all ``pictures``, then the
    last ones for ``still`` seconds.
    """

    def __init__(self, pictures: Sequence[bytes], before: int, still: float) -> None:
        self._pictures, self._before = pictures, before
        self._number = len(pictures) + round(still * FRAME_RATE)
        self.connected = self.began = 0.0
        """When somebody connected, and when the first picture of the recording was due (monotonic time)."""
        self.sent = self.late = 0
        """Number of pictures of the recording that were sent, and that were left out because the viewer was
        not ready."""
        self.over = threading.Event()
        self._playing = threading.Event()
        self._closed = threading.Event()
        self._viewing = threading.Lock()
        self._server = MjpegServer(self._stream, send_buffer=SEND_BUFFER_BYTES)
        self.address = self._server.address

    @property
    def half_played(self) -> bool:
        return self.sent + self.late > self._number / 2

    def play(self) -> None:
        """Begin the recording."""
        self._playing.set()

    def close(self) -> None:
        self._closed.set()
        self._server.close()

    def _stream(self) -> Generator[bytes, None, None]:
        # One viewer at a time: the program under test.
        with self._viewing:
            yield from self._pictures_in_time()

    def _pictures_in_time(self) -> Generator[bytes, None, None]:
        due = self.connected = time.monotonic()
        waiting, last = swinging(self._pictures[: self._before]), swinging(self._pictures[-LAST_PICTURES:])
        while not self._closed.wait(max(0.0, due - time.monotonic())):
            late = time.monotonic() - due > 1 / FRAME_RATE
            if not self._playing.is_set():
                picture = next(waiting)
            else:
                self.began = self.began or due
                played = self.sent + self.late
                if played == self._number:
                    self.over.set()
                    return
                picture = self._pictures[played] if played < len(self._pictures) else next(last)
                self.sent, self.late = self.sent + (not late), self.late + late
            due += 1 / FRAME_RATE
            if not late:
                yield marked(picture, due)
