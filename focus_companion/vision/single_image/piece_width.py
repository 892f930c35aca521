"""Estimates how wide the flat pieces of a picture are: draughts fill more of their squares in some sets than
in others, and a wider piece looks like a stack that is nearer to the camera.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from .off_centre import nats_of_picture, usual_placement
from .search import Explanation, initial_explanation

_WIDTHS: Final = (0.87, 1.0, 1.15, 1.3)
"""Widths of pieces that are tried first, relative to the profile's. Each takes half a second."""

_FIRST_PLACEMENT: Final = 0.02
"""How far off the centre pieces are assumed to stand while these are compared, in squares."""

_STEPS: Final = (1.07, 1.035)
"""Factors by which the best width is then changed in both directions, one after the other."""


def with_fitting_width(explanation: Explanation) -> Explanation:
    """The explanation or, if the pieces are flat and of another width, the best one with that."""
    if explanation.palette.flat is None:
        return explanation
    view = explanation.view

    @cache
    def with_width(width: float) -> Explanation:
        # Colours and stacks that were read with a wrong width would bias what is read with the right one.
        profile = view.profile.with_wider_pieces(width)
        return explanation if width == 1.0 else initial_explanation(view.picture, view.camera, profile)

    @cache
    def nats(width: float, placement: float) -> float:
        return nats_of_picture(with_width(width), placement)

    width = max(_WIDTHS, key=lambda tried: nats(tried, _FIRST_PLACEMENT))
    placement = usual_placement(with_width(width))
    for step in _STEPS:
        width = max((width, width / step, width * step), key=lambda tried: nats(tried, placement))
    return with_width(width)
