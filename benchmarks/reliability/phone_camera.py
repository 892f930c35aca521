"""A recording as the camera of a browser or of the network, and a network connection that can be cut."""

from __future__ import annotations

import contextlib
import itertools
import socket
import threading
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from string import Template
from typing import Final

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.mjpeg_server import MjpegServer

NUMBER_BITS: Final = 16
"""Number of dark and light blocks in the top left corner of a picture that encode its number."""

BLOCK_SIDE: Final = 8
"""Side of such a block in pixels."""

DARK: Final = 88
"""Grey level of a dark block: readable, but too faint for the watcher to take a change for motion. It
searches for the board only in still pictures, and black and white blocks made it find the board late."""

LIGHT: Final = 168
"""Grey level of a light block."""


def write_camera(video: Path, out: Path, *, rate: int, lead: int, trail: int) -> int:
    """Write ``video`` as the Y4M file of a fake camera with ``rate`` pictures a second; returns their number.

    No picture is left out: at a rate below the video's it plays slowly. The first picture is repeated
    ``lead`` times, the last one ``trail`` times, and each contains its number (see :data:`READ_NUMBERS`).
    """
    with av.open(str(video)) as container, out.open("wb") as file:
        stream = container.streams.video[0]
        file.write(f"YUV4MPEG2 W{stream.width} H{stream.height} F{rate}:1 Ip A1:1 C420jpeg\n".encode())
        numbers = itertools.count()
        planes: NDArray[np.uint8] = np.zeros(0, np.uint8)

        def write(times: int) -> None:
            for _ in range(times):
                file.write(b"FRAME\n" + _numbered(planes, stream.height, next(numbers)).tobytes())

        for index, frame in enumerate(container.decode(video=0)):
            planes = np.asarray(frame.reformat(format="yuv420p").to_ndarray(), np.uint8)
            write(1 + lead if index == 0 else 1)
        write(trail)
        return next(numbers)


def _numbered(planes: NDArray[np.uint8], height: int, number: int) -> NDArray[np.uint8]:
    """I420 planes as one array (height * 3/2, width), with the number in the top left corner."""
    made = planes.copy()
    bits = [(number >> bit) & 1 for bit in range(NUMBER_BITS)]
    made[:BLOCK_SIDE, : NUMBER_BITS * BLOCK_SIDE] = np.repeat(np.where(bits, LIGHT, DARK), BLOCK_SIDE)
    # Each chroma plane has half the width and height; two of its rows are stored in one row of the array.
    chroma = made[height:].reshape(2, height // 2, -1)
    chroma[:, : BLOCK_SIDE // 2, : NUMBER_BITS * BLOCK_SIDE // 2] = 128
    return made


READ_NUMBERS: Final = Template("""
window.shown = []; window.sent = [];
const pen = Object.assign(document.createElement("canvas"), { width: $width, height: $block })
  .getContext("2d", { willReadFrequently: true });
const view = () => document.querySelector("#view");
let newest = NaN, noted = 0;
const look = (now, { captureTime }) => {
  view().requestVideoFrameCallback(look);
  newest = performance.timeOrigin + (captureTime ?? now);
  if (now < noted + 500) return;
  noted = now;
  pen.drawImage(view(), 0, 0, $width, $block, 0, 0, $width, $block);
  const row = pen.getImageData(0, $block / 2, $width, 1).data;
  let number = 0;
  for (let bit = 0; bit < $bits; bit++) number += (row[4 * (bit + 0.5) * $block] > 127) << bit;
  shown.push([newest, number]);
};
addEventListener("DOMContentLoaded", () => view().requestVideoFrameCallback(look));
const plain = window.fetch;
window.fetch = async (...call) => {
  const taken = newest, answer = await plain(...call);
  if (String(call[0]).includes("picture") && answer.ok)
    sent.push([taken, performance.timeOrigin + performance.now()]);
  return answer;
};
""").substitute(width=NUMBER_BITS * BLOCK_SIDE, block=BLOCK_SIDE, bits=NUMBER_BITS)
"""Makes the phone's page record, twice a second, which picture its camera took when (``shown``), and for
every
picture sent when it was taken and when it had arrived (``sent``), in milliseconds since 1970."""


class FrameClock:
    """When the camera took which picture, interpolated from ``shown`` of the page."""

    def __init__(self, shown: list[list[float]]) -> None:
        times, numbers = np.array(shown, float).T
        # At the end of its file, the camera starts again from the beginning.
        rising = np.flatnonzero(np.r_[True, np.diff(np.maximum.accumulate(numbers)) > 0])
        self._times, self._numbers = times[rising] / 1e3, numbers[rising]

    def taken(self, number: float) -> float:
        """When picture ``number`` was taken, in seconds since 1970."""
        return float(np.interp(number, self._numbers, self._times))

    def number(self, at: float) -> float:
        """The newest picture at that time."""
        return float(np.interp(at, self._times, self._numbers))


class Line:
    """A TCP proxy in front of another port, which can be cut in two ways.

    "refused": connections are closed and new ones refused, as when the companion is down. "silent": nothing
    is forwarded and nothing is closed, as when the phone is out of reach of its network.
    """

    def __init__(self, port: int) -> None:
        self._far = port
        self._up = threading.Event()
        self._open: set[socket.socket] = set()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._up.set()
        self._accept(self._listening)

    def _accept(self, listening: socket.socket) -> None:
        threading.Thread(target=self._answer, args=(listening,), daemon=True).start()

    def _answer(self, listening: socket.socket) -> None:
        while True:
            try:
                near, _ = listening.accept()
                far = socket.create_connection(("127.0.0.1", self._far))
            except OSError:
                # The port was closed by a cut.
                return
            self._open |= {near, far}
            for ends in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                self._up.wait()
                target.sendall(data)
        for end in (source, target):
            _hang_up(end)
            self._open.discard(end)

    def cut(self, how: str) -> None:
        if how == "silent":
            self._up.clear()
            return
        _hang_up(self._listening)
        for end in list(self._open):
            _hang_up(end)

    def mend(self) -> None:
        if self._up.is_set():
            self._listening = socket.create_server(("127.0.0.1", self.port))
            self._accept(self._listening)
        self._up.set()

    def close(self) -> None:
        self.cut("refused")
        self._up.set()


def _hang_up(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # Unlike closing, this wakes a thread that waits on the socket.
        end.shutdown(socket.SHUT_RDWR)
    end.close()


class NetworkCamera:
    """Plays a video once, at its own speed, as an MJPEG stream over HTTP, with its first picture repeated
    before it and its last one after it."""

    def __init__(self, video: Path, quality: int, *, rate: int, lead: int) -> None:
        """``quality``: of the JPEG pictures, 0 to 100; they are encoded in advance. ``rate``: pictures a
        second; ``lead``: how often the first one is repeated.
        """
        self._rate, self._lead = rate, lead
        self.began = 0.0
        """When the first picture was last sent, in seconds since 1970."""
        self._pictures = list(_encoded(video, quality))
        self._server = MjpegServer(self.stream)
        self.address = self._server.address

    def stream(self) -> Generator[bytes, None, None]:
        began = time.monotonic()
        self.began = time.time()
        for index in itertools.count():
            time.sleep(max(0.0, began + index / self._rate - time.monotonic()))
            yield self._pictures[min(max(0, index - self._lead), len(self._pictures) - 1)]

    def taken(self, number: float) -> float:
        """When picture ``number`` was sent, in seconds since 1970."""
        return self.began + number / self._rate

    def close(self) -> None:
        self._server.close()


def _encoded(video: Path, quality: int) -> Iterator[bytes]:
    with av.open(str(video)) as container:
        for frame in container.decode(video=0):
            image = frame.to_ndarray(format="bgr24")
            yield cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()
