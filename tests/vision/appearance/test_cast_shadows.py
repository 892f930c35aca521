"""A lamp is learned from the shadows of a few placed pieces; then a piece that looks like the one below it is
noticed by its shadow. The pictures come from the simulator, which has its own model of lamps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from simulated import view_of

from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.simulator.scene_style import Lamp, Lighting, SceneStyle, aimed_camera, pleasant_look
from focus_companion.simulator.stage import Stage
from focus_companion.vision.appearance.cast_shadows import CastShadows, Darkening
from focus_companion.vision.appearance.shadow_patches import LAMPS as LAMP_COUNT
from focus_companion.vision.appearance.shadow_patches import (
    RAYS,
    growth,
    growth_under,
    rays_of_lamps,
    shaded_around,
    shaded_by_others,
)
from focus_companion.vision.capture.frames import Image
from focus_companion.vision.geometry.stack_masks import Outlines, Window
from focus_companion.vision.tracking.change import blurred, board_window

LAMPS = {
    "a lamp near the board": Lamp((-420.0, 150.0, 480.0), 1.1, size=60.0),
    "a window": Lamp((1500.0, 700.0, 1500.0), 1.1, size=300.0),
}
PLACED = ("b4", "g6", "d2", "e7", "c5", "f3")
"""Squares on which pieces are placed one after another, on an empty board."""


class Board:
    """A board seen nearly from above, on which stacks change."""

    def __init__(self, lamps: tuple[Lamp, ...]) -> None:
        look = pleasant_look(640, 480)
        camera = aimed_camera(look.camera.lens, look.profile, tilt=8, azimuth=30, fill=0.85)
        lighting = Lighting(lamps, ambient=0.35 if lamps else 1.2)
        self._look: SceneStyle = replace(look, camera=camera, lightings=(lighting,))
        self.outlines = Outlines(camera, look.profile)
        self.stacks = dict.fromkeys(SQUARES, "")
        self._rng = np.random.default_rng(3)
        self._picture = self._taken()

    def _taken(self) -> Image:
        stage = Stage(tuple(self.stacks[square] for square in SQUARES))
        return blurred(view_of(self._look).shoot(stage, self._rng))

    def change(self, stacks: Mapping[str, str]) -> tuple[Darkening, dict[int, tuple[int, int]]]:
        """The darkening by these changes, and the heights before and after."""
        heights = {INDEX[s]: (len(self.stacks[s]), len(stack)) for s, stack in stacks.items()}
        before, stood = self._picture, [len(self.stacks[square]) for square in SQUARES]
        self.stacks |= stacks
        self._picture = self._taken()
        window = board_window(self.outlines)
        parts = self._picture[window.slices], before[window.slices]
        higher = [max(heights.get(s, (height, 0))) for s, height in enumerate(stood)]
        return Darkening.between(*parts, window, self.outlines, higher), heights


def learned(board: Board) -> CastShadows:
    shadows = CastShadows()
    for number, square in enumerate(PLACED):
        shadows.learn(*board.change({square: "rg"[number % 2]}))
    return shadows


@pytest.mark.parametrize("lamp", LAMPS.values(), ids=LAMPS)
def test_a_piece_on_its_own_colour_is_noticed_by_its_shadow_and_only_where_it_is(lamp: Lamp) -> None:
    board = Board((lamp,))
    shadows = learned(board)
    assert shadows.known
    for square in ("d2", "g6"):
        seen, _ = board.change({square: 2 * board.stacks[square]})
        nats = {
            s: shadows.log_likelihood_ratio(seen, INDEX[s], len(stack), len(stack) + 1, {})
            for s, stack in board.stacks.items()
            if stack and s != square
        }
        assert shadows.log_likelihood_ratio(seen, INDEX[square], 1, 2, {}) > 5.0
        assert max(nats.values()) < 0.0


def test_shadows_are_learned_and_measured_when_a_piece_moves_to_the_next_square() -> None:
    board, shadows = Board((LAMPS["a lamp near the board"],)), CastShadows()
    for square in ("b4", "c5", "e6", "f3", "d3", "g4"):
        board.change({square: "g"})
    for origin, target in (("b4", "b5"), ("c5", "d5"), ("e6", "e7"), ("f3", "f2")):
        shadows.learn(*board.change({origin: "", target: "g"}))
    assert shadows.known
    # g4 lies beside f4, on which nothing stood: the shadow of the piece that left is not taken for its own.
    seen, changes = board.change({"d3": "", "d2": "g", "g4": "gg"})
    moved = {square: max(heights) for square, heights in changes.items() if square != INDEX["g4"]}
    assert shadows.log_likelihood_ratio(seen, INDEX["g4"], 1, 2, moved) > 5.0
    assert shadows.log_likelihood_ratio(seen, INDEX["d5"], 1, 2, moved) <= 0.0


def test_without_shadows_nothing_is_claimed() -> None:
    board = Board(())
    shadows = learned(board)
    seen, _ = board.change({"d2": "gg"})
    assert all(
        abs(shadows.log_likelihood_ratio(seen, INDEX[s], len(stack), len(stack) + 1, {})) < 3.0
        for s, stack in board.stacks.items()
    )


def test_what_another_stack_shades_already_shows_no_further_shadow() -> None:
    """A tall stack between a square and the lamp leaves little of that square's shadow visible."""
    board = Board((LAMPS["a window"],))
    profile, heights = board.outlines.profile, [0] * len(SQUARES)
    d5 = rays_of_lamps(profile)[INDEX["d5"]]
    lamp = next(k for k, ray in enumerate(d5) if np.allclose(RAYS[ray], (-2.0, 0.0, 0.5)))
    alone = shaded_by_others(profile, tuple(heights), lamp)[INDEX["d5"]]
    heights[INDEX["e5"]] = 5
    beside = shaded_by_others(profile, tuple(heights), lamp)[INDEX["d5"]]
    own = growth_under(profile, 1, 2, lamp)[INDEX["d5"]]
    assert (own == growth(profile, 1, 2)[d5[lamp]]).all()
    assert own.sum() > 0
    assert (own & beside).sum() > (own & alone).sum()


def test_what_is_shaded_follows_the_stacks_that_changed() -> None:
    profile = Board(()).outlines.profile
    random = np.random.default_rng(3)
    heights = random.integers(0, 6, len(SQUARES)).tolist()
    for lamp in random.integers(0, LAMP_COUNT, 10).tolist():
        changed = dict(zip(random.choice(len(SQUARES), 4, replace=False).tolist(), (0, 1, 4, 7), strict=True))
        after = tuple(changed.get(square, height) for square, height in enumerate(heights))
        expected = shaded_by_others(profile, after, lamp)
        for square in range(len(SQUARES)):
            found = shaded_around(profile, tuple(heights), changed, lamp, square)
            assert (found == expected[square]).all()


def test_shadows_beyond_the_edge_of_the_picture_are_not_measured() -> None:
    """The window shows only the right half of the board."""
    board = Board((LAMPS["a window"],))
    half = Window(320, 0, 640, 480)
    picture = np.full((480, 320, 3), 128, np.uint8)
    seen = Darkening.between(picture, picture, half, board.outlines, [0] * len(SQUARES))
    x = board.outlines.camera.project(np.insert(board.outlines.profile.centres, 2, 0.0, axis=1))[:, 0]
    shown = seen.expected(0, 5, 0).shadows.any(1)
    assert not seen.inside[x < 250].any() and not shown[x < 250].any() and shown[x > 420].all()
