"""Find a chess board by the corners at which its fields meet: the only structure of an empty one.

If the unused squares in the board's corners are covered, 37 of the 49 inner corners are visible, otherwise
all of them. In both cases there are none on the frame around; on a chequered cloth there are.
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
from .cross import views
from .lattice import lattices
from .refine import lens_prior

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

RADII = (3.0, 5.0)
"""Radii, in pixels of the working picture, of the circles on which fields must alternate at a corner."""
SPACING = (7.0, 11.0, 17.0)
"""Lattices are searched for with squares 1.5 to 3.6 times as wide, in pixels."""
MOST = 300
"""Maximum number of corners that are used, the strongest."""
FAINTEST = 6.0
"""Minimum difference in grey levels between the fields around a corner."""
AT = 0.14
"""Maximum distance, in squares, between a corner and its predicted position."""
MISFIT = 0.13
"""Maximum misfit of a camera that sees the lattice as square."""
ENOUGH = 0.6
"""Minimum share of detected corners, minus that of the sites around the board, for a detection."""
WAVERING = 0.05
"""Maximum median distance, in squares, between corners and their predicted positions."""

_AXIS = np.arange(-4, 5)
_SITES = np.stack(np.meshgrid(_AXIS, _AXIS), -1).reshape(-1, 2)
"""The corners of fields from edge to edge; the centre of the board is (0, 0)."""
_FAR, _NEAR = np.abs(_SITES).max(1), np.abs(_SITES).min(1)
INNER = (_FAR <= 1) | ((_FAR <= 3) & (_NEAR <= 1)) | ((_FAR == 2) & (_NEAR == 2))
"""Those that are visible even if the board's corners are covered."""
AROUND = _FAR == 4
"""Those at the edge of the fields, where these no longer alternate."""


def find_chess_board(
    image: Image, profile: BoardProfile, lens: LensProfile | None = None
) -> tuple[Camera, float] | None:
    """The camera of a chess board in a BGR picture, up to quarter turns, and the share (0 … 1) of its corners
    that were detected; None if there is no board.
    """
    work = reduced(image, WORK_PIXELS)[0]
    height, width = work.shape[:2]
    seen = Lens.guess(width, height) if lens is None else lens.at(width, height)
    alternating = np.max([_alternating(work, radius) for radius in RADII], axis=0)
    points, strength = _peaks(alternating)
    best: tuple[float, Camera] | None = None
    for spacing in SPACING:
        corners = Blobs(points, np.full(len(points), spacing), strength)
        for lattice in lattices(corners, spacing, width, height).grown[:4]:
            for view in views(lattice, seen, profile, MISFIT, known=lens is not None, level=0.0):
                found = _placed(view.camera, points, profile)
                if found is not None and (best is None or found[0] > best[0]):
                    best = found
    if best is None or best[0] < ENOUGH:
        return None
    return fitted_to_corners(image, best[1], profile, lens)


def _alternating(image: Image, radius: float) -> Singles:
    """Corner response in grey levels at each pixel, (H, W): on a circle around a corner, opposite sides have
    the same brightness and those 90° apart a different one.
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
    across = np.abs(ring[:4] + ring[8:12] - ring[4:8] - ring[12:]).sum(0)
    unlike = np.abs(ring[:8] - ring[8:]).sum(0)
    middle = cv2.blur(grey, (3, 3))
    off = 16 * np.abs(ring.mean(0) - middle)
    return np.asarray((across - unlike - off) / 8, np.float32)


def _peaks(response: Singles) -> tuple[Floats, Floats]:
    """Positions (N, 2) and strengths (N,) of the strongest corners."""
    highest = cv2.dilate(response, np.ones((7, 7), np.uint8))
    rows, columns = np.nonzero((response >= highest) & (response > FAINTEST))
    order = np.argsort(-response[rows, columns], kind="stable")[:MOST]
    points = np.stack([columns[order], rows[order]], 1).astype(float)
    return points, response[rows[order], columns[order]].astype(float)


def _off(camera: Camera, points: Floats, profile: BoardProfile) -> Floats:
    """For each site, its distance in squares to the nearest of ``points`` (N, 2)."""
    places = camera.project(np.column_stack([_SITES * profile.pitch, np.zeros(len(_SITES))]))
    across, down = (places[:, axis, None] - points[:, axis] for axis in (0, 1))
    # The root is taken of the least squares only: a lattice is tried in hundreds of places.
    nearest = np.sqrt((across * across + down * down).min(1))
    return np.asarray(nearest / camera.pitch_pixels(profile))


def _placed(camera: Camera, points: Floats, profile: BoardProfile) -> tuple[float, Camera] | None:
    """The best shift of the board on a lattice of corners, and its score: the share of its own corners that
    were detected, minus that of the sites around it.
    """
    best: tuple[float, Camera] | None = None
    lens = camera.lens
    for x, y in product(range(-7, 8), repeat=2):
        there = turned(camera, 0, (x * profile.pitch, y * profile.pitch))
        middle = there.project(np.zeros((1, 3)))[0]
        if (middle < 0).any() or (middle > (lens.width, lens.height)).any():
            continue
        off = _off(there, points, profile)
        score = float((off[INNER] < AT).mean() - (off[AROUND] < AT).mean())
        if best is None or score > best[0]:
            best = score, there
    return best


def fitted_to_corners(
    image: Image, camera: Camera, profile: BoardProfile, lens: LensProfile | None
) -> tuple[Camera, float] | None:
    """An approximate camera fitted to the corners of the fields with subpixel accuracy, and the share of them
    that were detected; None if too few are, or if they contradict one another.
    """
    fine = reduced(image, FINE_PIXELS)[0]
    grey = cv2.cvtColor(fine, cv2.COLOR_BGR2GRAY)
    here = resized(camera, fine)
    prior = lens_prior(lens, here.lens.width, here.lens.height)
    level = np.column_stack([_SITES[INNER] * profile.pitch, np.zeros(int(INNER.sum()))])
    shows = np.zeros(len(level), bool)
    for reach in (0.2, 0.12, 0.12):
        side = here.pitch_pixels(profile)
        places = here.project(level).astype(np.float32).reshape(-1, 1, 2)
        window = max(2, round(reach * side))
        stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 20, 0.02)
        corners = cv2.cornerSubPix(grey, places.copy(), (window, window), (-1, -1), stop).reshape(-1, 2)
        off = np.linalg.norm(corners - places.reshape(-1, 2), axis=1)
        shows = off < reach * side
        if shows.mean() < ENOUGH:
            return None
        here = adjust(
            here,
            level[shows],
            corners[shows].astype(float),
            np.ones(int(shows.sum())),
            prior,
            sigma=max(0.5, 0.02 * side),
        )
    off = np.linalg.norm(corners - here.project(level), axis=1) / here.pitch_pixels(profile)
    if np.median(off[shows]) > WAVERING:
        return None
    return resized(here, image), float((off < AT).mean())
