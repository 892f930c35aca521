"""Network cameras: phones that stream pictures or answer with one at a time, and video streams.

The kind is recognized from the answer: a single picture (then fetched repeatedly), a stream of pictures
(``multipart/x-mixed-replace``, as phones usually send), or a video stream, which FFmpeg reads.
"""

from __future__ import annotations

import time
from http.client import HTTPException, HTTPResponse
from typing import Final

import cv2

from ...addresses import shown_address
from .frames import FROZEN_AFTER, FrameError, Image, Source, check_size, decoded
from .http import MAX_ANSWER_BYTES, Fetcher, FetchError
from .live import READ_TIMEOUT, EncodedLive, Live

_CHUNK: Final = 1 << 16
"""Maximum bytes that are read of an answer at a time."""

SNAPSHOT_INTERVAL: Final = 0.1
"""Minimum seconds between two requests for a picture."""


class Snapshots(Live):
    """An address that answers with one picture at a time, fetched repeatedly."""

    frozen_after = 3 * FROZEN_AFTER
    """Many such cameras make a new picture only every few seconds."""
    timeout = 3 * READ_TIMEOUT
    """Longer than a slow answer takes to fail: :meth:`read` then raises, with the reason."""

    def __init__(self, name: str, fetch: Fetcher) -> None:
        super().__init__(name, self)
        self._fetch = fetch
        self._asked: float | None = None

    def read(self) -> tuple[bool, Image | None]:
        """The next picture, when it is due; (False, None) once closed.

        Raises:
            FrameError: there was none for a while.
        """
        last = time.monotonic()
        while True:
            due = 0.0 if self._asked is None else self._asked + SNAPSHOT_INTERVAL - time.monotonic()
            if self._closed.wait(max(0.0, due)):
                return False, None
            self._asked = time.monotonic()
            image = self._ask(final=self._asked - last > READ_TIMEOUT)
            if image is not None:
                return True, image

    def release(self) -> None:
        """Nothing to release: no connection is kept open between two requests."""

    def _ask(self, *, final: bool) -> Image | None:
        """Fetch the current picture; None on failure. Raises if failures persist."""
        try:
            return decoded(self._fetch(), self.name)
        except FetchError as error:
            if final:
                raise FrameError(f"{self.name} {error}", "unreachable") from error
            self.silence_reason = "stalled"
        except FrameError as error:
            if final:
                raise FrameError(str(error), "damaged") from error
            self.silence_reason = "damaged"
        # A phone that misses one request may answer the next.
        return None


class Parts:
    """The pictures of a ``multipart/x-mixed-replace`` answer, one after the other, as they arrive."""

    def __init__(self, answer: HTTPResponse) -> None:
        self._answer = answer
        self._buffer = b""

    def read(self) -> tuple[bool, bytes | None]:
        """The next picture's bytes; (False, None) at the end."""
        try:
            boundary = self._line()
            while not boundary.startswith(b"--"):
                boundary = self._line()
            length = 0
            while line := self._line():
                key, _, value = line.partition(b":")
                if key.strip().lower() == b"content-length":
                    length = int(value)
            if not 0 <= length <= MAX_ANSWER_BYTES:
                return False, None
            return True, self._exactly(length) if length else self._until(b"\r\n" + boundary)
        except (OSError, HTTPException, ValueError, EOFError):
            # The answer ends, or breaks off.
            return False, None

    def release(self) -> None:
        self._answer.close()

    def _more(self) -> None:
        data = self._answer.read1(_CHUNK)
        if not data:
            raise EOFError
        if len(self._buffer) > MAX_ANSWER_BYTES:
            raise ValueError("a part without an end")
        self._buffer += data

    def _line(self) -> bytes:
        while b"\n" not in self._buffer:
            self._more()
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line.rstrip(b"\r")

    def _exactly(self, length: int) -> bytes:
        pieces, count = [self._buffer], len(self._buffer)
        while count < length:
            data = self._answer.read1(min(_CHUNK, length - count))
            if not data:
                raise EOFError
            pieces.append(data)
            count += len(data)
        joined = b"".join(pieces)
        self._buffer = joined[length:]
        return joined[:length]

    def _until(self, end: bytes) -> bytes:
        start = 0
        while (at := self._buffer.find(end, start)) < 0:
            start = max(0, len(self._buffer) - len(end))
            self._more()
        part, self._buffer = self._buffer[:at], self._buffer[at:].removeprefix(b"\r\n")
        return part


class MotionJpeg(EncodedLive):
    """A stream of pictures. All are read, so that none queue up; only those taken are decoded."""


def open_address(address: str) -> Source:
    """The camera or stream at an http, https or rtsp address.

    Raises:
        FrameError: it does not answer, or not with pictures.
    """
    name = shown_address(address)
    if address.lower().startswith("rtsp:"):
        return _video(address, name, "check the address and the network")
    try:
        fetch = Fetcher(address, READ_TIMEOUT)
        answer = fetch.open()
    except FetchError as error:
        raise FrameError(f"{name} {error}", "unreachable") from error
    kind = answer.headers.get_content_type()
    if kind.startswith("multipart/"):
        return MotionJpeg(name, Parts(answer))
    answer.close()
    if kind.startswith("image/"):
        return Snapshots(name, fetch)
    if kind == "text/html":
        raise FrameError(
            f"{name} is a web page, not its pictures; give the address of the video on it "
            "(with many phones it ends in /video)"
        )
    return _video(address, name, f"it sends {kind}; check the address in a browser")


def _video(address: str, name: str, remedy: str) -> Live:
    timeout = int(READ_TIMEOUT * 1000)
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, timeout, cv2.CAP_PROP_READ_TIMEOUT_MSEC, timeout]
    # Each further decoding thread delays the stream by a picture.
    limits += [cv2.CAP_PROP_N_THREADS, 1]
    capture = cv2.VideoCapture(address, cv2.CAP_FFMPEG, limits)
    if not capture.isOpened():
        raise FrameError(f"{name} does not answer with a video stream; {remedy}", "unreachable")
    try:
        check_size(capture.get(cv2.CAP_PROP_FRAME_WIDTH), capture.get(cv2.CAP_PROP_FRAME_HEIGHT), name)
    except FrameError:
        capture.release()
        raise
    return Live(name, capture)
