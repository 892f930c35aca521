"""Pieces of a set whose profile has no shades, before the first piece of each colour is seen."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.vision.appearance.background import Background
from focus_companion.vision.appearance.colour_model import CLASS
from focus_companion.vision.appearance.evidence import Evidence
from focus_companion.vision.appearance.first_colours import before_any_piece
from focus_companion.vision.appearance.flat_pieces import flat_tops
from focus_companion.vision.appearance.learning import learn
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.scene import Camera, Lens
from focus_companion.vision.geometry.stack_masks import Outlines

PROFILE = board_profile("chess-draughts")
OUTLINES = Outlines(Camera(Lens.guess(640, 480), (2.6, 0.0, 0.0), (0.0, 0.0, 800.0)), PROFILE)
WHITE, BLACK = (198, 223, 233), (26, 27, 29)
FIELDS = {"light": (154, 195, 217), "dark": (43, 74, 122)}
BARE = ("",) * len(SQUARES)


def picture(field: str, pieces: dict[str, tuple[int, int, int]]) -> np.ndarray:
    """A board of one field's shade throughout, with a single piece on each of these squares."""
    image = np.full((480, 640, 3), FIELDS[field], np.uint8)
    for square, shade in pieces.items():
        column = OUTLINES.columns[INDEX[square]]
        image[column.window.slices][column.mask(1)] = shade
    noise = np.random.default_rng(3).normal(0, 3, image.shape)
    return np.asarray(cv2.GaussianBlur(np.clip(image + noise, 0, 255).astype(np.uint8), (0, 0), 0.8))


def evidence(
    field: str, before: dict[str, tuple[str, tuple[int, int, int]]], now: tuple[int, int, int]
) -> Evidence:
    """The evidence of a piece of shade ``now`` on d5, after learning the pieces ``before`` (letter and shade
    by square).
    """
    colours = before_any_piece("gr", PROFILE)
    stood = tuple(before[name][0] if name in before else "" for name in SQUARES)
    shades = {square: shade for square, (_, shade) in before.items()}
    background = Background()
    learn(picture(field, shades), OUTLINES, stood, colours, background, keep=0.0)
    return Evidence(picture(field, {**shades, "d5": now}), OUTLINES, colours, background, stood)


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("shade", [WHITE, BLACK], ids=["white", "black"])
def test_the_first_piece_is_detected_whatever_its_shade_and_may_have_any_colour(
    field: str, shade: tuple[int, int, int]
) -> None:
    look = evidence(field, {}, shade)
    one, other = (look.stack_gain(INDEX["d5"], letter).nats for letter in "gr")
    assert one == other > 20


@pytest.mark.parametrize("field", FIELDS)
def test_the_second_shade_is_distinguished_from_the_first(field: str) -> None:
    seen = {"g3": ("g", WHITE)}
    d5 = INDEX["d5"]
    other, same = evidence(field, seen, BLACK), evidence(field, seen, WHITE)
    assert other.stack_gain(d5, "r").nats > other.stack_gain(d5, "g").nats + 20
    assert same.stack_gain(d5, "g").nats > same.stack_gain(d5, "r").nats + 20


def test_an_empty_square_shows_no_piece() -> None:
    assert evidence("dark", {}, FIELDS["dark"]).stack_gain(INDEX["d5"], "g").nats < 5


def test_a_guess_has_no_weight_once_a_piece_is_seen() -> None:
    colours = before_any_piece("gr", PROFILE)
    colours.learn({CLASS["g"]: np.full((100, 3), WHITE, np.uint8)}, keep=0.75)
    white, black = colours.log_likelihood(np.array([WHITE, BLACK], np.uint8))[:, CLASS["g"]]
    assert white > 2 and black < -3
    assert colours.of_any_shade[CLASS["r"]] and not colours.of_any_shade[CLASS["g"]]


def stack_with_dark_sides(field: str, square: str, stack: str, side: float = 0.6) -> np.ndarray:
    """A board of one field's shade throughout, with white and black pieces whose sides are darker than their
    tops, and with ``stack``, of pieces of those colours, on ``square``.
    """
    image = np.full((480, 640, 3), FIELDS[field], np.uint8)
    shades = {"g": np.array(FIELDS["light"]), "r": np.array(BLACK)}
    for name, pieces in {**BEFORE, square: stack}.items():
        column = OUTLINES.columns[INDEX[name]]
        part = image[column.window.slices]
        for level, piece in enumerate(pieces, 1):
            part[column.mask(level)] = side * shades[piece]
        if pieces:
            part[flat_tops(OUTLINES)[INDEX[name]][len(pieces) - 1]] = shades[pieces[-1]]
    noise = np.random.default_rng(3).normal(0, 3, image.shape)
    return np.asarray(cv2.GaussianBlur(np.clip(image + noise, 0, 255).astype(np.uint8), (0, 0), 0.8))


BEFORE = {"g3": "g", "f6": "r", "c4": "g", "c6": "r"}
"""The stacks that have been on the board from the start, by square."""


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("shown", ["", "g", "r", "rg", "gg", "gr"])
def test_a_piece_with_the_shade_of_its_field_is_detected_by_its_side(field: str, shown: str) -> None:
    """White draughts have exactly the shade of the light fields here."""
    colours, background = before_any_piece("gr", PROFILE), Background()
    stood = tuple(BEFORE.get(name, "") for name in SQUARES)
    learn(stack_with_dark_sides(field, "d5", ""), OUTLINES, stood, colours, background, keep=0.0)
    look = Evidence(stack_with_dark_sides(field, "d5", shown), OUTLINES, colours, background, stood)
    gains = {stack: look.stack_gain(INDEX["d5"], stack).nats for stack in ("", "g", "r", "rg", "gg", "gr")}
    best, second = sorted(gains, key=lambda stack: -gains[stack])[:2]
    assert best == shown and gains[best] > gains[second] + 3, gains


def test_a_field_never_seen_bare_is_known_when_its_piece_has_gone() -> None:
    colours, background = before_any_piece("gr", PROFILE), Background()
    stood = tuple({**BEFORE, "d5": "g"}.get(name, "") for name in SQUARES)
    learn(stack_with_dark_sides("light", "d5", "g"), OUTLINES, stood, colours, background, keep=0.0)
    look = Evidence(stack_with_dark_sides("light", "d5", ""), OUTLINES, colours, background, stood)
    assert look.stack_gain(INDEX["d5"], "").nats > 3
