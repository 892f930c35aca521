"""Places a chess board on a lattice of fields by the sides between neighbouring fields.

Inside the board, fields are alternately light and dark, so every side between two of them contrasts. At its
edge, only every second field contrasts with a light or a dark frame. Elsewhere, sides contrast as often as in
the surroundings. An arm hides sides, but it does not make others alternate.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from ..arrays import Floats, Integers, Mask, Singles
from ..capture.frames import Image
from ..geometry.pose import pushed
from ..geometry.scene import SQUARES_IN_FRAME, BoardProfile, Camera, at_height

MAX_CORNER_OFFSET = 0.14
"""Maximum distance, in squares, between a corner of the fields and its predicted position."""

_REACH = 12
"""Number of fields on either side of a lattice's origin whose sides are measured."""
_MAX_SHIFT = _REACH - len(SQUARES_IN_FRAME) // 2
"""Maximum shift of the board on its lattice, in squares."""
_ALONG = (-0.3, 0.0, 0.3)
"""Positions along a side at which its contrast is measured, in squares from its middle; the median counts. A
flat piece on the field covers only the one in the middle."""
_ACROSS = 0.18
"""Distance from a side, in squares, at which brightness is measured; the pose may be wrong by as much."""
_BLUR = 1.0
"""Standard deviation, in pixels, of the blur before brightness is measured."""
_DARK_LEVEL = 4.0
"""Grey levels added before the logarithm is taken, about the noise of a dark picture."""

_P_WRONG = 0.1
"""Probability that a side contrasts the wrong way: a piece or an occluder has its outline there."""
_P_EDGE = 0.7
"""Probability that the outer side of a field contrasts with a frame of the other shade."""
_P_PLAIN_EDGE = 0.05
"""Probability that the outer side of a field contrasts with a frame of the same shade."""
_RATES = (0.05, 0.95)
"""Range of the estimated shares of sides that contrast, inside the board and around it."""

_STEPS = np.arange(-4, 5)
FIELD_CORNERS = np.stack(np.meshgrid(_STEPS, _STEPS), -1)
"""The corners of all fields (9, 9, 2), in squares from the board's centre."""
_SIDE_BY_SIDE = SQUARES_IN_FRAME[:, :-1] & SQUARES_IN_FRAME[:, 1:]
INNER_CORNERS = _SIDE_BY_SIDE[:-1] & _SIDE_BY_SIDE[1:]
"""Mask (9, 9) of the 37 corners at which four of the 52 squares meet."""


class PlacedBoard(NamedTuple):
    """A board on a lattice of fields, up to quarter turns.

    ``evidence``: log-likelihood ratio, in nats, between this board and none in these surroundings. ``lead``:
    the same between this place and the next best one on the lattice. ``agreement``: the share of the inner
    corners at which all four sides contrast that were detected as corners.
    """

    camera: Camera
    evidence: float
    lead: float
    agreement: float


class _Count(NamedTuple):
    """For each place of the board on the lattice, (P, P): the number of sides in the picture (``measured``),
    of those that contrast as expected (``right``), and of those that contrast the other way (``wrong``).
    """

    measured: Floats
    right: Floats
    wrong: Floats


def _templates() -> tuple[Mask, Mask, Mask, Mask]:
    """Masks [rank, file] of sides along a rank, each at the field before it: those between two squares, those
    between a square and the frame after it, or before it, and those of a field in the unused corners.
    """
    squares, frame = SQUARES_IN_FRAME, np.ones_like(SQUARES_IN_FRAME)
    frame[1:-1, 1:-1] = False
    after, frame_after = np.roll(squares, -1, 1), np.roll(frame, -1, 1)
    inner = squares & after
    return inner, squares & frame_after, frame & after, ~frame & ~frame_after & ~inner


_INNER, _LEAVING, _ENTERING, _CORNER = _templates()
_INNER_SIDES = 2 * int(_INNER.sum())
"""Number of sides between two squares, in both directions."""
_AXIS = np.arange(-_REACH, _REACH)
_EVEN = np.add.outer(_AXIS, _AXIS) % 2 == 0
"""Mask (F, F) of every second field [rank, file] of the lattice."""


def place_board(image: Image, camera: Camera, profile: BoardProfile, corners: Floats) -> PlacedBoard | None:
    """The most likely place of a board on the lattice of fields that ``camera`` sees as square; None if no
    corner between fields lies on the lattice.

    Args:
        image: (H, W, 3) uint8 BGR, of the camera's size.
        camera: the origin of its board frame is a corner of the lattice.
        corners: (N, 2) positions of the corners between fields that were detected, in pixels.
    """
    sides = _contrasts(image, camera, profile)
    detected = _on_lattice(corners, camera, profile)
    contrasts = np.abs(_meeting(sides)[:, detected])
    contrasts = contrasts[np.isfinite(contrasts)]
    shifts = _in_picture(camera, profile)
    if not len(contrasts) or len(shifts) < 2:
        return None
    threshold = float(np.median(contrasts)) / 2
    evidence = np.max([_evidence(sides, threshold, light) for light in (_EVEN, ~_EVEN)], axis=0)
    of_shifts = evidence[shifts[:, 1] + _MAX_SHIFT, shifts[:, 0] + _MAX_SHIFT]
    best, other = np.argsort(-of_shifts)[:2]
    x, y = shifts[best].tolist()
    meeting = _meeting(np.where(_EVEN, sides, -sides))
    alternating = np.asarray((meeting > threshold).all(0) | (meeting < -threshold).all(0))
    here = np.ix_(_REACH + y + _STEPS, _REACH + x + _STEPS)
    visible = INNER_CORNERS & alternating[here]
    agreement = int((visible & detected[here]).sum()) / max(int(visible.sum()), 1)
    moved = pushed(camera, x * profile.pitch, y * profile.pitch)
    return PlacedBoard(moved, float(of_shifts[best]), float(of_shifts[best] - of_shifts[other]), agreement)


def _in_picture(camera: Camera, profile: BoardProfile) -> Integers:
    """Shifts (N, 2) of the board's centre, in squares, that leave it in the picture."""
    steps = np.arange(-_MAX_SHIFT, _MAX_SHIFT + 1)
    shifts = np.stack(np.meshgrid(steps, steps), -1).reshape(-1, 2)
    middles = camera.project(at_height(shifts * profile.pitch))
    limits = camera.lens.width, camera.lens.height
    return np.asarray(shifts[((middles >= 0) & (middles <= limits)).all(1)])


def _contrasts(image: Image, camera: Camera, profile: BoardProfile) -> Floats:
    """(2, F, F): by how much each field [rank, file] of the lattice is brighter than the next one along its
    rank, and along its file, as a difference of logarithms; NaN outside the picture.
    """
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32), (0, 0), _BLUR)
    bright = np.log(grey + _DARK_LEVEL)
    centres = np.stack(np.meshgrid(_AXIS, _AXIS), -1)[:, :, None] + 0.5
    along = np.array(_ALONG)[:, None]
    result = []
    for step in np.eye(2):
        middles = centres + step / 2 + along * step[::-1]
        before, after = (
            _sampled(bright, camera, profile, middles + across * step) for across in (-_ACROSS, _ACROSS)
        )
        result.append(np.median(before - after, axis=-1))
    return np.array(result)


def _sampled(values: Singles, camera: Camera, profile: BoardProfile, places: Floats) -> Floats:
    """Values (…) at ``places`` (…, 2) on the board, in squares from the origin; NaN outside the picture."""
    points = at_height(places.reshape(-1, 2) * profile.pitch)
    pixels = camera.project(points)
    seen = (camera.depths(points) > camera.min_depth) & (pixels >= 0).all(1)
    seen &= (pixels <= (values.shape[1] - 1, values.shape[0] - 1)).all(1)
    result = np.full(len(points), np.nan)
    at = pixels[seen].astype(np.float32)
    if len(at):
        result[seen] = cv2.remap(values, at[:, :1], at[:, 1:], cv2.INTER_LINEAR)[:, 0]
    return result.reshape(places.shape[:-1])


def _on_lattice(corners: Floats, camera: Camera, profile: BoardProfile) -> Mask:
    """Mask (F, F) of the lower left corners of the fields [rank, file] that are among ``corners``."""
    nodes = np.stack(np.meshgrid(_AXIS, _AXIS), -1).reshape(-1, 2)
    places = camera.project(at_height(nodes * profile.pitch))
    squared = ((places[:, None] - corners) ** 2).sum(-1).min(1, initial=np.inf)
    near: Mask = np.sqrt(squared) < MAX_CORNER_OFFSET * camera.pitch_pixels(profile)
    return near.reshape(len(_AXIS), -1)


def _meeting(sides: Floats) -> Floats:
    """(4, F, F): the sides that meet at the lower left corner of each field [rank, file]."""
    along_rank, along_file = sides
    return np.stack(
        [
            np.roll(along_rank, 1, 1),
            np.roll(along_rank, (1, 1), (0, 1)),
            np.roll(along_file, 1, 0),
            np.roll(along_file, (1, 1), (0, 1)),
        ]
    )


def _evidence(sides: Floats, threshold: float, light: Mask) -> Floats:
    """Evidence, in nats, for each place (P, P) of the board, if the fields of the mask ``light`` [rank, file]
    are the light ones.
    """
    # Positive where a light field is brighter than the dark one beside it.
    signed = np.where(light, sides, -sides)
    outcomes = np.stack([np.isfinite(signed), signed > threshold, signed < -threshold])
    inner = _count(outcomes, (_INNER, np.ones_like(light)))
    # Sides are indexed by the field before them. Where one enters the board, that is the frame, and the
    # square after it has the other shade.
    dark_edge = _count(outcomes, (_LEAVING, ~light), (_ENTERING, light))
    light_edge = _count(outcomes, (_LEAVING, light), (_ENTERING, ~light))
    corners = _count(outcomes, (_CORNER, np.ones_like(light)))
    measured, right, wrong = outcomes.sum((1, 2, 3))[:, None, None] - np.sum(
        [inner, dark_edge, light_edge, corners], 0
    )
    rate = np.clip((right + wrong) / np.maximum(measured, 1), *_RATES)
    shown = np.clip(inner.right / _INNER_SIDES, *_RATES)

    def ratio(count: _Count, right: Floats | float, wrong: float) -> Floats:
        level = count.measured - count.right - count.wrong
        return np.asarray(
            count.right * np.log(2 * right / rate)
            + count.wrong * np.log(2 * wrong / rate)
            + level * np.log((1 - right - wrong) / (1 - rate))
        )

    # The frame is light, or dark, or of a third shade, which may or may not contrast with either.
    edges = [
        ratio(contrasting, _P_EDGE, _P_WRONG) + ratio(plain, _P_PLAIN_EDGE / 2, _P_PLAIN_EDGE / 2)
        for contrasting, plain in ((dark_edge, light_edge), (light_edge, dark_edge))
    ]
    within = ratio(inner, shown * (1 - _P_WRONG), _P_WRONG)
    # Sides outside the picture are hidden, too.
    within += (_INNER_SIDES - inner.measured) * np.log(1 - shown)
    # The unused corners may be covered, by pieces that were taken, for instance.
    open_corners = ratio(corners, shown * (1 - _P_WRONG), _P_WRONG)
    return np.asarray(within + np.maximum(open_corners, 0) + np.max([*edges, np.zeros_like(within)], axis=0))


def _count(outcomes: Mask, *parts: tuple[Mask, Mask]) -> _Count:
    """Counts ``outcomes`` (3, 2, F, F) of sides along ranks and files, for every place of the board. Each of
    ``parts`` is a template of sides along ranks, and the fields whose sides count.
    """
    places = 2 * _MAX_SHIFT + 1
    total = np.zeros((len(outcomes), places, places))
    for mask, fields in parts:
        for direction, template in enumerate((mask, mask.T)):
            some = (outcomes[:, direction] & fields).astype(float)
            windows = np.lib.stride_tricks.sliding_window_view(some, template.shape, (1, 2))
            total += np.einsum("kijrf,rf->kij", windows, template)
    return _Count(*total)
