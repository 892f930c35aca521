"""A set measured in one picture of a known position: how large its pieces are, and their shades.

A picture shows no millimetres: sizes are measured against the squares, whose side is that of the profile that
the search begins from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..appearance.colour_model import BARE, ColourModel
from ..appearance.learning import labels
from ..appearance.shades import Shade, measured_shades
from ..geometry.lens_profiles import LensProfile
from ..geometry.scene import BoardProfile, Camera, PieceLook, Solid
from ..geometry.stack_masks import Outlines, Window
from .find_board import find_board
from .quarter_turn import ONE_HUE, tints
from .refine import refine

_FIRST, _LAST = 1.2, 1.02
"""Factors by which sizes are changed at first, and at which the search ends."""

_WIDE, _HIGH = (0.85, 1.0), (0.6, 1.0, 1.6)
"""Times the size of a base's pieces from which a search may begin."""

_EVERY: Final = 3
"""Of so many pixels one is learned from."""

_WIDEST: Final = 0.49
"""Radius of a piece in squares at most."""

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
"""What shades are called that nobody has named."""


@dataclass(frozen=True)
class MeasuredSet:
    """``profile`` with the sizes and shades of the picture, the ``camera`` in its pixels, and how well the
    outlines agree with it, 0 … 1."""

    profile: BoardProfile
    camera: Camera
    agreement: float


def measure_set(
    image: NDArray[np.uint8],
    bases: Sequence[BoardProfile],
    stacks: Sequence[str],
    rank1: str = "bottom",
    lens: LensProfile | None = None,
) -> MeasuredSet | None:
    """The set in a BGR picture (H, W, 3) uint8 that shows ``stacks``; ``None`` where no board is found.

    ``bases``: profiles whose pieces have about that form; sizes are sought from the one that fits best.
    """
    found = find_board(image, bases, stacks, rank1=rank1, lens=lens)
    if found is None:
        return None

    def tried(profile: BoardProfile, camera: Camera) -> MeasuredSet:
        seen, agrees = refine(image, camera, profile, stacks, lens)
        return MeasuredSet(profile, seen, agrees)

    # Outlines tell sets apart that differ much; how much is whose pixel, by a little.
    sizes = [resized(base, wide, high) for base in bases for wide, high in product(_WIDE, _HIGH)]
    best = max((tried(profile, found.camera) for profile in possible(sizes)), key=lambda now: now.agreement)
    window = Outlines(best.camera, best.profile).window(range(len(stacks)))
    clarity, factor = _clarity(image, best, stacks, window), _FIRST
    while factor > _LAST:
        pairs = ((factor, 1.0), (1 / factor, 1.0), (1.0, factor), (1.0, 1 / factor))
        near = [
            tried(profile, found.camera)
            for profile in possible([resized(best.profile, wide, high) for wide, high in pairs])
        ]
        clear = [_clarity(image, now, stacks, window) for now in near]
        if max(clear) > clarity:
            clarity, best = max(clear), near[clear.index(max(clear))]
        else:
            factor **= 0.5
    shades = _as_played(measured_shades(image, Outlines(best.camera, best.profile), stacks))
    pieces = tuple(PieceLook(letter, called(shade), shade) for letter, shade in shades.items())
    return replace(best, profile=replace(best.profile, pieces=pieces))


def _clarity(image: NDArray[np.uint8], measured: MeasuredSet, stacks: Sequence[str], window: Window) -> float:
    """How well the colours are kept apart: mean log-likelihood of the window's pixels, each under the class
    that this set shows there and with the colours that it teaches."""
    found, painted = labels(Outlines(measured.camera, measured.profile), stacks)
    whole = np.full(image.shape[:2], BARE, np.uint8)
    whole[found.slices] = painted
    shown, pixels = whole[window.slices], image[window.slices]
    colours = ColourModel()
    classes = np.unique(shown).tolist()
    colours.learn({label: pixels[shown == label][::_EVERY] for label in classes}, keep=0.0)
    nats = colours.log_likelihood(pixels)
    return float(np.take_along_axis(nats, shown[..., None].astype(np.intp), axis=2).mean())


def _as_played(shades: dict[str, Shade]) -> dict[str, Shade]:
    """Two players' shades of one hue, the lighter one green's: the start looks the same either way round."""
    if set(shades) != {"g", "r"}:
        return shades
    green, red = tints(np.array([shades["g"], shades["r"]], float))
    same_hue = float(abs(green - red)[:2].max()) < ONE_HUE
    return {"g": shades["r"], "r": shades["g"]} if same_hue and green[2] < red[2] else shades


def possible(profiles: Sequence[BoardProfile]) -> list[BoardProfile]:
    """Those whose pieces fit on a square."""
    return [profile for profile in profiles if profile.piece.radius < _WIDEST * profile.pitch]


def resized(profile: BoardProfile, wide: float, high: float) -> BoardProfile:
    """The same set with pieces so many times as wide and high; what lies below them stays."""
    rings = tuple((radius * wide, height * high) for radius, height in profile.piece.rings)
    dome = profile.dome
    if profile.flat:
        dome = Solid(tuple((radius * wide, height) for radius, height in dome.rings))
    return replace(profile, piece=Solid(rings), rise=profile.rise * high, dome=dome)


def called(shade: Shade) -> str:
    """The nearest of :data:`NAMED`."""
    return min(NAMED, key=lambda name: sum((a - b) ** 2 for a, b in zip(NAMED[name], shade, strict=True)))
