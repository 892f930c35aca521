"""Classifies sites (does a dome or a piece stand here?) and, from all sites, boards (is this the board?).

Circles of several sizes around the site are compared with the edges. For a dome or a piece, its own outline
agrees and larger circles do not; on patterned cloth, prints or letters, circles of other sizes agree as well.
A logistic regression (``benchmarks/accuracy/train_site_classifier.py``) maps these agreements to log odds.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..geometry.scene import SQUARES_IN_FRAME, BoardProfile, Camera
from .edges import NORMALS, Edges, agreement_reach, outlines

SIZES = (0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 1.9)
"""Sizes of the circles relative to the outline."""

_TRUE_SIZE = SIZES.index(1.0)
"""Index of the outline itself in :data:`SIZES`."""

# fmt: off
WEIGHTS = (
    2.39, -2.29, 5.3, 0.34, -1.13, -6.51, 6.12, -1.04, 1.39,
    -4.92, -3.57, 7.55, 6.09, 1.31, 11.66, -5.91, 0.81, -2.44, -6.68,
)
# fmt: on
"""Weights of :func:`site_features`, in that order, then the bias."""

MAX_SITE_ODDS = 2.5
"""Bound on the log odds of a single site: an arm occludes many sites, and a piece may lie anywhere."""

_MIN_VISIBLE_SHARE = 0.7
"""Minimum share of an outline inside the picture for its site to be classified."""

PLAIN_ODDS = 2.0
"""Log odds (7 to 1) above which a square plainly shows a dome or a piece."""

_UNSEEN_ODDS = -0.5
"""Log odds assigned to a square outside the picture."""

_MIN_MEAN_ODDS = -1.8
"""Mean log odds of the squares below which a candidate is rejected at once. The surroundings can add 2.5, and
coloured pieces on every other square 1.8. Lowering it takes time: without it, pictures without a board take a
quarter longer."""

_OUTER_RING_WEIGHT = 0.4
"""Weight of the sites two steps from the squares, relative to those one step away: further out is the table,
with arbitrary objects."""

_MIN_SURROUNDINGS = 0.6
"""Share of the weight of all surrounding sites below which those outside the picture count as neutral."""


def site_features(edges: Edges, camera: Camera, profile: BoardProfile, centres: Floats) -> Floats:
    """Agreements (N, 18) of the edges with circles around ``centres`` (N, 2) in mm; NaN outside the picture.

    First for the dome, then for a single piece: the mean agreement for each of :data:`SIZES`, then, for the
    true size, the minimum and the lower quartile along the outline.
    """
    reach, count = agreement_reach(camera, profile), len(centres)
    shown = outlines(camera, profile, np.repeat((0, 1), count), np.tile(centres, (2, 1)))
    visible = shown.inside(edges.size).mean(1) > _MIN_VISIBLE_SHARE
    middle = shown.pixels.mean(1, keepdims=True)
    sized = np.concatenate([middle + (shown.pixels - middle) * size for size in SIZES])
    agreements = edges.along(sized, reach, 1).max(0).astype(float).reshape(len(SIZES), 2 * count, NORMALS)
    own = np.sort(agreements[_TRUE_SIZE], axis=1)
    values = np.stack([*agreements.mean(2), own[:, 0], own[:, NORMALS // 4]], 1)
    values[~visible] = np.nan
    return np.concatenate([values[:count], values[count:]], axis=1)


def site_odds(edges: Edges, camera: Camera, profile: BoardProfile, centres: Floats) -> Floats:
    """Log odds (N,), within ±2.5, that a dome or a low stack stands at each site; NaN outside the picture."""
    features = site_features(edges, camera, profile, centres)
    weights = np.array(WEIGHTS)
    return np.asarray(np.clip(features @ weights[:-1] + weights[-1], -MAX_SITE_ODDS, MAX_SITE_ODDS))


def surroundings(profile: BoardProfile, ring: int) -> Floats:
    """Centres (N, 2) in mm of the lattice sites around the 52 squares: for ``ring`` 1 the 48 in the missing
    corners and on the ledge, for ``ring`` 2 the 44 around those.
    """
    farther = np.pad(np.zeros_like(SQUARES_IN_FRAME), 1, constant_values=True)
    mask = ~SQUARES_IN_FRAME if ring == 1 else farther
    return np.asarray((np.argwhere(mask)[:, ::-1] - (len(mask) - 1) / 2) * profile.pitch)


def board_odds(edges: Edges, camera: Camera, profile: BoardProfile) -> float:
    """Score of a board hypothesis against other objects and against boards shifted by a square or two: the
    mean log odds of the squares minus those of the sites around them.

    A correct pose has 2.5 (half occluded by an arm) to 5; a chequered cloth reaches about 2, and a shift by a
    square costs at least 0.5.
    """
    squares = site_odds(edges, camera, profile, profile.centres)
    shown = float(np.where(np.isfinite(squares), squares, _UNSEEN_ODDS).mean())
    if shown < _MIN_MEAN_ODDS:
        # This applies to most wrong candidates; the surroundings could not compensate for it.
        return shown
    near, far = surroundings(profile, 1), surroundings(profile, 2)
    around = site_odds(edges, camera, profile, np.concatenate([near, far]))
    ring_weights = np.repeat((1.0, _OUTER_RING_WEIGHT), (len(near), len(far)))
    weight = np.where(np.isfinite(around), ring_weights, 0.0)
    least = _MIN_SURROUNDINGS * (len(near) + _OUTER_RING_WEIGHT * len(far))
    outside = float((weight * np.nan_to_num(around)).sum() / max(float(weight.sum()), least))
    return shown - outside


def share_plain(edges: Edges, camera: Camera, profile: BoardProfile) -> float:
    """Share of the visible squares, 0 to 1, that plainly show a dome or a piece; 0 if none is visible.

    Unlike the mean of :func:`board_odds`, it distinguishes a board partly occluded by an arm (all visible
    squares show theirs) from another grid (few places look plainly round, most slightly so).
    """
    odds = site_odds(edges, camera, profile, profile.centres)
    shown = odds[np.isfinite(odds)]
    return float((shown > PLAIN_ODDS).mean()) if len(shown) else 0.0
