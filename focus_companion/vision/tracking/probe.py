"""Sample points of a known position, and whether the colours of a picture agree with them at a pose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...game.squares import FILE, RANK, SQUARES
from ..appearance.colour_model import BARE, CLASS, ColourModel, bins
from ..arrays import Floats, Mask
from ..capture.frames import Image
from ..capture.sampling import nearest_pixels
from ..detection.moulded import CORNER_OFFSET
from ..geometry.scene import BoardProfile, Camera, at_height

_SAMPLE_OFFSETS = np.array([(0.0, 0.0), (0.55, 0.0), (-0.55, 0.0), (0.0, 0.55), (0.0, -0.55)])
"""Sample points of a piece or a dome, from its centre, in units of the sampled radius."""
_SAMPLED_SIZE = 0.7
"""Radius within which, and height above its base at which, a piece or a dome is sampled, relative to its
own."""
_MAX_POINT_NATS = 3.0
"""Limit, in nats, of the log-likelihood ratio of a single point."""
AGREEMENT_THRESHOLD = 0.5
"""Mean log-likelihood ratio per point, in nats, above which a square agrees with the position; below 0, it
disagrees. Bare domes of nearly a piece's colour lie between the two."""
_FIELD_SIGMA = 12.0
"""Standard deviation of a channel within a field, in grey levels."""
_MAX_UNDECIDED_SHARE = 0.25
"""Share of squares that may be undecided without lowering the share that agrees."""


class Probe:
    """Sample points of the board whose class the position determines: on tops, on bare domes, and on the
    ground between squares.
    """

    def __init__(self, profile: BoardProfile, stacks: Sequence[str]) -> None:
        points, labels, owners = [], [], []
        for square, (x, y) in enumerate(profile.centres):
            stack = stacks[square]
            solid = profile.piece if stack else profile.dome
            level = max(len(stack) - 1, 0) * profile.rise + _SAMPLED_SIZE * solid.height
            radius = _SAMPLED_SIZE * solid.radius
            for dx, dy in _SAMPLE_OFFSETS:
                points.append((x + radius * dx, y + radius * dy, level))
                labels.append(CLASS[stack[-1]] if stack else BARE)
                owners.append(square)
        # The ground where four squares with low stacks meet reveals shifts by a square or a part of one.
        height = {(f, r): len(stacks[s]) for s, (f, r) in enumerate(zip(FILE, RANK, strict=True))}
        for f in range(7):
            for r in range(7):
                around = [height.get(at) for at in ((f, r), (f + 1, r), (f, r + 1), (f + 1, r + 1))]
                if all(h is not None and h <= 1 for h in around):
                    points.append(((f - 3) * profile.pitch, (r - 3) * profile.pitch, 0.0))
                    labels.append(BARE)
                    owners.append(-1)
        self.points: Floats = np.array(points)
        self.labels = np.array(labels)
        self.owners = np.array(owners)
        self._radius = profile.piece.radius
        self._tall = np.array([square for square, stack in enumerate(stacks) if len(stack) > 1], np.intp)
        """Squares with stacks that may occlude others; single pieces hide at most a rim."""
        self._axes = profile.centres[self._tall]
        self._tops = profile.piece.height + profile.rise * np.array(
            [len(stacks[square]) - 1 for square in self._tall]
        )
        reach = CORNER_OFFSET * profile.pitch
        corners = np.array([(-reach, -reach), (-reach, reach), (reach, -reach), (reach, reach)])
        flat = (profile.centres[:, None] + corners).reshape(-1, 2)
        self.fields: Floats | None = at_height(flat) if profile.flat else None
        """Points (52 × 4, 3) near the corners of the squares; only for boards without domes, whose fields may
        differ in shade."""

    def seen_from(self, camera: Camera) -> Mask:
        """Mask (N,) of the points that no stack on another square occludes."""
        centre = camera.centre
        # The line of sight is below the top of a stack from its point up to this fraction of its length.
        low = (self._tops - self.points[:, 2:]) / (centre[2] - self.points[:, 2:])
        along = (centre[:2] - self.points[:, :2])[:, None] * np.clip(low, 0.0, 1.0)[..., None]
        offset = self._axes - self.points[:, None, :2]
        nearest = (offset * along).sum(2) / np.maximum((along**2).sum(2), 1e-9)
        distance = np.linalg.norm(offset - np.clip(nearest, 0.0, 1.0)[..., None] * along, axis=2)
        hides = (low > 0) & (distance < self._radius) & (self._tall != self.owners[:, None])
        return np.asarray(~hides.any(1))


def _field_log_likelihood(image: NDArray[np.uint8], camera: Camera, probe: Probe, shown: Floats) -> Floats:
    """Log-likelihood (N,), in nats, of the colours ``shown`` (N, 3) at the probe's points if they show the
    fields there, whose colours are sampled at the fields' corners; -inf for points outside the squares. Only
    for boards without domes.
    """
    assert probe.fields is not None
    fields = nearest_pixels(image, camera.project(probe.fields))[0].reshape(-1, 4, 3).astype(float)
    off = (shown[:, None] - fields[probe.owners]) / _FIELD_SIGMA
    peak = 3 * np.log(256 / (np.sqrt(2 * np.pi) * _FIELD_SIGMA))
    nats = peak - 0.5 * (off**2).sum(2).min(1)
    return np.where(probe.owners >= 0, nats, -np.inf)


def log_likelihood_ratio(
    image: NDArray[np.uint8],
    pixels: Floats,
    labels: NDArray[np.int_],
    colours: ColourModel,
    fields: Floats | None = None,
) -> Floats:
    """Log-likelihood ratio, in nats and clipped to ±3, of each pixel's (…, N, 2) label against the most
    likely other class. ``fields`` (N,): log-likelihoods of the pixels' own fields. The log-likelihood of a
    bare square is then that of its own field or that of any field: the larger one if the square should be
    bare, the smaller one if it should be covered, as a piece may have the shade of a field.
    """
    shown, inside = nearest_pixels(image, pixels)
    scores = colours.table[bins(shown)][..., colours.known]
    columns = np.cumsum(colours.known) - 1
    if fields is not None:
        bare = scores[..., columns[BARE]]
        either = np.where(labels == BARE, np.maximum(bare, fields), np.minimum(bare, fields))
        scores[..., columns[BARE]] = np.where(np.isfinite(fields), either, bare)
    shown_class = np.broadcast_to(columns[labels], scores.shape[:-1])[..., None]
    own = np.take_along_axis(scores, shown_class, -1)[..., 0]
    np.put_along_axis(scores, shown_class, -np.inf, -1)
    ratio = own - np.maximum(scores.max(-1), 0.0)
    return np.where(inside, np.clip(ratio, -_MAX_POINT_NATS, _MAX_POINT_NATS), -_MAX_POINT_NATS)


def agreement(image: NDArray[np.uint8], camera: Camera, probe: Probe, colours: ColourModel) -> Floats:
    """For every square, (52,), the mean log-likelihood ratio per point, in nats, in favour of the
    position; 0 if stacks in front of it occlude all of its points.
    """
    pixels, fields = camera.project(probe.points), None
    if probe.fields is not None and colours.known[BARE]:
        fields = _field_log_likelihood(image, camera, probe, nearest_pixels(image, pixels)[0].astype(float))
    nats = log_likelihood_ratio(image, pixels, probe.labels, colours, fields)
    known = (probe.owners >= 0) & probe.seen_from(camera)
    total = np.bincount(probe.owners[known], nats[known], len(SQUARES))
    return np.asarray(total / np.maximum(1, np.bincount(probe.owners[known], minlength=len(SQUARES))))


def agreeing(nats: Floats) -> float:
    """Share of squares that agree with the position, among those that agree or disagree; ``nats`` (52,) are
    those of :func:`agreement`.
    """
    agree, disagree = int((nats > AGREEMENT_THRESHOLD).sum()), int((nats < 0).sum())
    return agree / max(agree + disagree, (1 - _MAX_UNDECIDED_SHARE) * len(nats))


def disagreeing_squares(image: Image, camera: Camera, probe: Probe, colours: ColourModel) -> tuple[int, ...]:
    """Squares whose top disagrees with the probe's position."""
    return tuple(np.flatnonzero(agreement(image, camera, probe, colours) < 0).tolist())


def share_agreeing(image: Image, camera: Camera, probe: Probe, colours: ColourModel) -> float:
    """Share (0 … 1) of the squares that agree with the probe's position (:func:`agreeing`)."""
    return agreeing(agreement(image, camera, probe, colours))
