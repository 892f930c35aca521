"""Simulates the camera's image formation: exposure and colour, then blur, shake, noise and compression."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from .patches import Rect
from .scene_style import SceneStyle, Sensor
from .shading import tint, to_light, to_srgb

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]

SHAKE_POSITIONS = 8
"""Number of positions among which a shaking camera moves: the static scene is blurred once for each."""
NOISE_MARGIN = 256
"""Pixels by which the noise field is larger than a picture, each of which uses a random part of it."""
MIN_BLUR = 0.3
"""Minimum standard deviation, in pixels, of a blur that is applied."""
_SHOULDER = 0.7
"""Light above which highlights are compressed; white is 1."""


class Film:
    """Converts light to noiseless pixels: exposure, white balance, vignetting, contrast and sRGB curve."""

    def __init__(self, sensor: Sensor, size: tuple[int, int], gain: float) -> None:
        width, height = size
        balance = tint(sensor.balance)
        self._gain = (gain * balance).astype(np.float32)
        x = (np.arange(width, dtype=np.float32) - width / 2) / (width / 2)
        y = (np.arange(height, dtype=np.float32) - height / 2) / (width / 2)
        self._fade = 1 - sensor.vignette * (x[None, :] ** 2 + y[:, None] ** 2) / 1.5625
        # The lookup table is finer in the dark and reaches four times white.
        level = np.linspace(0, 1, 4096, dtype=np.float32) ** 2 * 4
        compressed = _SHOULDER + 0.3 * (1 - np.exp(-(level - _SHOULDER) / 0.45))
        shoulder = np.where(level < _SHOULDER, level, compressed)
        curve = to_srgb(shoulder)
        bent = curve + sensor.contrast * 0.5 * (curve - 0.5) * curve * (1 - curve) * 4
        self._curve = np.clip(bent * 255, 0, 255).astype(np.uint8)

    def develop(self, light: F32, at: tuple[int, int]) -> NDArray[np.uint8]:
        """Pixels (h, w, 3) uint8 of light (h, w, 3) whose top left pixel is ``at`` (x, y)."""
        x, y = at
        h, w = light.shape[:2]
        return self._bent(light * self._gain * self._fade[y : y + h, x : x + w, None])

    def develop_some(self, light: F32, x: NDArray[np.intp], y: NDArray[np.intp]) -> U8:
        """Pixels (N, 3) uint8 of light (N, 3) at the pixels ``x``, ``y`` (N,) of the picture."""
        return self._bent(light * self._gain * self._fade[y, x, None])

    def _bent(self, scaled: NDArray[np.floating]) -> U8:
        index = cv2.sqrt(np.clip(scaled, 0, 4) / 4).reshape(scaled.shape) * 4095
        return np.asarray(self._curve[index.astype(np.uint16)])


@dataclass(frozen=True)
class Shot:
    """The image on the sensor.

    ``still`` is the table without a hand, and the same array while ``version`` is unchanged. ``hand``, if
    there is one, is the whole picture with the hand and the rectangle in which it differs from ``still``.
    ``drift`` is the drift of the light, in stops; ``nudge`` is how far the camera was pushed, in pixels to
    the right and down, and in degrees.
    """

    still: U8
    version: int
    hand: tuple[U8, Rect] | None = None
    drift: float = 0.0
    nudge: tuple[float, float, float] = (0.0, 0.0, 0.0)


class ImageSensor:
    """Simulates drift, blur, shake, noise and compression for the camera of one look.

    The static scene is blurred once for every position of the shaking camera; after that, only noise is added
    to each picture.
    """

    def __init__(self, look: SceneStyle) -> None:
        self._look = look
        self._noise: tuple[U8, U8] | None = None
        own = np.random.default_rng([look.seed, 8])
        shake = look.sensor.shake
        places = own.normal(0, shake, (SHAKE_POSITIONS, 2)) if shake else np.zeros((1, 2))
        self._kernels = [(self._kernel(float(x)), self._kernel(float(y))) for x, y in places]
        self._key: tuple[object, ...] = ()
        self._blurred: dict[int, U8] = {}
        self._nudged: U8 | None = None

    def expose(self, shot: Shot, rng: np.random.Generator) -> U8:
        """The picture (H, W, 3) as delivered, with fresh noise from ``rng``."""
        sensor = self._look.sensor
        picture = self._exposed(shot, int(rng.integers(len(self._kernels))))
        if sensor.noise:
            self._add_noise(picture, rng)
        if sensor.jpeg:
            _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, sensor.jpeg])
            picture = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        return picture

    def _exposed(self, shot: Shot, place: int) -> U8:
        """A new image on the sensor at one of the shake positions."""
        picture = self._blurred_picture(shot, place)
        if shot.drift:
            picture = np.asarray(cv2.LUT(picture, _drifted(shot.drift), dst=picture), np.uint8)
        return picture

    def _blurred_picture(self, shot: Shot, place: int) -> U8:
        key = (shot.version, shot.nudge)
        if key != self._key:
            self._key, self._blurred, self._nudged = key, {}, None
        if shot.hand is not None and any(shot.nudge):
            return self._blur(_moved(shot.hand[0], shot.nudge), place)
        if place not in self._blurred:
            if self._nudged is None:
                self._nudged = _moved(shot.still, shot.nudge)
            self._blurred[place] = self._blur(self._nudged, place)
        out = self._blurred[place].copy()
        if shot.hand is None:
            return out
        picture, (x0, y0, x1, y1) = shot.hand
        pad = len(self._kernels[place][0]) // 2
        height, width = out.shape[:2]
        left, top = max(x0 - 2 * pad, 0), max(y0 - 2 * pad, 0)
        right, bottom = min(x1 + 2 * pad, width), min(y1 + 2 * pad, height)
        part = self._blur(picture[top:bottom, left:right], place)
        # The outermost pixels lack their neighbours, unless the picture itself ends there.
        x0, y0, x1, y1 = max(x0 - pad, 0), max(y0 - pad, 0), min(x1 + pad, width), min(y1 + pad, height)
        out[y0:y1, x0:x1] = part[y0 - top : y1 - top, x0 - left : x1 - left]
        return out

    def _blur(self, picture: U8, place: int) -> U8:
        across, down = self._kernels[place]
        if len(across) == 1:
            return picture.copy()
        return np.asarray(
            cv2.sepFilter2D(picture, -1, across, down, borderType=cv2.BORDER_REPLICATE), np.uint8
        )

    def _kernel(self, shift: float) -> F32:
        """A kernel for the lens's blur combined with a shift in pixels; its length is odd."""
        sensor = self._look.sensor
        blur = np.ones(1)
        if sensor.blur >= MIN_BLUR:
            blur = cv2.getGaussianKernel(round(sensor.blur * 6 + 1) | 1, sensor.blur).ravel()
        if not sensor.shake:
            return np.asarray(blur, np.float32)
        whole = int(np.floor(shift))
        reach = max(whole + 1, -whole)
        moved = np.zeros(2 * reach + 1)
        moved[reach - whole - 1], moved[reach - whole] = shift - whole, 1 - (shift - whole)
        return np.convolve(blur, moved).astype(np.float32)

    def _add_noise(self, picture: U8, rng: np.random.Generator) -> None:
        """Adds, in place, a random part of a large noise field with a random sign."""
        height, width = picture.shape[:2]
        if self._noise is None:
            own = np.random.default_rng([self._look.seed, 9])
            field = self._field(own, width + NOISE_MARGIN, height + NOISE_MARGIN)
            self._noise = np.maximum(field, 0).astype(np.uint8), np.maximum(-field, 0).astype(np.uint8)
        y, x = rng.integers(0, NOISE_MARGIN, 2)
        up, down = self._noise if rng.random() < 0.5 else self._noise[::-1]
        crop = np.s_[y : y + height, x : x + width]
        cv2.add(picture, up[crop], dst=picture)
        cv2.subtract(picture, down[crop], dst=picture)

    def _field(self, rng: np.random.Generator, width: int, height: int) -> F32:
        """Noise as after demosaicing, as integers: fine grain, and blotches of three pixels."""
        strength = self._look.sensor.noise
        field = cv2.GaussianBlur(rng.standard_normal((height, width, 3), np.float32), (0, 0), 0.6)
        field *= 1.36 * strength
        blotches = rng.standard_normal((height // 3 + 1, width // 3 + 1, 3), np.float32)
        field += cv2.resize(blotches * np.float32(0.45 * strength), (width, height))
        return np.asarray(np.clip(np.rint(field, out=field), -127, 127, out=field), np.float32)


def _moved(picture: U8, nudge: tuple[float, float, float]) -> U8:
    """The picture (H, W, 3) as seen by the nudged camera."""
    dx, dy, turn = nudge
    if not any(nudge):
        return picture
    height, width = picture.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), turn, 1.0)
    matrix[:, 2] += dx, dy
    return np.asarray(
        cv2.warpAffine(picture, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def _drifted(stops: float) -> U8:
    """Lookup table (256,) of pixel values for light brighter by this many stops."""
    curve = to_srgb(to_light(np.arange(256) / 255) * 2.0**stops)
    return np.asarray(np.clip(np.rint(curve * 255), 0, 255), np.uint8)
