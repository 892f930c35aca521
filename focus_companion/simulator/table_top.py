"""Textures of table tops: planks of wood, cloth, gingham, and plain boards."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from .scene_style import TableStyle
from .shading import linear

F32 = NDArray[np.float32]

TILE_SIDE = 256
"""Side in pixels of the noise tiles, which repeat without a seam."""

PLANK_WIDTH = 128.0
"""Width of a plank in mm."""
CHECK_WIDTH = 19.0
"""Width of a check of gingham in mm."""


class TableTop:
    """The texture of one table top, which depends on a seed only."""

    def __init__(self, table: TableStyle, seed: int) -> None:
        rng = np.random.default_rng([seed, 1])
        self._first, self._second = linear(table.colour), linear(table.second)
        angle = float(rng.uniform(0, np.pi))
        self._c, self._s = np.float32(np.cos(angle)), np.float32(np.sin(angle))
        kinds: dict[str, tuple[Callable[[F32, F32], F32], tuple[float, float], tuple[float, float]]] = {
            "wood": (self._wood, (18, 1.2), (30, 3.5)),
            "gingham": (self._gingham, (0.8, 0.8), (9, 9)),
            "cloth": (self._cloth, (0.9, 0.9), (9, 9)),
            "plain": (self._plain, (0.9, 0.9), (9, 9)),
        }
        self._painted, fine, coarse = kinds[table.kind]
        self._fine, self._coarse = _noise(rng, fine), _noise(rng, coarse)

    def albedo(self, x: F32, y: F32) -> F32:
        """Linear BGR (H, W, 3) at (x, y) mm, each (H, W)."""
        return self._painted(x * self._c + y * self._s, y * self._c - x * self._s)

    def _mixed(self, share: NDArray[np.floating], level: NDArray[np.floating]) -> F32:
        """The two colours, mixed by ``share`` and multiplied by ``level``."""
        colour = self._first + (self._second - self._first) * share[..., None]
        return np.asarray(colour * level[..., None], np.float32)

    def _wood(self, u: F32, v: F32) -> F32:
        plank = np.floor(v / PLANK_WIDTH)
        shift = plank * 77.7
        grain = 0.6 * _sample(self._fine, u * 0.55 + shift, v * 1.1)
        grain += 0.55 * _sample(self._coarse, u * 0.25 + shift * 3, v * 0.55 + shift)
        joint = np.exp(-((v - plank * PLANK_WIDTH) ** 2) / 2.5)
        return self._mixed(np.clip(0.45 + 0.32 * grain + 0.16 * np.sin(plank * 12.9), 0, 1), 1 - 0.6 * joint)

    def _gingham(self, u: F32, v: F32) -> F32:
        # The edge of a check is about a pixel wide, as sharp as the pixels allow.
        pixel = max(float(np.hypot(np.diff(u, axis=1), np.diff(v, axis=1)).mean()), 0.1)
        sharp = CHECK_WIDTH / (np.pi * pixel)
        bands = [1 / (1 + np.exp(-np.clip(sharp * np.sin(w * np.pi / CHECK_WIDTH), -30, 30))) for w in (u, v)]
        return self._mixed((bands[0] + bands[1]) / 2, 1 + 0.08 * _sample(self._fine, u * 1.7, v * 1.7))

    def _cloth(self, u: F32, v: F32) -> F32:
        soft, fine = _sample(self._coarse, u * 0.35, v * 0.35), _sample(self._fine, u * 1.6, v * 1.6)
        return self._mixed(np.zeros_like(u), 1 + 0.14 * soft + 0.1 * fine)

    def _plain(self, u: F32, v: F32) -> F32:
        return self._mixed(np.zeros_like(u), 1 + 0.03 * _sample(self._coarse, u * 0.35, v * 0.35))


def _noise(rng: np.random.Generator, stretch: tuple[float, float]) -> F32:
    """A smooth tile, about -1…1; ``stretch`` is the correlation length in x and in y."""
    tile = np.tile(rng.standard_normal((TILE_SIDE, TILE_SIDE), np.float32), (3, 3))
    soft = cv2.GaussianBlur(tile, (0, 0), sigmaX=stretch[0], sigmaY=stretch[1])[
        TILE_SIDE : 2 * TILE_SIDE, TILE_SIDE : 2 * TILE_SIDE
    ]
    return np.asarray(soft / (2 * soft.std()), np.float32)


def _sample(tile: F32, u: NDArray[np.floating], v: NDArray[np.floating]) -> F32:
    """The tile's values at (u, v) pixels."""
    at = (np.asarray(u % TILE_SIDE, np.float32), np.asarray(v % TILE_SIDE, np.float32))
    return np.asarray(cv2.remap(tile, *at, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP), np.float32)
