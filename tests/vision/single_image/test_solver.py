"""Reading all squares together, from the pixel scores of a known position."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.vision.appearance.colour_model import CLASS, CLASSES
from focus_companion.vision.geometry.board_profiles import board_profile
from focus_companion.vision.geometry.scene import Camera, Lens
from focus_companion.vision.geometry.stack_masks import Outlines
from focus_companion.vision.single_image.layers import Layers
from focus_companion.vision.single_image.solver import Solver

EMPTY = ("",) * len(SQUARES)


def layers_at(tilt: float) -> Layers:
    """A camera 800 mm away, ``tilt`` degrees off the vertical above rank 1."""
    camera = Camera(Lens.guess(640, 480), (np.pi - np.radians(tilt), 0.0, 0.0), (0.0, 0.0, 800.0))
    return Layers(Outlines(camera, board_profile()))


seen_at = cache(layers_at)


@pytest.fixture(scope="module")
def oblique() -> Layers:
    return seen_at(40.0)


def scores_of(layers: Layers, stacks: tuple[str, ...], contrast: float = 3.0) -> np.ndarray:
    """The scores of pixels that clearly show these stacks."""
    shown = {square: [CLASS[piece] for piece in stack] for square, stack in enumerate(stacks)}
    painted = layers.outlines.paint(shown, layers.window, layers.outlines.far_to_near)
    scores = np.full((*painted.shape, CLASSES), -contrast, np.float32)
    np.put_along_axis(scores, painted[..., None].astype(np.intp), 0.0, axis=2)
    return scores


def position(stacks: dict[str, str]) -> tuple[str, ...]:
    full = list(EMPTY)
    for square, stack in stacks.items():
        full[INDEX[square]] = stack
    return tuple(full)


def solved(layers: Layers, stacks: tuple[str, ...], players: str = "gbyr", limit: int = 13) -> Solver:
    solver = Solver(layers, scores_of(layers, stacks), players, limit, 0.04)
    solver.solve()
    return solver


@pytest.mark.parametrize(
    "stacks",
    [
        {},
        {"d5": "r"},
        {"d5": "rgbyr"},
        {"d4": "gggg", "d5": "b", "d6": "yr"},
        {"e2": "rgrgr", "e3": "rr", "e4": "ggg", "d3": "b"},
        {"a3": "yb", "h6": "rg", "c1": "gy", "f8": "bbbbb"},
    ],
)
def test_every_visible_stack_is_read(oblique: Layers, stacks: dict[str, str]) -> None:
    assert solved(oblique, position(stacks)).stacks == position(stacks)


@pytest.mark.parametrize("square", ["c7", "d5", "a3", "h5"])
@pytest.mark.parametrize("height", [2, 3, 4, 5])
@pytest.mark.parametrize("tilt", [20.0, 40.0, 48.0])
def test_a_single_stack_of_one_colour_is_read(square: str, height: int, tilt: float) -> None:
    stacks = position({square: "b" * height})
    assert solved(seen_at(tilt), stacks).stacks == stacks


@given(st.dictionaries(st.sampled_from(SQUARES), st.text("rgby", min_size=1, max_size=5), max_size=8))
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_the_tops_of_any_position_are_read(oblique: Layers, stacks: dict[str, str]) -> None:
    wanted = position({str(square): stack for square, stack in stacks.items()})
    read = solved(oblique, wanted).stacks
    # A stack is hardly ever hidden completely by a taller one in front of it.
    explained = scores_of(oblique, wanted)
    shown = {square: [CLASS[piece] for piece in stack] for square, stack in enumerate(read)}
    painted = oblique.outlines.paint(shown, oblique.window, oblique.outlines.far_to_near)
    wrong = np.take_along_axis(explained, painted[..., None].astype(np.intp), axis=2) < 0
    assert wrong.sum() < 60


def test_uninformative_pixels_leave_squares_empty_and_doubtful(oblique: Layers) -> None:
    stacks = position({"d4": "r"})
    scores = scores_of(oblique, stacks)
    scores[oblique.slices(INDEX["d4"])] = 0.0
    solver = Solver(oblique, scores, "gbyr", 13, 0.04)
    solver.solve()
    assert solver.stacks[INDEX["d4"]] == ""
    red = (CLASS["r"],)
    behind = {name: solver.score(INDEX[name], ()) - solver.score(INDEX[name], red) for name in ("d4", "d8")}
    assert behind["d4"] < 3 < behind["d8"]


def test_similar_stacks_differ_in_one_piece(oblique: Layers) -> None:
    solver, (red, green) = solved(oblique, EMPTY, players="rg"), (CLASS["r"], CLASS["g"])
    assert solver.similar(()) == {(red,), (green,)}
    two = {(red,), (green,), (green, green), (red, red)}
    assert solver.similar((red, green)) == two | {
        (red, red, green),
        (green, red, green),
        (red, green, red),
        (red, green, green),
    }
    assert all(len(stack) <= 5 for stack in solver.similar((red,) * 5))


def test_only_colours_in_play_are_read(oblique: Layers) -> None:
    read = solved(oblique, position({"d4": "b", "e5": "g"}), players="gr", limit=18).stacks
    assert set("".join(read)) <= {"g", "r"}
    assert read[INDEX["e5"]] == "g"


def test_hidden_pieces_get_the_colour_of_which_most_are_missing() -> None:
    overhead = seen_at(0.0)
    reds = dict.fromkeys(["c8", "d8", "e8", "f8", "b7", "c7", "f7", "g7", "b2", "c2", "f2", "g2"], "r")
    solver = solved(overhead, position(reds | {"d4": "g"}), players="gr", limit=13)
    two = [choice.stack for choice in solver.choices(INDEX["d4"]) if len(choice.stack) == 2]
    assert two == [(CLASS["g"], CLASS["g"])]
