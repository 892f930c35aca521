"""What a field looks like where it has never been seen bare."""

from __future__ import annotations

import numpy as np
import pytest

from focus_companion.vision.appearance.background import Background
from focus_companion.vision.geometry.stack_masks import Window

WHOLE = Window(0, 0, 20, 10)
HIDDEN = np.s_[2:8, 2:8]


def test_a_hidden_part_of_a_field_is_supposed_to_look_like_the_rest_until_it_is_seen() -> None:
    fields = np.repeat([[1] * 10 + [2] * 10], 10, axis=0).astype(np.uint8)
    image = np.where(fields[..., None] == 1, (40, 90, 60), (200, 210, 220)).astype(np.uint8)
    bare = np.ones((10, 20), bool)
    bare[HIDDEN] = False
    image[HIDDEN] = (20, 20, 20)
    background = Background(10, 20)
    background.learn(image, WHOLE, bare, 1.0)

    def nats(colour: tuple[int, int, int]) -> float:
        pixels = np.full((10, 20, 3), colour, np.uint8)
        return float(
            background.log_likelihood(WHOLE, pixels, np.full((10, 20), -3.0, np.float32))[HIDDEN].mean()
        )

    assert nats((40, 90, 60)) == nats((200, 210, 220)) == -3.0
    background.suppose(WHOLE, fields)
    assert nats((40, 90, 60)) > 2 > -3 > nats((200, 210, 220))
    # What is seen at last counts whole, and not as a part of what was supposed.
    background.learn(np.full((10, 20, 3), 120, np.uint8), WHOLE, ~bare, 0.25)
    assert nats((120, 120, 120)) > 2


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
def test_a_field_of_a_chess_board_shows_its_own_shade_lit_or_shaded(
    shown: tuple[int, int, int], bare: bool
) -> None:
    """Compared with a piece that may have any colour, whatever the rest of the board looks like."""
    background, field = Background(10, 20), np.full((10, 20, 3), (154, 195, 217), np.uint8)
    background.learn(field, WHOLE, np.ones((10, 20), bool), 1.0)
    elsewhere = np.full((10, 20), 4.0, np.float32)
    pixels = np.full((10, 20, 3), shown, np.uint8)
    assert (background.log_likelihood(WHOLE, pixels, elsewhere, flat=True).mean() > 0) == bare
