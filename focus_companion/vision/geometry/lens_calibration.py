"""Measures a lens from views of the printed target, and refuses unusable measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from .lens_profiles import LensError, LensProfile
from .scene import Lens
from .target import RULER, board

MIN_CORNERS: Final = 12
"""Minimum number of the target's 35 corners in a usable view."""
MIN_VIEWS: Final = 6
"""Minimum number of views for a measurement."""
GOOD_VIEWS: Final = 12
"""Number of views below which more are suggested."""
MIN_TILT_RANGE: Final = 15.0
"""Minimum angle in degrees between the tilts of two of the views: from a single angle, a longer lens farther
away shows the same."""
MIN_NEW_TILT: Final = 7.0
"""Minimum angle in degrees between the tilts of a view and an earlier one, if the target has not moved."""
MIN_NEW_SHIFT: Final = 0.12
"""Minimum shift of the target since an earlier view, as a fraction of the width, if the tilt is the same."""
MIN_COVERAGE: Final = 0.55
"""Fraction of the picture's width and height spanned by the corners of all views, below which more are
suggested."""
RULER_LENGTHS: Final = (RULER / 2, 2 * RULER)
"""Lengths in mm, exclusive, between which a printed ruler of 100 mm is plausible."""
MAX_UNEVENNESS: Final = 0.003
"""Relative difference between the rulers below which a print counts as scaled evenly."""
MAX_FOCAL_DEVIATION: Final = 0.008
"""Maximum relative standard deviation of the focal length."""
MAX_STRETCH: Final = 0.01
"""Maximum relative difference between the print's scales in the two directions; if both differ from the true
scale by more, the print counts as scaled."""
MAX_REPROJECTION_ERROR: Final = 1.5
"""Maximum mean reprojection error, in pixels of a picture 1000 wide."""
MIN_FOCAL_SPREAD: Final = 0.002
"""Minimum spread of a measured focal length, since paper is never quite flat."""
MIN_DISTORTION_SPREAD: Final = 0.01
"""Minimum spread of a measured distortion."""

_TRIAL_STRETCH: Final = 2 * MAX_STRETCH
"""Relative stretch of the print, either way, at which the reprojection error is sampled."""
_STRETCH_GAIN: Final = 0.8
"""Factor by which the reprojection error must decrease for a stretch of the print to be believed."""


@dataclass(frozen=True)
class TargetView:
    """Corners of the target in one picture: ``points`` (N, 3) mm on the target, ``pixels`` (N, 2)."""

    points: Floats
    pixels: Floats
    width: int
    height: int

    @property
    def normal(self) -> Floats:
        """The approximate direction (3,) of the sheet's normal, assuming a usual lens."""
        lens = Lens.guess(self.width, self.height)
        _, turn, _ = cv2.solvePnP(self.points, self.pixels, lens.matrix, np.zeros(4))
        return np.asarray(cv2.Rodrigues(turn)[0][:, 2], float)


@dataclass(frozen=True)
class Measured:
    """A measured lens: ``error`` is the mean reprojection error in pixels, ``tilts`` the sheet's tilts in
    degrees, ``remarks`` what could be improved.
    """

    profile: LensProfile
    error: float
    views: int
    tilts: tuple[float, ...]
    remarks: tuple[str, ...]


@cache
def _detector() -> cv2.aruco.CharucoDetector:
    return cv2.aruco.CharucoDetector(board())


def detect_target(image: NDArray[np.uint8]) -> TargetView | None:
    """The target in a BGR picture (H, W, 3), or None if too little of it is visible."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    corners, ids, _, _ = _detector().detectBoard(grey)
    if ids is None or len(ids) < MIN_CORNERS:
        return None
    points = np.asarray(board().getChessboardCorners(), float)[np.asarray(ids).ravel()]
    pixels = np.asarray(corners, float).reshape(-1, 2)
    if np.linalg.matrix_rank(points[:, :2] - points[0, :2]) < 2:
        return None  # all in one line
    return TargetView(points, pixels, image.shape[1], image.shape[0])


def angle(one: Floats, other: Floats) -> float:
    """Angle in degrees between two directions."""
    return float(np.degrees(np.arccos(np.clip(one @ other, -1, 1))))


def differs(view: TargetView, before: Sequence[TargetView]) -> bool:
    """Whether a view adds information to earlier ones: another tilt, or another place in the picture."""
    for other in before:
        moved = np.linalg.norm(view.pixels.mean(0) - other.pixels.mean(0)) / view.width
        if angle(view.normal, other.normal) < MIN_NEW_TILT and moved < MIN_NEW_SHIFT:
            return False
    return True


def measure(
    views: Sequence[TargetView], name: str, camera: str = "", rulers: tuple[float, float] = (RULER, RULER)
) -> Measured:
    """The lens estimated from these views; ``rulers`` are the measured lengths of the printed rulers, in mm.

    Raises:
        LensError: the views or the print are unusable; the message says what to do.
    """
    across, down = rulers
    shortest, longest = RULER_LENGTHS
    if not (shortest < across < longest and shortest < down < longest):
        raise LensError("a ruler of the target is 100 mm long; give what yours measure, as in 98.5,98.5")
    if len({(view.width, view.height) for view in views}) > 1:
        raise LensError("the pictures are of different sizes; give those of one camera at one setting")
    if len(views) < MIN_VIEWS:
        raise LensError(
            f"the target shows well enough in only {len(views)} pictures; at least {MIN_VIEWS} are needed, "
            "and 15 are better; hold it flat, sharp, and larger in the picture"
        )
    width, height = views[0].width, views[0].height
    normals = [view.normal for view in views]
    most = max(angle(a, b) for a in normals for b in normals)
    if most < MIN_TILT_RANGE:
        raise LensError(
            f"all pictures show the target from nearly the same angle ({most:.0f}° apart at most); tilt "
            "it to the left, right, front and back, by 20° to 45°"
        )
    solved = _solved(views, across / RULER, down / RULER)
    stretch = _stretch(views, across / RULER, down / RULER, solved.error)
    if abs(stretch) > MAX_STRETCH:
        raise LensError(
            f"the target seems {abs(stretch):.1%} too long {'across' if stretch > 0 else 'down'}: it was "
            "printed scaled one way more than the other; print it at 100 %, or measure both rulers and give "
            "--rulers"
        )
    if solved.error > MAX_REPROJECTION_ERROR * width / 1000:
        raise LensError(
            f"the corners miss by {solved.error:.1f} pixels on average: the sheet is not flat, or the "
            "pictures are not sharp; glue it on a stiff board and hold it still"
        )
    if solved.focal_deviation > MAX_FOCAL_DEVIATION:
        raise LensError(
            f"the focal length is known to ±{solved.focal_deviation:.1%} only; add pictures with the target "
            "tilted more and larger in the picture"
        )
    lens = Lens(width, height, solved.focal, solved.centre, solved.distortion)
    # The uncertainty from the corners alone is too optimistic: paper is never quite flat.
    focal_spread = max(MIN_FOCAL_SPREAD, 2 * solved.focal_deviation)
    distortion_spread = max(MIN_DISTORTION_SPREAD, 2 * solved.distortion_deviation)
    profile = LensProfile(name, lens, focal_spread, distortion_spread, camera)
    return Measured(
        profile, solved.error, len(views), solved.tilts, _remarks(views, across, down, solved.tilts)
    )


def _remarks(
    views: Sequence[TargetView], across: float, down: float, tilts: Sequence[float]
) -> tuple[str, ...]:
    remarks = []
    reach = np.ptp(np.concatenate([view.pixels for view in views]), axis=0) / (
        views[0].width,
        views[0].height,
    )
    if reach.min() < MIN_COVERAGE:
        remarks.append(
            f"the target was seen in {reach[0]:.0%} × {reach[1]:.0%} of the picture only; "
            "pictures with it near the edges would determine the distortion better"
        )
    if abs(across / down - 1) < MAX_UNEVENNESS and abs(across / RULER - 1) > MAX_STRETCH:
        remarks.append("the print is scaled, evenly both ways, which does no harm")
    if len(views) < GOOD_VIEWS:
        remarks.append(f"{len(views)} pictures will do; 15 are better")
    return tuple(remarks)


@dataclass(frozen=True)
class _Solved:
    focal: float
    centre: tuple[float, float]
    distortion: tuple[float, float, float, float]
    focal_deviation: float
    """Relative standard deviation of the focal length."""
    distortion_deviation: float
    """Standard deviation of k1."""
    error: float
    tilts: tuple[float, ...]


def _stretch(views: Sequence[TargetView], across: float, down: float, error: float) -> float:
    """The print's relative stretch, horizontal against vertical, if the corners clearly show one.

    No lens causes one, since pixels are square: the reprojection error is smallest at the print's true shape.
    """
    errors = np.array(
        [_solved(views, across * (1 + s), down).error for s in (-_TRIAL_STRETCH, _TRIAL_STRETCH)]
    )
    below, above = errors**2
    curvature = below + above - 2 * error**2
    if curvature <= 0:
        return 0.0
    best = float(np.clip(_TRIAL_STRETCH * (below - above) / (2 * curvature), -0.2, 0.2))
    return best if _solved(views, across * (1 + best), down).error < _STRETCH_GAIN * error else 0.0


def _solved(views: Sequence[TargetView], across: float, down: float) -> _Solved:
    """The lens with the smallest reprojection error for a target printed at these scales."""
    points = [np.ascontiguousarray(view.points * (across, down, 1.0), np.float32) for view in views]
    pixels = [np.ascontiguousarray(view.pixels, np.float32) for view in views]
    width, height = views[0].width, views[0].height
    flags = cv2.CALIB_FIX_K3 | cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_ASPECT_RATIO
    try:
        error, matrix, bent, turns, _, deviations, *_ = cv2.calibrateCameraExtended(
            points, pixels, (width, height), Lens.guess(width, height).matrix, np.zeros(5), flags=flags
        )
    except cv2.error as failure:
        raise LensError(
            "no lens explains these pictures; are they all of the printed target, from one camera?"
        ) from failure
    matrix, bent = np.asarray(matrix, float), np.asarray(bent, float).ravel()
    spread = np.asarray(deviations, float).ravel()
    facing = [abs(cv2.Rodrigues(turn)[0][2, 2]) for turn in turns]
    k1, k2, p1, p2 = (float(value) for value in bent[:4])
    return _Solved(
        float(matrix[0, 0]),
        (float(matrix[0, 2]), float(matrix[1, 2])),
        (k1, k2, p1, p2),
        float(spread[:2].max() / matrix[0, 0]),
        float(spread[4]),
        float(error),
        tuple(np.degrees(np.arccos(np.minimum(facing, 1.0))).round(1).tolist()),
    )
