"""Estimates how wide the flat pieces of a picture are: draughts fill more of their squares in some sets than
in others, and a wider piece looks like a stack that is nearer to the camera.
"""

from __future__ import annotations

from typing import Final

from .off_centre import nats_of_picture
from .search import Explanation, initial_explanation

_WIDTHS: Final = (0.87, 1.15, 1.3)
"""Widths of pieces that are tried, relative to the profile's; each takes half a second. Single pieces are
read as such if theirs is within 5 % of one of them. Steps of 3 % misread a fifth fewer stacks seen from 22°
to 45°, but from 12° and 35° they made wrong heights look sure: the likeliest width is up to 4 % too large."""


def with_fitting_width(explanation: Explanation) -> Explanation:
    """The explanation or, if the pieces are flat and of another width, the best one with that."""
    if explanation.palette.flat is None:
        return explanation
    view = explanation.view
    # Colours and stacks that were read with a wrong width would bias what is read with the right one.
    other = [
        initial_explanation(view.picture, view.camera, view.profile.with_pieces_scaled(width))
        for width in _WIDTHS
    ]
    return max((explanation, *other), key=nats_of_picture)
