"""Measures a set in one picture of a known position: the size of its pieces and their shades.

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
from ..detection.find_board import find_board
from ..detection.quarter_turn import usual_roles
from ..detection.refine import refine
from ..geometry.lens_profiles import LensProfile
from ..geometry.resize import reduced, resized
from ..geometry.scene import BoardProfile, Camera, PieceLook
from ..geometry.stack_masks import Outlines
from .search import CLEAR_GAIN, fitted_to_position
from .view import StillPicture

_FIRST_FACTOR = 1.2
"""Factor by which the search varies sizes at first."""

_LAST_FACTOR = 1.02
"""Factor at which the search ends."""

_INITIAL_WIDTHS = (0.85, 1.0)
"""Initial widths of the search, relative to the pieces of a base profile."""

NAMED_SHADES: Final[dict[str, Shade]] = {
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
"""Default names of shades, with their red, green, blue."""

_MEASURED_PIXELS: Final = 400_000
"""Number of pixels to which a picture is reduced before the height is measured."""

_INITIAL_HEIGHTS: Final = (0.3, 0.4, 0.55, 0.75, 1.0, 1.35, 1.8, 2.4)
"""Heights of a piece, relative to a base profile, of which the search starts from the best."""

_MAX_HEIGHT_ERROR: Final = 1.3
"""Factor by which the height may be wrong without much effect on play."""


@dataclass(frozen=True)
class MeasuredSet:
    """``profile`` with the measured sizes and shades, the ``camera`` for this picture, and the agreement of
    the outlines, 0 … 1. ``height_measured``: whether the picture shows how high a piece is; otherwise, and if
    it was given, the height is not measured.
    """

    profile: BoardProfile
    camera: Camera
    agreement: float
    height_measured: bool = False


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
    the height that each further piece adds to a stack, in sides of a square, if it is known. Otherwise the
    height of a single piece is measured, as far as the camera looks at it obliquely enough.
    """

    def tried(profile: BoardProfile, camera: Camera) -> MeasuredSet:
        seen, agrees = refine(image, camera, profile, stacks, lens)
        return MeasuredSet(profile, seen, agrees)

    # With another kind of pieces, the board would be found with an offset.
    starts: list[tuple[MeasuredSet, Camera]] = []
    for kind in ([base for base in bases if base.flat], [base for base in bases if not base.flat]):
        found = find_board(image, kind, stacks, rank1=rank1, lens=lens) if kind else None
        if found is not None and not found.mirrored:
            heights = {base: 1.0 if rise is None else rise * base.pitch / base.rise for base in kind}
            sizes = fitting(
                [base.with_pieces_scaled(width, heights[base]) for base in kind for width in _INITIAL_WIDTHS]
            )
            starts += [(tried(profile, found.camera), found.camera) for profile in sizes]
    if not starts:
        return None
    best, camera = max(starts, key=lambda start: start[0].agreement)
    factor = _FIRST_FACTOR
    while factor > _LAST_FACTOR:
        near = fitting([best.profile.with_pieces_scaled(width) for width in (1 / factor, factor)])
        nearest = max((tried(profile, camera) for profile in near), key=lambda now: now.agreement)
        if nearest.agreement > best.agreement:
            best = nearest
        else:
            factor **= 0.5
    if rise is None:
        best = _with_height(image, best, stacks, lens)
    shades = measured_shades(image, Outlines(best.camera, best.profile), stacks)
    # The start position is symmetric, so it does not show whose pieces are whose.
    roles = usual_roles(shades)
    shades = {letter: shades[roles.get(letter, letter)] for letter in shades}
    pieces = tuple(PieceLook(letter, shade_name(shade), shade) for letter, shade in shades.items())
    return replace(best, profile=replace(best.profile, pieces=pieces))


def _with_height(
    image: NDArray[np.uint8], base: MeasuredSet, stacks: Sequence[str], lens: LensProfile | None
) -> MeasuredSet:
    """The same set with the height and width that best explain which pixels show pieces and which the bare
    board; ``base`` itself if rather different heights explain them equally well.

    Outlines alone hardly determine the height, because a board assumed to be too low compensates for a piece
    assumed to be too high. The area that a piece covers determines it, together with the width.
    """
    small, _ = reduced(image, _MEASURED_PIXELS)
    letters = sorted(set("".join(stacks)))
    camera = resized(base.camera, small)
    picture = StillPicture(small, camera, base.profile, letters, lens)
    known: dict[tuple[float, float], tuple[Camera, float]] = {}

    def explained(width: float, height: float) -> float:
        profile = base.profile.with_pieces_scaled(width, height)
        if not fitting([profile]):
            return -np.inf
        if (width, height) not in known:
            known[width, height] = fitted_to_position(picture, camera, profile, stacks)
        return known[width, height][1]

    width, height = 1.0, max(_INITIAL_HEIGHTS, key=lambda height: explained(1.0, height))
    factor = _FIRST_FACTOR
    while factor > _LAST_FACTOR:
        changes = (1 / factor, 1.0, factor)
        near = [(width * a, height * b) for a, b in product(changes, changes)]
        nearest = max(near, key=lambda sizes: explained(*sizes))
        if explained(*nearest) > explained(width, height):
            width, height = nearest
        else:
            factor **= 0.5
    seen, nats = known[width, height]
    equally_good = [
        other for (_, other), (_, its_nats) in known.items() if its_nats > (1 + CLEAR_GAIN) * nats
    ]
    if max(equally_good) > _MAX_HEIGHT_ERROR * height or min(equally_good) < height / _MAX_HEIGHT_ERROR:
        return base
    profile = base.profile.with_pieces_scaled(width, height)
    return MeasuredSet(profile, resized(seen, image), base.agreement, height_measured=True)


def fitting(profiles: Sequence[BoardProfile]) -> list[BoardProfile]:
    """The profiles whose pieces fit on a square."""
    return [profile for profile in profiles if 2 * profile.piece.radius < profile.pitch]


def shade_name(shade: Shade) -> str:
    """The name of the nearest shade in :data:`NAMED_SHADES`."""

    def distance(name: str) -> int:
        return sum((a - b) ** 2 for a, b in zip(NAMED_SHADES[name], shade, strict=True))

    return min(NAMED_SHADES, key=distance)
