"""The camera, the set and the stacks that together explain a still picture best.

They bear on one another: with the board taken a piece too low, every stack seems a piece higher, and outlines
drawn for those stacks keep the board there. So camera and stacks are made right by turns, from several
beginnings, and what counts is how well the whole explains the picture's pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..geometry.pose import lifted
from ..geometry.scene import BoardProfile, Camera
from .pose_from_colours import met_by_colours
from .solver import Solver
from .view import Palette, StillPicture, View

_FIRST = (0.2, 0.12, 0.08)
_AGAIN = (0.14, 0.08)
_LAST = (0.06,)
"""How far, in squares, outlines look for the ends of colours: at first, after a change, and at the end."""

_HOPELESS = 2.0
"""Times the loss of the best explanation, from which on a change is not followed up."""

_TRIALS = 8
"""Changes that are tried at most."""

_CLEARER = 0.06
"""Part of what is not explained that another camera has to explain, to be believed: the finder's is good."""

_UNEVEN = 0.1
"""Relative random variation of the unexplained part (of :attr:`Explanation.nats`): simulated pictures were
explained up to a fifth less well by the true camera and set than by wrong ones."""

BESIDE = 2 * _UNEVEN
"""Part of what is not explained that a pose one square beside the finder's must explain to be believed."""

Change = BoardProfile | float
"""Another set, or the board so many pieces' rises higher."""


@dataclass(frozen=True)
class Explanation:
    """One explanation of the picture, with the colours by which it was found, and its nats."""

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

    def learned(self) -> Palette:
        """The colours that its stacks teach."""
        return self.view.relearned(self.stacks)

    def beats(self, other: Explanation, by: float = _CLEARER) -> bool:
        """Whether this explains the picture clearly better: ``by`` a part of what is not explained."""
        return self.nats > (1 - by) * other.nats


def begun(picture: StillPicture, camera: Camera, profile: BoardProfile) -> Explanation:
    """What the picture shows through this camera when nothing is known."""
    view = View(picture, camera, profile)
    return _read(view, view.relearned(view.solved(view.usual(), None).stacks), None)


@dataclass(frozen=True)
class Tried:
    """Stacks of another explanation that was tried, and its nats."""

    stacks: tuple[str, ...]
    nats: float


def searched(
    state: Explanation, profiles: Sequence[BoardProfile], *, keep_camera: bool = False
) -> tuple[Explanation, list[Tried]]:
    """The best explanation found from this one on: with another set, with the board higher or lower; and all
    that were tried. With ``keep_camera``, the pose is known, and only colours, stacks and set are improved.
    """
    best = _improved(state, _FIRST, keep_camera)
    tried = [Tried(best.stacks, best.nats)]
    vain: set[Change] = set()
    lifts: list[Change] = [] if keep_camera else [1.0, -1.0]
    for _ in range(_TRIALS):
        changes: list[Change] = [profile for profile in profiles if profile != best.profile]
        change = next((change for change in [*changes, *lifts] if change not in vain), None)
        if change is None:
            break
        trial = _changed(best, change, keep_camera)
        tried.append(Tried(trial.stacks, trial.nats))
        # Which set it is the finder hardly knows; where the board is, it knows well.
        better = trial.beats(best) if isinstance(change, float) else trial.nats > best.nats
        if better:
            # Not back at once to where it came from.
            vain = {-change if isinstance(change, float) else best.profile}
            best = trial
        else:
            vain.add(change)
    return best, tried


def shares(best: Explanation, tried: Sequence[Tried], stacks: Sequence[str], *, tops: bool) -> list[float]:
    """For each square the probability, 0 … 1, that its stack (``tops``: its top) is that of ``stacks``, as
    far as it depends on camera and set: the share of the explanations that read it so, by how well they
    explain the picture compared with ``best``.
    """
    known = 1e-6 - best.nats
    weights = [float(np.exp(-0.5 * ((best.nats - other.nats) / (_UNEVEN * known)) ** 2)) for other in tried]
    whole = sum(weights) + 1.0

    def alike(one: str, other: str) -> bool:
        return one[-1:] == other[-1:] if tops else one == other

    weighed = list(zip(weights, tried, strict=True))
    return [
        (1.0 + sum(weight for weight, other in weighed if alike(other.stacks[square], stack))) / whole
        for square, stack in enumerate(stacks)
    ]


def polished(
    picture: StillPicture, state: Explanation, camera: Camera, *, keep_camera: bool = False
) -> Explanation:
    """The same explanation of a larger picture, that ``camera`` sees, made right to its own pixels."""
    view = View(picture, camera, state.profile)
    return _improved(_read(view, view.relearned(state.stacks), state.stacks), _LAST, keep_camera)


def _changed(state: Explanation, change: Change, keep_camera: bool) -> Explanation:
    """The best of what comes after a change, be it better than ``state`` or not."""
    if isinstance(change, float):
        camera, profile = lifted(state.camera, change * state.profile.rise), state.profile
    else:
        camera, profile = state.camera, change
    first = _read(View(state.view.picture, camera, profile), state.palette, state.stacks)
    return max(_followed(first, _AGAIN, keep_camera, _HOPELESS * state.nats), key=lambda now: now.nats)


def _read(view: View, palette: Palette, before: Sequence[str] | None) -> Explanation:
    solver = view.solved(palette, before)
    return Explanation(view, solver, palette, view.explained(palette, solver.stacks))


def _improved(state: Explanation, reaches: Sequence[float], keep_camera: bool) -> Explanation:
    """The best of what comes as the camera follows the colours' ends, if it is clearly better."""
    best = max(_followed(state, reaches, keep_camera), key=lambda now: now.nats)
    return best if best.beats(state) else state


def _followed(
    state: Explanation, reaches: Sequence[float], keep_camera: bool, least: float = -np.inf
) -> list[Explanation]:
    """This state, and those that follow as the camera goes where the colours end; below ``least`` nats no
    more."""
    states = [state]
    for reach in reaches:
        now = states[-1]
        view = now.view
        if not keep_camera:
            view = View(view.picture, _met(view, now.palette, now.stacks, reach), now.profile)
        states.append(_read(view, now.learned(), now.stacks))
        if states[-1].nats < least:
            break
    return states


def of_position(
    picture: StillPicture, camera: Camera, profile: BoardProfile, stacks: Sequence[str]
) -> tuple[Camera, float]:
    """The camera near ``camera`` with which this set explains best that the picture shows ``stacks``, and its
    nats.
    """
    found = []
    for reach in (*_AGAIN, 0.0):
        view = View(picture, camera, profile)
        palette = view.relearned(stacks)
        found.append((camera, view.explained(palette, stacks)))
        if reach:
            camera = _met(view, palette, stacks, reach)
    return max(found, key=lambda one: one[1])


def _met(view: View, palette: Palette, stacks: Sequence[str], reach: float) -> Camera:
    painted = view.painted(stacks)
    scores = view.scores(palette)
    picture = view.picture
    return met_by_colours(
        view.camera,
        view.profile,
        stacks,
        scores,
        painted,
        view.window,
        picture.edges,
        picture.prior,
        reach,
    )
