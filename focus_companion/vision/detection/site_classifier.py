"""Classify sites (does a dome or a piece stand here?) and, from all sites, boards (is this the board?).

Circles of several sizes around the site are compared with the edges. For a dome or a piece its own outline
agrees and larger circles do not; on the pattern of a cloth, prints or letters, other sizes agree as well. A
logistic regression (``benchmarks/accuracy/train_site_classifier.py``) maps these agreements to log odds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..geometry.scene import BoardProfile, Camera
from .edges import NORMALS, Edges, OutlinePoints, outlines, stack_solid

Floats = NDArray[np.float64]

SIZES = (0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 1.9)
"""Sizes of the circles relative to the outline."""

_TRUE_SIZE = SIZES.index(1.0)

# fmt: off
WEIGHTS = (
    2.39, -2.29, 5.3, 0.34, -1.13, -6.51, 6.12, -1.04, 1.39,
    -4.92, -3.57, 7.55, 6.09, 1.31, 11.66, -5.91, 0.81, -2.44, -6.68,
)
# fmt: on
"""Weights of :func:`site_features`, in that order, then the bias."""

_MOST = 2.5
"""Bound of the log odds of a single site: an arm occludes many sites, and a piece may lie anywhere."""


PLAIN = 2.0
"""Log odds (7 to 1) from which a square plainly shows a dome or a piece."""

_HOPELESS = -1.0
"""Mean log odds of the squares below which a candidate is rejected at once."""


def site_features(edges: Edges, camera: Camera, profile: BoardProfile, centres: Floats) -> Floats:
    """Agreements (N, 18) of the edges with circles around ``centres`` (N, 2) in mm; NaN outside the picture.

    First for the dome, then for a single piece: the mean agreement for each of :data:`SIZES`, then, for the
    true size, the minimum and the lower quartile along the outline.
    """
    reach = max(1.0, 0.04 * camera.pitch_pixels(profile))
    columns = []
    for height in (0, 1):
        shown = outlines(camera, stack_solid(profile, height), centres)
        visible = shown.inside(edges.size).mean(1) > 0.7
        middle = shown.pixels.mean(1, keepdims=True)
        sized = [OutlinePoints(shown.points, middle + (shown.pixels - middle) * size) for size in SIZES]
        agreements = [edges.along(some, reach, 1).max(0).astype(float) for some in sized]
        own = np.sort(agreements[_TRUE_SIZE], axis=1)
        values = [some.mean(1) for some in agreements] + [own[:, 0], own[:, NORMALS // 4]]
        columns.append(np.where(visible[:, None], np.stack(values, 1), np.nan))
    return np.concatenate(columns, axis=1)


def site_odds(edges: Edges, camera: Camera, profile: BoardProfile, centres: Floats) -> Floats:
    """Log odds (N,), within ±2.5, that a dome or a low stack stands at each site; NaN outside the picture."""
    features = site_features(edges, camera, profile, centres)
    weights = np.array(WEIGHTS)
    return np.asarray(np.clip(features @ weights[:-1] + weights[-1], -_MOST, _MOST))


def surroundings(profile: BoardProfile, ring: int = 1) -> Floats:
    """Centres (N, 2) in mm of the lattice sites around the 52 squares: for ``ring`` 1 the 48 of the missing
    corners and the ledge, for 2 the 44 around those."""
    span = 8 + 2 * ring
    axis = (np.arange(span) - (span - 1) / 2) * profile.pitch
    sites = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)
    if ring > 1:
        outermost = np.abs(sites).max(1) > (span / 2 - 1) * profile.pitch
        return np.asarray(sites[outermost], float)
    gaps = np.linalg.norm(sites[:, None] - profile.centres[None], axis=2).min(1)
    return np.asarray(sites[gaps > profile.pitch / 2], float)


def board_odds(edges: Edges, camera: Camera, profile: BoardProfile) -> float:
    """Score of a board hypothesis against other objects and against boards shifted by a square or two.

    Mean log odds of the squares minus those of the sites around. A correct pose has 2.5 (half occluded by an
    arm) to 5; a chequered cloth reaches about 2, and a shift by a square costs at least 0.5.
    """
    squares = site_odds(edges, camera, profile, profile.centres)
    shown = float(np.where(np.isfinite(squares), squares, -0.5).mean())
    if shown < _HOPELESS:
        # Nearly every wrong candidate; the surroundings could not compensate for that.
        return shown
    near, far = surroundings(profile, 1), surroundings(profile, 2)
    around = site_odds(edges, camera, profile, np.concatenate([near, far]))
    # Further out is the table, with arbitrary objects.
    weight = np.where(np.isfinite(around), np.repeat((1.0, 0.4), (len(near), len(far))), 0.0)
    # Sites outside the picture are neutral.
    fewest = 0.6 * (len(near) + 0.4 * len(far))
    beside = float((weight * np.nan_to_num(around)).sum() / max(float(weight.sum()), fewest))
    return shown - beside


def share_plain(edges: Edges, camera: Camera, profile: BoardProfile) -> float:
    """Share of the squares in view, 0 to 1, that plainly show a dome or a piece; 0 if none is in view.

    Unlike the mean of :func:`board_odds`, it distinguishes a board partly hidden by an arm (all other squares
    show theirs) from another grid (few places look plainly round, most a little).
    """
    odds = site_odds(edges, camera, profile, profile.centres)
    shown = odds[np.isfinite(odds)]
    return float((shown > PLAIN).mean()) if len(shown) else 0.0
