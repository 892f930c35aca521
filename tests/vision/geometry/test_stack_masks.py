"""The overlap of stacks in the picture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focus_companion.game.squares import INDEX
from focus_companion.simulator.scene_style import aimed_camera, pleasant_look
from focus_companion.vision.geometry.stack_masks import Outlines, filled

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


@settings(max_examples=60, deadline=None)
@given(
    points=st.lists(
        st.tuples(st.integers(-32, 480), st.integers(-32, 320)), min_size=3, max_size=12, unique=True
    )
)
def test_pixels_that_are_half_covered_are_filled(points: list[tuple[int, int]]) -> None:
    """``points`` in sixteenths of a pixel."""
    width, height = 28, 18
    hull = cv2.convexHull(np.array(points, np.float32) / 16).reshape(-1, 2)
    fine = np.zeros((4 * height, 4 * width), np.uint8)
    cv2.fillConvexPoly(fine, np.round((hull * 4 + 1.5) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
    covered = fine.reshape(height, 4, width, 4).sum((1, 3))
    other = np.array([(3.0, 3.0), (9.0, 3.0), (9.0, 9.0)], np.float32)
    masks = filled([other, hull], (width, height))
    assert masks.shape == (2, height, width)
    assert (masks[1] == (covered >= 8)).all()
