"""Match the cross of 52 squares against a lattice: is it a board, and where on the lattice does it lie?

A board's lattice ends: 52 sites have a dome or a piece; the three missing in each corner and those of the
ledge around have none. A cloth's lattice goes on, and a board shifted by one square has empty sites inside
and occupied ones outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ...game.squares import FILE, RANK
from ..geometry.pose import Square, square_view, straighten, turned
from ..geometry.scene import BoardProfile, Camera, Lens
from .blobs import RADII, Roundness
from .lattice import Lattice

Floats = NDArray[np.float64]

_REACH = 13
_STEEPEST = 62.0

LEVEL = 6.0
"""Height in mm of the centre of the blob that a dome or a single piece makes."""

_BASES = (
    ((1.0, 0.0), (0.0, 1.0)),
    ((1.0, 1.0), (0.0, 1.0)),
    ((1.0, -1.0), (0.0, 1.0)),
    ((1.0, 0.0), (1.0, 1.0)),
    ((1.0, 0.0), (-1.0, 1.0)),
    ((0.5, 0.5), (-0.5, 0.5)),
    ((1.0, 1.0), (-1.0, 1.0)),
)
"""Alternative bases (columns: steps along the board's axes) for a lattice grown along its diagonals."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A candidate camera, correct up to quarter turns; ``score`` is the mean roundness of the squares minus
    that of the sites around them."""

    camera: Camera
    score: float


def site_roundness(maps: Sequence[Roundness], places: Floats, pitches: Floats) -> Floats:
    """Roundness (N,) at ``places`` (N, 2) of the working picture where a square's side is ``pitches`` (N,)
    pixels.

    Outside the picture: NaN.
    """
    level = np.interp(np.log(0.36 * pitches), np.log(RADII), np.arange(len(RADII)))
    result = np.full(len(places), np.nan)
    for k in range(len(maps)):
        here = np.isfinite(level) & (np.abs(level - k) <= 1.0)
        if here.any():
            slack = 0.13 * float(np.median(pitches[here]))
            result[here] = np.fmax(result[here], maps[k].at(places[here], slack))
    return result


def _templates() -> tuple[Floats, Floats]:
    """The 52 squares, and the sites around them, as 10 × 10 masks indexed [rank, file]; [1, 1] is a1."""
    squares = np.zeros((10, 10))
    squares[np.array(RANK) + 1, np.array(FILE) + 1] = 1
    return squares, 1 - squares


def _correlate(grid: Floats, mask: Floats) -> Floats:
    windows = np.lib.stride_tricks.sliding_window_view(grid, mask.shape)
    return np.asarray(np.einsum("ijkl,kl->ij", windows, mask))


def cross_scores(grid: Floats) -> Floats:
    """Score of each position of the 10 × 10 template in a grid of roundness: mean of the squares minus mean
    of the surroundings; positions are those of the template's lower left site.

    NaN in the grid is outside the picture: it counts as 0 for squares and is ignored for the surroundings.
    """
    squares, around = _templates()
    seen = np.isfinite(grid)
    value = np.where(seen, np.clip(grid, 0.0, 0.6), 0.0)
    inside = _correlate(value, squares) / 52
    beside = _correlate(value, around) / np.maximum(_correlate(seen.astype(float), around), 12)
    return np.asarray(inside - beside)


def straight_lattice(lattice: Lattice, lens: Lens) -> Floats:
    """The lattice's homography to the undistorted picture, refitted to its points."""
    straight = straighten(lattice.points, lens)
    homography, _ = cv2.findHomography(lattice.sites.astype(float), straight, 0)
    return lattice.homography if homography is None else np.asarray(homography, float)


def views(
    lattice: Lattice,
    lens: Lens,
    profile: BoardProfile,
    misfit: float = 0.13,
    *,
    known: bool = False,
    level: float = LEVEL,
) -> list[Square]:
    """Cameras for which the lattice, ``level`` mm above the board, is square in one of the bases, with the
    board's centre at its origin. ``known``: the focal length of the lens is exact."""
    homography = straight_lattice(lattice, lens)
    found = []
    for basis in _BASES:
        change = np.eye(3)
        change[:2, :2] = np.array(basis).T
        along = homography @ change
        if np.linalg.det(along) > 0:  # image y points down: a lattice seen from above is mirrored in pixels
            along = along[:, [1, 0, 2]]
        view = square_view(along, lens, profile.pitch, level, known=known)
        if view is not None and view.misfit < misfit and view.camera.tilt < _STEEPEST:
            found.append(view)
    return found


def guesses(view: Square, maps: Sequence[Roundness], profile: BoardProfile, most: int = 3) -> list[Guess]:
    """The best positions of the 52 squares on a square lattice, by the roundness of its sites."""
    axis = np.arange(-_REACH, _REACH + 1)
    files, ranks = np.meshgrid(axis, axis)
    flat = np.stack([files.ravel(), ranks.ravel(), np.zeros(files.size)], 1) * profile.pitch
    flat[:, 2] = LEVEL
    camera = view.camera
    depth = flat @ camera.rotation_matrix[2] + camera.translation[2]
    places = np.full((len(flat), 2), np.nan)
    pitches = np.full(len(flat), np.nan)
    front = depth > 0.3 * np.linalg.norm(camera.translation)
    places[front] = camera.project(flat[front])
    pitches[front] = camera.lens.focal * profile.pitch / depth[front]
    lens = camera.lens
    near = front & (np.abs(places - lens.centre) < (0.55 * lens.width, 0.55 * lens.height)).all(1)
    values = np.full(len(flat), np.nan)
    values[near] = site_roundness(maps, places[near], pitches[near])
    scores = cross_scores(values.reshape(files.shape))
    found = []
    for index in np.argsort(-scores, axis=None)[:most]:
        rank, file = np.unravel_index(index, scores.shape)
        # Template [0, 0] is the site before a1 in both directions; the board's centre is 4.5 steps from it.
        shift = (float(axis[file] + 4.5) * profile.pitch, float(axis[rank] + 4.5) * profile.pitch)
        found.append(Guess(turned(camera, 0, shift), float(scores[rank, file])))
    return found
