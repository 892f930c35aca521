"""A piece on its own colour, seen nearly from above: only the shadow of the stack shows it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from table_scene import Table, small_look

from focus_companion.game.rules import Rules
from focus_companion.simulator.scene_style import Lamp, Lighting, SceneStyle, aimed_camera

DROP = Rules.make(2, set_up="drop")
OPENING = ("*b4", "*g6", "*d2", "*e7", "*c5", "*f3")
"""Placings on empty squares, from which the lamp is learned."""


def from_above(tilt: float) -> SceneStyle:
    """The demo's table under one lamp, seen from this angle off the vertical."""
    look = small_look()
    camera = aimed_camera(look.camera.lens, look.profile, tilt=tilt, azimuth=30, fill=0.85)
    lamp = Lamp((-420.0, 150.0, 480.0), 1.1)
    return replace(look, camera=camera, lightings=(Lighting((lamp,), ambient=0.35),))


@pytest.mark.slow
@pytest.mark.parametrize("tilt", [8, 12])
def test_placings_on_stacks_of_their_own_colour_are_told_in_turn(tilt: float) -> None:
    table = Table(DROP, from_above(tilt))
    table.show(seconds=1.5)
    told = []
    # Both players place on their own colour one after the other: neither top changes.
    for move in (*OPENING, "*d2", "*e7", "*b4", "*f3", "*b4", "*f3"):
        told += table.show(table.after(move)).summary
        assert told[-1:] == [f"move {move}"], told
