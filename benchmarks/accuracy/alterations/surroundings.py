"""What happens beside the board and below it: pieces and paper on the table, and what is pushed or pulled."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final

import cv2
import numpy as np

from benchmarks.accuracy.alterations.drawing import Flat, fill_hull, lamp, soft, towards
from benchmarks.accuracy.alterations.occlusion import HandCover, LyingThing, lying
from benchmarks.accuracy.alterations.scene import (
    SEATS,
    STEP,
    Alteration,
    Effect,
    Field,
    Floats,
    Picture,
    Scene,
    blend,
    changing,
    circle,
    posed,
    ramp,
    rotation,
    sideways,
    some,
    window,
)

PIECE_SLICES: Final = (
    (17.0, 1.0, 0.55), (16.0, 4.0, 0.65), (15.5, 8.0, 0.8), (14.0, 11.0, 0.95), (11.0, 13.5, 1.05),
    (7.0, 15.5, 1.15),
)  # fmt: skip
"""The radius and the height in mm, and the brightness, of slices of a piece, the lowest first."""

CORNERS: Final = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
"""Of a square around the middle of the board, in mm."""

PAPER: Final = 235
INK: Final = 70
PRINTED: Final = ((40, 40, 190), (60, 130, 40), (180, 90, 30), (40, 180, 220))
"""Grey levels of a sheet with rules, and of the pieces that it shows."""


def heaps(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Players put 6, 12 or 22 pieces down beside the board (at 3 also on its rim), and take some back.

    Each comes, and goes, while a hand is in view. Its middle is 18 mm or more from every square.
    """
    places = _heap(scene, (6, 12, 22)[strength - 1], strength == 3, rng)
    times = _times(scene.reaches(), len(places), rng)
    tops = {square: stack[-1] for square, stack in scene.truth["frames"][0]["board"].items()}
    colours = [each for each in scene.truth["settings"]["order"] if each in tops.values()]
    chosen = [colours[rng.integers(len(colours))] for _ in places]
    aside = lamp(rng)
    shade = _piece(np.zeros(3), aside)[0][1].shadow(5.0, 0.5)
    looks: dict[str, list[tuple[float, Flat]]] = {}

    def draw(place: Floats, floor: float, colour: str, picture: Picture, time: float) -> None:
        shade.darken(scene, picture, place + 7 * aside, 0.0, floor)
        for height, each in looks[colour]:
            each.draw(scene, picture, place, 0.0, floor + height)

    things = [
        LyingThing(*when, partial(draw, *place, colour))
        for when, place, colour in zip(times, places, chosen, strict=True)
    ]
    pieces = lying(scene, things, under_stacks=False)

    def altered(picture: Picture, time: float) -> Picture:
        if not looks:
            for colour in colours:
                squares = [square for square, top in tops.items() if top == colour]
                looks[colour] = _piece(_colour(scene, picture, squares), aside)
        return pieces(picture, time)

    return altered


def _heap(scene: Scene, number: int, on_rim: bool, rng: np.random.Generator) -> list[tuple[Floats, float]]:
    """Up to so many places in view beside the board, and the height of what is there, 36 mm or more apart."""
    found: list[tuple[Floats, float]] = []
    for _ in range(4000):
        outwards = np.array(SEATS[rng.integers(4)])
        rim = on_rim and rng.random() < 0.4
        far = scene.half + (-23 if rim else rng.uniform(22, 60))
        place = far * outwards + rng.uniform(-0.75, 0.75) * scene.half * sideways(outwards)
        gap = min((float(np.hypot(*(place - other))) for other, _ in found), default=np.inf)
        if scene.seen(scene.pixels(circle(place, 20), scene.table)) < 1 or gap < 36:
            continue
        # Most are put near to others.
        if len(found) > 3 and gap > 60 and rng.random() < 0.8:
            continue
        found.append((place, 0.0 if rim else scene.table))
        if len(found) == number:
            break
    return found


def _times(reaches: list[float], number: int, rng: np.random.Generator) -> list[tuple[float, float]]:
    """When so many pieces are put down, and when each is taken back, which is never for two of three."""
    puts = np.sort(rng.choice(reaches[: int(0.8 * len(reaches))], number))
    later = ([time for time in reaches if time > put + 4] or [np.inf] for put in puts)
    taken = [float(rng.choice(times)) if rng.random() < 0.35 else np.inf for times in later]
    return list(zip(puts.tolist(), taken, strict=True))


def _colour(scene: Scene, picture: Picture, squares: list[str]) -> Floats:
    """The colour of the pieces on these squares at first."""
    places = posed(np.array([scene.place(each) for each in squares]), scene.pose(0.0))
    pixels = np.round(scene.pixels(places, 12.0)).astype(int)
    seen = [np.median(picture[y - 5 : y + 6, x - 5 : x + 6], axis=(0, 1)) for x, y in pixels]
    return np.asarray(np.median(seen, axis=0))


def _piece(colour: Floats, aside: Floats) -> list[tuple[float, Flat]]:
    """Slices of a piece that shines where light comes from, each with its height in mm, the lowest first."""
    y, x = np.mgrid[-19.5:20, -19.5:20]
    towards_lamp = np.hypot(x + 12 * aside[0], y + 12 * aside[1])
    shine = 110 * np.exp(-((towards_lamp / 2.5) ** 2) / 2)[..., None]
    slices = []
    for radius, height, bright in PIECE_SLICES:
        colours = bright * colour + shine * (height > 10)
        cover = np.clip(radius + 0.5 - np.hypot(x, y), 0, 1)
        slices.append((height, Flat(colours.astype(np.float32), cover.astype(np.float32))))
    return slices


def rule_sheet(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """A sheet with the rules is laid over the rim by 12, 25 or 38 mm, moved, and taken away."""
    over, sheet, aside = (12.0, 25.0, 38.0)[strength - 1], _rules(rng), lamp(rng)
    shadow, reaches = sheet.shadow(6.0, 0.45), scene.reaches()
    parts = (0.1, 0.2), (0.4, 0.5), (0.75, 0.9)
    laid, moved, taken = (reaches[int(len(reaches) * rng.uniform(*part))] for part in parts)

    def spot() -> tuple[float, Floats, Floats, float]:
        outwards, turn = np.array(SEATS[rng.integers(4)]), rng.uniform(-0.08, 0.08)
        # A long side lies to the board; half of the other is 74 mm long.
        far = scene.half - over + 74 + 105 * abs(np.sin(turn))
        place = far * outwards + rng.uniform(-90, 90) * sideways(outwards)
        seen = scene.seen(scene.pixels(circle(place, 60), 0.0))
        return seen, place, outwards, towards(outwards) + np.pi / 2 + turn

    spots = [max((spot() for _ in range(6)), key=lambda each: each[0]) for _ in range(2)]

    def draw(picture: Picture, time: float) -> None:
        part = ramp(time, moved - 0.2, moved + 0.25)
        _, place, outwards, angle = spots[round(part)]
        away = 1 - window(time, laid - 0.2, taken + 0.2, 0.4) + 2 * min(part, 1 - part)
        at = place + 350 * min(1.0, away) * outwards
        shadow.darken(scene, picture, at + 10 * aside, angle, scene.table)
        shadow.darken(scene, picture, at + 4 * aside, angle, 0.0)
        sheet.draw(scene, picture, at, angle, 2.0)

    return lying(scene, [LyingThing(laid - 0.2, taken + 0.2, draw)])


def _rules(rng: np.random.Generator) -> Flat:
    """A printed sheet of 210 x 148 mm, in half millimetres: a title, lines of words, and four pieces."""
    sheet = np.full((420, 296, 3), PAPER, np.uint8)
    cv2.putText(sheet, "RULES", (90, 26), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (INK, INK, INK), 2, cv2.LINE_AA)
    for row in (*range(38, 195, 14), *range(304, 391, 14)):
        line = sheet[row : row + 4, 25 : rng.integers(150, 270)]
        line[:] = INK
        for space in np.cumsum(rng.integers(13, 33, 12)):
            line[:, space : space + 7] = PAPER
    for number, colour in enumerate(PRINTED):
        cv2.circle(sheet, (60 + 58 * number, 250), 22, colour, -1, cv2.LINE_AA)
    cover = np.pad(np.ones((416, 292), np.float32), 2)
    return Flat(sheet.astype(np.float32), soft(cover), 0.5)


def tablecloth(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The tablecloth is pulled by up to 5, 12 or 25 mm, three or four times, while a hand is in view."""
    by, turn, number = ((5.0, 0.3, 3), (12.0, 0.8, 3), (25.0, 1.6, 4))[strength - 1]
    times = some(scene.reaches(), number, rng)
    pulls = [np.array([*rng.uniform(-by, by, 2), rng.uniform(-turn, turn)]) for _ in times]
    pose_of_cloth = changing([*np.cumsum([np.zeros(3), *pulls], axis=0)], times, 0.1, 0.35)
    ends, hands = 400 * CORNERS, HandCover(scene)
    before = scene.pixels(ends, scene.table).astype(np.float32)

    def altered(picture: Picture, time: float) -> Picture:
        cover, pose = hands(picture, time), pose_of_cloth(time)
        if not pose.any():
            return picture
        after = scene.pixels(posed(ends, pose), scene.table).astype(np.float32)
        matrix = cv2.getPerspectiveTransform(before, after)
        cloth = cv2.warpPerspective(hands.without, matrix, scene.size, borderMode=cv2.BORDER_REFLECT)
        # Neither the board nor a hand moves with it; nor is the board seen where the cloth would take it.
        board = _board_cover(scene, scene.pose(time))
        board = np.maximum(board, cv2.warpPerspective(board, matrix, scene.size))
        return blend(cloth, picture, board if cover is None else np.maximum(board, cover))

    return altered


def _board_cover(scene: Scene, pose: Floats) -> Field:
    """How much the board and the stacks on it hide of each pixel."""
    rim, mask = 1.012 * scene.half * CORNERS, np.zeros(scene.size[::-1], np.float32)
    outlines = (rim, 2.0), (rim, scene.table), (0.85 * rim, 45.0)
    fill_hull(mask, np.concatenate([scene.pixels(posed(each, pose), height) for each, height in outlines]))
    return np.asarray(cv2.GaussianBlur(mask, (0, 0), 2.0), np.float32)


def pushed_board(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The board slides by up to 6, 12 or 21 mm and turns a little in 4, 6 or 9 of the reaches.

    It does so within half a second while a hand is over it; the table around it is seen slightly stretched.
    """
    by, turn, number = ((6.0, 0.5, 4), (12.0, 1.5, 6), (21.0, 3.0, 9))[strength - 1]
    times = some(scene.reaches(), number, rng)
    poses = [np.zeros(3)]
    for _ in times:
        drawn = (
            poses[-1] + np.array([*rng.uniform(-by, by, 2), rng.uniform(-turn, turn)]) for _ in range(60)
        )
        poses.append(next((pose for pose in drawn if _fits(scene, pose)), poses[-1]))
    pose_of_board, sources = changing(poses, times, 0.15, 0.3), _sources(scene)

    def altered(picture: Picture, time: float) -> Picture:
        pose = pose_of_board(time)
        if not pose.any():
            return picture
        one, other = sources(*pose.tolist())
        return np.asarray(
            cv2.remap(picture, one, other, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32
        )

    return altered


def _fits(scene: Scene, pose: Floats) -> bool:
    """Whether the board is near to where it was at first, with all squares in view."""
    corners = scene.pixels(posed(1.06 * scene.corners, pose), 20.0)
    return bool(np.hypot(*pose[:2]) < 45) and scene.seen(corners) == 1


def _sources(scene: Scene) -> Callable[[float, float, float], tuple[Field, Field]]:
    """By the board's pose: where each pixel was seen at first, as maps for OpenCV."""
    places = scene.places(STEP)
    pixels = scene.pixels(places.reshape(-1, 2))
    y, x = np.mgrid[0 : scene.size[1], 0 : scene.size[0]].astype(np.float32)

    @lru_cache(maxsize=1)
    def sources(dx: float, dy: float, angle: float) -> tuple[Field, Field]:
        there = (places - (dx, dy)) @ rotation(-np.radians(angle))
        # What is up to 30 mm beside the board moves with it, and what is 160 mm away does not move.
        still = np.clip((np.abs(there).max(axis=2) - scene.half - 30) / 130, 0, 1)[..., None]
        there += (places - there) * still * still * (3 - 2 * still)
        offsets = (scene.pixels(there.reshape(-1, 2)) - pixels).reshape(places.shape).astype(np.float32)
        right, down = cv2.split(cv2.resize(offsets, scene.size, interpolation=cv2.INTER_LINEAR))
        one, other = cv2.convertMaps(x + right, y + down, cv2.CV_16SC2)
        return one, other

    return sources


EFFECTS: Final[dict[str, Effect]] = {
    each.__name__: each for each in (tablecloth, pushed_board, heaps, rule_sheet)
}
