"""Compares the board with rectangular grids: racks, trays and sheets whose sites lie on the same lattice.

The board is a square of 8 × 8 sites without its corners. A rack of round discs fits its lattice as well; but
then some discs lie in the corners that the board leaves out, and some squares lie beside the rack.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..geometry.scene import BoardProfile, Camera
from .edges import Edges
from .site_classifier import site_odds, surroundings

_SPAN = 12
"""Sites along each side of the lattice: the board's eight, and two more on both sides."""


def rectangle_odds(edges: Edges, camera: Camera, profile: BoardProfile) -> float:
    """Log odds of rectangular grids, all equally likely, against the board.

    Each explains which sites of the lattice look like a dome or a piece (log odds above 0): those within it
    with one probability, all others with another, both as they fit the picture best.
    """
    sites = [profile.centres, surroundings(profile, 1), surroundings(profile, 2)]
    places = np.concatenate(sites)
    odds = site_odds(edges, camera, profile, places)
    columns, rows = np.round(places.T / profile.pitch + (_SPAN - 1) / 2).astype(int)
    seen, found = np.zeros((2, _SPAN, _SPAN))
    seen[rows, columns] = np.isfinite(odds)
    found[rows, columns] = np.nan_to_num(odds) > 0
    squares = rows[: len(sites[0])], columns[: len(sites[0])]
    rectangles = _log_likelihood(_in_rectangles(seen), _in_rectangles(found), seen.sum(), found.sum())
    board = _log_likelihood(seen[squares].sum(), found[squares].sum(), seen.sum(), found.sum())
    return float(np.logaddexp.reduce(rectangles) - np.log(rectangles.size) - board)


def _in_rectangles(flags: Floats) -> Floats:
    """Number of flags of the lattice (_SPAN, _SPAN) in each of its rectangles (N,)."""
    sums = np.zeros((_SPAN + 1, _SPAN + 1))
    sums[1:, 1:] = flags.cumsum(0).cumsum(1)
    low, high = np.triu_indices(_SPAN + 1, 1)
    rows = sums[high] - sums[low]
    return np.asarray((rows[:, high] - rows[:, low]).ravel())


def _log_likelihood(seen: Floats, found: Floats, all_seen: float, all_found: float) -> Floats:
    """Log-likelihoods (N,) of N grids in which ``seen`` sites are visible and ``found`` look round. If those
    outside look round more often, it is that of no grid at all.
    """
    others, found_outside = all_seen - seen, all_found - found
    apart = _best_bernoulli(found, seen) + _best_bernoulli(found_outside, others)
    denser = found * others >= found_outside * seen
    return np.where(denser, apart, _best_bernoulli(np.asarray(all_found), np.asarray(all_seen)))


def _best_bernoulli(hits: Floats, trials: Floats) -> Floats:
    """Log-likelihood of ``hits`` in ``trials`` with the probability that fits them best."""
    share = hits / np.maximum(trials, 1)
    hit, missed = np.where(hits > 0, share, 1.0), np.where(hits < trials, 1 - share, 1.0)
    return hits * np.log(hit) + (trials - hits) * np.log(missed)
