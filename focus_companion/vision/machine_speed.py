"""How many pictures a second this machine can follow a game at, measured in a moment."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from typing import Final

import cv2
import numpy as np

from .capture.frames import CAMERA_SIZE, lazily_decoded
from .capture.picture_faults import picture_fault
from .tracking.stillness import Stillness

ALL: Final = 15.0
"""Pictures a second at which a game is followed; a higher rate shows no more of it."""
ENOUGH: Final = 6.0
"""Pictures a second from which on the moments without a hand over the board are not missed."""
LOOK: Final = 14.0
"""How many times as long as decoding a whole picture it takes to judge one that has changed."""
LOOKS: Final = 0.7
"""Pictures that have to be judged each second of a fast game."""
SHARE: Final = 0.7
"""Share of the machine's time for that; the page and everything else have the rest."""
SMALLER: Final = (960, 720)
"""The size to ask of a camera where the machine is too slow for the usual one."""
STRIPS: Final = 4
"""How many of the measured strips make a picture, so that a slow machine measures several in a moment."""

_QUALITY: Final = 85


@dataclass(frozen=True)
class MachineSpeed:
    """Seconds, as they pass, for a ``picture`` on which nothing happens and for decoding a ``whole`` one."""

    picture: float
    whole: float

    @property
    def rate(self) -> float:
        """Pictures a second that leave time for judging those that have changed; at most :data:`ALL`."""
        free = SHARE - LOOKS * LOOK * self.whole
        return max(0.5, min(ALL, free / self.picture))

    @property
    def enough(self) -> bool:
        return self.rate >= ENOUGH

    @property
    def apart(self) -> float:
        """Seconds between two pictures for a source to give; 0 for all."""
        return 0.0 if self.rate >= ALL else 1.0 / max(self.rate, ENOUGH)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels to ask of a camera."""
        return CAMERA_SIZE if self.enough else SMALLER


def measure(seconds: float) -> MachineSpeed:
    """Work on pictures like a camera's for about so many ``seconds``, and on two at least."""
    data = _strip()
    buffer = np.frombuffer(data, np.uint8)
    stillness = Stillness()
    pictures: list[float] = []
    wholes: list[float] = []
    began, worked = time.perf_counter(), time.thread_time()
    while len(pictures) < 2 or time.perf_counter() - began < seconds:
        start = time.thread_time()
        picture = lazily_decoded(data, "a picture made for the measurement")
        stillness.update(float(len(pictures)), stillness.small_copy(picture))
        picture_fault(picture)
        pictures.append(time.thread_time() - start)
        # One in four is enough: it takes longer.
        if len(pictures) % 4 == 1:
            start = time.thread_time()
            cv2.imdecode(buffer, cv2.IMREAD_COLOR)
            wholes.append(time.thread_time() - start)
    # Elapsed over processor time: other programs, or a limit, take the rest of the processor.
    slower = (time.perf_counter() - began) / (time.thread_time() - worked)
    return MachineSpeed(slower * STRIPS * median(pictures), slower * STRIPS * median(wholes))


def _strip() -> bytes:
    """A JPEG of a part of the usual size, as detailed as a picture of a board, of which all are 150 kB."""
    width, height = CAMERA_SIZE[0], CAMERA_SIZE[1] // STRIPS
    noise = np.random.default_rng(1)
    # Coarse shapes, and the fine grain of a table top and of the sensor.
    shapes = noise.integers(40, 216, (height // 40, width // 40, 3), np.uint8)
    image = cv2.resize(shapes, (width, height), interpolation=cv2.INTER_NEAREST)
    grain = noise.integers(0, 12, (height, width), np.uint8)
    done = cv2.imencode(".jpg", cv2.add(image, cv2.merge([grain] * 3)), [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return bytes(done[1])
