"""Finds out whether the pixels of a picture are square.

Those of analogue cameras, of old webcams at 352×288, and of the second stream of many surveillance cameras
are not. If they are taken for square, the board seems tilted another way, and stacks seem to lean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ..geometry.pose import PRIOR_SPREAD, Prior
from ..geometry.scene import BoardProfile, Camera
from .edge_fit import PARAMETER_COST, fit_outlines, negative_log_likelihoods
from .edges import Edges

_SHAPES: Final = (4 / 3, 16 / 9)
"""Shapes, width to height, of what video cameras see, whatever the number of pixels that they make of it."""

_ANALOGUE_LINES: Final = frozenset((240, 288, 480, 576))
"""Lines of analogue pictures and of formats derived from them, whose pixels are rarely square."""

_MIN_DEVIATION: Final = 0.03
"""Logarithm of the aspect below which pixels count as square. Raising it above 0.06, pictures of 720×576
pixels are taken for square; lowering it costs a fit that changes nothing."""

_MAX_DEVIATION: Final = 0.06
"""Maximum difference of the logarithms of a fitted aspect and a usual one. In 60 squeezed pictures, fitted
aspects were off by up to 0.04. Raising it, errors of the board's profile may be taken for an aspect."""

_SQUARE_PRIOR: Final = float(np.log(99))
"""Prior log odds, in nats, that the pixels of a picture with the shape of video are square. In 20 such
pictures, others gained at most 2.5 nats over the cost of the parameter. Raising it, a squeezed picture may go
unnoticed; lowering it, leaning pieces may be taken for one."""


@dataclass(frozen=True, slots=True)
class PixelAspects:
    """The aspects, ``others`` than 1, that the pixels of a picture may have (:attr:`.Lens.aspect`), and the
    prior log odds, in nats, that they are square.
    """

    others: tuple[float, ...] = ()
    square_log_odds: float = np.inf

    @classmethod
    def of(cls, width: int, height: int) -> PixelAspects:
        """Those of a picture of this size. One with the shape of video may have been squeezed from the other
        shape. Others rarely have square pixels if they have the lines of analogue video, and else always.
        """
        short, long = sorted((width, height))
        aspects = [shape * short / long for shape in _SHAPES]
        others = [aspect for aspect in aspects if abs(np.log(aspect)) >= _MIN_DEVIATION]
        video = len(others) < len(aspects)
        if not video and short not in _ANALOGUE_LINES:
            return cls()
        others = [aspect if width >= height else 1 / aspect for aspect in others]
        return cls(tuple(others), _SQUARE_PRIOR if video else 0.0)


def with_aspect(
    edges: Edges,
    camera: Camera,
    profile: BoardProfile,
    prior: Prior,
    heights: Sequence[int],
    reaches: Sequence[float],
    aspects: PixelAspects,
) -> Camera:
    """The ``camera``, whose pixels are square, or one fitted from there with one of the ``aspects``, if that
    is likelier.

    ``heights`` (52) are the numbers of pieces, ``reaches`` the search distances of the fit in squares.
    """
    if not aspects.others:
        return camera
    either = replace(prior, aspect_spread=PRIOR_SPREAD["aspect"])
    free = fit_outlines(edges, camera, profile, either, heights, reaches)
    differences = np.abs(np.log(np.array(aspects.others) / free.lens.aspect))
    if differences.min() > _MAX_DEVIATION:
        return camera
    # The free fit only selects the aspect, as it also absorbs errors of the profile.
    near = replace(free, lens=replace(free.lens, aspect=aspects.others[int(differences.argmin())]))
    other = fit_outlines(edges, near, profile, prior, heights, reaches)
    costs = negative_log_likelihoods(edges, (camera, other), profile, heights)
    costs += [prior.cost(each.lens) for each in (camera, other)]
    costs[1] += PARAMETER_COST + aspects.square_log_odds
    return other if costs[1] < costs[0] else camera
