"""Initial colour models, before any piece has been seen.

The pieces are assumed to be of usual plastic in any usual light, and the bare board to look everywhere as it
does where four squares meet, where there is never a piece.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Mask
from ..capture.sampling import nearest_pixels
from ..geometry.scene import BoardProfile, Camera, at_height
from .colour_model import BARE, CLASS, MAX_SAMPLES, ColourModel
from .flat_pieces import FlatPieceColours
from .shades import LOG_OFFSET, USUAL_SHADES, Shade

Pixels = NDArray[np.uint8]


SKIN_SHADES = ((150, 175, 225), (110, 140, 195), (75, 100, 150), (45, 65, 105))
"""BGR of a hand, the most common occluder."""

_SAMPLE_RADII = (0.06, 0.11, 0.16)
"""Distances from the corners of squares, in squares, at which the bare board is sampled, both lines and
cells."""

_MIN_TINTED_LEVEL = 60.0
"""Mean of the channels, in grey levels, up to which a colour's tint is meaningless."""

_TINT_SIGMA = 0.16
"""Standard deviation of the logarithm of each channel's gain, due to lamps and white balance."""

_MIN_TINTED_SHARE = 0.2
"""Share of bright pixels above which only these determine the common tint."""

_TINT_LIMIT_FACTOR = 2.5
"""Limit of the deviation from the common tint, as a multiple of the median deviation."""

_TINT_LIMIT_RANGE = 0.12, 0.18
"""Range of that limit in logarithmic units. An arm over a board with many tints must not widen it further, as
skin is only 0.25 away from white."""


def usual_pieces(players: Sequence[str], shades: Mapping[str, Shade] | None = None) -> dict[int, Pixels]:
    """Samples (N, 3) BGR, by class, of the players' pieces in all usual lights; deterministic.

    ``shades``: by letter, for a set whose pieces have known shades other than the usual ones.
    """
    known = USUAL_SHADES | dict(shades or {})
    return dict(_usual_pieces(tuple((letter, known[letter]) for letter in players)))


@cache
def _usual_pieces(body_shades: tuple[tuple[str, Shade], ...]) -> dict[int, Pixels]:
    random = np.random.default_rng(7)
    samples = {}
    for letter, shade in body_shades:
        tint = np.exp(random.normal(0.0, _TINT_SIGMA, (MAX_SAMPLES, 3)))
        bright = np.exp(random.uniform(np.log(0.3), np.log(1.45), (MAX_SAMPLES, 1)))
        body = np.array(shade[::-1], float) * tint * bright
        samples[CLASS[letter]] = _as_seen(body, random)
    return samples


@cache
def occluder_density() -> Floats:
    """Density (bins,) of the colours of occluders relative to a uniformly random colour.

    A mixture: half uniform, half hands.
    """
    random = np.random.default_rng(7)
    body = np.repeat(np.array(SKIN_SHADES, float), MAX_SAMPLES // len(SKIN_SHADES), axis=0)
    tint = np.exp(random.normal(0.0, 0.08, body.shape))
    bright = np.exp(random.uniform(np.log(0.6), np.log(1.2), (len(body), 1)))
    model = ColourModel()
    model.learn({BARE: _as_seen(body * tint * bright, random)}, keep=0.0)
    return np.asarray(0.5 + 0.5 * np.exp(model.table[:, BARE]), np.float64)


def bare_board(image: Pixels, camera: Camera, profile: BoardProfile) -> Pixels:
    """Samples (N, 3) BGR of the bare board, from the corners of squares; empty if all are out of view."""
    random = np.random.default_rng(7)
    found = _corner_pixels(image, camera, profile)
    if not len(found):
        return np.zeros((0, 3), np.uint8)
    # A stack or an arm may cover a corner, so samples far from the common tint are discarded. The fields of a
    # chess board may have two tints, neither of which is common.
    common = _has_common_tint(found)
    found = found[common] if common.any() else found
    drawn = found[random.integers(0, len(found), MAX_SAMPLES)].astype(float)
    # Parts of the domes face towards and away from the light, and shine.
    bright = np.exp(random.normal(0.0, 0.2, (MAX_SAMPLES, 1)))
    return _as_seen(drawn * bright, random)


def before_any_piece(players: Sequence[str], profile: BoardProfile) -> ColourModel:
    """A model that knows only the shades of the set's pieces, or usual ones: enough until the first piece is
    seen. In a flat set with no shades in its profile, pieces may have any.
    """
    model = FlatPieceColours() if profile.flat else ColourModel()
    if profile.flat and not profile.shades:
        model.guess_any([CLASS[letter] for letter in players])
    else:
        model.guess(usual_pieces(players, profile.shades))
    return model


def first_model(
    image: Pixels, camera: Camera, profile: BoardProfile, players: Sequence[str], shades: Mapping[str, Shade]
) -> ColourModel:
    """The colour model before anything about the position is known; ``shades`` as in :func:`usual_pieces`."""
    model = ColourModel()
    model.learn({BARE: bare_board(image, camera, profile), **usual_pieces(players, shades)}, keep=0.0)
    return model


def _as_seen(body: Floats, random: np.random.Generator) -> Pixels:
    """``body`` colours (N, 3) with some shine and noise, as 8-bit pixels."""
    shine = 0.3 * random.random((len(body), 1)) ** 3
    mixed = body + shine * (235.0 - body) + random.normal(0.0, 4.0, body.shape)
    return np.asarray(np.clip(mixed, 0, 255), np.uint8)


def _corner_pixels(image: Pixels, camera: Camera, profile: BoardProfile) -> Pixels:
    """The picture's pixels around every corner of the squares."""
    half = profile.pitch / 2
    corners = [profile.centres + np.array((sx * half, sy * half)) for sx in (-1, 1) for sy in (-1, 1)]
    junctions = np.unique(np.round(np.concatenate(corners), 3), axis=0)
    angles = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    circle = profile.pitch * np.stack([np.cos(angles), np.sin(angles)], 1)
    around = np.concatenate([radius * circle for radius in _SAMPLE_RADII])
    points = (junctions[:, None] + around).reshape(-1, 2)
    shades, inside = nearest_pixels(image, camera.project(at_height(points, profile.dome_base)))
    return shades[inside]


def _has_common_tint(pixels: Pixels) -> Mask:
    """Mask (N,) of the pixels whose tint is near the common one, regardless of brightness."""
    logs = np.log(pixels.astype(float) + LOG_OFFSET)
    tint = logs[:, ::2] - logs[:, 1:2]
    bright = pixels.mean(1) > _MIN_TINTED_LEVEL
    tinted = bright if bright.mean() > _MIN_TINTED_SHARE else np.ones(len(pixels), bool)
    deviation = np.abs(tint - np.median(tint[tinted], 0)).max(1)
    limit = float(np.clip(_TINT_LIMIT_FACTOR * np.median(deviation[tinted]), *_TINT_LIMIT_RANGE))
    return np.asarray(deviation <= np.where(tinted, limit, 2 * limit))
