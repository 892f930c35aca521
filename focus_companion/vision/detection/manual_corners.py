"""Derives a camera from the four corners of the lattice, as marked by somebody in the picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..geometry.pose import Prior, adjust, corner_shift, square_view, undistort
from ..geometry.resize import FINE_PIXELS, reduced, resized
from ..geometry.scene import CORNERS, BoardProfile, Camera, Lens
from .edge_fit import likely_stacks
from .edges import Edges, board_bounds
from .refine import fitted, refine

Corners = Mapping[str, Sequence[float]]
"""(x, y) of the corners a1, h1, h8 and a8 of the full 8×8 lattice, as fractions of the picture's width and
height; a corner may lie a little outside the picture."""

_MAX_OUTSIDE: Final = 0.5
"""Maximum distance of a corner outside the picture, as a fraction of its size."""

_MIN_SQUARE_SIDE: Final = 12.0
"""Minimum side of a square in pixels: on smaller ones, no piece can be recognised."""

_MAX_CORNER_SHIFT: Final = 0.45
"""Maximum shift of a corner by fitting, in squares: half a square further, it would be on another lattice."""

_CORNER_WEIGHT: Final = 4.0
"""Weight of a marked corner against the lens prior."""

_CORNER_SIGMA: Final = 0.006
"""Typical error of a marked corner, as a fraction of the picture's longer side."""


def check_corners(corners: Corners) -> None:
    """Check that a camera above the board can see its corners there.

    Raises:
        ValueError: with a sentence for the user.
    """
    if set(corners) != set(CORNERS):
        raise ValueError(f"the board is placed by its corners {', '.join(CORNERS)}")
    points = np.array([[float(value) for value in corners[name]] for name in CORNERS])
    if points.shape != (4, 2) or not np.isfinite(points).all():
        raise ValueError("every corner needs two numbers, x and y")
    if (points < -_MAX_OUTSIDE).any() or (points > 1 + _MAX_OUTSIDE).any():
        raise ValueError("a corner lies too far outside the picture")
    sides = np.roll(points, -1, 0) - points
    following = np.roll(sides, -1, 0)
    bends = sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]
    # Seen from above, a1, h1, h8, a8 are in anticlockwise order, a left turn if y points down.
    if not (bends < 0).all():
        raise ValueError("the corners must go round the board from a1 to h1, h8 and a8 without crossing")


def camera_of(corners: Corners, width: int, height: int, profile: BoardProfile) -> Camera:
    """The camera that sees the lattice's corners at these places of a picture of this size in pixels.

    Raises:
        ValueError: there is none, or the board would be too small to read; with a sentence for the user.
    """
    check_corners(corners)
    pixels = np.array([corners[name] for name in CORNERS], float) * (width, height)
    lens = Lens.guess(width, height)
    steps = np.array(list(CORNERS.values()), np.float32) * 4
    homography = cv2.getPerspectiveTransform(steps, undistort(pixels, lens).astype(np.float32))
    view = square_view(np.asarray(homography, float), lens, profile.pitch, 0.0)
    if view is None:
        raise ValueError("no camera sees a board there; move the corners to those of the 8 by 8 squares")
    camera = adjust(
        view.camera,
        profile.corners,
        pixels,
        np.full(4, _CORNER_WEIGHT),
        Prior(lens.focal, lens.distortion[0]),
        sigma=_CORNER_SIGMA * max(width, height),
        iterations=20,
    )
    if camera.pitch_pixels(profile) < _MIN_SQUARE_SIDE:
        raise ValueError("the board would be too small there for its pieces to be told apart")
    return camera


def refine_manual(
    image: NDArray[np.uint8], camera: Camera, profiles: Sequence[BoardProfile], stacks: Sequence[str]
) -> tuple[Camera, BoardProfile]:
    """A camera from manual corners, refined to match the picture, and the profile that fits it best.

    ``stacks`` (52) is the expected position. A fit without it is tried as well, since the corners may be
    marked before the board is set up. The manual camera is kept if no fit agrees better.
    """
    fine, _ = reduced(image, FINE_PIXELS)
    start = resized(camera, fine)
    edges = Edges.of(fine, board_bounds(start, profiles[0]))

    def agrees(choice: Camera, profile: BoardProfile) -> float:
        return float(likely_stacks(edges, choice, profile)[1].mean())

    choices = []
    for profile in profiles:
        by_edges = fitted(edges, start, profile)
        by_position = resized(refine(fine, start, profile, stacks)[0], fine)
        by_both = resized(refine(fine, by_edges, profile, stacks)[0], fine)
        for choice in (start, by_edges, by_position, by_both):
            if corner_shift(choice, start, profile) <= _MAX_CORNER_SHIFT:
                choices.append((agrees(choice, profile), choice, profile))
    _, best, profile = max(choices, key=lambda choice: choice[0])
    return resized(best, image), profile


def corners_of(camera: Camera, profile: BoardProfile) -> dict[str, tuple[float, float]]:
    """The projected corners of the lattice as :data:`Corners`."""
    shares: Floats = camera.project(profile.corners) / (camera.lens.width, camera.lens.height)
    return {name: (float(x), float(y)) for name, (x, y) in zip(CORNERS, shares, strict=True)}
