"""The queue for a busy reader is bounded and in order, and omits no period in which the board is still."""

from __future__ import annotations

from itertools import pairwise

import pytest

from focus_companion.vision.capture import backlog as module
from focus_companion.vision.capture.backlog import MAX_GAP, MAX_LAG, MIN_KEPT, Backlog, QueuedPicture


def camera(fps: float, seconds: float, size: int = 1) -> list[QueuedPicture]:
    return [QueuedPicture(index, index / fps, None, size) for index in range(round(fps * seconds))]


def times(backlog: Backlog) -> list[float]:
    return [backlog.take().time for _ in range(len(backlog))]


def test_a_fast_reader_gets_every_picture() -> None:
    backlog = Backlog()
    for picture in camera(30, 10):
        backlog.add(picture)
        assert backlog.take() is picture and not len(backlog)


def test_a_slightly_late_reader_gets_every_picture() -> None:
    backlog = Backlog()
    pictures = camera(30, 1)[:MIN_KEPT]
    for picture in pictures:
        backlog.add(picture)
    assert [backlog.take() for _ in pictures] == pictures


@pytest.mark.parametrize("fps", [5.0, 10.0, 15.0, 30.0, 60.0])
def test_a_reader_busy_for_ten_seconds_misses_no_still_board(fps: float) -> None:
    backlog = Backlog()
    pictures = camera(fps, 10.0)
    for picture in pictures:
        backlog.add(picture)
    kept = times(backlog)
    assert kept == sorted(kept) and kept[0] == 0.0 and kept[-1] == pictures[-1].time
    assert max(b - a for a, b in pairwise(kept)) <= MAX_GAP + 1e-9
    # Far fewer pictures than arrived, so that the reader can catch up.
    assert len(kept) < 10.0 / (MAX_GAP / 2) + MIN_KEPT


def test_rare_pictures_are_all_kept() -> None:
    backlog = Backlog()
    for picture in camera(2.0, 15.0):
        backlog.add(picture)
    assert len(backlog) == 30


def test_the_lag_of_a_slow_reader_is_bounded() -> None:
    backlog = Backlog()
    taken: list[float] = []
    for picture in camera(10, 120.0):
        backlog.add(picture)
        if picture.index % 10 == 0:
            taken.append(backlog.take().time)
            assert picture.time - taken[-1] <= MAX_LAG
    assert taken == sorted(set(taken))


def test_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 10_000)
    backlog = Backlog()
    for picture in camera(10, 30.0, size=1500):
        backlog.add(picture)
        assert sum(queued.size for queued in backlog._queue) <= 10_000
    assert times(backlog)[-1] == pytest.approx(29.9)
    backlog.add(QueuedPicture(0, 0.0, None, 20_000))
    assert len(backlog) == 1
