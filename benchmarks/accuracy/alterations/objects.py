"""What lies on the board or stands beside it, and who comes between it and the camera."""

from __future__ import annotations

from functools import partial
from typing import Final

import cv2
import numpy as np

from benchmarks.accuracy.alterations import bodies
from benchmarks.accuracy.alterations.cup import Cup
from benchmarks.accuracy.alterations.drawing import Flat, fill_hull, lamp, relief, soft, towards
from benchmarks.accuracy.alterations.occlusion import LyingThing, lying
from benchmarks.accuracy.alterations.scene import (
    SEATS,
    Alteration,
    Effect,
    Floats,
    Picture,
    Scene,
    direction,
    posed,
    sideways,
    some,
    stretches,
    wander,
    window,
)

PENS: Final = ((150, 60, 30), (30, 30, 35), (40, 40, 170), (60, 160, 200))
METALS: Final = ((60, 150, 200), (190, 190, 190))
"""Grey levels of blue, green and red."""


def resting_arm(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Somebody rests a forearm on the rim, and the hand on the squares at the edge, while play goes on."""
    over = (35.0, 52.0, 95.0)[strength - 1]
    part = scene.seconds / strength
    resting = stretches(scene, strength, (0.55 * part, 0.7 * part), rng)
    forearm, height, aside = bodies.arm(rng), 28.0, lamp(rng)
    shadow, restless = forearm.shadow(14.0, 0.45), wander(rng, 3, (4, 15))
    seat = np.array(SEATS[rng.integers(4)])
    places = rng.uniform(-60, 60, len(resting))
    turns = rng.uniform(-0.35, 0.35, len(resting))

    def altered(picture: Picture, time: float) -> Picture:
        for (since, until), along, turn in zip(resting, places, turns, strict=True):
            if since < time < until:
                away = 1 - window(time, since, until, 0.6)
                dx, dy, more = restless(time)
                tip = seat * (4 * scene.pitch - over + 450 * away + 1.5 * dx)
                tip = tip + (along + 1.5 * dy) * sideways(seat)
                angle = towards(-seat) + turn + 0.01 * more
                middle = bodies.arm_middle(tip, angle)
                shadow.darken(scene, picture, middle + aside * height, angle, 0.0)
                forearm.draw(scene, picture, middle, angle, height)
        return picture

    return altered


def leaning(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Somebody leans over most of the board for about five seconds while play goes on."""
    share = (0.5, 0.65, 0.85)[strength - 1]
    times = stretches(scene, strength, (4.5, 6.0), rng)
    seat, body, height = np.array(SEATS[rng.integers(4)]), bodies.upper_body(rng), 130.0
    shadow, aside, restless = body.shadow(50.0, 0.5), lamp(rng), wander(rng, 2, (2, 6))
    angle = towards(-seat)

    def hidden(reach: float) -> float:
        """The part of the squares that is hidden when the body's middle is so far from the board's, in mm."""
        squares = np.zeros(scene.size[::-1], np.float32)
        fill_hull(squares, scene.squares())
        covered = np.zeros((*scene.size[::-1], 3), np.float32)
        white = Flat(np.ones_like(body.colours), body.cover, body.scale)
        white.draw(scene, covered, seat * reach, angle, height)
        return float((squares * covered[..., 0]).sum() / squares.sum())

    reach = min(np.arange(-100, 350, 25.0), key=lambda reach: abs(hidden(reach) - share))

    def altered(picture: Picture, time: float) -> Picture:
        for since, until in times:
            if since < time < until:
                place = seat * (reach + 700 * (1 - window(time, since, until, 0.8))) + 6 * restless(time)
                shadow.darken(scene, picture, place + 0.5 * aside * height, angle, 0.0)
                body.draw(scene, picture, place, angle, height)
        return picture

    return altered


def cat(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """A cat walks slowly over the board: once, or up to three times."""
    speed = (250.0, 170.0, 110.0)[strength - 1]
    slices, aside = bodies.cat(rng), lamp(rng)
    shadow = slices[1][1].shadow(40.0, 0.45)
    walks = []
    for part in range(strength):
        way = direction(rng.uniform(0, 2 * np.pi))
        nearest = rng.uniform(-80, 80) * sideways(way)
        walks.append((scene.seconds * (part + rng.uniform(0.35, 0.65)) / strength, way, nearest))

    def altered(picture: Picture, time: float) -> Picture:
        for middle, way, nearest in walks:
            walked = (time - middle) * speed
            if abs(walked) < 3 * scene.half:
                # Its back swings to both sides with every pair of steps, of about 300 mm.
                swing = 6 * np.sin(walked / 300 * 2 * np.pi) * sideways(way)
                place, angle = nearest + walked * way + swing, towards(way)
                shadow.darken(scene, picture, place + aside * 80, angle, 0.0)
                for height, each in slices:
                    each.draw(scene, picture, place, angle, height)
        return picture

    return altered


def cup(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """A cup is put beside the board and later taken away; at strength 3 there are two."""
    number = (1, 1, 2)[strength - 1]
    part = scene.seconds / number
    standing = stretches(scene, number, (0.3 * part, (0.4, 0.7, 0.7)[strength - 1] * part), rng)
    cups = [Cup.beside_board(scene, lamp(rng), rng) for _ in standing]

    def altered(picture: Picture, time: float) -> Picture:
        for each, (since, until) in zip(cups, standing, strict=True):
            if since < time < until:
                each.draw(scene, picture, 1 - window(time, since, until, 0.5))
        return picture

    return altered


def fly(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Flies of 4 mm sit or walk on the board, and jump to another place after some seconds."""
    number, sitting = (1, 2, 4)[strength - 1], ((5.0, 12.0), (2.0, 6.0), (0.5, 3.0))[strength - 1]
    body = np.zeros((12, 12), np.float32)
    cv2.ellipse(body, (6, 6), (2, 4), 0, 0, 360, 1.0, -1)
    look = Flat(np.full((*body.shape, 3), 25, np.float32), soft(body, 1.0), 0.5)
    stays: list[tuple[float, float, Floats, Floats, float]] = []
    for _ in range(number):
        time = float(rng.uniform(0, 5))
        while time < scene.seconds:
            until = time + rng.uniform(*sitting)
            angle = rng.uniform(0, 2 * np.pi)
            way = np.array([np.sin(angle), -np.cos(angle)]) * rng.choice((0.0, 6.0))
            stays.append((time, until, rng.uniform(-150, 150, 2), way, angle))
            time = until + rng.uniform(0.2, 1.5)

    def altered(picture: Picture, time: float) -> Picture:
        for since, until, place, way, angle in stays:
            if since <= time < until:
                look.draw(scene, picture, place + way * (time - since), angle, 12.0)
        return picture

    return altered


def crumbs(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Light crumbs of 2 to 6 mm fall between the squares while a hand is over the board, and stay there."""
    fallen: list[tuple[float, Flat, Floats]] = []
    for time in some(scene.reaches(), (4, 8, 14)[strength - 1], rng):
        for _ in range(rng.integers(1, 4)):
            size = rng.uniform(2, 2 + 1.4 * strength)
            # An irregular outline of seven corners, in half millimetres.
            angles = np.arange(7) * 2 * np.pi / 7
            outline = (
                np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(0.6, 1, (7, 1)) * size + 9
            )
            mask = np.zeros((18, 18), np.float32)
            cv2.fillPoly(mask, [np.round(outline).astype(int)], 1.0)
            colour = np.array((130, 180, 205), np.float32) * np.float32(rng.uniform(0.8, 1.15))
            place = rng.uniform(-3.9, 3.9, 2) * scene.pitch
            side = rng.integers(2)
            place[side] = np.round(place[side] / scene.pitch) * scene.pitch + rng.normal(0, 2)
            fallen.append((time, Flat(np.full((18, 18, 3), colour), soft(mask, 1.5), 0.5), place))

    def altered(picture: Picture, time: float) -> Picture:
        for since, crumb, place in fallen:
            if time >= since:
                crumb.draw(scene, picture, place, 0.0, 0.0)
        return picture

    return altered


def pointing(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """Spectators point at 4, 8 or 14 places on the board for 0.7 to 1, 1.6 or 2 s, and touch nothing."""
    number, longest = ((4, 1.0), (8, 1.6), (14, 2.0))[strength - 1]
    aside, finger, height = lamp(rng), bodies.pointing_arm(rng), 30.0
    shadow, restless = finger.shadow(10.0, 0.45), wander(rng, 2, (0.3, 1.5))
    points = []
    for time in some(scene.pauses(), number, rng):
        seat = np.array(SEATS[rng.integers(4)])
        # 0.2 s are added to both ends, while the finger comes and goes.
        since = time - rng.uniform(0.1, 0.4)
        until = since + rng.uniform(0.7, longest) + 0.4
        target, turn = rng.uniform(-3.4, 3.4, 2) * scene.pitch, rng.uniform(-0.45, 0.45)
        points.append((since, until, target, towards(-seat) + turn))

    def altered(picture: Picture, time: float) -> Picture:
        for since, until, target, angle in points:
            if since < time < until:
                away = 1 - window(time, since, until, 0.3)
                tip = target + (14 + 500 * away) * sideways(direction(angle)) + 2.5 * restless(time)
                middle = bodies.arm_middle(tip, angle)
                shadow.darken(scene, picture, middle + aside * height, angle, 0.0)
                finger.draw(scene, picture, middle, angle, height)
        return picture

    return altered


def pen(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """A pen, at 2 also a thin chain, and at 3 another pen, are left between two rows for 6 to 14 s each."""
    part, reaches, things = scene.seconds / strength, np.array(scene.reaches()), []

    def draw(
        look: Flat, shadow: Flat, height: float, place: Floats, angle: float, picture: Picture, time: float
    ) -> None:
        pose = scene.pose(time)
        at, turned = posed(place, pose), angle + np.radians(pose[2])
        shadow.darken(scene, picture, at + height * aside, turned, 0.0)
        look.draw(scene, picture, at, turned, height)

    for number in range(strength):
        # While a hand is in view.
        since = _nearest(reaches[:-1], (number + rng.uniform(0.15, 0.35)) * part)
        until = _nearest(reaches[reaches > since], since + rng.uniform(6, 14))
        place = np.array([rng.integers(-2, 3) * scene.pitch, rng.uniform(-70, 70)])
        look, height = (_pen(rng), 6.0) if number % 2 == 0 else (_chain(rng), 2.0)
        crosswise = bool(rng.random() < 0.5)
        where = place[::-1] if crosswise else place, np.pi / 2 * crosswise + rng.normal(0, 0.015)
        things.append(LyingThing(since, until, partial(draw, look, look.shadow(3.0, 0.5), height, *where)))
    aside = lamp(rng)
    return lying(scene, things)


def _nearest(times: Floats, time: float) -> float:
    return float(times[np.abs(times - time).argmin()])


def _pen(rng: np.random.Generator) -> Flat:
    """A pen of 150 mm with a metal tip, drawn in half millimetres."""
    mask = np.zeros((360, 60), np.float32)
    cv2.line(mask, (30, 40), (30, 320), 1.0, 17)
    colours = np.full((*mask.shape, 3), PENS[rng.integers(len(PENS))], np.float32)
    colours[:60], colours[310:] = 190, (90, 90, 95)
    return Flat(colours * relief(mask, 8, np.array([1.0, 0.2]))[..., None], soft(mask), 0.5)


def _chain(rng: np.random.Generator) -> Flat:
    """A chain of 220 mm with links of 2 mm that lies in waves, drawn in half millimetres."""
    mask = np.zeros((480, 60), np.float32)
    y = np.arange(20, 460, 4)
    x = 30 + 7 * np.sin(y / rng.uniform(25, 45)) + rng.normal(0, 0.6, len(y))
    for link in np.column_stack([np.round(x), y]).astype(int).tolist():
        cv2.circle(mask, link, 2, 1.0, -1)
    colour, shine = np.array(METALS[rng.integers(len(METALS))]), rng.uniform(0.6, 1.3, (len(mask), 1, 1))
    return Flat(np.repeat(colour * shine, 60, axis=1).astype(np.float32), soft(mask, 1.0), 0.5)


EFFECTS: Final[dict[str, Effect]] = {
    each.__name__: each for each in (crumbs, pen, cup, fly, resting_arm, pointing, cat, leaning)
}
