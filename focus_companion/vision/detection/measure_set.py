"""Measure a set from one picture of a known position: the size of its pieces and their shades.

A picture has no absolute scale: sizes are relative to the squares, whose side is taken from the initial
profile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..appearance.shades import Shade, measured_shades
from ..geometry.lens_profiles import LensProfile
from ..geometry.scene import BoardProfile, Camera, PieceLook, Solid
from ..geometry.stack_masks import Outlines
from .find_board import find_board
from .quarter_turn import ONE_HUE, tints
from .refine import refine

_FIRST, _LAST = 1.2, 1.02
"""First and last factor by which the search varies sizes."""

_WIDE, _HIGH = (0.85, 1.0), (0.6, 1.0, 1.6)
"""Initial sizes of the search relative to the pieces of a base profile."""

_WIDEST: Final = 0.49
"""Maximum radius of a piece in squares."""

NAMED: Final[dict[str, Shade]] = {
    "White": (235, 232, 225),
    "Black": (35, 33, 32),
    "Wood": (205, 165, 110),
    "Brown": (105, 65, 40),
    "Copper": (176, 112, 70),
    "Silver": (175, 175, 178),
    "Gold": (200, 165, 70),
    "Red": (185, 35, 35),
    "Green": (30, 115, 60),
    "Blue": (40, 85, 170),
    "Yellow": (240, 195, 40),
}
"""Default names of shades."""


@dataclass(frozen=True)
class MeasuredSet:
    """``profile`` with the measured sizes and shades, the ``camera`` for this picture, and the agreement of
    the outlines, 0 … 1."""

    profile: BoardProfile
    camera: Camera
    agreement: float


def measure_set(
    image: NDArray[np.uint8],
    bases: Sequence[BoardProfile],
    stacks: Sequence[str],
    rank1: str = "bottom",
    lens: LensProfile | None = None,
    rise: float | None = None,
) -> MeasuredSet | None:
    """The set in a BGR picture (H, W, 3) uint8 that shows ``stacks``; ``None`` if no board is found.

    ``bases``: profiles of pieces of similar form; the search starts from the one that fits best. ``rise``:
    the height that each further piece adds to a stack, in sides of a square, if it is known. Single pieces
    hardly determine it: an estimate may be wrong by 20 %, and by more for flat pieces.
    """

    def tried(profile: BoardProfile, camera: Camera) -> MeasuredSet:
        seen, agrees = refine(image, camera, profile, stacks, lens)
        return MeasuredSet(profile, seen, agrees)

    def highs(base: BoardProfile) -> Sequence[float]:
        return _HIGH if rise is None else (rise * base.pitch / base.rise,)

    # With another kind of pieces, the board would be found with an offset.
    starts: list[tuple[MeasuredSet, Camera]] = []
    for kind in ([base for base in bases if base.flat], [base for base in bases if not base.flat]):
        found = find_board(image, kind, stacks, rank1=rank1, lens=lens) if kind else None
        if found is not None and not found.mirrored:
            sizes = [resized(base, wide, high) for base in kind for wide, high in product(_WIDE, highs(base))]
            starts += [(tried(profile, found.camera), found.camera) for profile in possible(sizes)]
    if not starts:
        return None
    best, camera = max(starts, key=lambda start: start[0].agreement)
    factor = _FIRST
    while factor > _LAST:
        changes = (1 / factor, 1.0, factor)
        pairs = [pair for pair in product(changes, changes if rise is None else (1.0,)) if pair != (1.0, 1.0)]
        near = possible([resized(best.profile, wide, high) for wide, high in pairs])
        nearest = max((tried(profile, camera) for profile in near), key=lambda now: now.agreement)
        if nearest.agreement > best.agreement:
            best = nearest
        else:
            factor **= 0.5
    shades = _as_played(measured_shades(image, Outlines(best.camera, best.profile), stacks))
    pieces = tuple(PieceLook(letter, called(shade), shade) for letter, shade in shades.items())
    return replace(best, profile=replace(best.profile, pieces=pieces))


def _as_played(shades: dict[str, Shade]) -> dict[str, Shade]:
    """The more likely assignment of two players' shades, since the start position is symmetric: the redder
    shade is red's or, if both have one hue, the lighter one is green's.
    """
    if set(shades) != {"g", "r"}:
        return shades
    green, red = tints(np.array([shades["g"], shades["r"]], float))
    same_hue = float(abs(green - red)[:2].max()) < ONE_HUE
    exchanged = green[2] < red[2] if same_hue else green[0] > red[0]
    return {"g": shades["r"], "r": shades["g"]} if exchanged else shades


def possible(profiles: Sequence[BoardProfile]) -> list[BoardProfile]:
    """The profiles whose pieces fit on a square."""
    return [profile for profile in profiles if profile.piece.radius < _WIDEST * profile.pitch]


def resized(profile: BoardProfile, wide: float, high: float) -> BoardProfile:
    """The same set with the pieces scaled in width and height; the board stays the same."""
    rings = tuple((radius * wide, height * high) for radius, height in profile.piece.rings)
    dome = profile.dome
    if profile.flat:
        dome = Solid(tuple((radius * wide, height) for radius, height in dome.rings))
    return replace(profile, piece=Solid(rings), rise=profile.rise * high, dome=dome)


def called(shade: Shade) -> str:
    """The name of the nearest shade in :data:`NAMED`."""
    return min(NAMED, key=lambda name: sum((a - b) ** 2 for a, b in zip(NAMED[name], shade, strict=True)))
