"""Searches for the camera, the set and the stacks that together explain a still picture best.

They depend on one another: if the board is assumed to be a piece too low, every stack seems a piece higher,
and fitting the outlines of those stacks keeps the board there. So camera and stacks are improved alternately,
from several starting points, and explanations are compared by how well they explain all pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..appearance.piece_play import Place
from ..geometry.pose import lifted
from ..geometry.scene import BoardProfile, Camera
from .pose_from_colours import fit_to_colour_edges
from .solver import Solver
from .view import Palette, StillPicture, View

_FIRST_REACHES = (0.2, 0.12, 0.08)
"""Search distances for colour edges around the outlines, in squares, one per iteration, at the beginning."""
_CHANGED_REACHES = (0.14, 0.08)
"""The same after a change of the set or the board's height."""
_FINAL_REACHES = (0.06,)
"""The same in the larger picture at the end."""

_MAX_LOSS_RATIO = 2.0
"""Loss of a changed explanation, relative to that of the best one, beyond which it is not pursued."""

_MAX_TRIALS = 8
"""Maximum number of changes that are tried."""

_MIN_CAMERA_GAIN = 0.06
"""Share of the loss by which another camera must reduce it to be accepted: the finder's is good."""

_LOSS_SIGMA = 0.1
"""Relative standard deviation of the loss (the negative of :attr:`Explanation.nats`): in simulated pictures,
that of the true camera and set was up to a fifth larger than that of wrong ones."""

CLEAR_GAIN = 2 * _LOSS_SIGMA
"""Share of the loss by which an explanation must be better than another to be certainly better."""

Change = BoardProfile | float
"""Another set, or by how many rises of a piece the board is higher."""


@dataclass(frozen=True)
class Explanation:
    """One explanation of the picture, with the colours with which it was found, and its nats (at most 0)."""

    view: View
    solver: Solver
    palette: Palette
    nats: float

    @property
    def stacks(self) -> tuple[str, ...]:
        return self.solver.stacks

    @property
    def camera(self) -> Camera:
        return self.view.camera

    @property
    def profile(self) -> BoardProfile:
        return self.view.profile

    def with_places(self, places: Sequence[Sequence[Place]]) -> Explanation:
        """The same stacks, with colours learned from where their pieces stand, for each square bottom
        first.
        """
        palette = self.view.relearned(self.stacks, places)
        solver = self.view.solver(palette, self.stacks)
        return replace(self, solver=solver, palette=palette)

    def beats(self, other: Explanation, by: float = _MIN_CAMERA_GAIN) -> bool:
        """Whether the loss of this explanation is smaller than the other's by at least the share ``by``."""
        return self.nats > (1 - by) * other.nats


def initial_explanation(picture: StillPicture, camera: Camera, profile: BoardProfile) -> Explanation:
    """What the picture shows with this camera and set, read without a known position."""
    view = View(picture, camera, profile)
    before = Palette(picture.usual, picture.usual, picture.flat)
    return _read(view, view.relearned(view.solved(before, None).stacks), None)


@dataclass(frozen=True)
class TriedReading:
    """The stacks of an explanation that was tried, and its nats."""

    stacks: tuple[str, ...]
    nats: float


def best_explanation(
    state: Explanation, profiles: Sequence[BoardProfile], *, keep_camera: bool = False
) -> tuple[Explanation, list[TriedReading]]:
    """The best explanation found from this one by trying other sets and a higher or lower board, and all that
    were tried. With ``keep_camera``, the pose is known, and only colours, stacks and set are improved.
    """
    best = _improved(state, _FIRST_REACHES, keep_camera)
    tried = [TriedReading(best.stacks, best.nats)]
    rejected: set[Change] = set()
    lifts: list[Change] = [] if keep_camera else [1.0, -1.0]
    for _ in range(_MAX_TRIALS):
        changes: list[Change] = [profile for profile in profiles if profile != best.profile]
        change = next((change for change in [*changes, *lifts] if change not in rejected), None)
        if change is None:
            break
        trial = _changed(best, change, keep_camera)
        tried.append(TriedReading(trial.stacks, trial.nats))
        # The finder is unreliable about the set, but reliable about the place of the board.
        better = trial.beats(best) if isinstance(change, float) else trial.nats > best.nats
        if better:
            # The opposite change would only lead back.
            rejected = {-change if isinstance(change, float) else best.profile}
            best = trial
        else:
            rejected.add(change)
    return best, tried


def reading_probabilities(
    best: Explanation, tried: Sequence[TriedReading], stacks: Sequence[str]
) -> list[float]:
    """For each square the probability, 0 … 1, that its stack is that of ``stacks``, as far as it depends on
    camera and set: the share of the tried explanations that agree, weighted by how well they explain the
    picture compared with ``best``.
    """
    loss = 1e-6 - best.nats
    sigma = _LOSS_SIGMA * loss
    weights = [float(np.exp(-0.5 * ((best.nats - other.nats) / sigma) ** 2)) for other in tried]
    whole = sum(weights) + 1.0
    weighed = list(zip(weights, tried, strict=True))
    return [
        (1.0 + sum(weight for weight, other in weighed if other.stacks[square] == stack)) / whole
        for square, stack in enumerate(stacks)
    ]


def refined(
    picture: StillPicture, state: Explanation, camera: Camera, *, keep_camera: bool = False
) -> Explanation:
    """The same explanation for a larger picture seen by ``camera``, fitted to its pixels."""
    view = View(picture, camera, state.profile)
    return _improved(_read(view, view.relearned(state.stacks), state.stacks), _FINAL_REACHES, keep_camera)


def _changed(state: Explanation, change: Change, keep_camera: bool) -> Explanation:
    """The best explanation after a change, whether it is better than ``state`` or not."""
    if isinstance(change, float):
        camera, profile = lifted(state.camera, change * state.profile.rise), state.profile
    else:
        camera, profile = state.camera, change
    first = _read(View(state.view.picture, camera, profile), state.palette, state.stacks)
    states = _iterated(first, _CHANGED_REACHES, keep_camera, _MAX_LOSS_RATIO * state.nats)
    return max(states, key=lambda now: now.nats)


def _read(view: View, palette: Palette, before: Sequence[str] | None) -> Explanation:
    solver = view.solved(palette, before)
    return Explanation(view, solver, palette, view.nats_of(palette, solver.stacks))


def _improved(state: Explanation, reaches: Sequence[float], keep_camera: bool) -> Explanation:
    """The best explanation while the camera is fitted to the colour edges, if it is clearly better."""
    best = max(_iterated(state, reaches, keep_camera), key=lambda now: now.nats)
    return best if best.beats(state) else state


def _iterated(
    state: Explanation, reaches: Sequence[float], keep_camera: bool, least: float = -np.inf
) -> list[Explanation]:
    """This explanation, and one per search distance, each with the camera fitted to the colour edges; no more
    once one is below ``least`` nats."""
    states = [state]
    for reach in reaches:
        now = states[-1]
        view = now.view
        if not keep_camera:
            view = View(view.picture, _fitted_camera(view, now.palette, now.stacks, reach), now.profile)
        states.append(_read(view, now.view.relearned(now.stacks), now.stacks))
        if states[-1].nats < least:
            break
    return states


def fitted_to_position(
    picture: StillPicture, camera: Camera, profile: BoardProfile, stacks: Sequence[str]
) -> tuple[Camera, float]:
    """The camera near ``camera`` with which this set explains the picture best if it shows ``stacks``, and
    the nats of that explanation.
    """
    found = []
    tallest = max(1, *map(len, stacks))
    for reach in (*_CHANGED_REACHES, 0.0):
        view = View(picture, camera, profile, tallest)
        palette = view.relearned(stacks, certain=True)
        found.append((camera, view.nats_of(palette, stacks)))
        if reach:
            camera = _fitted_camera(view, palette, stacks, reach)
    return max(found, key=lambda one: one[1])


def _fitted_camera(view: View, palette: Palette, stacks: Sequence[str], reach: float) -> Camera:
    painted = view.painted(stacks)
    scores = view.scores(palette)
    picture = view.picture
    return fit_to_colour_edges(
        view.camera, view.profile, stacks, scores, painted, view.window, picture.edges, picture.prior, reach
    )
