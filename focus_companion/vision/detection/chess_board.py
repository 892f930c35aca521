"""Finds a chess board by the corners at which its fields meet: an empty one has no other structure.

The corners determine lattices of fields; :mod:`.field_sides` finds the board's place on them.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from ..arrays import Floats, Singles
from ..capture.frames import Image
from ..geometry.lens_profiles import LensProfile
from ..geometry.pose import adjust
from ..geometry.resize import FINE_PIXELS, WORK_PIXELS, reduced, resized
from ..geometry.scene import BoardProfile, Camera, Lens, at_height
from ..robust_statistics import probability
from .blobs import Blobs
from .cross import views
from .field_sides import FIELD_CORNERS, INNER_CORNERS, MAX_CORNER_OFFSET, PlacedBoard, place_board
from .lattice import lattices
from .refine import lens_prior

CIRCLE_RADII = (3.0, 5.0)
"""Radii, in pixels of the working picture, of the circles around a corner on which fields must alternate."""
_CIRCLE_POINTS = 16
"""Number of points on such a circle, a multiple of four."""
NOMINAL_RADII = (7.0, 11.0, 17.0)
"""Nominal radii, in pixels, for :func:`.lattice.lattices`: squares 1.5 to 3.6 times as wide are found."""
MAX_CORNERS = 300
"""Maximum number of corners that are used, the strongest ones."""
MIN_CORNER_CONTRAST = 6.0
"""Minimum difference in grey levels between the fields around a corner."""
MAX_LATTICES = 4
"""Maximum number of lattices tried for each nominal radius, the largest ones."""
MIN_CORNER_SHARE = 0.6
"""Minimum share of the visible corners of the fields that are detected as such."""
MIN_LEAD = 5.0
"""Minimum evidence, in nats, between the best place of the board and the next one, for a detection."""
MAX_MEDIAN_OFFSET = 0.05
"""Maximum median distance, in squares, between corners and their predicted positions."""

_REFINEMENT_REACHES = (0.35, 0.25, 0.2, 0.15, 0.12, 0.12)
"""Search distances for corners, in squares, one per iteration."""
_SUBPIXEL_REACH = 0.1
"""Distance, in squares, within which the subpixel position of a corner is sought."""
_MIN_FITTED_CORNERS = 8
"""Minimum number of corners that a camera is fitted to."""


def find_chess_board(
    image: Image, profile: BoardProfile, lens: LensProfile | None = None
) -> tuple[Camera, float] | None:
    """The camera of a chess board in a BGR picture, up to quarter turns, and the probability (0 … 1) of its
    place; None if there is no board, or its place is not certain.
    """
    for picture in _with_single_channels(image):
        if (found := _found_by_brightness(picture, profile, lens)) is not None:
            return found
    return None


def _with_single_channels(image: Image) -> Iterator[Image]:
    """The picture itself, then its red, green and blue channel, each as a grey picture: fields of different
    colours may be equally bright.
    """
    yield image
    for channel in (2, 1, 0):
        yield np.asarray(cv2.merge([image[..., channel]] * 3), np.uint8)


def _found_by_brightness(
    image: Image, profile: BoardProfile, lens: LensProfile | None
) -> tuple[Camera, float] | None:
    """As :func:`find_chess_board`, for a board whose fields differ in brightness."""
    work = reduced(image, WORK_PIXELS)[0]
    height, width = work.shape[:2]
    seen = Lens.guess(width, height) if lens is None else lens.at(width, height)
    points, strength = _corners(work)
    best: PlacedBoard | None = None
    for radius in NOMINAL_RADII:
        corners = Blobs(points, np.full(len(points), radius), strength)
        for lattice in lattices(corners, radius, width, height).grown[:MAX_LATTICES]:
            for view in views(lattice, seen, profile, known=lens is not None, level=0.0):
                placed = place_board(work, view.camera, profile, points)
                if placed is not None and (best is None or placed.evidence > best.evidence):
                    best = placed
    if best is None:
        return None
    fine = reduced(image, FINE_PIXELS)[0]
    here = resized(best.camera, fine)
    points = _subpixel_corners(fine, here, profile)
    fitted = _fitted(here, points, profile, lens)
    placed = None if fitted is None else place_board(fine, fitted[0], profile, points)
    if placed is None or placed.lead < MIN_LEAD or placed.agreement < MIN_CORNER_SHARE:
        return None
    return resized(placed.camera, image), probability(placed.lead)


def _corner_response(grey: Singles, radius: float) -> Singles:
    """Corner response in grey levels at each pixel, (H, W): on a circle around a corner, opposite points are
    equally bright and points 90° apart are not.
    """
    angles = np.arange(_CIRCLE_POINTS) * 2 * np.pi / _CIRCLE_POINTS
    moves = np.array([[(1, 0, radius * np.cos(a)), (0, 1, radius * np.sin(a))] for a in angles], np.float32)
    how = {"flags": cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, "borderMode": cv2.BORDER_REPLICATE}
    ring = np.stack([cv2.warpAffine(grey, move, grey.shape[::-1], **how) for move in moves])
    quarters = ring.reshape(4, -1, *grey.shape)
    quadrature = np.abs(quarters[0] + quarters[2] - quarters[1] - quarters[3]).sum(0)
    asymmetry = np.abs(quarters[:2] - quarters[2:]).sum((0, 1))
    centre_offset = _CIRCLE_POINTS * np.abs(ring.mean(0) - cv2.blur(grey, (3, 3)))
    return np.asarray((quadrature - asymmetry - centre_offset) / (_CIRCLE_POINTS / 2), np.float32)


def _corners(image: Image) -> tuple[Floats, Floats]:
    """Positions (N, 2) and strengths (N,) of the strongest corners."""
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32)
    grey = np.asarray(cv2.GaussianBlur(grey, (0, 0), 1.0), np.float32)
    response = np.max([_corner_response(grey, radius) for radius in CIRCLE_RADII], axis=0)
    highest = cv2.dilate(response, np.ones((7, 7), np.uint8))
    rows, columns = np.nonzero((response >= highest) & (response > MIN_CORNER_CONTRAST))
    strongest = np.argsort(-response[rows, columns], kind="stable")[:MAX_CORNERS]
    rows, columns = rows[strongest], columns[strongest]
    return np.stack([columns, rows], 1).astype(float), response[rows, columns].astype(float)


def _nearest_points(camera: Camera, points: Floats, profile: BoardProfile) -> tuple[Floats, Floats]:
    """For each of the board's inner corners, its distance in squares to the nearest of ``points`` (N, 2), and
    that point.
    """
    places = camera.project(_inner_corners(profile))
    offsets = np.hypot(*(places[:, None] - points).transpose(2, 0, 1))
    return offsets.min(1) / camera.pitch_pixels(profile), points[offsets.argmin(1)]


def _inner_corners(profile: BoardProfile) -> Floats:
    return at_height(FIELD_CORNERS[INNER_CORNERS] * profile.pitch)


def fitted_to_corners(
    image: Image, camera: Camera, profile: BoardProfile, lens: LensProfile | None
) -> tuple[Camera, float] | None:
    """An approximate camera fitted to the corners of the fields with subpixel accuracy, and the share of
    corners that were detected; None if these are too few or inconsistent.
    """
    for picture in _with_single_channels(reduced(image, FINE_PIXELS)[0]):
        here = resized(camera, picture)
        fitted = _fitted(here, _subpixel_corners(picture, here, profile), profile, lens)
        if fitted is not None and fitted[1] >= MIN_CORNER_SHARE:
            return resized(fitted[0], image), fitted[1]
    return None


def _fitted(
    camera: Camera, points: Floats, profile: BoardProfile, lens: LensProfile | None
) -> tuple[Camera, float] | None:
    """The camera fitted to the corners among ``points`` (N, 2), and the share of corners among them."""
    if not len(points):
        return None
    here, side = camera, camera.pitch_pixels(profile)
    prior = lens_prior(lens, here.lens)
    level = _inner_corners(profile)
    for reach in _REFINEMENT_REACHES:
        off, nearest = _nearest_points(here, points, profile)
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
    off = _nearest_points(here, points, profile)[0]
    detected = off < MAX_CORNER_OFFSET
    if np.median(off[detected]) > MAX_MEDIAN_OFFSET:
        return None
    return here, float(detected.mean())


def _subpixel_corners(image: Image, camera: Camera, profile: BoardProfile) -> Floats:
    """Positions (N, 2) of the corners between fields in a picture, in pixels; the fields have about the
    size that ``camera`` sees.
    """
    points, _ = _corners(image)
    if not len(points):
        return points
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    reach = max(2, round(_SUBPIXEL_REACH * camera.pitch_pixels(profile)))
    stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 20, 0.02)
    start = points.astype(np.float32).reshape(-1, 1, 2)
    return np.asarray(cv2.cornerSubPix(grey, start, (reach, reach), (-1, -1), stop), float).reshape(-1, 2)
