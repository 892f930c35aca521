"""Determines the orientation of a detected board in a known position, from the colours of the stacks' tops.

It is only assumed that the light tints all pieces alike and that their hues are in the usual order (red is
redder than green etc.): the log ratios of the channels must cluster as the position says, and the clusters
must be arranged as the four colours are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import cv2
import numpy as np
from numpy.typing import NDArray

from ..appearance.shades import LOG_OFFSET, USUAL_SHADES, Shade
from ..arrays import Floats, Mask
from ..geometry.orientation import same_turns, upright
from ..geometry.pose import turned
from ..geometry.scene import BoardProfile, Camera

Shades = Mapping[str, Shade]
"""Shades by letter, for pieces of other than the usual shades."""

_NO_SHADES: Shades = MappingProxyType({})

MAX_HUE_SPREAD = 0.3
"""Maximum spread of the chroma of pieces of one hue; red and green pieces have about 2, coins 0.5."""

_MIN_ONE_HUE_PIECES = 8
"""Minimum number of pieces from which it is concluded that all have one hue."""

_MIN_GROUP = 2
"""Minimum number of visible tops of a colour for its median to be used."""

_SAMPLE_RADII = (0.25, 0.5)
"""Radii of the circles on which a top is sampled besides its centre, as fractions of its own radius."""
_SAMPLE_ANGLES = 8
"""Number of samples on each of these circles."""
_SAMPLE_HEIGHT = 0.85
"""Height of the sample in the middle, as a fraction of the solid's: a little below the surface."""
_SAMPLE_FALL = 0.35
"""How much lower the others are: in radii, for a distance of one radius; it grows with the square."""


def chroma(colours: Floats) -> Floats:
    """Log ratios of red to green and blue to green, (N, 2), of (N, 3) red, green, blue in 0 … 255."""
    logs = np.log(colours + LOG_OFFSET)
    return np.stack([logs[:, 0] - logs[:, 1], logs[:, 2] - logs[:, 1]], 1)


def tints(colours: Floats) -> Floats:
    """Chroma and log lightness, (N, 3), of (N, 3) red, green, blue in 0 … 255."""
    return np.column_stack([chroma(colours), np.log(colours.mean(1) + LOG_OFFSET)])


def _usual_tints(shades: Shades) -> dict[str, Floats]:
    known = USUAL_SHADES | dict(shades)
    return dict(zip(known, tints(np.array(list(known.values()), float)), strict=True))


def top_tints(
    image: NDArray[np.uint8], camera: Camera, profile: BoardProfile, heights: Sequence[int]
) -> Floats:
    """The :func:`tints` (52, 3) of the tops of stacks of the given heights (0: the dome); NaN outside the
    picture.
    """
    solids = [profile.dome if height == 0 else profile.piece for height in heights]
    levels = np.array([solid.height for solid in solids]) * _SAMPLE_HEIGHT
    levels += np.array([profile.rise * max(0, height - 1) for height in heights])
    radii = np.array([solid.radius for solid in solids])
    angles = np.linspace(0, 2 * np.pi, _SAMPLE_ANGLES, endpoint=False)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    spread = np.concatenate([np.zeros((1, 2)), *(share * circle for share in _SAMPLE_RADII)])
    points = np.zeros((len(solids), len(spread), 3))
    points[:, :, :2] = profile.centres[:, None] + radii[:, None, None] * spread
    points[:, :, 2] = levels[:, None] - _SAMPLE_FALL * radii[:, None] * (spread**2).sum(1)
    pixels = camera.project(points.reshape(-1, 3)).astype(np.float32).reshape(len(solids), len(spread), 2)
    sampled = cv2.remap(image, pixels, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    colours = sampled.reshape(-1, 3)[:, ::-1].astype(float)
    result = np.median(tints(colours).reshape(len(solids), len(spread), 3), axis=1)
    height, width = image.shape[:2]
    middle = pixels[:, 0]
    outside = ((middle < 0) | (middle > (width - 1, height - 1))).any(1)
    result[outside] = np.nan
    return np.asarray(result)


def colour_agreement(
    values: Floats, tops: Sequence[str], shades: Shades = _NO_SHADES, *, any_shades: bool = False
) -> float:
    """How well the ``values`` (52, 3) of :func:`top_tints` fit the top colours (``""`` for bare domes),
    -1 … 1; 1 is perfect.

    This is the share of the variance of the chroma between the groups of one colour, times the similarity of
    the groups' arrangement to that of the usual colours. If the pieces hardly have hues, and lightness
    distinguishes them better, like black and white draughts, it is the share for their lightness, negative if
    ``shades`` (red, green, blue by letter) imply the reverse order. With ``any_shades``, shades need not
    match the names of the colours: then it is the share for the chroma and the lightness of the pieces.
    """
    seen = np.isfinite(values).all(1)
    labels = np.array([top or "-" for top in tops])
    placed = seen & (labels != "-")
    if any_shades:
        several = len(set(labels[placed].tolist())) > 1
        return _explained_share(values[placed], labels[placed]) if several else 0.0
    lightness, values = values[:, 2], values[:, :2]
    if placed.sum() >= _MIN_ONE_HUE_PIECES and _of_one_hue(values[placed]):
        explained = _explained_share(lightness[placed, None], labels[placed])
        if explained >= _explained_share(values[placed], labels[placed]):
            return explained if _lightness_order_matches(lightness, labels, placed, shades) else -explained
    letters = ("r", "g", "b", "y", "-")
    groups = [letter for letter in letters if (seen & (labels == letter)).sum() >= _MIN_GROUP]
    if len(groups) < 2:
        return 0.0
    chosen = seen & np.isin(labels, groups)
    explained = _explained_share(values[chosen], labels[chosen])
    pieces = [letter for letter in groups if letter != "-"]
    if len(pieces) < 2:
        return explained
    known = _usual_tints(shades)
    usual = np.array([known[letter][:2] for letter in pieces])
    found = np.array([np.median(values[seen & (labels == letter)], axis=0) for letter in pieces])
    usual -= usual.mean(0)
    found -= found.mean(0)
    similarity = float((usual * found).sum() / max(np.linalg.norm(usual) * np.linalg.norm(found), 1e-9))
    return explained * similarity


def _lightness_order_matches(
    lightness: Floats, labels: NDArray[np.str_], placed: Mask, shades: Shades
) -> bool:
    """Whether the order of the pieces' lightness matches their shades; True if these are not known."""
    letters = [letter for letter in shades if (placed & (labels == letter)).any()]
    if len(letters) < 2:
        return True
    known = _usual_tints(shades)
    usual = np.array([known[letter][2] for letter in letters])
    found = np.array([np.median(lightness[placed & (labels == letter)]) for letter in letters])
    return float(((usual - usual.mean()) * (found - found.mean())).sum()) >= 0


def right_way_round(
    image: NDArray[np.uint8], camera: Camera, profile: BoardProfile, stacks: Sequence[str], rank1: str
) -> Camera:
    """Of the orientations that agree equally with the known position, the one in which every colour matches
    its name. If none (draughts, coins) or several do, the one with rank 1 at the side ``rank1`` of the
    picture.
    """
    if not profile.flat or profile.shades:
        return upright(camera, profile, stacks, rank1)
    heights, tops = [len(stack) for stack in stacks], [stack[-1:] for stack in stacks]
    for turns in same_turns(stacks, any_shades=True):
        turn = turned(camera, turns)
        if _colours_match_names(top_tints(image, turn, profile, heights), tops):
            return upright(turn, profile, stacks, rank1)
    return upright(camera, profile, stacks, rank1, any_shades=True)


def _colours_match_names(values: Floats, tops: Sequence[str]) -> bool:
    """Whether the tops of each colour are nearer to the usual pieces of that colour than to those of another
    colour or to grey.
    """
    seen, labels = np.isfinite(values).all(1), np.array(tops)
    usual = {letter: tint[:2] for letter, tint in _usual_tints(_NO_SHADES).items()} | {"": np.zeros(2)}
    groups = {letter: values[seen & (labels == letter), :2] for letter in set(tops) - {""}}
    return bool(groups) and all(
        len(group) > 0
        and letter == min(usual, key=lambda name: float(np.linalg.norm(np.median(group, 0) - usual[name])))
        for letter, group in groups.items()
    )


def usual_roles(shades: Shades) -> dict[str, str]:
    """For each of the letters g and r, the letter whose player has this shade (red, green, blue) if the
    picture does not tell: red has the redder one or, if both have one hue, green the lighter one. Empty for
    other letters.
    """
    if set(shades) != {"g", "r"}:
        return {}
    green, red = tints(np.array([shades["g"], shades["r"]], float))
    same_hue = float(abs(green - red)[:2].max()) < MAX_HUE_SPREAD
    exchanged = green[2] < red[2] if same_hue else green[0] > red[0]
    return {"g": "r", "r": "g"} if exchanged else {"g": "g", "r": "r"}


def _explained_share(values: Floats, labels: NDArray[np.str_]) -> float:
    """Share (0 … 1) of the variance of ``values`` (N, K) that lies between the groups of equal labels."""
    total = float(((values - values.mean(0)) ** 2).sum())
    groups = [values[labels == letter] for letter in np.unique(labels)]
    within = sum(float(((group - np.median(group, axis=0)) ** 2).sum()) for group in groups)
    return float(np.clip(1 - within / max(total, 1e-9), 0, 1))


def _of_one_hue(values: Floats) -> bool:
    """Whether all pieces have one hue, unlike any two of the usual colours."""
    low, high = np.percentile(values, (15, 85), axis=0)
    return bool((high - low).max() < MAX_HUE_SPREAD)
