"""Estimates how wide the flat pieces of a picture are: draughts fill more of their squares in some sets than
in others, and a wider piece looks like a stack that is nearer to the camera.
"""

from __future__ import annotations

from typing import Final

from .off_centre import nats_if_placed, usual_placement
from .search import Explanation, initial_explanation

_WIDTHS: Final = (1.15, 1.3)
"""Widths of pieces that are tried, relative to the profile's; each takes about a second. Single pieces are
read as such if theirs is within 5 % of one of them. Narrower ones are not tried: in small pictures, taller
stacks of narrower pieces often fit better than what stands there."""


def with_fitting_width(explanation: Explanation) -> Explanation:
    """The explanation or, if the pieces are flat and wider, the best one with their width."""
    if explanation.palette.flat is None:
        return explanation
    view, placement = explanation.view, usual_placement(explanation)
    # Colours and stacks that were read with a wrong width would bias what is read with the right one.
    other = [
        initial_explanation(view.picture, view.camera, view.profile.with_wider_pieces(width))
        for width in _WIDTHS
    ]
    return max((explanation, *other), key=lambda each: nats_if_placed(each, placement))
