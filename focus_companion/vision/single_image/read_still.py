"""Reads a single picture: finds the board, learns its colours from the picture, and reads all stacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..appearance.evidence import TEMPERATURE
from ..detection.board_search import neighbouring_poses
from ..detection.find_board import find_board
from ..geometry.lens_profiles import LensProfile
from ..geometry.resize import FINE_PIXELS, reduced, resized
from ..geometry.scene import CORNERS, BoardProfile, Camera
from ..haze import Haze
from ..robust_statistics import probability
from .off_centre import lead, read_off_centre
from .piece_width import with_fitting_width
from .search import CLEAR_GAIN, best_explanation, initial_explanation, reading_probabilities, refined
from .view import StillPicture

_SEARCH_PITCH = 34.0
"""Width of a square, in pixels, that suffices to compare poses and sets. Heights are read at full size."""


@dataclass(frozen=True)
class StillReading:
    """What one picture shows: ``stacks`` (52, bottom to top), ``whole`` (52) the probability of each complete
    stack, the camera for the picture at full size, the set, and the ``confidence``, 0 … 1: the probability of
    the board times the expected share of the stacks that are right.
    """

    stacks: tuple[str, ...]
    whole: tuple[float, ...]
    camera: Camera
    profile: BoardProfile
    confidence: float

    @property
    def corners(self) -> dict[str, tuple[float, float]]:
        """Pixels of the corners of the full 8×8 lattice, by square."""
        points = self.camera.project(self.profile.corners)
        return {name: (float(x), float(y)) for name, (x, y) in zip(CORNERS, points, strict=True)}


def read_still(
    image: NDArray[np.uint8],
    profiles: Sequence[BoardProfile],
    players: Sequence[str],
    rank1: str = "bottom",
    lens: LensProfile | None = None,
) -> StillReading | None:
    """The board and its position in a BGR picture (H, W, 3) uint8, or ``None`` if no board is found.

    ``players``: the letters of the colours in play. ``rank1``: the side of the picture where rank 1 is.
    ``lens``: that of the camera, if known.
    """
    image = Haze.of(image).removed(image)
    found = find_board(image, profiles, rank1=rank1, lens=lens)
    if found is None:
        return None
    work, factor = reduced(image, FINE_PIXELS)
    pitch = factor * found.camera.pitch_pixels(found.profile)
    small, _ = reduced(work, int(work.shape[0] * work.shape[1] * min(1.0, _SEARCH_PITCH / pitch) ** 2))
    camera = resized(found.camera, small)
    picture = StillPicture(small, camera, found.profile, players, lens)
    first = initial_explanation(picture, camera, found.profile)
    if not found.fitted_to_fields:
        # A lattice found from pieces alone may be one square off; then stacks are read that do not exist.
        beside = [
            initial_explanation(picture, pose, found.profile)
            for pose in neighbouring_poses(camera, found.profile)
        ]
        nearest = max(beside, key=lambda shifted: shifted.nats)
        if nearest.beats(first, CLEAR_GAIN):
            picture = StillPicture(small, nearest.camera, found.profile, players, lens)
            first = initial_explanation(picture, nearest.camera, found.profile)
    last, tried = best_explanation(first, profiles, keep_camera=found.fitted_to_fields)
    coarse = with_fitting_width(last)
    if coarse is not last:
        # All that was tried had pieces of a width that explains the picture worse.
        last, tried = coarse, []
    if small is not work:
        camera = resized(last.camera, work)
        picture = StillPicture(work, camera, last.profile, players, lens)
        last = refined(picture, last, camera, keep_camera=found.fitted_to_fields)
    last, choices = read_off_centre(last)
    stacks = last.stacks
    # The explanations that were tried have flat pieces at the centres of their squares.
    compared = stacks if last.palette.flat is None else coarse.stacks
    shares = reading_probabilities(coarse, tried, compared)
    whole = tuple(
        share * probability(lead(choices[square]) / TEMPERATURE) for square, share in enumerate(shares)
    )
    confidence = found.confidence * float(np.mean(whole))
    return StillReading(stacks, whole, resized(last.camera, image), last.profile, confidence)
