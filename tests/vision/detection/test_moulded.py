"""Telling the moulded board from chess boards and calibration sheets."""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
import pytest
from drawn_board import PROFILE, Image, draw, look, start_stacks

from focus_companion.vision.detection.edges import Edges
from focus_companion.vision.detection.moulded import (
    MAX_CHEQUERED,
    MIN_MOULDED_EVIDENCE,
    brightness,
    chequered,
    moulded_evidence,
)
from focus_companion.vision.geometry.scene import Camera

VIEWS = {
    "from above": (4.0, 20.0, 620.0, (1280, 960), 60.0),
    "oblique, turned": (30.0, 160.0, 640.0, (1280, 960), 60.0),
    "small": (25.0, 98.0, 1500.0, (960, 720), 62.0),
}


def with_fields(image: Image, camera: Camera, angle: float, side: float, fields: range) -> Image:
    """The picture with dark fields of a chess board, ``side`` squares wide, turned by ``angle`` degrees."""
    shown, turn = image.copy(), np.deg2rad(angle)
    axes = side * PROFILE.pitch * np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))])
    for x, y in product(fields, fields):
        if (x + y) % 2 == 0:
            corners = np.array([(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)]) @ axes
            if angle:
                # One of the dark fields lies on a square.
                corners += PROFILE.centres[0] % PROFILE.pitch - axes.sum(0) / 2
            outline = camera.project(np.column_stack([corners, np.zeros(4)]))
            cv2.fillConvexPoly(shown, np.round(16 * outline).astype(np.int32), (45, 40, 40), cv2.LINE_AA, 4)
    return cv2.GaussianBlur(shown, (0, 0), 1.0)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    ("angle", "side"), [(0.0, 1.0), (45.0, np.sqrt(0.5))], ids=["each a square", "every other one a square"]
)
def test_chequered_fields_are_not_the_moulded_board(view: str, angle: float, side: float) -> None:
    camera = look(*VIEWS[view])
    size = camera.lens.height, camera.lens.width
    paper = np.full((*size, 3), 225, np.uint8)
    image = with_fields(paper, camera, angle, side, range(-6, 7))
    assert chequered(brightness(image), camera, PROFILE) > 2 * MAX_CHEQUERED
    assert moulded_evidence(image, Edges.of(image), camera, PROFILE) == 0.0


@pytest.mark.parametrize("view", VIEWS)
def test_a_moulded_board_is_not_taken_for_a_chess_board(view: str) -> None:
    camera = look(*VIEWS[view])
    image = draw(camera, start_stacks(), np.random.default_rng(3))
    assert chequered(brightness(image), camera, PROFILE) < MAX_CHEQUERED
    assert moulded_evidence(image, Edges.of(image), camera, PROFILE) > MIN_MOULDED_EVIDENCE
