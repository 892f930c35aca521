"""A mug, a phone or a lid is set down over an edge of the board, while turns follow each other."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from table_scene import Table, begun, small_look

from focus_companion.game.moves import legal_moves
from focus_companion.game.play import apply
from focus_companion.game.rules import Rules
from focus_companion.game.squares import FILE
from focus_companion.simulator.scene_style import aimed_camera
from focus_companion.simulator.stage import Hand, square_centre
from focus_companion.vision.capture.frames import Image

LAST_FILE = 4
"""Turns are made up to this file; the object lies beyond."""


@dataclass
class Beside:
    """A table at which turns are made on the squares that an object leaves free."""

    table: Table
    ring: NDArray[np.int32]
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(3))
    dimmed: float = 1.0
    """Brightness of the light relative to before."""
    thing: bool = False

    def shown(self, image: Image) -> Image:
        if self.thing:
            image = np.asarray(cv2.fillPoly(image.copy(), [self.ring], (60, 90, 200), cv2.LINE_AA), np.uint8)
        return np.asarray(image * self.dimmed, np.uint8)

    def wait(self, seconds: float) -> list[str]:
        return self.table.shoot(self.table.stage(), seconds, self.shown).summary

    def turn(self) -> tuple[str, list[str]]:
        """A turn, shown for a second, and the events."""
        table = self.table
        near = [
            move
            for move in legal_moves(table.session.position, table.rules)
            if move.origin is not None and max(FILE[move.origin], FILE[move.target]) <= LAST_FILE
        ]
        move = near[int(self.rng.integers(len(near)))]
        table.stacks = apply(table.session.position, move, table.rules).stacks
        x, y = square_centre(table.director.look, move.target)
        reaching = table.shoot(replace(table.stage(), hand=Hand("W", x, y, 20.0)), 0.1, self.shown)
        return f"move {move}", reaching.summary + self.wait(1.1)

    def turns(self, number: int) -> None:
        """Some turns, each of which must be emitted, and nothing else."""
        for _ in range(number):
            played, emitted = self.turn()
            assert emitted == [played]


def table_with_a_thing(tilt: float, along: float, across: float, radius: float) -> Beside:
    """Seen at an angle in degrees off the vertical; the round object will be there, in squares from the
    middle.
    """
    look = small_look()
    camera = aimed_camera(look.camera.lens, look.profile, tilt=tilt, azimuth=200.0, fill=0.7)
    table = begun(Rules.make(2), look=replace(look, camera=camera))
    around, pitch = np.linspace(0, 2 * np.pi, 40), look.profile.pitch
    ring = [(along + radius * np.cos(a), across + radius * np.sin(a), 0.0) for a in around]
    return Beside(table, np.round(camera.project(pitch * np.array(ring))).astype(np.int32))


@pytest.mark.parametrize(
    ("tilt", "along", "across", "radius"),
    [
        pytest.param(30.0, 3.5, 3.5, 0.9, id="in a corner", marks=pytest.mark.slow),
        pytest.param(30.0, 4.4, 0.5, 1.2, id="before two squares"),
        pytest.param(36.0, 4.2, -1.0, 1.1, id="before three squares", marks=pytest.mark.slow),
        pytest.param(42.0, 3.4, 3.0, 1.3, id="over a corner", marks=pytest.mark.slow),
    ],
)
def test_the_game_goes_on_with_an_object_on_the_board(
    tilt: float, along: float, across: float, radius: float
) -> None:
    """Although the board is never still for longer than a second; also when the object is taken
    away again.
    """
    beside = table_with_a_thing(tilt, along, across, radius)
    beside.turns(1)
    beside.thing = True
    beside.turns(3)
    beside.thing = False
    beside.turns(2)


@pytest.mark.parametrize("dimmed", [pytest.param(0.8, marks=pytest.mark.slow), 0.55])
def test_what_an_object_hides_stays_hidden_under_another_lamp(dimmed: float) -> None:
    """Otherwise something seems to have happened on the squares behind it, which show the object."""
    beside = table_with_a_thing(30.0, 4.4, 0.5, 1.2)
    beside.thing = True
    beside.turns(2)
    beside.dimmed = dimmed
    assert beside.wait(3.0) == []
    beside.turns(3)
    beside.thing = False
    beside.turns(2)
