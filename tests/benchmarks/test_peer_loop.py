"""The figures of the comparison with another program's loop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.speed.peer_loop import Costs, PeerLoop
from focus_companion.vision.capture.frames import Frame

LOOP = """
from game import Game
from speech import Speech_thread
from videocapture import Video_capture_thread

camera, game = Video_capture_thread(), Game()
Speech_thread().start()
while True:
    frame = camera.get_frame()
    if frame.mean() > 100:
        game.is_light_change(frame)
        game.register_move(frame)
"""
GAME = """
class Game:
    def is_light_change(self, frame): return False
    def register_move(self, frame): return sum(range(200_000)) > 0
"""
CORNERS = {0: {0: [0.0, 0.0], 8: [0.0, 9.0]}, 8: {0: [9.0, 0.0], 8: [9.0, 9.0]}}


def test_an_act_counts_as_answered_only_before_the_next_one() -> None:
    costs = Costs([0.001] * 9, [0.02], told=[1.5, 4.25])
    figures = costs.figures("ours", [1.0, 2.0, 4.0], 10)
    assert figures["ours, acts answered before the next"] == "2 of 3"
    assert figures["ours, latency"].startswith("0.38 s")
    assert figures["ours, a frame with recognition, mean"] == "2.90 ms"


def test_another_program_runs_frame_by_frame_and_its_recognition_is_timed(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(LOOP)
    (tmp_path / "game.py").write_text(GAME)
    here = Path.cwd()
    loop = PeerLoop(tmp_path, CORNERS)
    for index, grey in enumerate((50, 200, 50)):
        loop.see(Frame(index, index / 10, np.full((48, 64, 3), grey, np.uint8)))
    loop.close()
    assert Path.cwd() == here
    assert len(loop.costs.frames) == 3 and len(loop.costs.recognizing) == 1
    assert loop.costs.told == pytest.approx([0.1, 0.1])
    assert loop.costs.recognizing[0] > max(loop.costs.frames)
