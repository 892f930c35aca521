"""Finds the board in a single picture, without markers or manual corners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from ..capture.frames import Image
from ..geometry.lens_profiles import LensProfile
from ..geometry.orientation import upright
from ..geometry.resize import FINE_PIXELS, WORK_PIXELS, reduced, resized, stretched
from ..geometry.scene import BoardProfile, Camera
from ..haze import Haze
from ..robust_statistics import probability
from .board_search import BoardSearch
from .candidates import SMALL_BOARD_LEVELS, levels_near
from .chess_board import find_chess_board, fitted_to_corners
from .coloured_pieces import colour_odds
from .edges import Edges
from .moulded import MIN_MOULDED_EVIDENCE, moulded_evidence
from .pixel_aspect import PixelAspects
from .rectangular_grid import rectangle_odds
from .refine import refine_detection
from .scored_fit import EVEN_ODDS, MIN_ODDS, ScoredFit
from .site_classifier import board_odds

_MIN_ENLARGEMENT = 1.3
"""Minimum ratio of the pixels of a larger picture to those of the working picture, to search it as well."""

_POSES_TRIED = 10_000
"""Order of magnitude of the number of poses that one search compares. The best of so many resembles a board
by chance, for example on the lines of a Go board. Raising it e-fold refuses boards without coloured pieces
whose sites favour the board over other grids by up to one nat more."""

_CONFIDENCE_SLOPE = 2.5
"""Steepness of the logistic curve from log odds to confidence."""


@dataclass(frozen=True, slots=True)
class FoundBoard:
    """A board in a picture: the camera in the board's frame, the best profile, and a confidence, 0 … 1.

    ``mirrored``: the picture shows the mirror image of the known position, and the camera is that of the
    mirrored board. ``fitted_to_fields``: the camera is fitted to the corners of a chess board's fields.
    """

    camera: Camera
    profile: BoardProfile
    confidence: float
    mirrored: bool = False
    fitted_to_fields: bool = False


def find_board(
    image: Image,
    profiles: Sequence[BoardProfile],
    stacks: Sequence[str] | None = None,
    pitch: float | None = None,
    *,
    rank1: str = "bottom",
    lens: LensProfile | None = None,
) -> FoundBoard | None:
    """The board in a BGR picture, or None if none is visible.

    Args:
        image: (H, W, 3) uint8; haze is removed from it.
        profiles: the sets that are considered; at least one.
        stacks: the stacks on the 52 squares, bottom to top, if known; they determine the orientation.
        pitch: the side of a square in pixels, if about known. Only a board of about that size that is plain
            to see is found then, and a search in vain takes a third of the time.
        rank1: the side of the picture (bottom, left, top, right) at which rank 1 lies if ``stacks`` leave it
            open.
        lens: that of the camera, if known; otherwise it is estimated from the board.
    """
    image = Haze.of(image).removed(image)
    if profiles[0].flat and not any(stacks or ()):
        if (chess := find_chess_board(image, profiles[0], lens)) is not None:
            camera = upright(chess[0], profiles[0], [""] * len(profiles[0].centres), rank1)
            return FoundBoard(camera, profiles[0], chess[1], fitted_to_fields=True)
        if stacks is not None:
            # There are no blobs to detect.
            return None
    small, scale = reduced(image, WORK_PIXELS)
    searches = [BoardSearch(small, profiles[0], stacks, lens)]
    best = searches[0].best(None if pitch is None else levels_near(profiles[0], scale * pitch))
    if pitch is not None and (best is None or not best.likely):
        return None
    if best is None or not best.confident:
        larger = reduced(image, FINE_PIXELS)[0]
        if larger.shape[0] * larger.shape[1] > _MIN_ENLARGEMENT * WORK_PIXELS:
            # The board may be small, or the picture noisy: more pixels resolve more.
            searches.append(BoardSearch(larger, profiles[0], stacks, lens))
            other = searches[-1].best(SMALL_BOARD_LEVELS)
            if other is not None and other.confident and (best is None or other.score > best.score):
                best = other
    if (best is None or not best.likely) and lens is None and stacks is not None:
        squeezed = _found_on_other_pixels(image, profiles, stacks, rank1)
        if squeezed is not None:
            return squeezed
    for search in searches:
        if best is None or not best.likely:
            best = search.best_of_finer() or best
    for search in searches:
        if best is None or not best.likely:
            best = search.best_of_regular(best)
    if best is None or not best.certain:
        best = searches[0].best_displaced(best)
    if best is not None and not best.certain:
        best = searches[0].best_shifted(best)
    if best is not None and stacks is not None and not any(stacks):
        best = searches[0].on_most_domes(best)
    if best is None or not best.likely:
        return None
    confidence = _confidence(best)
    if best.mirrored:
        return FoundBoard(resized(best.camera, image), profiles[0], confidence, mirrored=True)
    camera, profile = refine_detection(image, resized(best.camera, image), profiles, stacks, rank1, lens)
    if best.moulded is not None and not _confirmed(image, camera, profile):
        return None
    if profile.flat and (by_corners := fitted_to_corners(image, camera, profile, lens)) is not None:
        # The fields constrain the pose better than flat pieces of unknown height do.
        return FoundBoard(by_corners[0], profile, confidence, fitted_to_fields=True)
    return FoundBoard(camera, profile, confidence)


def _confidence(fit: ScoredFit) -> float:
    """The probability, 0 … 1, that the fit shows a board."""
    return probability(_CONFIDENCE_SLOPE * (fit.board_odds - EVEN_ODDS))


def _found_on_other_pixels(
    image: Image, profiles: Sequence[BoardProfile], stacks: Sequence[str], rank1: str
) -> FoundBoard | None:
    """The board that shows the known position for certain in a picture whose pixels are not square. Seen from
    nearly above, the board in such a picture looks tilted, but without the perspective of a tilted one.
    """
    height, width = image.shape[:2]
    for aspect in PixelAspects.of(width, height).others:
        size = width, round(height / aspect)
        square = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
        search = BoardSearch(reduced(square, WORK_PIXELS)[0], profiles[0], stacks, None)
        # A board that is plain to see is found from the most promising radius.
        best = search.best(most=1)
        if best is None or not best.certain:
            continue
        camera, profile = stretched(resized(best.camera, square), image), profiles[0]
        if not best.mirrored:
            camera, profile = refine_detection(image, camera, profiles, stacks, rank1, None)
        return FoundBoard(camera, profile, _confidence(best), mirrored=best.mirrored)
    return None


def _confirmed(image: Image, camera: Camera, profile: BoardProfile) -> bool:
    """Whether the reduced picture shows the board rather than a rectangular grid, and a larger one shows a
    board, too. With few pixels, letters and rectangles look round; with many, noise on dark plastic does,
    so the larger picture cannot rule out a rectangle.
    """
    small, _ = reduced(image, WORK_PIXELS)
    against = rectangle_odds(Edges.of(small), resized(camera, small), profile)
    if against > 0:
        return False
    fine, _ = reduced(image, FINE_PIXELS)
    edges, seen = Edges.of(fine), resized(camera, fine)
    colours = colour_odds(fine, seen, profile)
    if not colours:
        # Pieces of two shades on the squares would be no coincidence. Either picture alone may mislead.
        both = (against + rectangle_odds(edges, seen, profile)) / 2
        if both > -np.log(_POSES_TRIED):
            return False
    odds = board_odds(edges, seen, profile) + colours
    return odds > MIN_ODDS and moulded_evidence(fine, edges, seen, profile) > MIN_MOULDED_EVIDENCE
