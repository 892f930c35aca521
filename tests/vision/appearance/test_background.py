"""The appearance assumed for a field that has never been seen bare."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from focus_companion.vision.appearance.background import Background
from focus_companion.vision.geometry.stack_masks import Window

WHOLE = Window(0, 0, 80, 40)
FIELDS = np.repeat([[1] * 40 + [2] * 40], 40, axis=0).astype(np.uint8)
"""Two adjacent fields."""
HIDDEN = np.s_[8:32, 8:32]
"""The part of the first field that is hidden by a piece."""
GENERIC = np.full((40, 80), -3.0, np.float32)


def nats(background: Background, colour: tuple[int, int, int], *, flat: bool = False) -> float:
    """Log-likelihood of this colour for the bare field where the piece stood."""
    pixels = np.full((40, 80, 3), colour, np.uint8)
    fields = FIELDS > 0 if flat else None
    return float(background.log_likelihood(WHOLE, pixels, GENERIC, fields=fields)[HIDDEN].mean())


def with_piece(
    background: Background, field: tuple[int, int, int], piece: tuple[int, int, int], blur: float = 0.0
) -> None:
    """Let the background learn a ``field`` of this shade with a ``piece`` on it, beside a light field."""
    image = np.where(FIELDS[..., None] == 1, field, (200, 210, 220)).astype(np.uint8)
    image[HIDDEN] = piece
    bare = np.ones((40, 80), bool)
    bare[HIDDEN] = False
    background.learn(cv2.GaussianBlur(image, (0, 0), blur) if blur else image, WHOLE, bare, 1.0)


def test_a_hidden_part_is_assumed_to_look_like_the_rest_of_the_field_until_it_is_seen() -> None:
    background = Background()
    with_piece(background, (40, 90, 60), (20, 20, 20))
    assert nats(background, (40, 90, 60)) == nats(background, (200, 210, 220)) == -3.0
    background.infer_hidden(FIELDS)
    assert nats(background, (40, 90, 60)) > 2 > -3 > nats(background, (200, 210, 220))
    # What is finally seen replaces what was inferred, whatever its weight.
    bare = np.zeros((40, 80), bool)
    bare[HIDDEN] = True
    background.learn(np.full((40, 80, 3), 120, np.uint8), WHOLE, bare, 0.25)
    assert nats(background, (120, 120, 120)) > 2


def test_the_shade_of_a_dark_field_under_a_white_piece_is_not_taken_from_their_blurred_edges() -> None:
    """Otherwise the field would look more like a black piece once the white one is gone."""
    background, field = Background(), (35, 46, 68)
    with_piece(background, field, (205, 234, 245), blur=1.0)
    background.infer_hidden(FIELDS)
    exactly = Background()
    exactly.learn(np.full((40, 80, 3), field, np.uint8), WHOLE, np.ones((40, 80), bool), 1.0)
    assert nats(background, field, flat=True) > nats(exactly, field, flat=True) - 0.5


@pytest.mark.parametrize(
    ("shown", "bare"),
    [
        ((154, 195, 217), True),
        ((92, 117, 130), True),
        ((200, 225, 232), False),
        ((26, 28, 29), False),
        ((43, 74, 122), False),
    ],
    ids=["as it was", "in a shadow", "a white draught", "a black draught", "the shade of the other fields"],
)
def test_a_field_of_a_chess_board_shows_its_own_shade_in_light_and_shadow(
    shown: tuple[int, int, int], bare: bool
) -> None:
    """It is compared with a piece that may have any colour, whatever the rest of the board looks like."""
    background, field = Background(), np.full((40, 80, 3), (154, 195, 217), np.uint8)
    background.learn(field, WHOLE, np.ones((40, 80), bool), 1.0)
    elsewhere = np.full((40, 80), 4.0, np.float32)
    pixels = np.full((40, 80, 3), shown, np.uint8)
    nats = background.log_likelihood(WHOLE, pixels, elsewhere, fields=FIELDS > 0)
    assert (nats.mean() > 0) == bare


def test_what_a_piece_beside_the_squares_has_uncovered_is_the_bare_board() -> None:
    """It had been taken for a part of the board, which shows another colour now."""
    background, piece, frame = Background(), (26, 28, 29), (200, 210, 220)
    background.learn(np.full((40, 80, 3), piece, np.uint8), WHOLE, np.ones((40, 80), bool), 1.0)
    elsewhere = np.full((40, 80), 4.0, np.float32)
    pixels = np.full((40, 80, 3), frame, np.uint8)
    nats = background.log_likelihood(WHOLE, pixels, elsewhere, fields=FIELDS == 1)
    assert nats[FIELDS == 1].max() < 0 < 3 < nats[FIELDS == 2].min()
