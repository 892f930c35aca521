"""Searches for the known position near its last place, by colours, after the board or the camera was
pushed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...game.squares import SQUARES
from ..appearance.colour_model import ColourModel
from ..arrays import Floats
from ..capture.frames import Image
from ..geometry.pose import pushed
from ..geometry.scene import BoardProfile, Camera, at_height
from .probe import Probe, agreeing, agreement, log_likelihood_ratio

_SHIFT_STEP = 0.2
"""Step of the search for a displacement, in squares."""
_TURN_STEP = 2.0
"""Step of the search for a rotation, in degrees."""
_MAX_SHIFT_STEPS = 8
"""Maximum displacement in such steps, along each axis."""
_MAX_TURN_STEPS = 6
"""Maximum rotation in such steps, either way."""
_CELLS_PER_STEP = 2
"""Cells of the colour maps in a step. Raising it makes the sums more exact, and slower."""
_AVERAGED_STEPS = 2
"""Steps from the best displacement over which the posterior mean is taken: about as far as the points of a
square lie inside its piece. Raising it may include another lattice place."""


def seek(
    image: Image, camera: Camera, profile: BoardProfile, probe: Probe, colours: ColourModel
) -> tuple[Camera, float]:
    """The camera after the displacement of the board that best explains the picture, and the share of squares
    that agree.
    """
    step, spin = _SHIFT_STEP * profile.pitch, float(np.radians(_TURN_STEP))
    maps = _ColourMaps(image, camera, probe, colours, step / _CELLS_PER_STEP, _MAX_SHIFT_STEPS * step)
    shifts, turns = _grid(_MAX_SHIFT_STEPS), spin * np.arange(-_MAX_TURN_STEPS, _MAX_TURN_STEPS + 1.0)
    place = maps.likeliest(shifts * _CELLS_PER_STEP, turns)
    found = pushed(camera, *place.tolist())
    return found, agreeing(agreement(image, found, probe, colours))


def _grid(steps: int) -> NDArray[np.int_]:
    """All pairs (N, 2) of whole numbers of at most ``steps``, either sign."""
    axis = np.arange(-steps, steps + 1)
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), -1).reshape(-1, 2)


class _ColourMaps:
    """Log-likelihood ratios of the probe's labels on grids of places above the board.

    A displaced board has its points elsewhere at the same heights. So for every height and label, the picture
    is evaluated once on a grid, from which the sum for each displacement is read.
    """

    def __init__(
        self, image: Image, camera: Camera, probe: Probe, colours: ColourModel, cell: float, reach: float
    ) -> None:
        """``cell`` is the distance of the grid, ``reach`` the largest displacement along an axis, in mm."""
        self._points, self._cell = probe.points[:, :2], cell
        farthest = float(np.linalg.norm(self._points, axis=1).max())
        self._half = int(np.ceil((farthest + reach) / cell)) + 1
        plane = _grid(self._half) * cell
        maps: list[Floats] = []
        self._map_of_point = np.empty(len(probe.points), np.intp)
        for height in np.unique(probe.points[:, 2]):
            pixels = camera.project(at_height(plane, float(height)))
            there = probe.points[:, 2] == height
            for label in np.unique(probe.labels[there]):
                self._map_of_point[there & (probe.labels == label)] = len(maps)
                maps.append(log_likelihood_ratio(image, pixels, np.full(len(plane), label), colours))
        self._maps = np.concatenate(maps).astype(np.float32)

    def likeliest(self, shifts: NDArray[np.int_], turns: Floats) -> Floats:
        """The likeliest displacement (3,), in mm, mm and radians: the posterior mean about the best of those
        by ``shifts`` (N, 2), in cells, and ``turns`` (M,), in radians.

        All points of a square are as good as one. As they lie well inside its piece, displacements by up to a
        fifth of a square are equally good, and the best of them may lie at the edge.
        """
        side = 2 * self._half + 1
        offsets = shifts @ (side, 1)
        totals = np.empty((len(turns), len(shifts)))
        x, y = self._points.T
        for number, (c, s) in enumerate(zip(np.cos(turns), np.sin(turns), strict=True)):
            places = np.stack([c * x - s * y, s * x + c * y], -1)
            cells = np.rint(places / self._cell).astype(np.intp) + self._half
            points = self._map_of_point * side**2 + cells @ (side, 1)
            totals[number] = self._maps[offsets[:, None] + points].mean(-1)
        best_turn, best_shift = np.unravel_index(totals.argmax(), totals.shape)
        near_turns = np.abs(np.arange(len(turns)) - best_turn) <= _AVERAGED_STEPS
        near_shifts = np.abs(shifts - shifts[best_shift]).max(1) <= _AVERAGED_STEPS * _CELLS_PER_STEP
        weights = np.exp(len(SQUARES) * (totals - totals.max())) * np.outer(near_turns, near_shifts)
        weights /= weights.sum()
        return np.array([*(weights.sum(0) @ shifts * self._cell), weights.sum(1) @ turns])
