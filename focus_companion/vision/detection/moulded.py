"""Judges whether a grid looks like the moulded board: domes or pieces on ground of one shade."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ..geometry.scene import BoardProfile, Camera
from .edges import Edges
from .site_classifier import share_plain

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

MIN_MOULDED_EVIDENCE = 0.7
"""Minimum evidence (:func:`moulded_evidence`) for the moulded board if the position is unknown. Fitted on
seven photographs of chess boards, which reach 0.57, and on photo-like and drawn boards, some of them half
hidden, chequered or in the dark, which have 0.87 and more. Sheets of calibration marks reach 1.4 in a small
picture and 0.8 in the full one. Raising it rejects boards that are hard to see.
"""

MAX_CHEQUERED = 0.25
"""Maximum of :func:`chequered` for the moulded board. Fitted on calibration sheets and on photographs of
chess boards, which reach 0.32 to 0.98 (the least where tall pieces hide the fields), and on moulded boards,
some of them chequered, which have 0.17 at most. Raising it takes more chess boards for the moulded one.
"""
_FIELD_OFFSET = 0.35
"""Distance, in squares along each axis, of the samples of a field from its centre: beside most pieces, and
far enough from the next field for a lattice that is slightly off.
"""
_RING_RADIUS = 0.42
"""Radius, in squares, of a ring around a square: outside its piece, and across the corners of a field of a
chess board that stands on a corner there.
"""
_OUTERMOST = 0.45
"""Distance, in squares along each axis, of a place near the corner of a square from its centre: outside a
square pad.
"""
_SAMPLE_OFFSET = 0.42
"""Distance, in squares along each axis, of the samples from the centre of their square: near its corners,
where pieces occlude the least.
"""
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
    if chequered(image, camera, profile) > MAX_CHEQUERED:
        return 0.0
    return share_plain(edges, camera, profile) + _share_of_one_shade(image, camera, profile)


def chequered(image: Image, camera: Camera, profile: BoardProfile) -> float:
    """To what degree the grid is that of a chess board or a calibration sheet, 0 … 1.

    Either its fields are the squares: then they are chequered in the twelve unused corners, too, whereas a
    moulded board is so on its squares at most. Or the squares are fields of one colour, diagonal to each
    other: then the other colour surrounds the corners of each of them.
    """
    grey = cv2.blur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (3, 3))
    squares, corners = (
        _correlation_with_chequers(grey, camera, profile, centres)
        for centres in (profile.centres, profile.unused_centres)
    )
    beyond = min(abs(squares), corners if squares > 0 else -corners)
    return max(beyond, _share_of_diamonds(grey, camera, profile))


def _correlation_with_chequers(grey: Image, camera: Camera, profile: BoardProfile, centres: Floats) -> float:
    """Correlation, -1 … 1, of the brightness of the fields around these centres with a chequered pattern; 0
    if nothing varies. Each quarter of the board may have its own mean: the corners may show parts of the
    table.
    """
    places = _places(profile, centres, _FIELD_OFFSET * _DIAGONALS)
    shades, inside = _shades(grey, camera, places)
    places = places[inside]
    values = np.array([np.floor(places / profile.pitch).sum(1) % 2, shades])
    quarters = (places[:, 0] > 0) * 2 + (places[:, 1] > 0)
    for number in np.unique(quarters):
        values[:, quarters == number] -= values[:, quarters == number].mean(1, keepdims=True)
    (pattern, shades), sizes = values, np.linalg.norm(values, axis=1)
    return float(pattern @ shades / sizes.prod()) if sizes.all() else 0.0


def _share_of_diamonds(grey: Image, camera: Camera, profile: BoardProfile) -> float:
    """Share of the squares, 0 … 1, that look like fields standing on a corner: at the same distance from the
    centre, their sides are clearly lighter than their corners, or all are clearly darker.

    The sides of a square pad differ from those places, too, but not from the outermost ones: all four
    corners of a field are among the next fields.
    """
    sides = np.array([(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])
    around = np.concatenate(
        [_RING_RADIUS * sides, _RING_RADIUS / 2**0.5 * _DIAGONALS, _OUTERMOST * _DIAGONALS]
    )
    shades, inside = _shades(grey, camera, _places(profile, profile.centres, around))
    whole = np.asarray(inside.reshape(-1, len(around)).all(1))
    if not whole.any():
        return 0.0
    known = np.full(len(inside), np.nan)
    known[inside] = shades
    side, corner, outermost = known.reshape(len(whole), 3, 4)[whole].mean(2).T
    least = 2 * _SHADE_TOLERANCE
    lighter = (side - corner > least) & (side - outermost > least)
    darker = (corner - side > least) & (outermost - side > least)
    return float(max(lighter.mean(), darker.mean()))


def _places(profile: BoardProfile, centres: Floats, offsets: Floats) -> Floats:
    """The places (N · M, 2), in mm, at ``offsets`` (M, 2), in squares, from each of N centres."""
    return np.asarray((centres[:, None, :2] + profile.pitch * offsets).reshape(-1, 2))


def _shades(grey: Image, camera: Camera, places: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The brightness at those of ``places`` (N, 2), in mm, that are inside the picture; their mask (N,)."""
    pixels = np.round(camera.project(np.column_stack([places, np.zeros(len(places))]))).astype(int)
    height, width = grey.shape
    inside = np.asarray(((pixels >= 0) & (pixels < (width, height))).all(1))
    return grey[pixels[inside, 1], pixels[inside, 0]].astype(float), inside


def _share_of_one_shade(image: Image, camera: Camera, profile: BoardProfile) -> float:
    """Share of the visible ground, 0 to 1, that fits one shade under smoothly varying light; 0 if none is
    visible. Moulded boards reach 0.4 and more, unless an arm hides a part of a chequered one; the seven chess
    boards of :data:`MIN_MOULDED_EVIDENCE` reach at most 0.35.
    """
    grey = cv2.blur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (3, 3))
    places = _places(profile, profile.centres, _SAMPLE_OFFSET * _DIAGONALS)
    shades, inside = _shades(grey, camera, places)
    if not inside.any():
        return 0.0
    x, y = places[inside].T / (4 * profile.pitch)
    light = np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])
    off = shades - float(np.median(shades))
    for _ in range(_ITERATIONS):
        weights = 1 / (1 + np.square(off / _SHADE_TOLERANCE))
        fitted = np.linalg.lstsq(light * weights[:, None], shades * weights, rcond=None)[0]
        off = shades - light @ fitted
    return float((np.abs(off) < _SHADE_TOLERANCE).mean())
