"""What lies on the table, comes between the board and the camera, or sticks to its lens."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from benchmarks.accuracy.alterations import bodies
from benchmarks.accuracy.alterations.cup import Cup
from benchmarks.accuracy.alterations.drawing import Flat, soft
from benchmarks.accuracy.alterations.scene import (
    SEATS,
    Alteration,
    Effect,
    Floats,
    Picture,
    Scene,
    some,
    stretches,
    wander,
    window,
)


def towards(direction: Floats) -> float:
    """The angle by which something that looks to its -y has to be turned to look in a direction."""
    return float(np.arctan2(direction[0], -direction[1]))


def lamp(rng: np.random.Generator) -> Floats:
    """By how many mm a shadow lies aside for each mm of height."""
    angle, slant = rng.uniform(0, 2 * np.pi), rng.uniform(0.25, 0.6)
    return slant * np.array([np.cos(angle), np.sin(angle)])


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
                tip = tip + (along + 1.5 * dy) * np.array([-seat[1], seat[0]])
                angle = towards(-seat) + turn + 0.01 * more
                # It is placed by its middle; the finger tips are 10 mm from its end.
                middle = tip + (bodies.ARM_LENGTH / 2 - 10) * np.array([-np.sin(angle), np.cos(angle)])
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
        cv2.fillConvexPoly(squares, cv2.convexHull(np.round(scene.squares()).astype(int)), 1.0)
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
        angle = rng.uniform(0, 2 * np.pi)
        way = np.array([np.cos(angle), np.sin(angle)])
        nearest = rng.uniform(-80, 80) * np.array([-way[1], way[0]])
        walks.append((scene.seconds * (part + rng.uniform(0.35, 0.65)) / strength, way, nearest))

    def altered(picture: Picture, time: float) -> Picture:
        for middle, way, nearest in walks:
            walked = (time - middle) * speed
            if abs(walked) < 3 * scene.half:
                # Its back swings to both sides with every pair of steps, of about 300 mm.
                swing = 6 * np.sin(walked / 300 * 2 * np.pi) * np.array([-way[1], way[0]])
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


def lens_drop(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """From some time on, a drop as wide as 1 to 3 squares is on the lens; it bends and blurs what is seen."""
    radius = 0.5 * strength * scene.square
    since = rng.uniform(0.3, 0.55) * scene.seconds
    centre = scene.pixels(rng.uniform(-100, 100, (1, 2)))[0]
    low = np.maximum(np.floor(centre - 1.2 * radius), 0).astype(int)
    high = np.minimum(np.ceil(centre + 1.2 * radius) + 1, scene.size).astype(int)
    y, x = np.mgrid[low[1] : high[1], low[0] : high[0]].astype(np.float32)
    dx, dy = x - np.float32(centre[0]), y - np.float32(centre[1])
    far = np.hypot(dx, dy) / np.float32(radius)
    # It shows more of the scene than what it hides, most in its middle, and shifted.
    wide, aside = 1.7 - 0.5 * np.minimum(far, 1.2) ** 2, rng.uniform(-0.3, 0.3, 2) * radius
    maps = cv2.convertMaps(
        np.float32(centre[0] + aside[0]) + dx * wide,
        np.float32(centre[1] + aside[1]) + dy * wide,
        cv2.CV_16SC2,
    )
    cover = np.clip((1 - far) / 0.25 + 0.5, 0, 1)[..., None]

    def altered(picture: Picture, time: float) -> Picture:
        if time >= since:
            seen = cv2.remap(picture, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            blurred = cv2.GaussianBlur(seen, (0, 0), max(1.0, radius / 9))
            part = picture[low[1] : high[1], low[0] : high[0]]
            part += cover * (blurred * np.float32(1.05) + 8 - part)
        return picture

    return altered


def clock_overlay(scene: Scene, strength: int, rng: np.random.Generator) -> Alteration:
    """The camera writes the time into the picture: over the table, and at strength 3 over squares."""
    scale = (0.9, 1.5, 1.8)[strength - 1] * scene.size[0] / 1280
    thick, began = max(1, round(2 * scale)), int(rng.integers(8 * 3600, 23 * 3600))
    (width, height), _ = cv2.getTextSize("00:00:00", cv2.FONT_HERSHEY_SIMPLEX, scale, thick)
    margin = 2 * thick + round(0.4 * height)
    if strength == 3:
        middle = scene.pixels(rng.uniform(-100, 100, (1, 2)))[0]
    else:
        # In the corner that is farthest from the squares.
        corners = [
            (x, y)
            for x in (margin + width / 2, scene.size[0] - margin - width / 2)
            for y in (margin + height / 2, scene.size[1] - margin - height / 2)
        ]
        middle = np.array(max(corners, key=lambda each: np.linalg.norm(scene.squares() - each, axis=1).min()))
    at = round(middle[0] - width / 2), round(middle[1] + height / 2)

    def altered(picture: Picture, time: float) -> Picture:
        now = began + int(time)
        text = f"{now // 3600 % 24:02}:{now // 60 % 60:02}:{now % 60:02}"
        shown = np.clip(picture, 0, 255).astype(np.uint8)
        for colour, wide in (((0, 0, 0), 3 * thick), ((255, 255, 255), thick)):
            cv2.putText(shown, text, at, cv2.FONT_HERSHEY_SIMPLEX, scale, colour, wide, cv2.LINE_AA)
        return shown.astype(np.float32)

    return altered


EFFECTS: Final[dict[str, Effect]] = {
    each.__name__: each for each in (crumbs, cup, fly, resting_arm, cat, leaning, lens_drop, clock_overlay)
}
