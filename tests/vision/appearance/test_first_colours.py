"""Initial colour models, and occluders detected with them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from focus_companion.vision.appearance.colour_model import BARE, CLASS, ColourModel
from focus_companion.vision.appearance.first_colours import SKIN_SHADES, bare_board, first_model
from focus_companion.vision.appearance.shades import USUAL_SHADES
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.scene import Camera, Lens
from focus_companion.vision.single_image.occluders import covered

CAMERA = Camera(Lens.guess(640, 480), (np.pi, 0.0, 0.0), (0.0, 0.0, 800.0))
BOARDS = {
    "white": (220, 225, 228),
    "beige": (184, 208, 217),
    "black": (32, 30, 29),
    "brown": (38, 50, 74),
    "navy": (68, 42, 31),
    "wood": (95, 147, 184),
}
LIGHTS = {"day": (1.0, 1.0, 1.0), "evening": (0.8, 1.0, 1.1), "dim": (0.6, 0.6, 0.6)}


def plain(board: str) -> np.ndarray:
    return np.full((480, 640, 3), BOARDS[board], np.uint8)


def model_of(image: np.ndarray) -> ColourModel:
    return first_model(image, CAMERA, board_profile(), "gbyr", {})


@pytest.mark.parametrize("light", LIGHTS)
@pytest.mark.parametrize("board", BOARDS)
def test_pieces_are_distinguished_from_any_board_in_any_light(board: str, light: str) -> None:
    def lit(colour: tuple[int, int, int]) -> np.ndarray:
        return np.clip(np.array(colour) * LIGHTS[light], 0, 255).astype(np.uint8)

    model = model_of(np.full((480, 640, 3), lit(BOARDS[board]), np.uint8))
    assert model.log_likelihood(lit(BOARDS[board])[None]).argmax() == BARE
    for letter, colour in USUAL_SHADES.items():
        assert model.log_likelihood(lit(colour[::-1])[None]).argmax() == CLASS[letter], letter


def test_an_arm_is_not_learned_as_the_board() -> None:
    image = plain("white")
    cv2.rectangle(image, (180, 180), (460, 250), SKIN_SHADES[1], -1)
    seen = bare_board(image, CAMERA, board_profile()).astype(float)
    tint = np.log(seen[:, 2] + 12) - np.log(seen[:, 1] + 12)
    assert np.quantile(tint, 0.99) < 0.15


def test_a_board_whose_fields_have_two_tints_is_learned() -> None:
    """With equally many pixels of each, the median tint is between them, so it is that of no field."""
    squares = np.add.outer(np.arange(480) // 20, np.arange(640) // 20) % 2
    image = np.where(squares[..., None] == 0, (40, 160, 40), (30, 30, 200)).astype(np.uint8)
    seen = bare_board(image, CAMERA, board_profile())
    assert {"green", "red"} == {"green" if green > red else "red" for _, green, red in seen}


def test_a_picture_that_does_not_show_the_board_has_no_samples() -> None:
    away = Camera(CAMERA.lens, CAMERA.rotation, (5000.0, 0.0, 800.0))
    assert bare_board(plain("white"), away, board_profile()).shape == (0, 3)


@pytest.mark.parametrize(
    ("colour", "width", "over"),
    [
        (SKIN_SHADES[0], 60, True),
        (SKIN_SHADES[2], 60, True),
        (USUAL_SHADES["b"], 90, True),  # a sleeve
        (USUAL_SHADES["b"], 30, False),  # as wide as a piece
    ],
)
def test_hands_and_sleeves_are_occluders_and_pieces_are_not(
    colour: tuple[int, int, int], width: int, over: bool
) -> None:
    image = plain("white")
    pitch = CAMERA.pitch_pixels(board_profile())
    assert 25 < pitch < 32
    cv2.rectangle(image, (250, 200), (250 + (width * 2 if over else width), 200 + width), colour, -1)
    lattice = np.ones(image.shape[:2], bool)
    mask = covered(image, lattice, model_of(image).log_likelihood(image), pitch)
    assert mask[200 + width // 2, 250 + width // 2] == over
    assert not mask[100, 100]
