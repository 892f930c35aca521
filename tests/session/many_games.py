"""Games of the simulated board as fast as possible, each abandoned for the next; reported as JSON lines.

A separate program, so that its memory can be measured. Arguments: games, turns of each.
"""

from __future__ import annotations

import json
import os
import queue
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from focus_companion.commands.shared import memory
from focus_companion.commands.shared.play_source import Demo
from focus_companion.game.rules import Rules
from focus_companion.session.events import Event
from focus_companion.session.pipeline import Pipeline
from focus_companion.session.requests import NewGame
from focus_companion.session.runner import Runner
from focus_companion.session.session import Session
from focus_companion.simulator import demo
from focus_companion.vision.capture.frames import Frame

FPS = 4.0
"""Pictures per second of the game: the fewest that the demo allows for."""


class Hurried(demo.DemoSource):
    """The demo, whose time advances with its frames instead of the clock."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**more, seed=11)

    def __iter__(self) -> Iterator[Frame]:
        beats, index, done = self.beats(), 0, 0.0
        beat = next(beats)
        while not self._closed.is_set():
            while done >= beat.seconds:
                done -= beat.seconds
                beat = next(beats)
            stage = beat.at(done / beat.seconds)
            yield Frame(index, index / FPS, self.view.shoot(stage, self._rng, detail=0.5))
            index, done = index + 1, done + 1 / FPS


def resident() -> float:
    """Megabytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main(games: int, turns: int) -> None:
    memory.share_one_arena()
    # The simulated board as opened by play.
    demo.DemoSource = Hurried  # type: ignore[misc, assignment]
    session, source = Session(Rules.make(2), {}, None, Pipeline), Demo("demo")
    source.follow(session)
    heard: queue.Queue[Event] = queue.Queue()
    runner = Runner(session, source.open, must_reopen=source.must_reopen, on_event=heard.put)
    runner.start()
    began = 0.0
    while games:
        event = heard.get(timeout=120)
        if event.type == "ready":
            told: dict[str, float] = {"found_after": event.time - began}
        if event.type == "move" and session.history.ply >= turns:
            memory.release_free_memory()
            games -= 1
            print(json.dumps(told | {"megabytes": resident()}), flush=True)
            began = event.time
            session.submit(NewGame()).result(60)
            while heard.get(timeout=120).type != "game":
                pass
    runner.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
    os._exit(0)
