"""Find the board in a single picture, without markers or manual corners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..geometry.lens_profiles import LensProfile
from ..geometry.orientation import SIDES, upright
from ..geometry.resize import FINE_PIXELS, reduced, resized
from ..geometry.scene import BoardProfile, Camera
from .blobs import WORK_PIXELS
from .board_search import BoardSearch
from .candidates import SMALLER
from .chess_board import find_chess_board, fitted_to_corners
from .edges import Edges
from .moulded import MOULDED, moulded_evidence
from .refine import made_exact
from .scored_fit import EVEN, FAINTEST
from .site_classifier import board_odds

Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class FoundBoard:
    """A board in a picture: the camera in the board's frame, the best profile, and a confidence, 0 … 1.

    ``mirrored``: the known position is seen as in a mirror; the camera is then that of the mirrored board.
    """

    camera: Camera
    profile: BoardProfile
    confidence: float
    mirrored: bool = False


def find_board(
    image: Image,
    profiles: Sequence[BoardProfile],
    stacks: Sequence[str] | None = None,
    rank1: str = "bottom",
    lens: LensProfile | None = None,
) -> FoundBoard | None:
    """The board in a BGR picture, or None if none is visible.

    Args:
        image: (H, W, 3) uint8.
        profiles: the sets that are considered; at least one.
        stacks: what stands on the 52 squares, bottom to top, if known; it determines the orientation.
        rank1: the side of the picture (bottom, left, top, right) at which rank 1 lies if ``stacks`` leaves it
            open.
        lens: that of the camera, if known; otherwise it is estimated from the board.

    Raises:
        ValueError: a wrong shape of picture, number of stacks, side, or no profile.
    """
    _check(image, profiles, stacks, rank1)
    if profiles[0].flat and stacks is not None and not any(stacks):
        # There are no blobs to detect.
        chess = find_chess_board(image, profiles[0], lens)
        return None if chess is None else FoundBoard(*_upright(chess, profiles[0], rank1))
    searches = [BoardSearch(reduced(image, WORK_PIXELS)[0], profiles[0], stacks, lens)]
    best = searches[0].best()
    if best is None or not best.sure:
        larger = reduced(image, FINE_PIXELS)[0]
        if larger.shape[0] * larger.shape[1] > 1.3 * WORK_PIXELS:
            # A small board, or noise: more pixels resolve more.
            searches.append(BoardSearch(larger, profiles[0], stacks, lens))
            other = searches[-1].best(SMALLER)
            if other is not None and other.sure and (best is None or other.liking > best.liking):
                best = other
    for search in searches:
        if best is None or not best.likely:
            best = search.best_of_finer() or best
    for search in searches:
        if best is None or not best.likely:
            best = search.best_of_regular(best)
    if best is not None and not best.clear:
        best = searches[0].beside(best)
    if best is not None and stacks is not None and not any(stacks):
        best = searches[0].on_most_domes(best)
    if best is None or not best.likely:
        return None
    confidence = float(1 / (1 + np.exp(-2.5 * (best.odds - EVEN))))
    if best.mirrored:
        return FoundBoard(resized(best.camera, image), profiles[0], confidence, mirrored=True)
    camera, profile = made_exact(image, resized(best.camera, image), profiles, stacks, rank1, lens)
    if best.moulded is not None and not _confirmed(image, camera, profile):
        return None
    if profile.flat and (by_corners := fitted_to_corners(image, camera, profile, lens)) is not None:
        # Flat pieces of unknown height constrain the pose less than the fields around them do.
        camera, _ = by_corners
    return FoundBoard(camera, profile, confidence)


def _upright(
    found: tuple[Camera, float], profile: BoardProfile, rank1: str
) -> tuple[Camera, BoardProfile, float]:
    camera, confidence = found
    return upright(camera, profile, [""] * len(profile.centres), rank1), profile, confidence


def _confirmed(image: Image, camera: Camera, profile: BoardProfile) -> bool:
    """Whether a larger picture shows a board, too: with few pixels, small squares and letters look round."""
    fine, _ = reduced(image, FINE_PIXELS)
    edges, seen = Edges.of(fine), resized(camera, fine)
    odds = board_odds(edges, seen, profile)
    return odds > FAINTEST and moulded_evidence(fine, edges, seen, profile) > MOULDED


def _check(image: Image, profiles: Sequence[BoardProfile], stacks: Sequence[str] | None, rank1: str) -> None:
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
        raise ValueError(f"the picture must be (H, W, 3) uint8 BGR, not {image.shape} {image.dtype}")
    if not profiles:
        raise ValueError("at least one board profile is needed to look for a board")
    if stacks is not None and len(stacks) != len(profiles[0].centres):
        raise ValueError(f"a position has {len(profiles[0].centres)} stacks, not {len(stacks)}")
    if rank1 not in SIDES:
        raise ValueError(f"rank 1 lies at bottom, left, top or right of the picture, not at {rank1!r}")
