"""Where the board lies in a picture, if nothing is known of its place."""

from __future__ import annotations

from ..detection.find_board import FoundBoard
from ..detection.quarter_turn import right_way_round
from ..geometry.orientation import sides_beyond
from .placement import Hypothesis, share_agreeing_in_view
from .state import Context, StillFrame

MIN_FOUND_SHARE = 0.75
"""Minimum share of squares that agree with the expected position where a search of the whole picture finds
the board."""


def search(context: Context, picture: StillFrame, pitch: float | None = None) -> FoundBoard | None:
    """Search the whole picture, if ``pitch`` is given only for a board whose squares have about that side in
    pixels. Sets the fault of the ``context`` if what is found is mirrored.
    """
    found, context.fault = context.finder(picture.image, context.profiles, context.standing, pitch), ""
    if found is not None and found.mirrored:
        context.fault = "mirrored"
        return None
    return found


def hypothesis_at(
    context: Context, picture: StillFrame, found: FoundBoard, required: float, *, marked: bool = False
) -> Hypothesis | None:
    """The hypothesis that the board lies where it was found, in the quarter turn that its position shows.
    ``None`` if a part of it lies outside the picture, unless it was ``marked`` by hand; sets the fault of the
    ``context`` then.
    """
    stacks = context.standing
    camera = right_way_round(picture.image, found.camera, found.profile, stacks, context.rank1)
    placement = context.fitted(camera, found.profile)
    if (edges := sides_beyond(camera, found.profile)) and not marked:
        if share_agreeing_in_view(picture.image, placement, stacks, context.players) >= MIN_FOUND_SHARE:
            context.fault = f"cut off: {', '.join(edges)}"
        return None
    return Hypothesis(placement, relearn=True, required=required)
