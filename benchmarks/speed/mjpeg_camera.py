"""A network camera: the pictures of a recording as JPEG, served as MJPEG at a fixed rate on loopback.

Like a real one it does not wait: a viewer who is not ready for a picture gets the next one.
"""

from __future__ import annotations

import select
import socket
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import chain, cycle
from pathlib import Path
from typing import Final

import cv2
import numpy as np

RATE: Final = 15.0
"""Pictures a second."""
QUALITY: Final = 85
BUFFER: Final = 256 * 1024
"""Bytes that may be on the way to the viewer: a picture or two."""
SWING: Final = 12
"""Pictures of which a board on which nothing happens consists, shown forth and back."""


def encoded(recording: Path, most: int | None = None) -> list[bytes]:
    """The pictures of a video as a webcam sends them: JPEG with its colours at half the width (4:2:2).

    They are kept in the system's folder for temporary files, so that further runs need not encode them.
    """
    name = f"focus-companion-{recording.stem}-{recording.stat().st_mtime_ns}-{QUALITY}.npz"
    kept = Path(tempfile.gettempdir()) / name
    if not kept.exists():
        np.savez(kept, *(np.frombuffer(picture, np.uint8) for picture in _encode(str(recording))))
    with np.load(kept) as pictures:
        return [pictures[each].tobytes() for each in pictures.files[:most]]


def _encode(recording: str) -> Iterator[bytes]:
    source = cv2.VideoCapture(recording)
    how = [
        *(cv2.IMWRITE_JPEG_QUALITY, QUALITY),
        *(cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_422),
    ]
    while (read := source.read())[0]:
        yield cv2.imencode(".jpg", read[1], how)[1].tobytes()
    source.release()


def swinging(pictures: Sequence[bytes]) -> Iterator[bytes]:
    """The last pictures forth and back without end: a still board, with the camera's noise."""
    few = pictures[-SWING:]
    return cycle(chain(few[-2:0:-1], few))


class MjpegCamera:
    """Serves ``pictures``, then ``still`` seconds of the last ones; begins when somebody connects."""

    def __init__(self, pictures: Sequence[bytes], still: float) -> None:
        self._pictures = pictures
        self.number = len(pictures) + round(still * RATE)
        self.began: float | None = None
        """When the first picture was due, by the monotonic clock."""
        self.sent = self.late = 0
        """Pictures sent, and left out because the viewer was not ready."""
        self.over = threading.Event()
        self._closed = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self._accept = threading.Thread(target=self._serve, daemon=True)
        self._accept.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/video"

    def close(self) -> None:
        self._closed.set()
        self._accept.join()
        self._socket.close()

    def _serve(self) -> None:
        # One viewer at a time: the program under test.
        while not self._closed.is_set():
            if not select.select([self._socket], [], [], 0.2)[0]:
                continue
            viewer, _ = self._socket.accept()
            with viewer:
                viewer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
                try:
                    viewer.recv(65536)
                    self._stream(viewer)
                except OSError:
                    # The viewer has gone; another may come.
                    continue

    def _stream(self, viewer: socket.socket) -> None:
        head = "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=next\r\n\r\n"
        viewer.sendall(head.encode())
        if self.began is None:
            self.began = time.monotonic()
        for index, picture in enumerate(chain(self._pictures, swinging(self._pictures))):
            due = self.began + index / RATE
            if index >= self.number:
                self.over.set()
                return
            if time.monotonic() - due > 1 / RATE:
                self.late += 1
                continue
            if self._closed.wait(max(0.0, due - time.monotonic())):
                return
            part = f"--next\r\nContent-Type: image/jpeg\r\nContent-Length: {len(picture)}\r\n\r\n"
            viewer.sendall(part.encode() + picture + b"\r\n")
            self.sent += 1
