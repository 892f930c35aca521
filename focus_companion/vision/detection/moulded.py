"""Judges whether a grid looks like the moulded board: domes or pieces on ground of one shade."""

from __future__ import annotations

import cv2
import numpy as np

from ..arrays import Floats
from ..capture.frames import Image
from ..capture.sampling import nearest_pixels
from ..geometry.scene import BoardProfile, Camera, at_height
from .edges import Edges
from .site_classifier import share_plain

MIN_MOULDED_EVIDENCE = 0.7
"""Minimum evidence (:func:`moulded_evidence`) for the moulded board if the position is unknown. Fitted on
seven photographs of chess boards, which reach 0.57, and on photo-like and drawn boards, some of them half
hidden, chequered or in the dark, which have 0.87 and more. Sheets of calibration marks reach 1.4 in a small
picture and 0.8 in the full one. Raising it rejects boards that are hard to see."""

MAX_CHEQUERED = 0.25
"""Maximum of :func:`chequered` for the moulded board. Fitted on calibration sheets and on photographs of
chess boards, which reach 0.32 to 0.98 (the least where tall pieces hide the fields), and on moulded boards,
some of them chequered, which have 0.17 at most. Raising it takes more chess boards for the moulded one."""
_FIELD_OFFSET = 0.35
"""Distance, in squares along each axis, of the samples of a field from its centre: beside most pieces, and
far enough from the next field for a lattice that is slightly off."""
CORNER_OFFSET = 0.42
"""Distance, in squares along one or both axes, of places outside the piece from the centre of their square;
those near its corners, pieces occlude the least."""
_SHADE_TOLERANCE = 14.0
"""Maximum difference in grey levels between samples of one shade: noise, texture, small shadows."""
_DIAGONALS = np.array([(x, y) for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
"""The directions from a square's centre to its corners."""
_ITERATIONS = 20
"""Iterations of the robust fit."""


def moulded_evidence(image: Image, edges: Edges, camera: Camera, profile: BoardProfile) -> float:
    """Share of the squares that plainly show a dome or a piece, plus the share of the ground of one shade; 0
    … 2. It is 0 for a chess board.

    ``image`` is (H, W, 3) uint8 BGR, ``edges`` and ``camera`` are those of its size.
    """
    grey = brightness(image)
    if chequered(grey, camera, profile) > MAX_CHEQUERED:
        return 0.0
    return share_plain(edges, camera, profile) + _share_of_one_shade(grey, camera, profile)


def brightness(image: Image) -> Image:
    """The brightness (H, W) uint8, slightly blurred, of a picture (H, W, 3) uint8 BGR."""
    return np.asarray(cv2.blur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (3, 3)))


def chequered(grey: Image, camera: Camera, profile: BoardProfile) -> float:
    """To what degree the grid is that of a chess board or a calibration sheet, 0 … 1; ``grey`` (H, W) uint8
    is the :func:`brightness`.

    There are two ways to fit the squares to such fields. If each square is a field, the twelve unused corners
    continue the pattern; on a chequered moulded board they do not. Or the squares are the fields of one
    colour only, seen as a lattice along the diagonals.
    """
    squares, corners = (
        _correlation_with_chequers(grey, camera, profile, centres)
        for centres in (profile.centres, profile.unused_centres)
    )
    continued = min(abs(squares), corners if squares > 0 else -corners)
    return max(continued, _share_of_diamonds(grey, camera, profile))


def _correlation_with_chequers(grey: Image, camera: Camera, profile: BoardProfile, centres: Floats) -> float:
    """Correlation, -1 … 1, of the brightness of the fields around these centres with a chequered pattern; 0
    if nothing varies. Each quarter of the board may have its own mean: the corners may show parts of the
    table.
    """
    places = _places(profile, centres, _FIELD_OFFSET * _DIAGONALS)
    shades = _shades(grey, camera, places)
    places, shades = places[np.isfinite(shades)], shades[np.isfinite(shades)]
    values = np.array([np.floor(places / profile.pitch).sum(1) % 2, shades])
    quarters = (places[:, 0] > 0) * 2 + (places[:, 1] > 0)
    for quarter in np.unique(quarters):
        values[:, quarters == quarter] -= values[:, quarters == quarter].mean(1, keepdims=True)
    (pattern, shades), sizes = values, np.linalg.norm(values, axis=1)
    return float(pattern @ shades / sizes.prod()) if sizes.all() else 0.0


def _share_of_diamonds(grey: Image, camera: Camera, profile: BoardProfile) -> float:
    """Share of the squares, 0 … 1, that look like a field standing on its corner: the middles of their sides
    are all clearly lighter, or all clearly darker, than two places towards each corner.

    The first of these is as far from the centre as the middles of the sides, so a round pad looks the same at
    both. The second is at the corner, where a square pad looks the same as at its sides.
    """
    sides = np.array([(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])
    directions = np.concatenate(
        [CORNER_OFFSET * sides, CORNER_OFFSET / 2**0.5 * _DIAGONALS, CORNER_OFFSET * _DIAGONALS]
    )
    shades = _shades(grey, camera, _places(profile, profile.centres, directions))
    side, corner, farther = shades.reshape(-1, 3, 4).mean(2).T
    lighter = np.minimum(side - corner, side - farther)
    darker = np.minimum(corner - side, farther - side)
    least, number = 2 * _SHADE_TOLERANCE, max(1, np.isfinite(lighter).sum())
    return float(max((lighter > least).sum(), (darker > least).sum()) / number)


def corner_colours(image: Image, camera: Camera, profile: BoardProfile) -> Floats:
    """Red, green, blue (52, 4, 3) near the four corners of each square, where pieces occlude the least; NaN
    outside the picture.
    """
    places = _places(profile, profile.centres, CORNER_OFFSET * _DIAGONALS)
    planes = [_shades(plane, camera, places) for plane in cv2.split(cv2.blur(image, (3, 3)))[::-1]]
    return np.stack(planes, 1).reshape(-1, len(_DIAGONALS), 3)


def _places(profile: BoardProfile, centres: Floats, offsets: Floats) -> Floats:
    """The places (N · M, 2), in mm, at ``offsets`` (M, 2), in squares, from each of N centres."""
    return np.asarray((centres[:, None] + profile.pitch * offsets).reshape(-1, 2))


def _shades(grey: Image, camera: Camera, places: Floats) -> Floats:
    """The brightness (N,) at ``places`` (N, 2), in mm; NaN outside the picture."""
    shades, inside = nearest_pixels(grey, camera.project(at_height(places)))
    return np.where(inside, shades.astype(float), np.nan)


def _share_of_one_shade(grey: Image, camera: Camera, profile: BoardProfile) -> float:
    """Share of the visible ground, 0 to 1, that fits one shade under smoothly varying light; 0 if none is
    visible. Moulded boards reach 0.4 and more, unless an arm hides a part of a chequered one; the seven chess
    boards of :data:`MIN_MOULDED_EVIDENCE` reach at most 0.35.
    """
    places = _places(profile, profile.centres, CORNER_OFFSET * _DIAGONALS)
    shades = _shades(grey, camera, places)
    places, shades = places[np.isfinite(shades)], shades[np.isfinite(shades)]
    if not len(shades):
        return 0.0
    light = profile.quadratic_terms(places)
    off = shades - float(np.median(shades))
    for _ in range(_ITERATIONS):
        weights = 1 / (1 + np.square(off / _SHADE_TOLERANCE))
        fitted = np.linalg.lstsq(light * weights[:, None], shades * weights, rcond=None)[0]
        off = shades - light @ fitted
    return float((np.abs(off) < _SHADE_TOLERANCE).mean())
