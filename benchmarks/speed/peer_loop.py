"""Compares our processor time and latency with those of a webcam chess program's own loop, on the same
frames.

    git clone https://github.com/karayaman/Play-online-chess-with-real-chess-board PEER
    git -C PEER checkout ddd73c7
    pip install chess scikit-image "opencv-python-headless<5"
    python -m benchmarks.speed.peer_loop dev-2p-overhead.mp4 TRUTH.json PEER

That program is fetched for the measurement and is not part of this one. Its ``main.py`` runs unchanged in a
thread; only the modules that need a microphone, a browser or the network are replaced, and its camera hands
it the frames of the recording, one after the other, in turn with ours. It gets the true corners of the board.
The commit is the last one without neural networks, whose weights are large; OpenCV 5 lacks the descriptor
that it uses.

It knows chess, not Focus: it sees that something was moved, and searches for a chess move that explains it.
The time that this takes is reported separately, as a move that is not found takes longer than one that is.
Its latency is that of the end of this search, whether or not a move was found.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pickle
import runpy
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from types import ModuleType, SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from benchmarks import history
from benchmarks.accuracy.contest import Ours
from benchmarks.accuracy.life import rules_of
from benchmarks.accuracy.scoring import Json
from benchmarks.quantiles import quantile
from focus_companion.game.setups import start_stacks
from focus_companion.vision.capture.frames import Frame, Image
from focus_companion.vision.capture.sources import open_source
from focus_companion.vision.detection.find_board import find_board
from focus_companion.vision.geometry.board_profiles import plastic_sets
from focus_companion.vision.geometry.scene import BoardProfile, Camera

_WHOLE_BOARD: Final = np.full((480, 480), 255, np.uint8)
"""Mask of the pixels of its rectified picture that the other program uses."""
_FRAME_TIMEOUT: Final = 60.0
"""Seconds after which the other program counts as stuck."""


class _Over(BaseException):
    """Ends the other program's thread; not an ``Exception``, so that it does not catch it."""


@dataclass
class Costs:
    """Processor time in seconds and, in seconds of the recording, latencies."""

    frames: list[float] = field(default_factory=list)
    recognizing: list[float] = field(default_factory=list)
    told: list[float] = field(default_factory=list)
    """Times in the recording at which a recognition ended, or a turn or alert was reported."""

    def figures(self, name: str, settled: Sequence[float], frames: int) -> dict[str, str]:
        """Printable figures of processor time and latency; ``settled``: the times at which the picture of an
        act was settled; ``frames``: the number of frames that both received.
        """
        latencies = []
        for at, following in zip(settled, [*settled[1:], float("inf")], strict=True):
            after = [told for told in self.told if at <= told < following]
            if after:
                latencies.append(after[0] - at)
        recognizing = sum(self.recognizing)
        mean = (sum(self.frames) + recognizing) / frames
        return {
            f"{name}, a frame, median": f"{quantile(self.frames, 0.5) * 1e3:.2f} ms",
            f"{name}, a frame with recognition, mean": f"{mean * 1e3:.2f} ms",
            f"{name}, recognition for an act": f"{recognizing / max(1, len(latencies)) * 1e3:.0f} ms",
            f"{name}, acts answered before the next": f"{len(latencies)} of {len(settled)}",
            f"{name}, latency": f"{quantile(latencies, 0.5):.2f} s, p95 {quantile(latencies, 0.95):.2f} s",
        }


class PeerLoop:
    """The other program, running in a thread that waits for frames."""

    def __init__(self, folder: Path, corners: dict[int, dict[int, list[float]]]) -> None:
        """``corners``: see :func:`_corners_of`."""
        self.costs = Costs()
        self._now = 0.0
        self._frames: Queue[Image | None] = Queue(maxsize=1)
        self._waits = threading.Event()
        self._began = 0.0
        self._recognizing = 0.0
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(folder, corners), daemon=True)
        self._thread.start()
        self._wait()

    def see(self, frame: Frame) -> None:
        """Process one frame completely."""
        self._now = frame.time
        self._waits.clear()
        self._frames.put(frame.image)
        self._wait()

    def close(self) -> None:
        self._frames.put(None)
        self._thread.join(_FRAME_TIMEOUT)

    def _wait(self) -> None:
        if not self._waits.wait(_FRAME_TIMEOUT):
            sys.exit("the other program asks for no more frames")
        if self._error is not None:
            raise self._error

    def next_frame(self) -> Image:
        """Called by the other program; the time until its next call is what this frame costs."""
        if self._began:
            self.costs.frames.append(time.thread_time() - self._began - self._recognizing)
            if self._recognizing:
                self.costs.recognizing.append(self._recognizing)
        self._waits.set()
        image = self._frames.get()
        if image is None:
            raise _Over
        self._began, self._recognizing = time.thread_time(), 0.0
        return image

    def timed(self, step: Callable[..., bool]) -> Callable[..., bool]:
        """A step of the other program's recognition, which then adds to its time."""

        def measured(*given: Any) -> bool:
            began = time.thread_time()
            try:
                return step(*given)
            finally:
                self._recognizing += time.thread_time() - began
                self.costs.told.append(self._now)

        return measured

    def _run(self, folder: Path, corners: dict[int, dict[int, list[float]]]) -> None:
        try:
            with _replaced_modules(self, folder, corners):
                runpy.run_path(str(folder / "main.py"), run_name="__main__")
        except _Over:
            pass
        except BaseException as error:
            # Raised again in the thread that hands out the frames.
            self._error = error
        self._waits.set()


@contextmanager
def _replaced_modules(
    loop: PeerLoop, folder: Path, corners: dict[int, dict[int, list[float]]]
) -> Iterator[None]:
    """Run in a folder of its own with its calibration, its modules, and replacements of some of them."""

    class Silent:
        def start(self) -> None: ...

        def put_text(self, text: str) -> None: ...

    class Capture(Silent):
        def get_frame(self) -> Image:
            return loop.next_frame()

    class Commentator(Silent):
        def __init__(self) -> None:
            self.game_state = SimpleNamespace(variant="standard", resign_or_draw=False, registered_moves=[])

    class Opponent:
        we_play_white, is_our_turn, position = True, False, None

        def __init__(self, *_: Any) -> None: ...

    replaced: dict[str, dict[str, type]] = {
        "speech": {"Speech_thread": Silent},
        "videocapture": {"Video_capture_thread": Capture},
        "internet_game": {"Internet_game": Opponent},
        "lichess_game": {"Lichess_game": Opponent},
        "commentator": {"Commentator_thread": Commentator},
        "lichess_commentator": {"Lichess_commentator": Commentator},
    }
    modules: dict[str, ModuleType] = {}
    for name, content in replaced.items():
        modules[name] = ModuleType(name)
        vars(modules[name]).update(content)
    here, path, arguments, printed = Path.cwd(), sys.path, sys.argv, sys.stdout
    with (
        tempfile.TemporaryDirectory() as own,
        Path(os.devnull).open("w") as nothing,
        patch.dict(sys.modules, modules),
    ):
        os.chdir(own)
        Path("constants.bin").write_bytes(pickle.dumps((corners, (1, 0), 0, _WHOLE_BOARD)))
        sys.path, sys.argv, sys.stdout = [str(folder), *path], ["main.py"], nothing
        try:
            game: Any = importlib.import_module("game")
            for step in ("is_light_change", "register_move"):
                setattr(game.Game, step, loop.timed(getattr(game.Game, step)))
            yield
        finally:
            os.chdir(here)
            sys.path, sys.argv, sys.stdout = path, arguments, printed


def _corners_of(camera: Camera, profile: BoardProfile) -> dict[int, dict[int, list[float]]]:
    """The corners of the board in pixels, by row and column of the lines between its squares, as the other
    program's calibration stores them: of its 81 crossings it uses these four.
    """
    bottom_left, bottom_right, top_right, top_left = camera.project(profile.corners).tolist()
    return {0: {0: top_left, 8: bottom_left}, 8: {0: top_right, 8: bottom_right}}


def compare(video: Path, truth: Json, folder: Path) -> dict[str, str]:
    """Give both programs every frame of a recording, ours first."""
    rules = rules_of(truth)
    settled = [frame["t"] for frame in truth["frames"] if frame["kind"] == "settled"][1:]
    costs, looks = Costs(), 0

    def count(*_: Any) -> None:
        nonlocal looks
        looks += 1

    ours = Ours(rules, on_decision=count)
    peer: PeerLoop | None = None
    with open_source(str(video)) as frames:
        for frame in frames:
            before, began = looks, time.thread_time()
            events = ours.see(frame)
            spent = time.thread_time() - began
            if peer is None:
                # Neither pays for finding the board.
                found = find_board(frame.image, plastic_sets(), start_stacks(rules))
                if found is None:
                    sys.exit(
                        "the board is not found in the first picture: the other program needs its corners"
                    )
                peer = PeerLoop(folder, _corners_of(found.camera, found.profile))
            elif looks == 0:
                pass  # it still searches for the board
            elif looks > before:
                costs.recognizing.append(spent)
            else:
                costs.frames.append(spent)
            costs.told += [frame.time] if events else []
            peer.see(frame)
    assert peer is not None
    peer.close()
    number = frame.index + 1
    return costs.figures("ours", settled, number) | peer.costs.figures("the other program", settled, number)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("video", type=Path)
    parser.add_argument("truth", type=Path)
    parser.add_argument("peer", type=Path, help="folder with a copy of the other program")
    given = parser.parse_args()
    figures = compare(given.video, json.loads(given.truth.read_text()), given.peer.resolve())
    for measure, value in figures.items():
        print(f"{measure}: {value}")
    history.append("speed.peer_loop", given.video.stem, figures)


if __name__ == "__main__":
    main()
