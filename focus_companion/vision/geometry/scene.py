"""The geometric model of camera, board and pieces, shared by detection, reading and drawing.

The board frame is in millimetres: x from file a to h, y from rank 1 to 8, z up; the origin is the centre of
the board at the level where a single piece rests. The camera is OpenCV's pinhole model with distortion:
``X_camera = R X_board + t``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from ...game.squares import FILE, RANK
from ..arrays import Floats, Integers

CORNERS = {"a1": (-1, -1), "h1": (1, -1), "h8": (1, 1), "a8": (-1, 1)}
"""Corners of the full 8×8 lattice, as signs of (x, y)."""

SQUARES_IN_FRAME = np.zeros((10, 10), np.bool_)
SQUARES_IN_FRAME[np.array(RANK) + 1, np.array(FILE) + 1] = True
"""Mask [rank, file] of the 52 squares on the lattice with a frame one site wide around it; [1, 1] is a1."""

_USED = np.column_stack([FILE, RANK])
"""File and rank of the 52 squares, 0 to 7, (52, 2)."""
_UNUSED = np.argwhere(~SQUARES_IN_FRAME[1:-1, 1:-1].T)
"""The same of the 12 unused squares in the corners of the lattice, (12, 2)."""


@dataclass(frozen=True, slots=True)
class Solid:
    """A solid of revolution standing on z = 0: ``rings`` are (radius, height) in mm from the bottom up."""

    rings: tuple[tuple[float, float], ...]

    @property
    def radius(self) -> float:
        return max(radius for radius, _ in self.rings)

    @property
    def height(self) -> float:
        return max(height for _, height in self.rings)

    def scaled(self, width: float, height: float) -> Solid:
        """The solid scaled by these factors."""
        return Solid(tuple((radius * width, z * height) for radius, z in self.rings))


@dataclass(frozen=True, slots=True)
class PieceLook:
    """The appearance of a colour's pieces in a set: its letter, the name people use, and red, green, blue."""

    letter: str
    name: str
    shade: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class BoardProfile:
    """Dimensions of a set, in mm: the lattice's pitch, a bare dome, a piece, and the ``rise`` that each
    further piece adds. ``pieces``: the appearance of the colours, if known. ``gaps``: those of a folding
    board, between files d and e and between ranks 4 and 5.
    """

    name: str
    pitch: float
    dome: Solid
    dome_base: float
    piece: Solid
    rise: float
    half_width: float
    table: float
    pieces: tuple[PieceLook, ...] = ()
    gaps: tuple[float, float] = (0.0, 0.0)

    @property
    def shades(self) -> dict[str, tuple[int, int, int]]:
        """The known shades by letter."""
        return {piece.letter: piece.shade for piece in self.pieces}

    @property
    def flat(self) -> bool:
        """Whether an empty square has no dome, and so no outline."""
        return self.dome.height <= 0

    def with_pieces_scaled(self, width: float, height: float = 1.0) -> BoardProfile:
        """The same board with pieces that are so many times as wide and as high."""
        # On a flat board, the footprint of a piece takes the place of a dome.
        dome = self.dome.scaled(width, height) if self.flat else self.dome
        return replace(self, piece=self.piece.scaled(width, height), rise=self.rise * height, dome=dome)

    @property
    def centres(self) -> Floats:
        """Centres of the 52 squares, (52, 2) mm."""
        return self._centres(_USED)

    @property
    def unused_centres(self) -> Floats:
        """Centres of the 12 unused squares in the corners of the lattice, (12, 2) mm."""
        return self._centres(_UNUSED)

    def _centres(self, sites: Integers) -> Floats:
        """Centres (N, 2) mm of squares given by their files and ranks, (N, 2)."""
        steps = sites - 3.5
        return np.asarray(steps * self.pitch + np.sign(steps) * np.array(self.gaps) / 2)

    def quadratic_terms(self, places: Floats) -> Floats:
        """Terms (N, 6) of quadratic functions of ``places`` (N, 2) in mm: 1, x, y, x², xy and y², where the
        lattice reaches from -1 to 1.
        """
        x, y = places.T / (4 * self.pitch)
        return np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])

    def outline_of(self, square: int, half: float) -> Floats:
        """Corners (4, 3) mm, at z = 0, of a square on a square of the board, around the same centre, with
        sides of twice ``half`` mm.
        """
        return at_height(self.centres[square] + half * np.array(list(CORNERS.values())))

    @property
    def corners(self) -> Floats:
        """Corners a1, h1, h8, a8 of the full 8×8 lattice at z = 0, (4, 3) mm."""
        x, y = (4 * self.pitch + gap / 2 for gap in self.gaps)
        return np.array([(x * sx, y * sy, 0.0) for sx, sy in CORNERS.values()])


@dataclass(frozen=True, slots=True)
class Lens:
    """Intrinsics for one picture size, in pixels; ``centre`` is the principal point, ``distortion`` is (k1,
    k2, p1, p2). ``aspect``: the vertical focal length relative to the horizontal one, ``focal``; other than 1
    if pixels are not square, as in many analogue and surveillance pictures.
    """

    width: int
    height: int
    focal: float
    centre: tuple[float, float]
    distortion: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    aspect: float = 1.0

    @classmethod
    def guess(cls, width: int, height: int, field_of_view: float = 62.0) -> Lens:
        """A typical webcam: ``field_of_view`` in degrees along the longer side, centred."""
        focal = max(width, height) / 2 / np.tan(np.radians(field_of_view) / 2)
        return cls(width, height, float(focal), (width / 2, height / 2), (-0.06, 0.01, 0.0, 0.0))

    @property
    def matrix(self) -> Floats:
        across, down = self.focal, self.focal * self.aspect
        return np.array([(across, 0, self.centre[0]), (0, down, self.centre[1]), (0, 0, 1)], float)

    def rays(self, pixels: Floats) -> Floats:
        """Viewing directions (N, 3), in the camera frame and with a depth of 1, of pixels (N, 2)."""
        shown = np.ascontiguousarray(pixels, float).reshape(-1, 1, 2)
        plain = cv2.undistortPoints(shown, self.matrix, np.array(self.distortion)).reshape(-1, 2)
        return np.column_stack([plain, np.ones(len(plain))])

    def scaled(self, factor: float) -> Lens:
        """The same lens for a picture resized by ``factor``."""
        return Lens(
            round(self.width * factor),
            round(self.height * factor),
            self.focal * factor,
            (self.centre[0] * factor, self.centre[1] * factor),
            self.distortion,
            self.aspect,
        )


_PROJECTION_BATCH = 2048
"""Points projected at a time, so that intermediate results stay in the processor's cache."""


@dataclass(frozen=True)
class Camera:
    """Intrinsics and extrinsics: a lens, and ``rotation`` (3,), a Rodrigues vector, and ``translation`` (3,)
    in mm, from the board frame to the camera frame.
    """

    lens: Lens
    rotation: tuple[float, float, float]
    translation: tuple[float, float, float]

    @classmethod
    def posed(cls, lens: Lens, rotation: Floats, translation: Floats) -> Camera:
        """The camera with this rotation matrix (3, 3) and this translation (3,)."""
        return cls(lens, triple(cv2.Rodrigues(rotation)[0]), triple(translation))

    @cached_property
    def rotation_matrix(self) -> Floats:
        return np.asarray(cv2.Rodrigues(np.array(self.rotation, float))[0])

    @cached_property
    def centre(self) -> Floats:
        """The camera's centre in the board frame, (3,) mm."""
        return np.asarray(-self.rotation_matrix.T @ np.array(self.translation))

    @property
    def tilt(self) -> float:
        """Angle in degrees between the line from the board's centre to the camera and the vertical."""
        return float(np.degrees(np.arccos(self.centre[2] / np.linalg.norm(self.centre))))

    def depths(self, points: Floats) -> Floats:
        """Distances (N,) of points (N, 3) of the board frame from the plane of the camera, in mm."""
        return np.asarray(points @ self.rotation_matrix[2] + self.translation[2])

    @property
    def min_depth(self) -> float:
        """Depth in mm above which a place may be on a board: nearer ones would be seen far too large."""
        return 0.3 * float(np.linalg.norm(self.translation))

    def project(self, points: Floats) -> Floats:
        """Pixels (N, 2) of points (N, 3) of the board frame.

        The same arithmetic as ``cv2.projectPoints``, which takes five times as long for many points because
        it also computes derivatives.
        """
        places = np.asarray(points, float).reshape(-1, 3)
        pixels = np.empty((len(places), 2))
        # A point in the plane of the camera may be infinitely far outside the picture.
        with np.errstate(over="ignore", invalid="ignore"):
            for first in range(0, len(places), _PROJECTION_BATCH):
                some = slice(first, first + _PROJECTION_BATCH)
                self._project(places[some], pixels[some])
        return pixels

    def _project(self, points: Floats, pixels: Floats) -> None:
        """Writes the pixels of ``points`` (N, 3) into ``pixels`` (N, 2)."""
        across, down, away = np.ascontiguousarray(points.T)
        x, y, z = (
            row[0] * across + row[1] * down + row[2] * away + offset
            for row, offset in zip(self.rotation_matrix.tolist(), self.translation, strict=True)
        )
        scale = 1 / np.where(z == 0, 1, z)
        x *= scale
        y *= scale
        k1, k2, p1, p2 = self.lens.distortion
        squared = x * x + y * y
        twisted = 2 * x * y
        radial = 1 + k1 * squared + k2 * (squared * squared)
        pixels[:, 0] = x * radial + p1 * twisted + p2 * (squared + 2 * x * x)
        pixels[:, 1] = y * radial + p1 * (squared + 2 * y * y) + p2 * twisted
        pixels *= (self.lens.focal, self.lens.focal * self.lens.aspect)
        pixels += self.lens.centre

    def on_board(self, pixels: Floats) -> Floats:
        """Intersections (N, 2), in mm, of the viewing rays through ``pixels`` (N, 2) with the plane z = 0."""
        return self.board_points(self.lens.rays(pixels))

    def board_points(self, rays: Floats) -> Floats:
        """Intersections (N, 2), in mm, of viewing directions (N, 3) with the plane z = 0."""
        turned, centre = rays @ self.rotation_matrix, self.centre
        return np.asarray(centre[:2] - turned[:, :2] * (centre[2] / turned[:, 2:]))

    def pitch_pixels(self, profile: BoardProfile) -> float:
        """Mean side of a square in pixels."""
        corners = self.project(profile.corners)
        return float(np.linalg.norm(corners - np.roll(corners, -1, 0), axis=1).mean() / 8)

    def scaled(self, factor: float) -> Camera:
        return replace(self, lens=self.lens.scaled(factor))


def triple(values: cv2.typing.MatLike) -> tuple[float, float, float]:
    """An array of three values as a tuple."""
    x, y, z = np.asarray(values, float).ravel().tolist()
    return x, y, z


def at_height(points: NDArray[np.floating], height: float = 0.0) -> Floats:
    """Points (N, 3) of the board frame, at this height in mm, from their x and y (N, 2)."""
    return np.column_stack([points, np.full(len(points), height)])


_ANGLES = np.linspace(0, 2 * np.pi, 24, endpoint=False)


def ring_points(solid: Solid, centre: tuple[float, float], base: float) -> Floats:
    """Points (rings × 24, 3) on the rings of a solid standing at ``centre`` at height ``base``."""
    rings = np.array(solid.rings, float)
    x = centre[0] + rings[:, :1] * np.cos(_ANGLES)
    y = centre[1] + rings[:, :1] * np.sin(_ANGLES)
    z = np.broadcast_to(base + rings[:, 1:], x.shape)
    return np.stack([x, y, z], -1).reshape(-1, 3)


def outline(camera: Camera, solid: Solid, centre: tuple[float, float], base: float) -> Floats:
    """The convex outline (N, 2), in pixels, of a solid of revolution."""
    hull = cv2.convexHull(camera.project(ring_points(solid, centre, base)).astype(np.float32))
    return np.asarray(hull, float).reshape(-1, 2)
