"""How often the program searches for a board that is not in view."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from focus_companion.vision.capture.frames import Frame
from focus_companion.vision.geometry.board_profiles import plastic_sets
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
