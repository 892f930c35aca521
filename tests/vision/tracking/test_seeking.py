"""How often a board that is not in view is looked for."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from focus_companion.vision.capture.frames import Frame
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.tracking.seeking import FIRST_RETRIES, FIRST_RETRY
from focus_companion.vision.tracking.state import RETRY
from focus_companion.vision.tracking.watcher import Watcher

FPS = 15


@pytest.mark.parametrize("again", [False, True], ids=["from the start", "when a new game begins"])
def test_a_board_that_was_not_found_is_looked_for_soon_and_later_seldom(again: bool) -> None:
    """One picture may be spoilt by its noise: the first turn is not to be made before the next attempt."""
    now, sought = [0.0], []
    watcher = Watcher(plastic_sets(), ("",) * 52, "gr", finder=lambda *_: sought.append(now[0]))
    image = np.full((120, 160, 3), 90, np.uint8)
    for index in range(8 * FPS):
        now[0] = index / FPS
        if again and index == 6 * FPS:
            sought.clear()
            watcher.place(None)
        assert watcher.see(Frame(index, now[0], image)) is None
    gaps = [later - earlier for earlier, later in pairwise(sought)]
    soon, seldom = gaps[: FIRST_RETRIES - 1], gaps[FIRST_RETRIES:]
    assert all(FIRST_RETRY <= gap < FIRST_RETRY + 2 / FPS for gap in soon) and len(soon) == FIRST_RETRIES - 1
    assert again or (seldom and all(RETRY <= gap < RETRY + 2 / FPS for gap in seldom))
