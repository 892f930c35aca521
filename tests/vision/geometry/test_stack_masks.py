"""The overlap of stacks in the picture."""

from __future__ import annotations

import pytest

from focus_companion.game.squares import INDEX
from focus_companion.simulator.scene_style import aimed_camera, pleasant_look
from focus_companion.vision.geometry.stack_masks import Outlines

LOOK = pleasant_look(640, 480)


@pytest.mark.parametrize(
    ("one", "pieces", "other", "covered"),
    [
        ("d4", 1, "d5", False),
        ("d4", 5, "d5", True),
        ("d4", 5, "d6", False),
        ("d4", 10, "d6", True),
        ("d4", 5, "d2", False),
    ],
)
def test_a_taller_stack_covers_more_of_what_is_behind_it(
    one: str, pieces: int, other: str, covered: bool
) -> None:
    """Seen at 35 degrees from the side of rank 1."""
    camera = aimed_camera(LOOK.camera.lens, LOOK.profile, tilt=35, azimuth=0, fill=0.8)
    outlines = Outlines(camera, LOOK.profile)
    first, second = INDEX[one], INDEX[other]
    assert outlines.overlap(first, pieces, second, 1) == covered
    assert outlines.overlap(second, 1, first, pieces) == covered
    assert outlines.overlap(first, pieces, second, 1) == covered, "the cached result differs"
