"""The shadows that stacks cast on the board: one lamp is learned from turns that are certain.

From above, one more piece of the same colour on a stack changes few pixels of the stack, but its shadow
grows by as much as the light is slanted. Each certain change of a stack shows where its shadow falls and how
dark it is; later changes are measured where their shadows are expected (:mod:`.shadow_patches`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask, Singles
from ..geometry.stack_masks import Outlines, Window
from ..robust_statistics import centre_and_deviation
from .shadow_patches import (
    LAMPS,
    SAMPLES,
    covered,
    covered_by_own,
    growth,
    growth_under,
    patches,
    rays_of_lamps,
    shaded_around,
    shaded_by_others,
    widened,
)

_MIN_SAMPLES: Final = 3
"""Minimum number of visible samples of a shadow; fewer may be lost in blurred edges."""
_MIN_EXPLAINED: Final = 0.15
"""Minimum share of the darkening (its variance) around changed stacks that their shadows must explain."""
_KEEP: Final = 0.8
"""Weight of what is known when another change is learned: after a lamp was moved, a few turns suffice."""
_MIN_NOISE: Final = 0.03
"""Minimum standard deviation of a mean darkening where nothing has happened."""
_STRENGTH_SPREAD: Final = 0.35
"""Standard deviation of the darkening by single shadows, relative to the mean: penumbras, other shadows."""
_OTHER_SHADOW: Final = 1e-3
"""Probability that something else darkens or lightens just this area, by any amount between -1 and 1."""
_LOGARITHMS: Final = np.log(np.arange(256, dtype=np.float32) + 8.0)
"""Logarithms of grey levels, offset so that noise in the dark counts little."""
_MEAN: Final = np.full((1, 3), 1 / 3, np.float32)
"""Kernel that averages the channels."""


@dataclass(frozen=True)
class _Expected:
    """The shadow of one change of height on every square: where it would be visible, ``shadows`` (52, N);
    what is visible ``around`` it (52, N); and the ``noise`` of the mean darkening there.
    """

    shadows: Mask
    around: Mask
    noise: float


@dataclass(frozen=True)
class Darkening:
    """How much darker the surroundings of each square are than before: the decrease ``by`` (52, N) of the
    logarithm of the brightness at the samples of its patch, which of them are ``inside`` the picture (52, N),
    and which show the board, ``bare`` (52, N), rather than one of the stacks of these ``heights`` (52).
    """

    outlines: Outlines
    heights: tuple[int, ...]
    by: Singles
    inside: Mask
    bare: Mask
    _known: dict[tuple[int, int, int], _Expected] = field(default_factory=dict, repr=False)

    @classmethod
    def between(
        cls,
        now: NDArray[np.uint8],
        before: NDArray[np.uint8],
        window: Window,
        outlines: Outlines,
        heights: Sequence[int],
    ) -> Darkening:
        """The darkening between two pictures (h, w, 3) of a ``window``. ``heights`` (52): the pieces on each
        square, the greater number if it has changed.
        """
        x, y = patches(outlines)
        x, y = x - np.float32(window.left), y - np.float32(window.top)
        then, shown = (
            cv2.transform(cv2.LUT(cv2.remap(picture, x, y, cv2.INTER_LINEAR), _LOGARITHMS), _MEAN)
            for picture in (before, now)
        )
        stacks = {square: height for square, height in enumerate(heights) if height}
        seen = cv2.remap(widened(outlines.standing(stacks, window)), x, y, cv2.INTER_NEAREST)
        inside = (x >= 0) & (x <= now.shape[1] - 1) & (y >= 0) & (y <= now.shape[0] - 1)
        by = np.asarray(then - shown, np.float32)
        return cls(outlines, tuple(heights), by, inside, inside & (seen == 0))

    def expected(self, before: int, after: int, lamp: int) -> _Expected:
        """Where a change between these heights would show under a lamp. Most squares have not changed, so
        what varies there is noise.
        """
        if (before, after, lamp) not in self._known:
            profile, high = self.outlines.profile, max(before, after)
            visible = self.inside & ~covered_by_own(self.outlines, high)
            shadows = growth_under(profile, before, after, lamp) & visible
            shadows &= ~shaded_by_others(profile, self.heights, lamp)
            counts = shadows.sum(1)
            enough = counts >= _MIN_SAMPLES
            means = (self.by * shadows).sum(1)[enough] / counts[enough]
            noise = max(_MIN_NOISE, centre_and_deviation(means)[1]) if enough.any() else _MIN_NOISE
            self._known[before, after, lamp] = _Expected(shadows, visible & ~shadows, noise)
        return self._known[before, after, lamp]


class CastShadows:
    """What is known of the shadows on one board: for each lamp, the share of the darkening that it explains,
    and the strength of its shadows.
    """

    def __init__(self) -> None:
        self._explained = np.zeros(LAMPS)
        self._strengths = np.zeros(LAMPS)
        self._changes = 0.0

    @property
    def known(self) -> bool:
        """Whether shadows have been seen that one lamp explains."""
        return bool(self._explained.max() >= _MIN_EXPLAINED)

    def learn(self, seen: Darkening, changes: Mapping[int, tuple[int, int]]) -> None:
        """Learn from certain changes of stacks, whose heights ``(before, after)`` are given by square."""
        profile = seen.outlines.profile
        places = profile.centres[list(changes)] / profile.pitch
        for square, (before, after) in changes.items():
            # A shadow is learned on the samples closer to its stack than to any other that has changed.
            offsets = SAMPLES[:, None] - (places - profile.centres[square] / profile.pitch)
            nearest = np.hypot(*SAMPLES.T) <= np.hypot(*offsets.transpose(2, 0, 1)).min(1) + 1e-6
            self._learn(seen, square, before, after, seen.bare[square] & nearest)

    def _learn(self, seen: Darkening, square: int, before: int, after: int, usable: Mask) -> None:
        by = seen.by[square][usable] * np.float32(np.sign(after - before))
        total = float(by @ by)
        if total <= 0.0:
            return
        profile = seen.outlines.profile
        shadows = growth(profile, before, after)[:, usable].astype(np.float32)
        counts = shadows.sum(1)
        means = shadows @ by / np.maximum(counts, 1.0)
        means[(counts < _MIN_SAMPLES) | (means < 0.0)] = 0.0
        rays = rays_of_lamps(profile)[square]
        weight = 1.0 / (1.0 + _KEEP * self._changes)
        self._changes = 1.0 + _KEEP * self._changes
        self._explained += weight * ((means**2 * counts / total)[rays] - self._explained)
        self._strengths += weight * (means[rays] - self._strengths)

    def log_likelihood_ratio(
        self, seen: Darkening, square: int, before: int, after: int, others: Mapping[int, int]
    ) -> float:
        """Nats for a change of the square's stack from ``before`` to ``after`` pieces, rather than none, by
        its shadow alone; 0 if that is not known or not visible. ``others``: further stacks that change, each
        with the greater of its heights; where they stand or cast shadows, nothing is measured.
        """
        if before == after or not self.known:
            return 0.0
        lamp, outlines = int(self._explained.argmax()), seen.outlines
        expected = seen.expected(before, after, lamp)
        shadow, around = expected.shadows[square], expected.around[square]
        if others:
            visible = ~covered(outlines, square, others)
            around = around & visible
            shadow = shadow & visible
            shadow &= ~shaded_around(outlines.profile, seen.heights, others, lamp, square)
        if shadow.sum() < _MIN_SAMPLES or not around.any():
            return 0.0
        # A reflection or the shadow of a body also changes the surroundings, and unevenly.
        middle, local = centre_and_deviation(seen.by[square][around])
        found = (float(seen.by[square][shadow].mean()) - middle) * float(np.sign(after - before))
        strength, noise = float(self._strengths[lamp]), max(expected.noise, local)
        unchanged = (1 - _OTHER_SHADOW) * _normal(found, 0.0, noise) + _OTHER_SHADOW / 2
        shown = _normal(found, strength, float(np.hypot(noise, _STRENGTH_SPREAD * strength)))
        # The less of the darkening the lamp has explained, the likelier it is that a shadow is not seen.
        reliable = float(self._explained[lamp])
        return float(np.log(reliable * shown / unchanged + 1 - reliable))


def _normal(value: float, mean: float, deviation: float) -> float:
    """Density of a normal distribution."""
    return float(np.exp(-0.5 * ((value - mean) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi)))
