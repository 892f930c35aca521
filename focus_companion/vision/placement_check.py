"""Estimates how reliably heights can be read from where the camera is, square by square, and what to change.

One more piece on a stack of its own colour is the hardest change to see: only the strip of the picture that
the taller stack covers and the lower one does not shows it. The information in a strip is estimated in nats,
the unit of the evidence. It is the number of the strip's pixels, without those that mix at its edges, are
outside the picture, or may be occluded by a full stack in front, times the information per pixel
(:func:`clearness`). The latter is measured in a picture of a known position; it includes the effects of pose,
light, noise and colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import cv2
import numpy as np

from ..game.position import MAX_HEIGHT
from ..game.squares import SQUARES
from .appearance.evidence import Evidence, pixel_weight
from .appearance.pixel_scores import MAX_PIXEL_NATS
from .arrays import Floats, Mask
from .detection.edges import Edges, board_bounds
from .detection.refine import misfit
from .geometry.scene import Camera, at_height
from .geometry.stack_masks import MIN_VISIBLE_STEP, Outlines, cached_per_outlines

_MIN_SURE_NATS: Final = 20.0
"""Minimum nats for a square's height to be sure on its own."""

_MIN_FAIR_NATS: Final = 5.0
"""Minimum nats for a square's height to be sure within a turn, which changes two squares by the same number
of pieces."""

_MIN_SQUARES_SHARE: Final = 0.9
"""Minimum share of squares that must reach a verdict for the whole board to have it."""

_MAX_MISFIT: Final = 0.03
"""Misfit of the outlines, in squares, above which the board's pose is not known accurately enough."""

_MIN_CLEARNESS: Final = 0.7
"""Clearness below which the light or the colours are the problem, rather than the camera's position."""

_RELIABLE_TILTS: Final = (14.0, 52.0)
"""Range of degrees off the vertical within which games were followed to the last turn in all tested lights:
15 to 50, with a tolerance for the estimated pose."""

_MIN_RELIABLE_PITCH: Final = 39.0
"""Minimum pixels per square in those games: 40, with the same tolerance."""

_MIN_RELIABLE_CLEARNESS: Final = 0.35
"""Clearness in the worst of those lights."""

_TRIAL_TILTS: Final = (10.0, 20.0, 40.0)
"""Degrees by which the camera's tilt is changed in trials of other places."""

_MAX_RAISE: Final = 0.6
"""Maximum such change upwards, as a share of the tilt."""

_TRIAL_SCALE: Final = 1.3
"""Factor by which the board is larger in the trial of a closer place."""

_MIN_RELATIVE_GAIN: Final = 0.1
"""Minimum gain for a change to be advised, relative to the present nats, or to those that would be fair; less
is noise."""

_PICTURE_MARGIN: Final = 0.35
"""Minimum distance, in squares, of the tops of tall stacks from the edges of the picture."""


class Certainty(StrEnum):
    """How reliably heights can be distinguished."""

    SURE = "sure"
    FAIR = "fair"
    HARD = "hard"


class Advice(StrEnum):
    """The code of the advice."""

    LOWER = "lower"
    HIGHER = "higher"
    LARGER = "larger"
    WHOLE = "whole"
    LIGHT = "light"
    LENS = "lens"

    @property
    def text(self) -> str:
        """A sentence for people."""
        return _TEXTS[self]


_TEXTS: Final = {
    Advice.LOWER: "Move the camera away from above the board, so that it looks down at more of a slant.",
    Advice.HIGHER: "Raise the camera, so that near stacks hide less of far ones.",
    Advice.LARGER: "Bring the camera closer, or choose larger pictures: the squares are too small.",
    Advice.WHOLE: "Move the camera back or turn it: tall stacks at the edge would leave the picture.",
    Advice.LENS: "The pieces do not lie quite where they should: measure the lens with calibrate.",
    Advice.LIGHT: "Use more and softer light: the pieces hardly stand out from the board or from each other.",
}


@dataclass(frozen=True)
class Trial:
    """The measurements on a picture of a known position: its :func:`clearness`, and the
    :func:`~.detection.refine.misfit` of the outlines."""

    clearness: float
    misfit: float


_USUAL_TRIAL: Final = Trial(clearness=0.9, misfit=0.0)
"""What is assumed until a picture is examined: the clearness of a usual picture, and a pose that fits."""


@dataclass(frozen=True)
class Mount:
    """The camera's placement, and how well heights can be read from it.

    ``tilt``: degrees off the vertical; ``pitch``: a square's side in pixels; ``step``: pixels by which one
    more piece shifts a stack's top; ``trial``: that of a picture of a known position, or what is assumed
    until one is examined; ``nats`` (52): the log-likelihood ratio by which heights that differ by one are
    distinguished on each square.
    """

    tilt: float
    pitch: float
    step: float
    trial: Trial
    nats: tuple[float, ...]
    advice: tuple[Advice, ...]

    @property
    def squares(self) -> tuple[Certainty, ...]:
        """The verdict for each square."""
        fair = -np.inf if self._reliable else _MIN_FAIR_NATS
        return tuple(
            Certainty.SURE if n >= _MIN_SURE_NATS else Certainty.FAIR if n >= fair else Certainty.HARD
            for n in self.nats
        )

    @property
    def verdict(self) -> Certainty:
        """The verdict for the whole board."""
        return Certainty.SURE if self._reliable else _verdict(np.array(self.nats), self.trial, self.step)

    @property
    def _reliable(self) -> bool:
        """Whether the view is so good that poor light alone does not make a game unreliable. Advice is given
        even then."""
        trial, (least, most) = self.trial, _RELIABLE_TILTS
        fine = trial.clearness >= _MIN_RELIABLE_CLEARNESS and trial.misfit <= _MAX_MISFIT
        return fine and least <= self.tilt <= most and self.pitch >= _MIN_RELIABLE_PITCH

    def to_json(self) -> dict[str, Any]:
        """The JSON object for the page and other programs."""
        return {
            "tilt": round(self.tilt, 1),
            "pitch_pixels": round(self.pitch, 1),
            "step_pixels": round(self.step, 1),
            "verdict": str(self.verdict),
            "squares": {str(s): str(level) for s, level in zip(SQUARES, self.squares, strict=True)},
            "advice": [{"code": str(advice), "text": advice.text} for advice in self.advice],
        }


def _verdict(nats: Floats, trial: Trial, step: float) -> Certainty:
    levels = [(Certainty.SURE, _MIN_FAIR_NATS), (Certainty.FAIR, _MIN_FAIR_NATS / 2)]
    # If one more piece hardly shifts a top, no number of nats makes the board sure.
    if step < MIN_VISIBLE_STEP or trial.misfit > _MAX_MISFIT:
        levels = levels[1:]
    for level, least in levels:
        if float((nats >= least).mean()) >= _MIN_SQUARES_SHARE:
            return level
    return Certainty.HARD


def check_mount(outlines: Outlines, trial: Trial | None = None) -> Mount:
    """How reliably heights can be read in this view; ``trial`` is of its picture of a known position."""
    trial = trial or _USUAL_TRIAL
    nats = separations(outlines, trial.clearness)
    tilt, pitch, step = outlines.camera.tilt, outlines.pitch, outlines.step
    advice: tuple[Advice, ...] = ()
    if _tall_stacks_cut_off(outlines):
        advice = (Advice.WHOLE,)
    elif _verdict(nats, trial, step) is not Certainty.SURE:
        advice = _advice(outlines, nats, trial)
    return Mount(tilt, pitch, step, trial, tuple(nats.tolist()), advice)


def try_picture(evidence: Evidence, players: Sequence[str]) -> Trial:
    """Measure a picture of a position that is known; ``players`` are the colours' letters."""
    camera, profile = evidence.outlines.camera, evidence.outlines.profile
    edges = Edges.of(evidence.image, board_bounds(camera, profile))
    return Trial(clearness(evidence, players), misfit(edges, camera, profile, evidence.standing))


def separations(outlines: Outlines, clear: float) -> Floats:
    """Nats (52,) by which a stack is distinguished from one with one more piece, in the worst case."""
    return np.asarray(strips(outlines) * (pixel_weight(outlines) * MAX_PIXEL_NATS * clear))


def clearness(evidence: Evidence, players: Sequence[str]) -> float:
    """The information per pixel in a picture of a known position, 0 … 1.

    For every square, measures how much worse one more piece, of any colour, at the bottom or on top, would
    explain the picture; the worst tenth of the squares counts.
    """
    costs = []
    for square, stack in enumerate(evidence.standing):
        # One for each square: what the look would keep of all of them takes ten megabytes.
        alone = evidence.of_picture(evidence.image)
        variants = {letter + stack for letter in players} | ({stack + stack[-1]} if stack else set())
        asked = [alone.stack_gain(square, other) for other in variants]
        visible = [gain for gain in asked if gain.pixels]
        if visible:
            costs.append(-max(visible, key=lambda gain: gain.nats).per_pixel)
    return float(np.clip(_board_nats(np.array(costs)) / MAX_PIXEL_NATS, 0.0, 1.0)) if costs else 0.0


def _advice(outlines: Outlines, nats: Floats, trial: Trial) -> tuple[Advice, ...]:
    """The changes that help, found by trying each, best first; none if nothing helps much."""
    if trial.misfit > _MAX_MISFIT:
        return (Advice.LENS,)
    if trial.clearness < _MIN_CLEARNESS:
        return (Advice.LIGHT,)
    camera = outlines.camera

    def nats_in(view: Camera) -> float:
        return _board_nats(separations(Outlines(view, outlines.profile, MAX_HEIGHT), trial.clearness))

    now = _board_nats(nats)
    lower = nats_in(tilted(camera, _TRIAL_TILTS[0]))
    higher = now
    # Seen nearly from the side, stacks occlude each other completely, even from a little higher.
    for lean in _TRIAL_TILTS:
        if higher < _MIN_FAIR_NATS and lean < _MAX_RAISE * camera.tilt:
            higher = max(higher, nats_in(tilted(camera, -lean)))
    best_tilt = (lower, Advice.LOWER) if lower >= higher else (higher, Advice.HIGHER)
    gains = [
        (reached - now, advice)
        for reached, advice in (best_tilt, (nats_in(camera.scaled(_TRIAL_SCALE)), Advice.LARGER))
    ]
    gains.sort(key=lambda pair: -pair[0])
    return tuple(advice for gain, advice in gains if gain > _MIN_RELATIVE_GAIN * max(now, _MIN_FAIR_NATS))


def _board_nats(nats: Floats) -> float:
    """A single figure for the board, dominated by its worst squares."""
    return float(np.percentile(nats, 100 * (1 - _MIN_SQUARES_SHARE)))


def tilted(camera: Camera, degrees: float) -> Camera:
    """The camera moved around the board's centre by this change of tilt, still looking at the centre."""
    centre = camera.centre
    ground = np.hypot(centre[0], centre[1])
    # From straight above, any direction will do; this is towards the bottom of the picture.
    direction = centre[:2] / ground if ground > 1e-6 else -camera.rotation_matrix[1, :2]
    axis = np.array([-direction[1], direction[0], 0.0])
    turn = np.asarray(cv2.Rodrigues(axis * np.radians(degrees))[0])
    return Camera.posed(camera.lens, camera.rotation_matrix @ turn.T, np.array(camera.translation))


def _tall_stacks_cut_off(outlines: Outlines) -> bool:
    """Whether tall stacks on some squares would extend beyond the picture."""
    profile, lens = outlines.profile, outlines.camera.lens
    pixels = outlines.camera.project(at_height(profile.centres, MAX_HEIGHT * profile.rise))
    margin = _PICTURE_MARGIN * outlines.pitch
    inside = (pixels >= margin) & (pixels <= np.array([lens.width, lens.height]) - margin)
    return not bool(inside.all())


@cached_per_outlines
def strips(outlines: Outlines) -> Floats:
    """Pixels (52,) that certainly differ between a stack and one with one more piece: the minimum over all
    heights, and over all full stacks that may stand in front."""
    return np.array([_strip(outlines, square) for square in range(len(SQUARES))])


def _strip(outlines: Outlines, square: int) -> float:
    column, nearer = outlines.columns[square], outlines.nearer(square)
    seen = [np.ones((column.height, column.width), bool) for _ in nearer]
    for free, other in zip(seen, nearer, strict=True):
        outlines.columns[other].cut_from(free, column.window, MAX_HEIGHT)
    least = np.inf
    for pieces in range(1, MAX_HEIGHT):
        strip = column.standing(pieces + 1) & ~column.standing(pieces)
        partly = [visible for free in seen if not np.array_equal(visible := strip & free, strip)]
        least = min(least, *(_weighted_pixels(visible) for visible in (strip, *partly)))
    return float(least)


def _weighted_pixels(strip: Mask) -> float:
    """Number of a strip's pixels, weighted by their distance from its edge, as the outermost mix with their
    neighbours."""
    if not strip.any():
        return 0.0
    inside = cv2.distanceTransform(np.pad(strip, 1).astype(np.uint8), cv2.DIST_L2, 3)
    return float(np.clip(inside - 0.5, 0, 1)[inside > 0].sum())
