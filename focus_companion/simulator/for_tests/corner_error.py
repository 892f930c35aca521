"""How far an estimated camera is from the true one."""

from __future__ import annotations

import numpy as np

from ...vision.geometry.pose import turned
from ...vision.geometry.scene import BoardProfile, Camera


def corner_error(
    camera: Camera,
    truth: Camera,
    profile: BoardProfile,
    *,
    turns: int = 1,
    true_profile: BoardProfile | None = None,
) -> float:
    """Mean distance of the four corners in squares, for the best of the first ``turns`` quarter turns.

    ``true_profile``: that of the board seen by ``truth``, if it is not ``profile``.
    """
    true_profile = true_profile or profile
    wanted = truth.project(true_profile.corners)
    errors = [
        np.linalg.norm(turned(camera, k).project(profile.corners) - wanted, axis=1).mean()
        for k in range(turns)
    ]
    return float(min(errors) / truth.pitch_pixels(true_profile))
