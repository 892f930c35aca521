"""Describes the appearance of a simulated table: set, table, light, camera and sensor, all frozen values.

Colours are sRGB hex text (``"#a51927"``); lengths are millimetres in the board frame of
:mod:`~..vision.geometry.scene`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from ..vision.capture.frames import CAMERA_SIZE
from ..vision.geometry.board_profiles import board_profile
from ..vision.geometry.scene import BoardProfile, Camera, Lens

Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Lamp:
    """A lamp or window: position (mm), strength at the board's centre, RGB tint, and size (mm)."""

    place: Triple
    strength: float
    tint: Triple = (1.0, 1.0, 1.0)
    size: float = 60.0


@dataclass(frozen=True, slots=True)
class Lighting:
    """The lamps and the ambient light; ``exposure`` in stops relative to the automatic one."""

    lamps: tuple[Lamp, ...]
    ambient: float = 0.4
    ambient_tint: Triple = (0.97, 0.98, 1.0)
    exposure: float = 0.0


@dataclass(frozen=True, slots=True)
class BoardStyle:
    """The board unit. ``outline`` is "octagon", "square" or "cross"; ``cells`` is "pads", "lines", "chess" or
    "none".

    With ``cells`` "chess", all 64 fields alternate between ``colour`` and ``cell_colour``, and the twelve
    that are out of play are covered in ``label_ground``.
    """

    outline: str = "octagon"
    colour: str = "#d9d0b8"
    cells: str = "pads"
    cell_colour: str = ""
    labels: bool = True
    label_ground: str = "#6d1b2c"
    label_ink: str = "#f3ead2"
    gloss: float = 0.5


@dataclass(frozen=True, slots=True)
class PieceStyle:
    """The pieces: ``profile`` names a board profile, ``spread`` is the variation in shade between pieces."""

    profile: str = "domination"
    colours: Mapping[str, str] = field(
        default_factory=lambda: {"r": "#bd1722", "g": "#147336", "b": "#1f57b2", "y": "#edbb10"}
    )
    gloss: float = 0.7
    spread: float = 0.06
    jitter: float = 0.55
    crooked: float = 0.0
    """Probability that a piece is placed 1 to 2.5 mm off the centre."""
    placement: float = 0.0
    """Standard deviation in mm, in each direction, of how far a stack stands off the centre of its square.
    Domed squares centre the pieces, flat ones do not."""


@dataclass(frozen=True, slots=True)
class TableStyle:
    """The table top: ``kind`` is "wood", "cloth", "gingham" or "plain"."""

    kind: str = "wood"
    colour: str = "#b58a5a"
    second: str = "#7d5630"
    gloss: float = 0.3
    props: tuple[str, ...] = ()
    """Objects on the table: "mug", "paper", "phone", "lid"."""


@dataclass(frozen=True, slots=True)
class Sensor:
    """The camera's image formation: noise in grey levels, blur and shake in pixels, JPEG quality or 0."""

    noise: float = 2.0
    blur: float = 0.55
    vignette: float = 0.2
    balance: Triple = (1.0, 1.0, 1.0)
    """White-balance gains for red, green and blue."""
    contrast: float = 0.25
    jpeg: int = 85
    shake: float = 0.15


@dataclass(frozen=True, slots=True)
class Arms:
    """Skin and sleeve of each seat, clockwise from S."""

    skins: tuple[str, ...] = ("#d9a583", "#8a5a3e", "#c98f6c", "#e3b799")
    sleeves: tuple[str, ...] = ("#3c4a5e", "#803b2e", "#4d5f4a", "#2b2d33")


@dataclass(frozen=True)
class SceneStyle:
    """The appearance of a simulated table. The first of ``lightings`` is that at the start."""

    camera: Camera
    board: BoardStyle = BoardStyle()
    pieces: PieceStyle = field(default_factory=PieceStyle)
    table: TableStyle = TableStyle()
    lightings: tuple[Lighting, ...] = (Lighting((Lamp((-700.0, 500.0, 900.0), 0.8),)),)
    sensor: Sensor = Sensor()
    arms: Arms = Arms()
    seed: int = 0

    @property
    def profile(self) -> BoardProfile:
        return board_profile(self.pieces.profile)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture in pixels."""
        return self.camera.lens.width, self.camera.lens.height


def aimed_camera(
    lens: Lens,
    profile: BoardProfile,
    *,
    tilt: float,
    azimuth: float = 0.0,
    roll: float = 0.0,
    fill: float = 0.85,
    shift: tuple[float, float] = (0.0, 0.0),
) -> Camera:
    """A camera that looks at the board's centre from ``tilt`` degrees off the vertical.

    With ``azimuth`` 0, the camera is on the side of rank 1, which is then at the bottom of the picture. The
    board fills the share ``fill`` of the picture in the tighter direction; ``shift`` moves it by that many
    pixels.
    """
    t, a, r = np.radians([tilt, azimuth, roll])
    forward = -np.array([np.sin(t) * np.sin(a), -np.sin(t) * np.cos(a), np.cos(t)])
    right = np.array([np.cos(a), np.sin(a), 0.0])
    down = np.cross(forward, right)
    turn = np.array([[np.cos(r), -np.sin(r), 0.0], [np.sin(r), np.cos(r), 0.0], [0.0, 0.0, 1.0]])
    matrix = turn @ np.stack([right, down, forward])
    rotation = _rodrigues(matrix)
    half = profile.half_width
    corners = np.array([(x, y, z) for x in (-half, half) for y in (-half, half) for z in (0.0, 30.0)])
    near, far = 250.0, 6000.0
    for _ in range(40):
        distance = (near * far) ** 0.5
        spread = np.ptp(Camera(lens, rotation, (0.0, 0.0, distance)).project(corners), axis=0)
        too_big = max(spread[0] / lens.width, spread[1] / lens.height) > fill
        near, far = (distance, far) if too_big else (near, distance)
    camera = Camera(lens, rotation, (0.0, 0.0, far))
    # The board is shifted in the picture by rotating the camera, not by moving it, which preserves the tilt.
    ahead = np.array([0.0, 0.0, far])
    pixels = camera.project(corners)
    middle = (pixels.min(0) + pixels.max(0)) / 2
    wanted = np.array([lens.width, lens.height]) / 2 + np.array(shift)
    seen, aim = (_direction(lens, p) for p in (middle, wanted))
    axis = np.cross(seen, aim)
    turned, _ = cv2.Rodrigues(
        axis / max(float(np.linalg.norm(axis)), 1e-9) * np.arccos(min(float(seen @ aim), 1.0))
    )
    x, y, z = (turned @ ahead).tolist()
    return Camera(lens, _rodrigues(turned @ matrix), (x, y, z))


def _direction(lens: Lens, pixel: NDArray[np.float64]) -> NDArray[np.float64]:
    ahead = np.array(
        [(pixel[0] - lens.centre[0]) / lens.focal, (pixel[1] - lens.centre[1]) / lens.focal, 1.0]
    )
    return np.asarray(ahead / np.linalg.norm(ahead))


def _rodrigues(matrix: NDArray[np.float64]) -> Triple:
    x, y, z = np.asarray(cv2.Rodrigues(matrix)[0], float).ravel()
    return float(x), float(y), float(z)


@cache
def pleasant_look(width: int = CAMERA_SIZE[0], height: int = CAMERA_SIZE[1]) -> SceneStyle:
    """The table of the demo: a cream board on oak by a window, seen from 30 degrees off the vertical."""
    lens = Lens.guess(width, height, 58.0)
    camera = aimed_camera(lens, board_profile(), tilt=30, azimuth=7, roll=-1.5, fill=0.83)
    window = Lamp((-820.0, 620.0, 980.0), 0.85, (1.0, 0.98, 0.94), 420.0)
    ceiling = Lamp((380.0, -160.0, 1500.0), 0.35, (1.0, 0.93, 0.82), 45.0)
    return SceneStyle(
        camera=camera,
        board=BoardStyle(colour="#d8cfb6"),
        table=TableStyle("wood", "#a97c4c", "#6f4926", 0.3, ("mug", "paper")),
        lightings=(Lighting((window, ceiling), 0.4, (0.95, 0.98, 1.0), 0.2),),
        sensor=Sensor(noise=1.8, jpeg=0),
    )
