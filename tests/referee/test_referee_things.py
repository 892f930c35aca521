"""A mug, a phone or a lid is set down over an edge of the board, while turns follow each other."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from table_scene import Table, small_look

from focus_companion.game.moves import legal_moves
from focus_companion.game.play import apply
from focus_companion.game.rules import Rules
from focus_companion.game.squares import FILE
from focus_companion.simulator.look import aimed_camera
from focus_companion.simulator.stage import Hand, square_centre
from focus_companion.vision.frames import Image

LAST_FILE = 4
"""Turns are made up to this file, and the thing lies beyond."""


@pytest.mark.parametrize(
    ("tilt", "along", "across", "radius"),
    [(30.0, 3.5, 3.5, 0.9), (30.0, 4.4, 0.5, 1.2), (36.0, 4.2, -1.0, 1.1), (42.0, 3.4, 3.0, 1.3)],
    ids=["in a corner", "before two squares", "before three squares", "over a corner"],
)
def test_the_game_goes_on_beside_a_thing_that_was_set_down(
    tilt: float, along: float, across: float, radius: float
) -> None:
    """Though the board never rests for longer than a second; and when the thing is taken away again."""
    look = small_look()
    camera = aimed_camera(look.camera.lens, look.profile, tilt=tilt, azimuth=200.0, fill=0.7)
    table = Table(Rules.make(2), replace(look, camera=camera))
    assert table.show().words == []
    around, pitch = np.linspace(0, 2 * np.pi, 40), look.profile.pitch
    ring = [(along + radius * np.cos(a), across + radius * np.sin(a), 0.0) for a in around]
    shape = np.round(camera.project(pitch * np.array(ring))).astype(np.int32)

    def set_down(image: Image) -> Image:
        return np.asarray(cv2.fillPoly(image.copy(), [shape], (60, 90, 200), cv2.LINE_AA), np.uint8)

    position, rng, played, told = table.session.position, np.random.default_rng(3), [], []
    for number in range(6):
        near = [
            move
            for move in legal_moves(position, table.rules)
            if move.origin is not None and max(FILE[move.origin], FILE[move.target]) <= LAST_FILE
        ]
        move = near[int(rng.integers(len(near)))]
        position = apply(position, move, table.rules)
        table.stacks = position.stacks
        spoil = set_down if 1 <= number < 4 else None
        x, y = square_centre(look, move.target)
        told += table.shoot(replace(table.stage(), hand=Hand("W", x, y, 20.0)), 0.1, spoil).words
        told += table.shoot(table.stage(), 1.1, spoil).words
        played.append(f"move {move}")
    assert told == played
