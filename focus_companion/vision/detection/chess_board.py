"""Finds a chess board by the corners at which its fields meet: an empty one has no other structure.

If the unused squares in the board's corners are covered, 37 of the 49 inner corners are visible, otherwise
all of them. Either way, there are none along the frame, where a chequered cloth would have some.
"""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from ..geometry.lens_profiles import LensProfile
from ..geometry.pose import adjust, turned
from ..geometry.resize import FINE_PIXELS, reduced, resized
from ..geometry.scene import BoardProfile, Camera, Lens
from .blobs import WORK_PIXELS, Blobs
from .cross import MAX_MISFIT, views
from .lattice import lattices
from .refine import lens_prior

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

CIRCLE_RADII = (3.0, 5.0)
"""Radii, in pixels of the working picture, of the circles around a corner on which fields must alternate."""
NOMINAL_RADII = (7.0, 11.0, 17.0)
"""Nominal radii, in pixels, for :func:`.lattice.lattices`: squares 1.5 to 3.6 times as wide are found."""
MAX_CORNERS = 300
"""Maximum number of corners that are used, the strongest ones."""
MIN_CORNER_CONTRAST = 6.0
"""Minimum difference in grey levels between the fields around a corner."""
MAX_CORNER_OFFSET = 0.14
"""Maximum distance, in squares, between a corner and its predicted position."""
MAX_LATTICES = 4
"""Maximum number of lattices tried for each nominal radius, the largest ones."""
MIN_CORNER_SHARE = 0.6
"""Minimum share of detected corners, minus that of the sites around the board, for a detection."""
MAX_MEDIAN_OFFSET = 0.05
"""Maximum median distance, in squares, between corners and their predicted positions."""

_REFINEMENT_REACHES = (0.35, 0.25, 0.2, 0.15, 0.12, 0.12)
"""Search distances for corners, in squares, one per iteration."""
_SUBPIXEL_REACH = 0.1
"""Distance, in squares, within which the subpixel position of a corner is sought."""
_MIN_FITTED_CORNERS = 8
"""Minimum number of corners that a camera is fitted to."""

_MAX_SHIFT = 7
"""Maximum shift of the board on its lattice that is tried, in squares."""

_AXIS = np.arange(-4, 5)
_CORNERS = np.stack(np.meshgrid(_AXIS, _AXIS), -1).reshape(-1, 2)
"""The corners of all fields, in steps from the board's centre."""
_FARTHER_STEP = np.abs(_CORNERS).max(1)
"""Distance of each corner from the board's centre along the axis on which it is farther away."""
_NEARER_STEP = np.abs(_CORNERS).min(1)
"""The same along the other axis."""
INNER_CORNERS = (
    (_FARTHER_STEP <= 1)
    | ((_FARTHER_STEP <= 3) & (_NEARER_STEP <= 1))
    | ((_FARTHER_STEP == 2) & (_NEARER_STEP == 2))
)
"""Mask of the corners that are visible even if the unused squares are covered."""
OUTER_CORNERS = _FARTHER_STEP == 4
"""Mask of the corners on the outer edge, where fields no longer alternate."""


def find_chess_board(
    image: Image, profile: BoardProfile, lens: LensProfile | None = None
) -> tuple[Camera, float] | None:
    """The camera of a chess board in a BGR picture, up to quarter turns, and the share (0 … 1) of its corners
    that were detected; None if there is no board.
    """
    work = reduced(image, WORK_PIXELS)[0]
    height, width = work.shape[:2]
    seen = Lens.guess(width, height) if lens is None else lens.at(width, height)
    alternating = np.max([_corner_response(work, radius) for radius in CIRCLE_RADII], axis=0)
    points, strength = _peaks(alternating)
    best: tuple[float, Camera] | None = None
    for radius in NOMINAL_RADII:
        corners = Blobs(points, np.full(len(points), radius), strength)
        for lattice in lattices(corners, radius, width, height).grown[:MAX_LATTICES]:
            for view in views(lattice, seen, profile, MAX_MISFIT, known=lens is not None, level=0.0):
                found = _best_placement(view.camera, points, profile)
                if found is not None and (best is None or found[0] > best[0]):
                    best = found
    if best is None or best[0] < MIN_CORNER_SHARE:
        return None
    return fitted_to_corners(image, best[1], profile, lens)


def _corner_response(image: Image, radius: float) -> Singles:
    """Corner response in grey levels at each pixel, (H, W): on a circle around a corner, opposite points are
    equally bright and points 90° apart are not.
    """
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32), (0, 0), 1.0)
    angles = np.arange(16) * np.pi / 8
    shifted = []
    for angle in angles:
        move = np.array([(1, 0, radius * np.cos(angle)), (0, 1, radius * np.sin(angle))], np.float32)
        shifted.append(
            cv2.warpAffine(
                grey,
                move,
                (grey.shape[1], grey.shape[0]),
                flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                borderMode=cv2.BORDER_REPLICATE,
            )
        )
    ring = np.stack(shifted)
    quadrature = np.abs(ring[:4] + ring[8:12] - ring[4:8] - ring[12:]).sum(0)
    asymmetry = np.abs(ring[:8] - ring[8:]).sum(0)
    middle = cv2.blur(grey, (3, 3))
    centre_offset = 16 * np.abs(ring.mean(0) - middle)
    return np.asarray((quadrature - asymmetry - centre_offset) / 8, np.float32)


def _peaks(response: Singles) -> tuple[Floats, Floats]:
    """Positions (N, 2) and strengths (N,) of the strongest corners."""
    highest = cv2.dilate(response, np.ones((7, 7), np.uint8))
    rows, columns = np.nonzero((response >= highest) & (response > MIN_CORNER_CONTRAST))
    order = np.argsort(-response[rows, columns], kind="stable")[:MAX_CORNERS]
    points = np.stack([columns[order], rows[order]], 1).astype(float)
    return points, response[rows[order], columns[order]].astype(float)


def _nearest_points(camera: Camera, points: Floats, profile: BoardProfile) -> tuple[Floats, Floats]:
    """For each of the board's corners, its distance in squares to the nearest of ``points`` (N, 2), and that
    point.
    """
    places = camera.project(np.column_stack([_CORNERS * profile.pitch, np.zeros(len(_CORNERS))]))
    dx, dy = (places[:, axis, None] - points[:, axis] for axis in (0, 1))
    squared = dx * dx + dy * dy
    nearest = squared.argmin(1)
    # Only the minima need a square root: this is called for hundreds of shifts of every lattice.
    offsets = np.sqrt(squared[np.arange(len(places)), nearest]) / camera.pitch_pixels(profile)
    return offsets, points[nearest]


def _best_placement(camera: Camera, points: Floats, profile: BoardProfile) -> tuple[float, Camera] | None:
    """The score and the camera of the best shift of the board on a lattice of corners. The score is the share
    of inner corners that were detected, minus that of the outer ones.
    """
    best: tuple[float, Camera] | None = None
    lens = camera.lens
    for x, y in product(range(-_MAX_SHIFT, _MAX_SHIFT + 1), repeat=2):
        shifted = turned(camera, 0, (x * profile.pitch, y * profile.pitch))
        middle = shifted.project(np.zeros((1, 3)))[0]
        if (middle < 0).any() or (middle > (lens.width, lens.height)).any():
            continue
        off, _ = _nearest_points(shifted, points, profile)
        score = float(
            (off[INNER_CORNERS] < MAX_CORNER_OFFSET).mean() - (off[OUTER_CORNERS] < MAX_CORNER_OFFSET).mean()
        )
        if best is None or score > best[0]:
            best = score, shifted
    return best


def fitted_to_corners(
    image: Image, camera: Camera, profile: BoardProfile, lens: LensProfile | None
) -> tuple[Camera, float] | None:
    """An approximate camera fitted to the corners of the fields with subpixel accuracy, and the share of
    corners that were detected; None if these are too few or inconsistent.
    """
    fine = reduced(image, FINE_PIXELS)[0]
    here = resized(camera, fine)
    side = here.pitch_pixels(profile)
    points = _subpixel_corners(fine, max(2, round(_SUBPIXEL_REACH * side)))
    if not len(points):
        return None
    prior = lens_prior(lens, here.lens.width, here.lens.height)
    level = np.column_stack([_CORNERS[INNER_CORNERS] * profile.pitch, np.zeros(int(INNER_CORNERS.sum()))])
    for reach in _REFINEMENT_REACHES:
        off, nearest = (found[INNER_CORNERS] for found in _nearest_points(here, points, profile))
        detected = off < reach
        if np.count_nonzero(detected) < _MIN_FITTED_CORNERS:
            return None
        here = adjust(
            here,
            level[detected],
            nearest[detected],
            np.ones(int(detected.sum())),
            prior,
            sigma=max(0.5, 0.02 * side),
        )
    off = _nearest_points(here, points, profile)[0][INNER_CORNERS]
    detected = off < MAX_CORNER_OFFSET
    if detected.mean() < MIN_CORNER_SHARE or np.median(off[detected]) > MAX_MEDIAN_OFFSET:
        return None
    return resized(here, image), float(detected.mean())


def _subpixel_corners(image: Image, reach: int) -> Floats:
    """Positions (N, 2) of the corners between fields in a picture, in pixels, each improved within ``reach``
    pixels.
    """
    points, _ = _peaks(np.max([_corner_response(image, radius) for radius in CIRCLE_RADII], axis=0))
    if not len(points):
        return points
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 20, 0.02)
    start = points.astype(np.float32).reshape(-1, 1, 2)
    return np.asarray(cv2.cornerSubPix(grey, start, (reach, reach), (-1, -1), stop), float).reshape(-1, 2)
