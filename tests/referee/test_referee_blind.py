"""Useless pictures in the real pipeline: each fault is reported once, nothing else is emitted meanwhile, and
the game continues from the last legal position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import cv2
import numpy as np
import pytest
from table_scene import Emitted, Table, begun

from focus_companion.game.rules import Rules
from focus_companion.lights.meaning import NOTHING, after
from focus_companion.simulator.board_view import placed_camera
from focus_companion.vision.capture.frames import Image
from focus_companion.vision.geometry.orientation import sides_beyond


@pytest.fixture
def table() -> Iterator[Table]:
    """The table at its start, which is recognised again after each test."""
    table = begun(Rules.make(2))
    start = table.stacks
    yield table
    table.show(start, 2.0)
    assert table.session.history.ply == 0


def no_light(image: Image) -> Image:
    return np.asarray(image // 30, np.uint8)


def finger(image: Image) -> Image:
    few = cv2.resize(image, (4, 3), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(few, image.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.uint8) // 2


def broken_off(image: Image) -> Image:
    broken = image.copy()
    broken[2 * len(image) // 3 :] = 128
    return broken


SPOILT = [("dark", no_light), ("covered", finger), ("damaged", broken_off)]


@pytest.mark.parametrize(("why", "spoil"), SPOILT, ids=[why for why, _ in SPOILT])
def test_a_turn_made_meanwhile_is_seen_when_the_picture_is_back(
    table: Table, why: str, spoil: Callable[[Image], Image]
) -> None:
    emitted = table.shoot(table.stage(), 2.0, spoil)
    (lost,) = emitted.events
    assert lost.to_json() | {"time": 0} == {"type": "lost", "time": 0, "what": "camera", "why": why}
    state = table.session.state()
    assert (state["camera"], state["camera_why"]) == (why, why)
    assert after(NOTHING, lost, state).camera_lost
    table.stacks = table.after("d5-d6")
    assert table.shoot(table.stage(), 5.0, spoil).summary == []
    emitted = table.shoot(table.stage(), 2.0)
    assert emitted.summary == ["found", "move d5-d6"]
    state = table.session.state()
    assert (state["camera"], state["camera_why"]) == ("ok", None)
    assert not after(after(NOTHING, lost, state), emitted.events[0], state).camera_lost


@pytest.mark.parametrize(("why", "spoil"), SPOILT, ids=[why for why, _ in SPOILT])
def test_a_moment_is_no_news(table: Table, why: str, spoil: Callable[[Image], Image]) -> None:
    assert table.shoot(table.stage(), 0.8, spoil).summary == []
    assert table.shoot(table.stage(), 1.0).summary == []


def test_pictures_of_another_size_are_reported_and_the_board_is_found_in_them(table: Table) -> None:
    def larger(image: Image) -> Image:
        return np.asarray(cv2.resize(image, (960, 720), interpolation=cv2.INTER_CUBIC), np.uint8)

    emitted = table.shoot(table.stage(), 0.1, larger)
    (lost,) = emitted.events
    assert (lost.type, lost.to_json()["what"], lost.to_json()["why"]) == ("lost", "board", "resolution")
    assert table.session.state()["camera"] == "no board"
    assert table.session.state()["camera_why"] == "resolution"
    assert table.shoot(table.stage(), 3.0, larger).summary == ["found"]
    table.stacks = table.after("d5-d6")
    emitted = table.shoot(table.stage(), 2.0, larger)
    assert emitted.summary == ["move d5-d6"]
    # And back to the first size.
    assert table.show(seconds=4.0).summary == ["lost", "found"]


def test_a_mirrored_picture_is_named_at_once_and_the_game_begins_without_the_mirror() -> None:
    def mirror(image: Image) -> Image:
        return np.ascontiguousarray(image[:, ::-1])

    table = Table(Rules.make(3))
    emitted = table.shoot(table.stage(), 1.0, mirror)
    (lost,) = emitted.events
    assert (lost.type, lost.to_json()["what"], lost.to_json()["why"]) == ("lost", "board", "mirrored")
    assert lost.time < 0.5
    assert table.session.state()["camera_why"] == "mirrored"
    assert table.shoot(table.stage(), 2.0).summary == ["found"]
    assert table.session.state()["camera_why"] is None and table.session.history.ready


@pytest.mark.slow
def test_a_board_that_is_partly_outside_is_named_with_the_edge_until_it_is_whole() -> None:
    table = Table(Rules.make(2))
    look = table.director.look
    for far in np.arange(1.0, 6.0, 0.25) * look.profile.pitch:
        edges = sides_beyond(placed_camera(look.camera, (far, 0.0, 0.0)), look.profile)
        if edges:
            break
    assert edges
    table.push_board(float(far), 0.0, 0.0)
    emitted = table.shoot(table.stage(), 1.0)
    (lost,) = emitted.events
    assert (lost.to_json()["what"], lost.to_json()["why"]) == ("board", f"cut off: {', '.join(edges)}")
    table.push_board(0.0, 0.0, 0.0)
    assert table.shoot(table.stage(), 2.0).summary == ["found"]
    table.stacks = table.after("d5-d6")
    assert table.shoot(table.stage(), 2.0).summary == ["move d5-d6"]


def lost_reasons(emitted: Emitted) -> list[str]:
    return [event.to_json()["why"] for event in emitted.events if event.type == "lost"]


PLAYED_ON: Final = {
    **dict.fromkeys(("b2", "b3", "c4", "c5", "d6", "d7", "e2", "e3", "f4", "f5", "g6"), ""),
    "a3": "grg",
    "a4": "rgrgr",
    "h5": "rrg",
}
"""More squares than a few turns could change."""


@pytest.mark.slow
def test_a_board_with_another_position_is_named_until_it_shows_the_start() -> None:
    table = Table(Rules.make(2))
    start, table.stacks = table.stacks, table.put(PLAYED_ON)
    assert lost_reasons(table.shoot(table.stage(), 6.0)) == ["another position"]
    table.stacks = start
    assert table.shoot(table.stage(), 4.0).summary == ["found"]
    assert table.session.history.ready


@pytest.mark.slow
def test_too_many_turns_out_of_view_are_named_and_the_game_goes_on_from_its_position(table: Table) -> None:
    stood = table.stacks
    table.shoot(table.stage(), 2.0, no_light)
    table.push_board(8.0, -5.0, 4.0)
    emitted = table.show(table.put(PLAYED_ON), 12.0)
    assert lost_reasons(emitted) == ["out of view", "another position"]
    assert "found" in table.show(stood, 4.0).summary
    table.stacks = table.after("d5-d6")
    assert table.shoot(table.stage(), 2.0).summary == ["move d5-d6"]
