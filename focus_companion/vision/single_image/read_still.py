"""One picture without a history: the board is found, its colours are learned from itself, and all is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..detection.board_search import neighbouring_poses
from ..detection.find_board import find_board
from ..geometry.lens_profiles import LensProfile
from ..geometry.resize import FINE_PIXELS, reduced, resized
from ..geometry.scene import CORNERS, BoardProfile, Camera
from .search import BESIDE, Explanation, begun, polished, searched, shares
from .view import StillPicture

_PITCH = 34.0
"""Width of a square, in pixels, that suffices to compare poses and sets; heights are read at full size."""

_ALIKE = 4.0
"""Factor by which a lead between stacks exceeds its true nats: the rims that distinguish them are few pixels
wide, and a small error of the pose shifts all of them alike. Fitted to 11 readings (572 squares, of which 39
were misread). Raising it marks more squares as doubtful."""


_USUAL_MISFIT = 40.0
"""Nats by which a stack of flat pieces usually explains its pixels worse than the best class of each would:
no more on 95 % of 1508 squares. Lowering it marks more squares as doubtful."""


@dataclass(frozen=True)
class StillReading:
    """What one picture shows: ``stacks`` (52, bottom to top), ``sure`` (52) the probability of each top,
    ``whole`` (52) that of each stack to its last piece, the camera in the picture's own pixels, the set, and
    ``confidence`` 0 … 1 in board and tops together."""

    stacks: tuple[str, ...]
    sure: tuple[float, ...]
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
    """The board and its position in a BGR picture (H, W, 3) uint8, or None when there is no board to be seen.

    ``players`` are the letters of the colours in play; ``rank1`` the side of the picture at which rank 1
    lies; ``lens`` the camera's, if it is known.
    """
    found = find_board(image, profiles, rank1=rank1, lens=lens)
    if found is None:
        return None
    work, factor = reduced(image, FINE_PIXELS)
    pitch = factor * found.camera.pitch_pixels(found.profile)
    small, _ = reduced(work, int(work.shape[0] * work.shape[1] * min(1.0, _PITCH / pitch) ** 2))
    camera = resized(found.camera, small)
    picture = StillPicture(small, camera, found.profile, players, lens)
    first = begun(picture, camera, found.profile)
    if not found.fitted_to_fields:
        # A lattice of pieces alone may lie a square beside the board: then stacks are read that nobody built.
        beside = [begun(picture, pose, found.profile) for pose in neighbouring_poses(camera, found.profile)]
        nearest = max(beside, key=lambda shifted: shifted.nats)
        if nearest.beats(first, BESIDE):
            picture = StillPicture(small, nearest.camera, found.profile, players, lens)
            first = begun(picture, nearest.camera, found.profile)
    last, tried = searched(first, profiles, keep_camera=found.fitted_to_fields)
    coarse = last
    if small is not work:
        camera = resized(last.camera, work)
        picture = StillPicture(work, camera, last.profile, players, lens)
        last = polished(picture, last, camera, keep_camera=found.fitted_to_fields)
    stacks = last.stacks
    solver = last.solver
    tops, heights = (shares(coarse, tried, stacks, tops=only) for only in (True, False))
    sure = tuple(share * _probability(solver.top_lead(s)) for s, share in enumerate(tops))
    alike = [_ALIKE * _excess_misfit(last, square) for square in range(len(stacks))]
    whole = tuple(share * _probability(solver.lead(s) / alike[s]) for s, share in enumerate(heights))
    return StillReading(
        stacks,
        sure,
        whole,
        resized(last.camera, image),
        last.profile,
        found.confidence * float(np.mean(sure)),
    )


def _excess_misfit(explanation: Explanation, square: int) -> float:
    """Factor, at least 1, by which a square of a flat set is explained worse than usual.

    There something is not modelled, such as a hard shadow over half a top, and leads are worth less by the
    same factor, as in any overdispersed model.
    """
    if explanation.palette.flat is None:
        return 1.0
    return max(1.0, -explanation.solver.choices(square)[0].score / _USUAL_MISFIT)


def _probability(lead: float) -> float:
    """Of what leads all else by so many nats."""
    return float(1 / (1 + np.exp(-lead)))
