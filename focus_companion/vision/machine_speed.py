"""Measures in a moment at how many pictures a second this machine can follow a game."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from .capture.frames import CAMERA_SIZE, lazily_decoded
from .capture.picture_faults import picture_fault
from .tracking.stillness import Stillness

FULL_RATE: Final = 15.0
"""Pictures a second at which a game is followed; a higher rate would show no more of it."""
MIN_RATE: Final = 6.0
"""Minimum pictures a second at which no moment without a hand over the board is missed."""
_JUDGING_COST: Final = 9.8
"""Time to judge the pictures that change in a second of a fast game, as a multiple of the time to decode a
whole one: 0.7 pictures, each 14 times."""
_TIME_SHARE: Final = 0.7
"""Share of the machine's time for all that; the rest is for the page and everything else."""
REDUCED_SIZE: Final = (960, 720)
"""Width and height in pixels to ask of a camera if the machine is too slow for the usual size."""
_STRIPS: Final = 4
"""Number of measured strips that make up a picture, so that a slow machine measures several in a moment."""
_MIN_REPORTED_RATE: Final = 0.5
"""Pictures a second that even the slowest machine is said to follow."""
_WHOLE_PICTURE_STEP: Final = 4
"""One whole picture is decoded for this many pictures on which nothing happens, as it takes longer."""

_JPEG_QUALITY: Final = 85
"""Quality of the measured JPEG, 0 … 100."""


@dataclass(frozen=True)
class MachineSpeed:
    """Elapsed seconds for a ``picture`` on which nothing happens, and for decoding a ``whole`` one."""

    picture: float
    whole: float

    @property
    def rate(self) -> float:
        """Pictures a second that leave time for judging those that have changed; at most
        :data:`FULL_RATE`.
        """
        free = _TIME_SHARE - _JUDGING_COST * self.whole
        return max(_MIN_REPORTED_RATE, min(FULL_RATE, free / self.picture))

    @property
    def enough(self) -> bool:
        return self.rate >= MIN_RATE

    @property
    def apart(self) -> float:
        """Seconds between two pictures that a source should yield; 0 for all pictures."""
        return 0.0 if self.rate >= FULL_RATE else 1.0 / max(self.rate, MIN_RATE)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels to ask of a camera."""
        return CAMERA_SIZE if self.enough else REDUCED_SIZE


def measure(seconds: float) -> MachineSpeed:
    """Process pictures like a camera's for about this many ``seconds``, and at least two."""
    data = _test_strip()
    buffer = np.frombuffer(data, np.uint8)
    stillness = Stillness()
    per_picture: list[float] = []
    per_whole: list[float] = []
    started, started_cpu = time.perf_counter(), time.thread_time()
    while len(per_picture) < 2 or time.perf_counter() - started < seconds:
        start = time.thread_time()
        picture = lazily_decoded(data, "a picture made for the measurement")
        stillness.update(float(len(per_picture)), stillness.small_copy(picture))
        picture_fault(picture)
        per_picture.append(time.thread_time() - start)
        if len(per_picture) % _WHOLE_PICTURE_STEP == 1:
            start = time.thread_time()
            cv2.imdecode(buffer, cv2.IMREAD_COLOR)
            per_whole.append(time.thread_time() - start)
    # Elapsed time over processor time: other programs, or a limit, take the rest of the processor.
    slowdown = (time.perf_counter() - started) / (time.thread_time() - started_cpu)
    every, whole = float(np.median(per_picture)), float(np.median(per_whole))
    return MachineSpeed(slowdown * _STRIPS * every, slowdown * _STRIPS * whole)


def _test_strip() -> bytes:
    """A JPEG of one strip of a picture, as detailed as a picture of a board, which has 150 kB in all."""
    width, height = CAMERA_SIZE[0], CAMERA_SIZE[1] // _STRIPS
    noise = np.random.default_rng(1)
    # Coarse shapes, with the fine grain of a table top and of the sensor.
    shapes = noise.integers(40, 216, (height // 40, width // 40, 3), np.uint8)
    image = cv2.resize(shapes, (width, height), interpolation=cv2.INTER_NEAREST)
    grain = noise.integers(0, 12, (height, width), np.uint8)
    done = cv2.imencode(
        ".jpg", cv2.add(image, cv2.merge([grain] * 3)), [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY]
    )
    return bytes(done[1])
