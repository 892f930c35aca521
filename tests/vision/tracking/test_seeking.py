"""How often the program searches for a board that is not in view."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from simulated import view_of

from focus_companion.simulator.for_tests.corner_error import corner_error
from focus_companion.simulator.scene_style import pleasant_look
from focus_companion.simulator.stage import Stage
from focus_companion.vision.capture.frames import Frame
from focus_companion.vision.detection.find_board import FoundBoard
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.geometry.pose import pushed, turned
from focus_companion.vision.tracking.seeking import FIRST_RETRIES, FIRST_RETRY_DELAY
from focus_companion.vision.tracking.state import RETRY_DELAY
from focus_companion.vision.tracking.watcher import Watcher

FPS = 15


@pytest.mark.parametrize("again", [False, True], ids=["from the start", "when a new game begins"])
def test_a_board_that_was_not_found_is_searched_for_often_at_first_and_rarely_later(again: bool) -> None:
    """Noise may spoil one picture, so the next attempt should come before the first turn."""
    now, searched = [0.0], []
    watcher = Watcher(plastic_sets(), ("",) * 52, "gr", finder=lambda *_: searched.append(now[0]))
    image = np.full((120, 160, 3), 90, np.uint8)
    for index in range(8 * FPS):
        now[0] = index / FPS
        if again and index == 6 * FPS:
            searched.clear()
            watcher.place(None)
        assert watcher.see(Frame(index, now[0], image)) is None
    gaps = [later - earlier for earlier, later in pairwise(searched)]
    soon, rarely = gaps[: FIRST_RETRIES - 1], gaps[FIRST_RETRIES:]
    assert (
        all(FIRST_RETRY_DELAY <= gap < FIRST_RETRY_DELAY + 2 / FPS for gap in soon)
        and len(soon) == FIRST_RETRIES - 1
    )
    assert again or (rarely and all(RETRY_DELAY <= gap < RETRY_DELAY + 2 / FPS for gap in rarely))


@pytest.mark.parametrize(
    ("confidences", "used"),
    [
        ([0.95, 0.99], 0),
        pytest.param([0.5, 0.95], 1, marks=pytest.mark.slow),
        pytest.param([0.4, 0.5, 0.3, 0.2], 1, marks=pytest.mark.slow),
        ([0.8, 0.4, 0.3, 0.4, 0.5], 4),
    ],
    ids=["certain at once", "noise in the first picture", "never certain", "the most certain is wrong"],
)
def test_an_empty_board_is_taken_where_it_is_found_with_certainty(
    confidences: list[float], used: int
) -> None:
    """No position shows that it was found at a wrong place."""
    look = pleasant_look(640, 480)
    image = view_of(look).shoot(Stage(("",) * 52), np.random.default_rng(2))
    away = [0 if index == used else 30 * look.profile.pitch for index in range(len(confidences))]
    found = [
        FoundBoard(pushed(look.camera, far, 0.0, 0.0), look.profile, confidence)
        for far, confidence in zip(away, confidences, strict=True)
    ]
    searches = iter(found)
    watcher = Watcher(plastic_sets(), ("",) * 52, "gr", finder=lambda *_: next(searches))
    index = 0
    while watcher.outlines is None and index < 4 * FPS:
        watcher.see(Frame(index, index / FPS, image))
        index += 1
    assert watcher.outlines is not None
    assert corner_error(watcher.outlines.camera, look.camera, look.profile) < 0.1


def test_an_empty_board_found_twice_in_the_same_place_is_there() -> None:
    """A board that is hard to see is never found with certainty, nor always the same way round."""
    look = pleasant_look(640, 480)
    image = view_of(look).shoot(Stage(("",) * 52), np.random.default_rng(2))
    searched: list[None] = []

    def find(*_: object) -> FoundBoard:
        searched.append(None)
        return FoundBoard(turned(look.camera, len(searched)), look.profile, 0.3)

    watcher = Watcher(plastic_sets(), ("",) * 52, "gr", finder=find)
    for index in range(4 * FPS):
        watcher.see(Frame(index, index / FPS, image))
    assert watcher.outlines is not None
    assert len(searched) == 2
