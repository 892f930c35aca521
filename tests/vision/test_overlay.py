"""The reading drawn over the picture: every height is visible, and drawing retains no memory."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from focus_companion.game.squares import SQUARES
from focus_companion.simulator.scene_style import pleasant_look
from focus_companion.vision.geometry.stack_masks import Outlines
from focus_companion.vision.overlay import draw_reading

LOOK = pleasant_look(640, 480)
GREY = np.full((480, 640, 3), 120, np.uint8)
THREADS = 40


@pytest.fixture(scope="module")
def outlines() -> Outlines:
    return Outlines(LOOK.camera, LOOK.profile)


def drawn(outlines: Outlines, stacks: dict[str, str]) -> np.ndarray:
    return draw_reading(GREY, outlines, [stacks.get(name, "") for name in SQUARES])


def resident() -> int:
    """Resident memory of this process in bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_every_height_has_a_distinct_number(outlines: Outlines) -> None:
    shapes = []
    for height in range(1, 11):
        # Only the outline of a number is black in all channels.
        rows, columns = np.nonzero(drawn(outlines, {"d4": "r" * height}).max(2) < 6)
        assert bool(len(rows)) == (height > 1)
        shapes.append({(int(y - rows[0]), int(x - columns[0])) for y, x in zip(rows, columns, strict=True)})
    for n, shape in enumerate(shapes):
        assert all(len(shape ^ other) > 3 for other in shapes[:n])


def test_the_picture_itself_is_not_changed(outlines: Outlines) -> None:
    before = GREY.copy()
    assert not np.array_equal(drawn(outlines, {"e5": "rg"}), before)
    assert np.array_equal(GREY, before)


@pytest.mark.parametrize("name", ["a3", "d4", "f8"])
def test_only_wrong_squares_are_ringed(outlines: Outlines, name: str) -> None:
    stacks = ["r"] * len(SQUARES)
    square = SQUARES.index(name)
    plain = draw_reading(GREY, outlines, stacks)
    ringed = draw_reading(GREY, outlines, stacks, (square,))
    changed = np.argwhere((plain != ringed).any(2))[:, ::-1]
    middle = outlines.camera.project(np.array([(*outlines.profile.centres[square], 0.0)]))[0]
    assert len(changed) > 100
    assert np.abs(changed - middle).max() < 0.9 * outlines.pitch


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is asked of Linux")
def test_threads_that_have_drawn_keep_no_memory(outlines: Outlines) -> None:
    # All of the server's many threads draw sooner or later, and OpenCV's text would retain 6 MB for each.
    over, drew = threading.Event(), threading.Semaphore(0)

    def draw() -> None:
        drawn(outlines, {"d4": "rgrg", "e5": "gg"})
        drew.release()
        over.wait()

    draw_once = threading.Thread(target=draw, daemon=True)
    draw_once.start()
    drew.acquire()
    before = resident()
    threads = [threading.Thread(target=draw, daemon=True) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
        drew.acquire()
    grown = resident() - before
    over.set()
    for thread in [*threads, draw_once]:
        thread.join()
    assert grown < THREADS * 1.5e6
