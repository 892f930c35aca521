"""A confirmed picture is the reference from then on."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_board import PROFILE, draw, look, start_stacks

from focus_companion.game.squares import INDEX
from focus_companion.vision.capture.frames import Frame, Image
from focus_companion.vision.detection.find_board import FoundBoard
from focus_companion.vision.tracking.look import Look
from focus_companion.vision.tracking.watcher import Watcher
from focus_companion.vision.tracking.watching import Watching

POSE = look(25.0, 0.0, 700.0, (640, 480), 60.0)
START = start_stacks()
FROM, TO = INDEX["d4"], INDEX["d5"]
CORNERS = [(240, 90), (520, 160), (470, 420), (190, 330)]
"""Of a patch of sun or a shadow in the picture."""
FPS = 10


def after_turn(*turns: tuple[int, int]) -> tuple[str, ...]:
    """The stacks after the top pieces have been moved between these squares."""
    stacks = list(START)
    for origin, target in turns:
        stacks[target] += stacks[origin][-1]
        stacks[origin] = stacks[origin][:-1]
    return tuple(stacks)


class Table:
    """A watched board; ``compared`` counts the comparisons with the reference."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.watcher = Watcher([PROFILE], START, "gr", finder=lambda *_: FoundBoard(POSE, PROFILE, 1.0))
        self.frames, self.compared = 0, 0
        compare = Watching._compare

        def counted(watching: Watching, *picture: object) -> Watching | None:
            self.compared += 1
            return compare(watching, *picture)  # type: ignore[arg-type]

        monkeypatch.setattr(Watching, "_compare", counted)

    def show(self, stacks: tuple[str, ...], hand: bool = False, patch: float = 1.0) -> Look | None:
        """The last look while this position is shown for a second, with a ``patch`` in so many times the
        light.
        """
        image: Image = draw(POSE, stacks, np.random.default_rng(self.frames), noise=2.0)
        if hand:
            image[:, 200:400] = (90, 120, 200)
        inside = cv2.fillConvexPoly(np.zeros(image.shape[:2]), np.array(CORNERS), 1.0)
        image = np.clip(image * (1 + (patch - 1) * inside[..., None]) ** (1 / 2.2), 0, 255).astype(np.uint8)
        for _ in range(FPS):
            seen = self.watcher.see(Frame(self.frames, self.frames / FPS, image))
            self.frames += 1
        return seen


def test_a_confirmed_picture_is_not_compared_with_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(monkeypatch)
    table.show(START)
    table.watcher.confirm(START)
    moved = after_turn((FROM, TO))
    turn = table.show(moved)
    assert turn is not None and turn.change is not None
    assert {FROM, TO} == {s for s in range(52) if turn.touched[s] > 0.5}
    compared = table.compared
    table.watcher.confirm(moved)
    again = table.show(moved)
    assert again is not None and again.number != turn.number and again.evidence.standing == moved
    assert not again.touched.any() and again.deviations.max() == 0.0
    assert table.compared == compared


def test_after_a_confirmed_picture_the_next_turn_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(monkeypatch)
    table.show(START)
    table.watcher.confirm(START)
    for turns in ([(FROM, TO)], [(FROM, TO), (INDEX["e4"], INDEX["e5"])]):
        stacks = after_turn(*turns)
        table.show(stacks, hand=True)
        seen = table.show(stacks)
        assert seen is not None
        assert {*turns[-1]} == {s for s in range(52) if seen.touched[s] > 0.5}
        table.watcher.confirm(stacks)


def test_what_is_doubtful_or_not_shown_is_compared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = after_turn((FROM, TO))
    for doubtful, shown in (((TO,), True), ((), False)):
        table = Table(monkeypatch)
        table.show(START)
        table.watcher.confirm(START)
        table.show(moved)
        table.watcher.confirm(moved, doubtful, shown=shown)
        compared = table.compared
        table.show(moved)
        assert table.compared > compared


def test_squares_whose_position_changed_without_a_new_reference_count_as_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A turn was taken back and made again: the board looks as it did before."""
    table, moved = Table(monkeypatch), after_turn((FROM, TO))
    table.show(moved)
    table.watcher.confirm(moved)
    table.show(moved)
    table.watcher.confirm(START, shown=False)
    seen = table.show(moved)
    assert seen is not None and seen.evidence.standing == START
    assert {*seen.unsettled} == {FROM, TO} == {s for s in range(52) if seen.touched[s] > 0.5}
    table.watcher.confirm(moved)
    again = table.show(moved)
    assert again is not None and not again.unsettled and not again.touched.any()


@pytest.mark.parametrize("patch", [0.5, 0.65, 1.4], ids=["dark", "shadow", "sun"])
def test_a_turn_is_seen_while_a_patch_of_sun_or_a_shadow_with_hard_edges_comes(
    monkeypatch: pytest.MonkeyPatch, patch: float
) -> None:
    table, moved = Table(monkeypatch), after_turn((FROM, TO))
    table.show(START)
    table.watcher.confirm(START)
    table.show(moved, hand=True, patch=patch)
    seen = table.show(moved, patch=patch)
    assert seen is not None
    assert {FROM, TO} == {s for s in range(52) if seen.touched[s] > 0.2}
    assert seen.foreign_area((FROM, TO), {}) == 0.0
    # It is gone again.
    table.watcher.confirm(moved)
    again = table.show(moved)
    assert again is not None and not (again.touched > 0.1).any()
