"""How reliably heights can be read from where the camera is, square by square, and what to move if not.

One more piece on a stack of its own colour is the hardest change to see: all that shows of it is the strip of
picture that the taller stack covers and the lower one does not. The information in a strip is estimated in
nats, the unit of the evidence: its pixels, without those that mix at its edges, are out of the picture or may
be occluded by a full stack in front, times the information per pixel in this picture of the start position
(:func:`clearness`), where everything is known. That figure includes pose, light, noise and colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from ..game.squares import SQUARES
from .appearance.evidence import TRUST, Evidence, pixel_share
from .detection.edges import Edges, board_bounds
from .detection.refine import misfit
from .geometry.scene import Camera
from .geometry.stack_masks import MIN_VISIBLE_STEP, TALLEST_TRIMMED, Outlines, cached_per_outlines

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


USUAL: Final = 0.9
"""Clearness of a usual picture, the default before one has been examined."""

SURE: Final = 20.0
FAIR: Final = 5.0
"""Minimum nats for a square's height to be sure on its own, and within a turn, which changes two squares by
the same number of pieces.
"""

MOST: Final = 0.9
"""Fraction of the squares that must reach a verdict for the whole board to have it."""

ASTRAY: Final = 0.03
"""Misfit of the outlines, in squares, above which the board's pose is not known well enough."""

UNCLEAR: Final = 0.7
"""Clearness below which the light or the colours are the problem, rather than the camera's position."""

PLAIN_TILT: Final = (14.0, 52.0)
PLAIN_PITCH: Final = 39.0
"""Degrees off the vertical, and minimum pixels per square, for which games were followed to the last turn in
all tested lights: 15 to 50, and 40; with a tolerance for the estimated pose.
"""

DIM: Final = 0.35
"""Clearness in the worst of those lights."""

_LEANS: Final = (10.0, 20.0, 40.0)
_UP_AT_MOST: Final = 0.6
"""Degrees by which the camera is moved in a trial; upwards at most this fraction of the way to the vertical.
"""

_WORTH_DOING: Final = 0.5
"""Minimum gain in nats for advice; less is noise."""


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
    Advice.LIGHT: "Give more and softer light: the pieces hardly stand out from the board or from others.",
}


@dataclass(frozen=True)
class Trial:
    """The measurements on a picture of the start position: its :func:`clearness`, and the
    :func:`~.find_exact.misfit` of the outlines."""

    clearness: float
    misfit: float


@dataclass(frozen=True)
class Mount:
    """The camera's placement, and how well heights can be read from it.

    ``tilt`` in degrees off the vertical, ``pitch``: a square's side in pixels, ``step``: pixels by which one
    more piece shifts a stack's top; ``trial`` is None before a picture of the start position is examined;
    ``nats`` (52) by which heights that differ by one are distinguished on each square.
    """

    tilt: float
    pitch: float
    step: float
    trial: Trial | None
    nats: tuple[float, ...]
    advice: tuple[Advice, ...]

    @property
    def squares(self) -> tuple[Certainty, ...]:
        """The verdict for each square."""
        fair = -np.inf if self._plain else FAIR
        return tuple(
            Certainty.SURE if n >= SURE else Certainty.FAIR if n >= fair else Certainty.HARD
            for n in self.nats
        )

    @property
    def verdict(self) -> Certainty:
        """The verdict for the whole board."""
        return Certainty.SURE if self._plain else _verdict(np.array(self.nats), self.trial, self.step)

    @property
    def _plain(self) -> bool:
        """Whether the view is so good that poor light alone does not make a game unreliable. Advice is given
        anyway."""
        trial = self.trial
        fine = trial is None or (trial.clearness >= DIM and trial.misfit <= ASTRAY)
        least, most = PLAIN_TILT
        return fine and least <= self.tilt <= most and self.pitch >= PLAIN_PITCH

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


def _verdict(nats: Floats, trial: Trial | None, step: float) -> Certainty:
    levels = [(Certainty.SURE, FAIR), (Certainty.FAIR, FAIR / 2)]
    # If one more piece hardly shifts a top, single pixels do not make the board sure.
    if step < MIN_VISIBLE_STEP or (trial is not None and trial.misfit > ASTRAY):
        levels = levels[1:]
    for level, least in levels:
        if float((nats >= least).mean()) >= MOST:
            return level
    return Certainty.HARD


def check_mount(outlines: Outlines, trial: Trial | None = None) -> Mount:
    """How reliably heights can be read in this view; ``trial`` is from its picture of the start position."""
    nats = separations(outlines, USUAL if trial is None else trial.clearness)
    tilt, pitch, step = outlines.camera.tilt, outlines.pitch, outlines.step
    advice: tuple[Advice, ...] = ()
    if _cut_off(outlines):
        advice = (Advice.WHOLE,)
    elif _verdict(nats, trial, step) is not Certainty.SURE:
        advice = _advice(outlines, nats, trial)
    return Mount(tilt, pitch, step, trial, tuple(nats.tolist()), advice)


def try_picture(evidence: Evidence, players: Sequence[str]) -> Trial:
    """Measure a picture in which the current position is certain; ``players`` are the colours' letters."""
    camera, profile = evidence.outlines.camera, evidence.outlines.profile
    edges = Edges.of(evidence.image, board_bounds(camera, profile))
    return Trial(clearness(evidence, players), misfit(edges, camera, profile, evidence.standing))


def separations(outlines: Outlines, clear: float) -> Floats:
    """Nats (52,) by which a stack is distinguished from one with one more piece, in the worst case."""
    return np.asarray(strips(outlines) * (pixel_share(outlines) * TRUST * clear))


def clearness(evidence: Evidence, players: Sequence[str]) -> float:
    """The information per pixel in a picture whose position is known, 0 … 1.

    For every square, measures how much worse one more piece, of any colour, on top or at the bottom, would
    explain the picture; the worst tenth of the squares counts.
    """
    answers = []
    for square, stack in enumerate(evidence.standing):
        more = {letter + stack for letter in players} | ({stack + stack[-1]} if stack else set())
        asked = [evidence.stack_gain(square, other) for other in more]
        visible = [gain for gain in asked if gain.pixels]
        if visible:
            answers.append(-max(visible, key=lambda gain: gain.nats).per_pixel)
    return float(np.clip(np.percentile(answers, 10) / TRUST, 0.0, 1.0)) if answers else 0.0


def _advice(outlines: Outlines, nats: Floats, trial: Trial | None) -> tuple[Advice, ...]:
    """The most helpful change, found by trying each; none if nothing helps much."""
    if trial is not None and trial.misfit > ASTRAY:
        return (Advice.LENS,)
    if trial is not None and trial.clearness < UNCLEAR:
        return (Advice.LIGHT,)
    camera = outlines.camera
    usual = USUAL if trial is None else trial.clearness

    def worth(view: Camera) -> float:
        return _worth(separations(Outlines(view, outlines.profile), usual))

    now = _worth(nats)
    lower = worth(leaned(camera, _LEANS[0]))
    higher = now
    # Seen nearly from the side, stacks occlude each other completely, and still do from a little higher.
    for lean in _LEANS:
        if higher < FAIR and lean < _UP_AT_MOST * camera.tilt:
            higher = max(higher, worth(leaned(camera, -lean)))
    slant = (lower, Advice.LOWER) if lower >= higher else (higher, Advice.HIGHER)
    gains = [
        (reached - now, advice) for reached, advice in (slant, (worth(camera.scaled(1.3)), Advice.LARGER))
    ]
    gains.sort(key=lambda pair: -pair[0])
    return tuple(advice for gain, advice in gains if gain > max(0.1 * now, _WORTH_DOING))


def _worth(nats: Floats) -> float:
    """A single figure for the board, dominated by the worse squares."""
    return float(np.percentile(nats, 100 * (1 - MOST)))


def leaned(camera: Camera, degrees: float) -> Camera:
    """The camera moved around the board's centre by this change of tilt, still looking at it."""
    place = camera.place
    ground = np.hypot(place[0], place[1])
    # From straight above, any direction will do: use the side at the bottom of the picture.
    toward = place[:2] / ground if ground > 1e-6 else -camera.rotation_matrix[1, :2]
    axis = np.array([-toward[1], toward[0], 0.0])
    turn = np.asarray(cv2.Rodrigues(axis * np.radians(degrees))[0])
    rotation = np.asarray(cv2.Rodrigues(camera.rotation_matrix @ turn.T)[0]).ravel()
    x, y, z = (float(value) for value in rotation)
    return replace(camera, rotation=(x, y, z))


def _cut_off(outlines: Outlines) -> bool:
    """Whether tall stacks on some squares would extend beyond the picture."""
    profile, lens = outlines.profile, outlines.camera.lens
    tops = np.column_stack([profile.centres, np.full(len(SQUARES), TALLEST_TRIMMED * profile.rise)])
    pixels = outlines.camera.project(tops)
    margin = 0.35 * outlines.pitch
    inside = (pixels >= margin) & (pixels <= np.array([lens.width, lens.height]) - margin)
    return not bool(inside.all())


@cached_per_outlines
def strips(outlines: Outlines) -> Floats:
    """Pixels (52,) that certainly differ between a stack and one with one more piece: the minimum over all
    heights and over all full stacks that may be in front of it."""
    rank = {square: k for k, square in enumerate(outlines.far_to_near)}
    return np.array([_strip(outlines, square, rank) for square in range(len(SQUARES))])


def _strip(outlines: Outlines, square: int, rank: dict[int, int]) -> float:
    column = outlines.columns[square]
    nearer = [s for s in outlines.touching((square,)) if rank[s] > rank[square]]
    all_free = np.ones((column.height, column.width), bool)
    seen = [all_free, *(all_free.copy() for _ in nearer)]
    for free, other in zip(seen[1:], nearer, strict=True):
        outlines.columns[other].cut_from(free, column.window, TALLEST_TRIMMED)
    least = np.inf
    for pieces in range(1, TALLEST_TRIMMED):
        strip = column.standing(pieces + 1) & ~column.standing(pieces)
        least = min(least, *(_clear(strip & free) for free in seen))
    return float(least)


def _clear(strip: Mask) -> float:
    """Pixels of a strip, weighted by their distance from its edge, since the outermost mix with their
    neighbours."""
    if not strip.any():
        return 0.0
    inside = cv2.distanceTransform(np.pad(strip, 1).astype(np.uint8), cv2.DIST_L2, 3)
    return float(np.clip(inside - 0.5, 0, 1)[inside > 0].sum())
