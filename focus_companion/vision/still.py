"""One picture without a history: the board is found, its colours are learned from itself, and all is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from .colours import BARE, CLASSES, ColourModel, bins
from .finder import find_board, reduced, refine, resized
from .learning import labels
from .lenses import LensProfile
from .outlines import Outlines, lattice_mask
from .scene import CORNERS, BoardProfile, Camera
from .still_colours import first_model, others, usual_pieces
from .still_cover import covered
from .still_layers import Layers
from .still_solve import Solver

_PIXELS = 1280 * 960
"""A larger picture is reduced to this: no more is to be seen in it, and it takes longer."""

_BLUR = 2.0
"""Pixels over which the colours of thin bands are mixed."""

_CLEARER = 0.002
"""By how much the outlines of another set must agree better: from above all sets look alike."""

_TRUST = 4.0
"""Nats by which one pixel may prefer one class to another."""

_SHARE = 0.04
_SQUARE = 55.0
"""The share of its nats that a pixel counts where a square is so many pixels wide, as neighbours say the
same."""

_FEWEST, _MOST = 300, 8000
"""Pixels of one class that are learned from; with fewer it stays at what is usual."""


@dataclass(frozen=True)
class StillReading:
    """What one picture shows: ``stacks`` (52, bottom to top), ``sure`` (52) the probability of each top,
    the camera in the picture's own pixels, the set, and ``confidence`` 0 … 1 in board and tops together."""

    stacks: tuple[str, ...]
    sure: tuple[float, ...]
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
    work, _ = reduced(image, _PIXELS)
    camera, profile = resized(found.camera, work), found.profile
    usual = first_model(work, camera, profile, players)
    first = _solved(_View(work, camera, profile, players, usual), (usual, usual), None)
    camera, profile = _refitted(work, camera, profiles, first.stacks, lens)
    view = _View(work, camera, profile, players, usual)
    last = first
    for _ in range(2):
        last = _solved(view, relearned(view, last.stacks), last.stacks)
    stacks = last.stacks
    sure = tuple(float(1 / (1 + np.exp(-last.top_lead(s)))) for s in range(len(stacks)))
    return StillReading(
        stacks, sure, resized(camera, image), profile, found.confidence * float(np.mean(sure))
    )


def _refitted(
    image: NDArray[np.uint8],
    camera: Camera,
    profiles: Sequence[BoardProfile],
    stacks: Sequence[str],
    lens: LensProfile | None,
) -> tuple[Camera, BoardProfile]:
    """The camera fitted anew to the outlines of these stacks, and the set that they fit best."""
    best: tuple[float, Camera, BoardProfile] | None = None
    for profile in profiles:
        fitted, agreement = refine(image, camera, profile, stacks, lens)
        if best is None or agreement > best[0] + _CLEARER:
            best = agreement, fitted, profile
    if best is None:
        raise ValueError("at least one board profile is needed to read a board")
    return best[1], best[2]


class _View:
    """One picture as seen by one camera: its pixels about the board, and which of them show the board."""

    def __init__(
        self,
        image: NDArray[np.uint8],
        camera: Camera,
        profile: BoardProfile,
        players: Sequence[str],
        usual: ColourModel,
    ) -> None:
        self.players = players
        self.layers = Layers(Outlines(camera, profile))
        self.usual = usual
        self.pixels = sharpened(image)[self.layers.window.slices]
        self.lattice = lattice_mask(self.layers.outlines, self.layers.window)
        self.pitch = camera.pitch_pixels(profile)
        self.covered = covered(self.pixels, self.lattice, usual, self.pitch)


def sharpened(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture with thin bands told apart again that lens and compression have mixed.

    From nearly above, the lower pieces of a stack show as sickles of two or three pixels.
    """
    blurred = cv2.GaussianBlur(image, (0, 0), _BLUR)
    return np.asarray(cv2.addWeighted(image, 2.0, blurred, -1.0, 0.0), np.uint8)


def _solved(view: _View, models: tuple[ColourModel, ColourModel], before: Sequence[str] | None) -> Solver:
    """All squares read with these colour models (of the lattice, and of what lies beyond it)."""
    scores = pixel_scores(view, *models)
    share = _SHARE * (_SQUARE / view.pitch) ** 2
    solver = Solver(view.layers, scores, view.players, 18 if len(view.players) == 2 else 13, share)
    if before is not None:
        solver.start_from(before)
    solver.solve()
    return solver


def pixel_scores(view: _View, colours: ColourModel, beyond: ColourModel) -> NDArray[np.float32]:
    """(h, w, CLASSES) of the board's window: log-likelihoods, the best of each pixel 0, the worst -_TRUST.

    All are 0 where something lies over the board.
    """
    off = ~view.lattice
    known = colours.log_likelihood(view.pixels)
    known[off, BARE] = beyond.log_likelihood(view.pixels[off])[:, BARE]
    scores = np.logaddexp(known, np.log(others())[bins(view.pixels)][..., None]).astype(np.float32)
    scores -= scores.max(-1, keepdims=True)
    scores[view.covered] = 0.0
    return np.maximum(scores, -_TRUST)


def relearned(view: _View, stacks: Sequence[str]) -> tuple[ColourModel, ColourModel]:
    """Colour models of pieces and lattice, and of what lies beyond it, if these stacks stand there."""
    _, painted = labels(view.layers.outlines, stacks)
    rim = np.ones((3, 3), np.uint8)
    samples = usual_pieces(view.players)
    for label in range(CLASSES):
        inner = (painted == label) & ~view.covered
        if label != BARE:
            # The outermost pixels of a piece mix with what lies behind, and count as that.
            inner = cv2.erode(inner.astype(np.uint8), rim).astype(bool)
        found = view.pixels[inner & view.lattice] if label == BARE else view.pixels[inner]
        if len(found) >= _FEWEST:
            samples[label] = found[:: max(1, len(found) // _MOST)]
    colours = ColourModel()
    colours.learn(samples, keep=0.0)
    beyond = ColourModel()
    around = view.pixels[(painted == BARE) & ~view.lattice & ~view.covered]
    beyond.learn({BARE: around[:: max(1, len(around) // _MOST)]}, keep=0.0)
    return colours, beyond
