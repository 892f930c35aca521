"""The game thread: files are read completely, live sources are monitored and reopened."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scripted import Player, Script, Still
from waiting import until

from focus_companion.game.rules import Rules
from focus_companion.session import requests as ask
from focus_companion.session import runner as runner_module
from focus_companion.session.events import Event, GameBegan
from focus_companion.session.runner import Runner
from focus_companion.session.session import Session
from focus_companion.vision.capture import frames as capture
from focus_companion.vision.capture.frames import FrameError
from focus_companion.vision.capture.live import Live

RULES = Rules.make(2)


class Source(capture.Source):
    """Frames, followed by the effect of ``end``."""

    def __init__(
        self, frames: int, *, live: bool = False, end: Callable[[], Any] | None = None, pace: float = 0.0
    ) -> None:
        super().__init__("test camera")
        self.frames, self.live, self.end, self.pace = frames, live, end, pace
        self.closed = self._closed

    def __iter__(self) -> Iterator[Any]:
        for index in range(self.frames):
            if self.closed.wait(self.pace):
                return
            yield Still(index)
        if self.end:
            self.end()


def fail(text: str = "the camera is unplugged") -> Callable[[], Any]:
    def end() -> None:
        raise OSError(text)

    return end


@pytest.fixture
def run() -> Iterator[Callable[..., tuple[Runner, Session, list[Event]]]]:
    running: list[Runner] = []

    def start(*sources: Any, sight: Any = None, **more: Any) -> tuple[Runner, Session, list[Event]]:
        session = Session(RULES, {}, None, sight or Player(RULES))
        waiting = iter(sources)
        heard: list[Event] = []

        def opened() -> Any:
            source = next(waiting)
            if isinstance(source, Exception):
                raise source
            return source

        runner = Runner(session, opened, on_event=heard.append, back_off=(0.01, 0.02), **more)
        running.append(runner)
        runner.start()
        return runner, session, heard

    yield start
    for runner in running:
        runner.stop()
        assert runner.wait(60)


def types(events: list[Event]) -> list[str]:
    return [event.type for event in events]


def test_every_frame_of_a_file_is_pushed(run: Any) -> None:
    sight = Script({})
    runner, session, _ = run(Source(57), sight=sight)
    until(lambda: runner.ended)
    assert sight.pushed == 57 and runner.failure is None
    # Requests still work after the end.
    assert session.submit(ask.Pause()).result(timeout=60) is None


def test_a_source_is_told_how_many_pictures_are_enough(run: Any) -> None:
    sight, source = Script({}), Source(100_000, live=True, pace=0.002)
    run(source, sight=sight, apart=0.1)
    until(lambda: source.min_interval == 0.1)
    sight.at_rest = True
    until(lambda: source.min_interval > 0.1)
    sight.at_rest = False
    until(lambda: source.min_interval == 0.1)


@pytest.mark.slow
def test_slow_looks_miss_no_still_board(run: Any) -> None:
    """A turn is made every 0.6 s and a look takes 2 s; nevertheless, every turn is seen."""

    class Camera:
        reads = 0

        def read(self) -> tuple[bool, Any]:
            time.sleep(0.02)
            self.reads += 1
            return True, np.full((4, 4, 3), self.reads // 30, np.uint8)

        def release(self) -> None:
            pass

    turns: list[int] = []

    class Slow(Script):
        def push(self, frame: Any, history: Any, asked: Any = None) -> Any:
            if len(turns) == 3:
                time.sleep(2.0)
            turns.append(int(frame.image[0, 0, 0]))
            return ()

    run(Live("camera", Camera()), sight=Slow({}))
    until(lambda: turns and turns[-1] >= 6, seconds=60)
    assert turns == sorted(turns)
    # At least twice, so that it counts as still.
    assert all(turns.count(turn) >= 2 for turn in range(1, 6)), turns


def test_a_simulated_board_waits_for_its_reader(run: Any) -> None:
    """However slow the machine, the demo plays no turn that nobody sees."""
    seen: list[int] = []

    class Slow(Script):
        def push(self, frame: Any, history: Any, asked: Any = None) -> Any:
            seen.append(frame.index)
            time.sleep(0.01)
            return ()

    source = Source(60, live=True, end=lambda: time.sleep(5))
    source.on_demand = True
    run(source, sight=Slow({}))
    until(lambda: seen and seen[-1] == 59)
    assert seen == list(range(60))


@pytest.mark.parametrize("end", [fail(), None], ids=["error", "just ends"])
def test_a_lost_camera_is_reported_once_and_reopened(run: Any, end: Any) -> None:
    gone = OSError("no such device")
    _, session, heard = run(
        Source(3, live=True, end=end, pace=0.01), gone, gone, Source(30, live=True, pace=0.01, end=fail()),
        Source(1000, live=True, pace=0.01),
    )  # fmt: skip
    until(lambda: types(heard).count("found") == 2)
    assert [t for t in types(heard) if t in ("lost", "found")] == ["lost", "found", "lost", "found"]
    assert {e.what for e in heard if e.type in ("lost", "found")} == {"camera"}
    times = [event.time for event in heard]
    assert times == sorted(times)
    assert session.state()["camera"] == "ok"


def test_a_silent_camera_counts_as_lost(run: Any) -> None:
    hang = threading.Event()
    _, _, heard = run(
        Source(3, live=True, pace=0.01, end=lambda: hang.wait(120)),
        OSError("busy"),
        Source(500, live=True, pace=0.01),
        silence=0.2,
    )
    until(lambda: "lost" in types(heard))
    until(lambda: "found" in types(heard))
    hang.set()


class Shown(Source):
    """Always the same picture or, with ``noise``, always a different one."""

    def __init__(self, *, noise: bool = False, shade: int = 0, **more: Any) -> None:
        super().__init__(100_000, live=True, pace=0.005, **more)
        self.noise, self.shade = noise, shade
        self.frozen_after = 0.2

    def __iter__(self) -> Iterator[Any]:
        for still in super().__iter__():
            image = np.full((8, 8, 3), self.shade, np.uint8)
            image[0, 0] = still.index % 251 if self.noise else 0
            yield Still(still.index, image=image)


def test_a_frozen_camera_is_reported_reopened_and_found_with_another_picture(run: Any) -> None:
    frozen = [Shown() for _ in range(3)]
    _, session, heard = run(*frozen, Shown(noise=True, shade=3))
    until(lambda: "lost" in types(heard))
    assert session.camera in ("frozen", "ok")
    until(lambda: "found" in types(heard))
    told = [event for event in heard if event.type in ("lost", "found")]
    assert [(event.type, event.what) for event in told] == [("lost", "camera"), ("found", "camera")]
    assert told[0].why == "frozen"
    # Reopened with the picture in which it was frozen: not reported as found.
    assert all(source.closed.is_set() for source in frozen)
    assert session.state()["camera"] == "ok" and session.state()["camera_why"] is None


def test_a_picture_that_came_twice_is_not_frozen_because_one_look_took_long(run: Any) -> None:
    class Slow(Script):
        def push(self, frame: Any, history: Any, asked: Any = None) -> Any:
            time.sleep(0.4 if self.pushed == 2 else 0.0)
            return super().push(frame, history, asked)

    class Twice(Source):
        frozen_after = 0.25

        def __iter__(self) -> Iterator[Any]:
            for still in super().__iter__():
                # Each picture comes twice, a tenth of a second apart.
                yield Still(still.index, image=np.full((8, 8, 3), still.index // 2 % 251, np.uint8))

    sight = Slow({})
    cameras = [Twice(100_000, live=True, pace=0.002) for _ in range(2)]
    _, _, heard = run(*cameras, sight=sight)
    until(lambda: sight.pushed > 200)
    assert "lost" not in types(heard)


def test_a_camera_whose_pictures_differ_in_one_pixel_is_not_frozen(run: Any) -> None:
    source = Shown(noise=True)
    _, session, heard = run(source)
    time.sleep(0.6)
    assert "lost" not in types(heard) and session.camera == "ok"


def test_a_file_may_stand_still(run: Any) -> None:
    source = Shown()
    source.live, source.frames = False, 100
    runner, _, heard = run(source)
    until(lambda: runner.ended)
    assert "lost" not in types(heard)


class Sleeping(runner_module.SleepMeter):
    def __init__(self) -> None:
        self.seconds = 0.0

    def slept(self) -> float:
        seconds, self.seconds = self.seconds, 0.0
        return seconds


def test_after_a_sleep_the_camera_is_reopened_at_once(run: Any) -> None:
    awake = Sleeping()
    first, second = Source(5000, live=True, pace=0.005), Source(5000, live=True, pace=0.005)
    _, session, heard = run(first, second, sleep_meter=awake)
    until(lambda: "move" in types(heard))
    before = session.state()["ply"]
    awake.seconds = 3600.0
    until(lambda: "found" in types(heard))
    (lost,) = [event for event in heard if event.type == "lost"]
    assert lost.why == "asleep" and first.closed.is_set()
    # The players' clocks are not charged: the stream's time continues where it stopped.
    until(lambda: session.state()["ply"] > before)
    assert heard[-1].time < 60


def test_sleep_is_measured_by_the_clock_that_includes_it() -> None:
    always, awake = [100.0], [50.0]
    watch = runner_module.SleepMeter(lambda: always[0], lambda: awake[0])
    always[0] += 5
    awake[0] += 5
    assert watch.slept() == 0
    always[0] += 3605
    awake[0] += 5
    assert watch.slept() == 3600
    assert watch.slept() == 0
    assert abs(runner_module.SleepMeter().slept()) < 1


WHY = [
    (FrameError("no camera", "unplugged"), "unplugged", "lost"),
    (FrameError("no answer", "unreachable"), "unreachable", "lost"),
    (OSError("odd"), "unplugged", "lost"),
]


@pytest.mark.parametrize(("error", "why", "camera"), WHY, ids=[why for _, why, _ in WHY[:2]] + ["any error"])
def test_why_there_is_no_picture(run: Any, error: Exception, why: str, camera: str) -> None:
    _, session, heard = run(*[error] * 500)
    until(lambda: "lost" in types(heard))
    assert next(event for event in heard if event.type == "lost").to_json()["why"] == why
    assert session.state()["camera"] == camera and session.state()["camera_why"] == why


def test_requests_are_taken_while_the_camera_is_gone(run: Any) -> None:
    errors = [OSError("no such device")] * 500
    _, session, heard = run(*errors)
    until(lambda: "lost" in types(heard))
    assert session.submit(ask.AgreeDraw()).result(timeout=60) is None
    assert session.state()["camera"] == "lost"


def test_a_source_is_reopened_on_request(run: Any) -> None:
    sources = [Source(2000, live=True, pace=0.005) for _ in range(3)]
    runner, session, heard = run(
        *sources, must_reopen=lambda emitted: any(isinstance(event, GameBegan) for event in emitted)
    )
    until(lambda: "move" in types(heard))
    session.submit(ask.NewGame())
    until(lambda: sources[0].closed.is_set() and runner.reopened == 2)
    assert "lost" not in types(heard)


@pytest.mark.parametrize(
    "end", [fail("damaged file"), lambda: 1 / 0], ids=["damaged file", "an error of the program"]
)
def test_a_failing_file_or_program_ends_the_thread_and_says_why(run: Any, end: Any, caplog: Any) -> None:
    caplog.set_level("DEBUG")
    runner, _, _ = run(Source(3, end=end))
    assert runner.wait(60)
    assert isinstance(runner.failure, OSError | ZeroDivisionError)
    assert "stopped" in caplog.text


def test_a_hanging_loop_does_not_feed_the_watchdog(run: Any) -> None:
    """The loop itself feeds the watchdog: with frames, without a camera, but never while it hangs."""
    hang, turns = threading.Event(), [0]

    def turned() -> None:
        turns[0] += 1

    class Hanging(Script):
        def push(self, frame: Any, history: Any, asked: Any = None) -> Any:
            if frame.index == 20:
                hang.wait(120)
            return ()

    run(*[OSError("busy")] * 3, Source(5000, live=True, pace=0.005), sight=Hanging({}), on_iteration=turned)
    until(lambda: turns[0] > 10)
    time.sleep(0.5)
    stood = turns[0]
    time.sleep(0.5)
    assert turns[0] == stood
    hang.set()
    until(lambda: turns[0] > stood)


@pytest.mark.parametrize(("live", "given"), [(True, 3), (False, 6)], ids=["camera", "file"])
def test_pictures_of_a_camera_are_not_read_ahead(run: Any, live: bool, given: int) -> None:
    """While one is judged, the next is ready and another is held; any more would be old when judged."""
    judged = threading.Event()

    class Counting(Source):
        given = 0

        def __iter__(self) -> Iterator[Any]:
            for still in super().__iter__():
                self.given += 1
                yield still

    class Hanging(Script):
        def push(self, frame: Any, history: Any, asked: Any = None) -> Any:
            judged.wait(60)
            return super().push(frame, history, asked)

    source = Counting(100, live=live)
    run(source, sight=Hanging({}))
    until(lambda: source.given >= given, seconds=10)
    time.sleep(0.1)
    assert source.given == given
    judged.set()


@pytest.mark.parametrize("waiting", ["for its next frame", "until its frames are taken"])
def test_a_stopped_source_is_released_whatever_it_waits_for(run: Any, waiting: str) -> None:
    """Otherwise the camera could not be opened again."""

    class Held(Source):
        released = False

        def __exit__(self, *_: Any) -> None:
            self.released = True

    class Slow(Script):
        def push(self, frame: Any, history: Any, asked: Any = None) -> Any:
            time.sleep(0.02)
            return super().push(frame, history, asked)

    sight = Slow({})
    source = Held(3 if waiting == "for its next frame" else 100_000, live=True)
    source.end = lambda: source.closed.wait(60)
    runner, _, _ = run(source, sight=sight)
    until(lambda: sight.pushed >= 3)
    runner.stop()
    until(lambda: source.released, seconds=10)


def test_stop_is_quick_while_a_camera_hangs(run: Any) -> None:
    hang = threading.Event()
    runner, _, heard = run(Source(3, live=True, pace=0.01, end=lambda: hang.wait(120)))
    until(lambda: "move" in types(heard))
    began = time.monotonic()
    runner.stop()
    assert runner.wait(0) and time.monotonic() - began < 60
    hang.set()
