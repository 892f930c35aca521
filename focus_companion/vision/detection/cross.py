"""Matches the cross-shaped pattern of the 52 squares against a lattice, to find the board's place on it.

A board's lattice ends: 52 sites have a dome or a piece; the three missing in each corner and those on the
ledge around it have none. A cloth's lattice continues, and a board shifted by one square has empty sites
inside and occupied ones outside.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from ..arrays import Floats, Mask
from ..geometry.pose import SquareView, pushed, square_view, undistort
from ..geometry.scene import SQUARES_IN_FRAME, BoardProfile, Camera, Lens, at_height
from .blobs import RADII, RoundnessMaps
from .lattice import Lattice

_GRID_REACH = 13
"""Sites on either side of a lattice's origin at which the board is searched for."""

_MAX_TILT = 62.0
"""Maximum angle in degrees between the viewing direction and the vertical."""

BLOB_HEIGHT = 6.0
"""Height in mm of the centre of a blob, that of a dome or of a single piece."""

_MAX_MISFIT = 0.13
"""Maximum misfit (:class:`~..geometry.pose.SquareView`) of a camera that sees the lattice as square."""

_BLOB_RADIUS = 0.36
"""Typical radius of a blob, in squares."""

_BLOB_SLACK = 0.13
"""Maximum distance of a blob from its lattice site, in squares."""

_MAX_ROUNDNESS = 0.6
"""Roundness above which a site scores no higher."""


_SEARCHED_SHARE = 0.55
"""Distance from the principal point up to which sites are used, as a fraction of the picture's sides."""

_BASES = (
    ((1.0, 0.0), (0.0, 1.0)),
    ((1.0, 1.0), (0.0, 1.0)),
    ((1.0, -1.0), (0.0, 1.0)),
    ((1.0, 0.0), (1.0, 1.0)),
    ((1.0, 0.0), (-1.0, 1.0)),
    ((0.5, 0.5), (-0.5, 0.5)),
    ((1.0, 1.0), (-1.0, 1.0)),
)
"""Bases that are tried, each by its steps along the board's two axes: one or both steps of a lattice may lie
along the diagonals of the squares. The first one, which is shorter, is a diagonal alone only if the board is
seen across a corner from more than 55° off the vertical."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A candidate camera, correct up to quarter turns; ``score`` is the mean roundness of the squares minus
    that of the sites around them.
    """

    camera: Camera
    score: float


def site_roundness(maps: RoundnessMaps, places: Floats, pitches: Floats) -> Floats:
    """Roundness (N,) at ``places`` (N, 2) of the working picture; NaN outside it.

    ``pitches`` (N,) are the sides of a square in pixels at these places.
    """
    level = np.interp(np.log(_BLOB_RADIUS * pitches), np.log(RADII), np.arange(len(RADII)))
    result = np.full(len(places), np.nan)
    for k in range(len(RADII)):
        here = np.isfinite(level) & (np.abs(level - k) <= 1.0)
        if here.any():
            slack = _BLOB_SLACK * float(np.median(pitches[here]))
            result[here] = np.fmax(result[here], maps[k].at(places[here], slack))
    return result


def _correlate(grid: Floats, mask: Mask) -> Floats:
    windows = np.lib.stride_tricks.sliding_window_view(grid, mask.shape)
    return np.asarray(np.einsum("ijkl,kl->ij", windows, mask.astype(float)))


def cross_scores(grid: Floats) -> Floats:
    """Score of each position of :data:`SQUARES_IN_FRAME` in a grid of roundness: the mean of the squares less
    that of the sites around them.

    NaN in the grid means outside the picture: it counts as 0 for squares and is ignored for the surroundings.
    """
    squares, around = SQUARES_IN_FRAME, ~SQUARES_IN_FRAME
    seen = np.isfinite(grid)
    value = np.where(seen, np.clip(grid, 0.0, _MAX_ROUNDNESS), 0.0)
    sites = np.maximum(_correlate(seen.astype(float), around), 1)
    return np.asarray(_correlate(value, squares) / squares.sum() - _correlate(value, around) / sites)


def views(
    lattice: Lattice, lens: Lens, profile: BoardProfile, *, known: bool = False, level: float = BLOB_HEIGHT
) -> list[SquareView]:
    """Cameras for which the lattice, ``level`` mm above the board, is square in one of the bases, with the
    board's centre at its origin. ``known``: the focal length of the lens is known.
    """
    # Refitted, to the undistorted picture.
    refitted, _ = cv2.findHomography(lattice.sites.astype(float), undistort(lattice.points, lens), 0)
    homography = lattice.homography if refitted is None else np.asarray(refitted, float)
    found = []
    for basis in _BASES:
        change = np.eye(3)
        change[:2, :2] = np.array(basis).T
        along = homography @ change
        if np.linalg.det(along) > 0:  # image y points down: a lattice seen from above is mirrored in pixels
            along = along[:, [1, 0, 2]]
        view = square_view(along, lens, profile.pitch, level, known=known)
        if view is not None and view.misfit < _MAX_MISFIT and view.camera.tilt < _MAX_TILT:
            found.append(view)
    return found


def guesses(view: SquareView, maps: RoundnessMaps, profile: BoardProfile) -> list[Guess]:
    """The three best positions of the 52 squares on a square lattice, by the roundness of its sites."""
    axis = np.arange(-_GRID_REACH, _GRID_REACH + 1)
    files, ranks = np.meshgrid(axis, axis)
    flat = at_height(np.stack([files.ravel(), ranks.ravel()], 1) * profile.pitch, BLOB_HEIGHT)
    camera = view.camera
    depth = camera.depths(flat)
    places = np.full((len(flat), 2), np.nan)
    pitches = np.full(len(flat), np.nan)
    front = depth > camera.min_depth
    places[front] = camera.project(flat[front])
    pitches[front] = camera.lens.focal * profile.pitch / depth[front]
    lens = camera.lens
    limits = _SEARCHED_SHARE * lens.width, _SEARCHED_SHARE * lens.height
    near = front & (np.abs(places - lens.centre) < limits).all(1)
    values = np.full(len(flat), np.nan)
    values[near] = site_roundness(maps, places[near], pitches[near])
    scores = cross_scores(values.reshape(files.shape))
    to_centre = (len(SQUARES_IN_FRAME) - 1) / 2
    found = []
    for index in np.argsort(-scores, axis=None)[:3]:
        rank, file = np.unravel_index(index, scores.shape)
        x, y = (axis[[file, rank]] + to_centre) * profile.pitch
        found.append(Guess(pushed(camera, float(x), float(y)), float(scores[rank, file])))
    return found
