"""What the camera makes of the light: exposure and colour first, then blur, shake, noise and compression."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from .look import Look, Sensor
from .shading import tint

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]


class Film:
    """From light to pixels without noise: exposure, white balance, vignette, contrast and the sRGB curve."""

    def __init__(self, sensor: Sensor, size: tuple[int, int], gain: float) -> None:
        width, height = size
        balance = tint(sensor.balance)
        self._gain = (gain * balance).astype(np.float32)
        x = (np.arange(width, dtype=np.float32) - width / 2) / (width / 2)
        y = (np.arange(height, dtype=np.float32) - height / 2) / (width / 2)
        self._fade = 1 - sensor.vignette * (x[None, :] ** 2 + y[:, None] ** 2) / 1.5625
        level = (
            np.linspace(0, 1, 4096, dtype=np.float32) ** 2 * 4
        )  # finer in the dark; highlights to 4 times white
        shoulder = np.where(level < 0.7, level, 0.7 + 0.3 * (1 - np.exp(-(level - 0.7) / 0.45)))
        curve = np.where(shoulder <= 0.0031308, shoulder * 12.92, 1.055 * shoulder ** (1 / 2.4) - 0.055)
        bent = curve + sensor.contrast * 0.5 * (curve - 0.5) * curve * (1 - curve) * 4
        self._curve = np.clip(bent * 255, 0, 255).astype(np.uint8)

    def develop(self, light: F32, at: tuple[int, int]) -> NDArray[np.uint8]:
        """Pixels (h, w, 3) uint8 of light (h, w, 3) whose top left pixel lies at ``at`` (x, y)."""
        x, y = at
        h, w = light.shape[:2]
        scaled = light * self._gain * self._fade[y : y + h, x : x + w, None]
        index = cv2.sqrt(np.clip(scaled, 0, 4) / 4) * 4095
        return np.asarray(self._curve[index.astype(np.uint16)])


class Chip:
    """Blur, shake, noise and compression of one look's camera."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._noise: list[NDArray[np.int8]] = []

    def expose(self, picture: U8, rng: np.random.Generator) -> U8:
        """The picture (H, W, 3) as it is delivered, with fresh noise from ``rng``."""
        sensor = self._look.sensor
        if sensor.shake:
            move = np.array(
                [[1, 0, rng.normal(0, sensor.shake)], [0, 1, rng.normal(0, sensor.shake)]], np.float32
            )
            picture = np.asarray(
                cv2.warpAffine(picture, move, self._look.size, borderMode=cv2.BORDER_REPLICATE), np.uint8
            )
        if sensor.blur >= 0.3:
            picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), sensor.blur), np.uint8)
        if sensor.noise:
            picture = np.asarray(cv2.add(picture, self._grain(rng), dtype=cv2.CV_8U), np.uint8)
        if sensor.jpeg:
            _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, sensor.jpeg])
            picture = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        return picture

    def _grain(self, rng: np.random.Generator) -> NDArray[np.int8]:
        """One of a pool of noise fields, shifted and turned at random: fresh enough, and cheap."""
        width, height = self._look.size
        if not self._noise:
            own = np.random.default_rng([self._look.seed, 9])
            self._noise = [self._field(own, width + 64, height + 64) for _ in range(4)]
        y, x = rng.integers(0, 64, 2)
        field = self._noise[int(rng.integers(len(self._noise)))][y : y + height, x : x + width]
        return np.ascontiguousarray(field[:: int(rng.choice([-1, 1]))])

    def _field(self, rng: np.random.Generator, width: int, height: int) -> NDArray[np.int8]:
        """Noise as demosaicing leaves it: fine grain, and blotches of colour three pixels wide."""
        strength = self._look.sensor.noise
        field = cv2.GaussianBlur(rng.standard_normal((height, width, 3), np.float32), (0, 0), 0.6)
        field *= 1.36 * strength
        blotches = rng.standard_normal((height // 3 + 1, width // 3 + 1, 3), np.float32)
        field += cv2.resize(blotches * np.float32(0.45 * strength), (width, height))
        np.clip(np.rint(field, out=field), -127, 127, out=field)
        return np.asarray(field, np.int8)
