"""Pictures in which no part ever rests are noticed; players who reach over the board all the time are not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from focus_companion.vision.tracking.unrest import Unrest

SHAPE = 60, 80
INTERVAL = 1 / 15

Mask = NDArray[np.bool_]


def blades(time: float) -> Mask:
    """What changes as the shadows of four blades go round once a second."""
    rows, columns = np.mgrid[: SHAPE[0], : SHAPE[1]]
    angle = np.arctan2(rows - 10, columns + 15) - 2 * np.pi * time
    return np.asarray(np.abs(np.sin(2 * angle)) < 0.2)


def arms(time: float) -> Mask:
    """What changes as two players reach over most of the board without a pause."""
    changed, reach = np.zeros(SHAPE, np.bool_), round(25 + 20 * np.sin(9 * time))
    changed[20:35, :reach] = changed[30:45, -reach:] = True
    return changed


def lasts(
    changes: Callable[[float], Mask | None], seconds: float, unrest: Unrest, begin: float = 0.0
) -> bool:
    for number in range(round(seconds / INTERVAL)):
        time = begin + number * INTERVAL
        unrest.update(time, changes(time), still=False)
    return unrest.lasts


def test_light_that_flickers_everywhere_is_noticed_within_twelve_seconds() -> None:
    unrest = Unrest()
    assert not lasts(blades, 8, unrest)
    assert lasts(blades, 4, unrest, begin=8)


@pytest.mark.parametrize("changes", [arms, lambda _: None], ids=["arms", "nothing"])
def test_a_picture_of_which_a_part_rests_is_not_unsteady(changes: Callable[[float], Mask | None]) -> None:
    assert not lasts(changes, 40, Unrest())


def test_it_counts_anew_after_each_part_has_rested() -> None:
    unrest = Unrest()
    assert not lasts(lambda time: blades(time) if time % 6 < 4.5 else None, 40, unrest)


def test_it_ends_with_the_first_still_picture() -> None:
    unrest = Unrest()
    assert lasts(blades, 15, unrest)
    assert lasts(arms, 2, unrest, begin=15)
    unrest.update(18.0, None, still=True)
    assert not unrest.lasts
    assert not lasts(blades, 8, unrest, begin=18.1)


def test_light_that_leaves_every_part_at_rest_for_moments_is_noticed_within_a_minute() -> None:
    """The shadows of slow blades, of which one passes everywhere every two seconds."""

    def slow(time: float) -> Mask:
        return np.repeat(np.arange(SHAPE[1])[None] == round(time * 40) % SHAPE[1], SHAPE[0], axis=0)

    unrest = Unrest()
    assert not lasts(slow, 50, unrest)
    assert lasts(slow, 12, unrest, begin=50)
    unrest.update(62.0, None, still=True)
    assert not lasts(slow, 50, unrest, begin=62.1)
