"""Corrects the pose of an empty board by the first piece that is put on it.

Under a single lamp, the shadows of domes look like domes, and the board may be found up to half a square off.
A piece is distinct, and must stand on a square.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..capture.frames import Image
from ..detection.refine import refine_by_pieces
from ..geometry.lens_profiles import LensProfile
from ..geometry.scene import BoardProfile, at_height
from ..geometry.stack_masks import Outlines
from .change import Change
from .placement import Placement, constraints
from .regions import Regions

_MIN_AGREEMENT = 0.5
"""Agreement of the picture with a piece above which it is one: pieces on simulated boards reach 0.56 to 0.83,
fingertips 0.42. Raising it leaves more poses uncorrected."""

_MAX_POSE_ERROR = 0.75
"""Maximum distance in squares between the change and the square on which the piece may stand. Raising it
tries more squares."""


def fit_first_piece(
    image: Image,
    change: Change,
    placement: Placement,
    profiles: Sequence[BoardProfile],
    lens: LensProfile | None,
) -> Placement | None:
    """The placement, fitted to pose and set, with which a single piece stands on a square where the empty
    board has changed; ``None`` if the change is not certainly a piece.

    Args:
        image: the picture with the piece, (H, W, 3), aligned to the reference picture.
        change: its change since the reference, which shows the empty board.
    """
    camera, profile = placement.camera, placement.profile
    if profile.flat or (blob := Regions(change).lone_blob()) is None:
        return None
    middles = camera.project(at_height(profile.centres, profile.rise / 2))
    distances = np.linalg.norm(middles - blob, axis=1) / placement.outlines.pitch
    for square in sorted(np.flatnonzero(distances < _MAX_POSE_ERROR), key=lambda s: distances[s]):
        # How a piece is fitted does not depend on its colour.
        stacks = ["g" if s == square else "" for s in range(len(distances))]
        there, likeliest, score = refine_by_pieces(image, camera, profiles, stacks, lens)
        if score > _MIN_AGREEMENT:
            return replace(placement, outlines=Outlines(there, likeliest), constraints=constraints(stacks))
    return None
