"""Does a dome or a piece stand at a place of the board, and so: is this the board?

Circles of several sizes about the place are compared with the edges there. A dome's or a piece's own outline
agrees, larger circles do not; on a cloth's checks, prints or letters other sizes agree as well. Nineteen
weights, learned by logistic regression (``benchmarks/accuracy/train_site_classifier.py``), turn
these agreements into the logarithm of the odds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..geometry.scene import BoardProfile, Camera
from .edges import NORMALS, Edges, OutlinePoints, outlines, stack_solid

Floats = NDArray[np.float64]

SIZES = (0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 1.9)
"""Circles compared, as multiples of the outline."""

_TRUE_SIZE = SIZES.index(1.0)

# fmt: off
WEIGHTS = (
    2.39, -2.29, 5.3, 0.34, -1.13, -6.51, 6.12, -1.04, 1.39,
    -4.92, -3.57, 7.55, 6.09, 1.31, 11.66, -5.91, 0.81, -2.44, -6.68,
)
# fmt: on
"""Of :func:`site_features`, in that order, and the constant last."""

_MOST = 2.5
"""No single site may say more than this, for or against: an arm hides many, a piece may lie anywhere."""


PLAIN = 2.0
"""Log odds (7 to 1) from which a square plainly shows a dome or a piece."""

_HOPELESS = -1.0
"""Mean log odds of the squares below which a guess is no board."""


def site_features(edges: Edges, camera: Camera, profile: BoardProfile, centres: Floats) -> Floats:
    """Agreements (N, 18) of the edges with circles about each of ``centres`` (N, 2) mm; NaN when out of view.

    For the dome and then for the single piece: the mean agreement for each of :data:`SIZES`, then, for the
    true size, the worst and the lower quartile around the outline.
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
    """Logarithm of the odds (N,), within ±2.5, that a dome or a low stack stands at each place; NaN out of
    view."""
    features = site_features(edges, camera, profile, centres)
    weights = np.array(WEIGHTS)
    return np.asarray(np.clip(features @ weights[:-1] + weights[-1], -_MOST, _MOST))


def surroundings(profile: BoardProfile, ring: int = 1) -> Floats:
    """Centres (N, 2) mm of the lattice sites around the 52 squares: for ``ring`` 1 the 48 of the missing
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
    """How much this looks like a board and no other thing nor a board shifted by a square or two: up to 5.

    Mean log odds of the squares less those of the sites around. Right is 2.5 (half hidden by an arm) to 5;
    checks of a cloth reach about 2, and one square off is at least half a unit less than right.
    """
    squares = site_odds(edges, camera, profile, profile.centres)
    shown = float(np.where(np.isfinite(squares), squares, -0.5).mean())
    if shown < _HOPELESS:
        # Nearly every wrong guess; nothing around it could make up for that.
        return shown
    near, far = surroundings(profile, 1), surroundings(profile, 2)
    around = site_odds(edges, camera, profile, np.concatenate([near, far]))
    # Further out the table begins, with whatever lies there.
    weight = np.where(np.isfinite(around), np.repeat((1.0, 0.4), (len(near), len(far))), 0.0)
    # What is out of view speaks neither for nor against.
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
