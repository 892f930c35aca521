"""A game of a hundred turns while the light board's cable is pulled, with lights and without.

Blocks of the same game with and without the driver alternate, and the simulated board runs, and is unplugged,
in both, so that other load on the machine affects both alike.
"""

from __future__ import annotations

import math
import random
import resource
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from chip_harness import expected
from plugged_board import Plugged, game, open_driver

from focus_companion.lights import Lights
from focus_companion.session.events import Event

BLOCK: Final = 10
"""Turns per block."""
FRAMES: Final = 3
"""Pictures for each event."""
PERIOD: Final = 1 / 30
TRIES: Final = 4
MAX_TELLING: Final = 0.005
"""Seconds for which an event to be shown may hold the game loop up."""
MIN_MEASURED: Final = 10
"""Minimum number of times for which that is known."""
MAX_RETURN: Final = 2.0
"""Seconds from a reconnection until the board's lights are right."""


def p99(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.99)]


@dataclass
class Arm:
    """Seconds, frame by frame: ``busy``, the processor time of this process while the game loop works, that
    is, how long the work takes with no other program running, because only one thread at a time runs Python;
    ``telling``, how long the lights hold the loop up, unless another program interrupted it. ``late``: how
    often it was late for the next frame.
    """

    busy: list[float] = field(default_factory=list)
    telling: list[float] = field(default_factory=list)
    late: int = 0


@dataclass
class Pulls:
    """``returns``: seconds from each reconnection until the board's pixels were right."""

    lit: Arm = field(default_factory=Arm)
    unlit: Arm = field(default_factory=Arm)
    returns: list[float] = field(default_factory=list)
    turns: int = 0

    @property
    def ratio(self) -> float:
        return p99(self.lit.busy) / p99(self.unlit.busy)

    @property
    def holds(self) -> bool:
        """Frame times within 10 %, the loop not held up, and right within 2 s of each reconnection."""
        return (
            self.ratio <= 1.1
            and len(self.lit.telling) >= MIN_MEASURED
            and statistics.median(self.lit.telling) < MAX_TELLING
            and max(self.returns) < MAX_RETURN
        )

    def __str__(self) -> str:
        return (
            f"{self.turns} turns, cable pulled {len(self.returns)} times: right again after "
            f"{statistics.median(self.returns):.2f} s (median), {max(self.returns):.2f} s (worst)\n"
            f"frame time p99 {p99(self.lit.busy) * 1e3:.2f} ms with lights, "
            f"{p99(self.unlit.busy) * 1e3:.2f} ms without, ratio {self.ratio:.3f}; "
            f"{len(self.lit.busy)} and {len(self.unlit.busy)} frames, "
            f"late {self.lit.late} and {self.unlit.late}\n"
            f"telling the lights {statistics.median(self.lit.telling or [math.nan]) * 1e3:.3f} ms (median of "
            f"{len(self.lit.telling)})"
        )


def pulled_game(plugged: Plugged, seed: int = 8) -> Pulls:
    """Play it. The board is plugged in before and after."""
    source = random.Random(seed)
    found = Pulls()
    block: list[tuple[Event, Mapping[str, Any]]] = []
    turns = 0
    for event, state in game(4, 100, seed=4):
        block.append((event, state))
        turns += event.type == "move"
        if event.type == "move" and turns % BLOCK == 0:
            pulled = sorted(source.sample(range(0, len(block) - 3, 4), 2))
            _play(plugged, block, pulled, found.unlit, None, source)
            with open_driver(plugged) as lights:
                assert lights.wait(60)
                found.returns += _play(plugged, block, pulled, found.lit, lights, source)
            block = []
    found.turns = turns
    return found


def _play(
    plugged: Plugged,
    block: list[tuple[Event, Mapping[str, Any]]],
    pulled: list[int],
    arm: Arm,
    lights: Lights | None,
    source: random.Random,
) -> list[float]:
    returns = []
    for n, (event, state) in enumerate(block):
        for frame in range(FRAMES):
            due = time.perf_counter() + PERIOD
            began = time.process_time()
            sum(i * i for i in range(150_000))  # as long as judging a picture may hold the interpreter
            looked, preempted = time.perf_counter(), _preemptions()
            if lights and frame == 0:
                lights.show(event, state)
            ended = time.perf_counter()
            arm.busy.append(time.process_time() - began)
            if frame == 0 and _preemptions() == preempted:
                arm.telling.append(ended - looked)
            arm.late += ended > due
            if frame == 0 and n in pulled:
                time.sleep(source.random() * 0.01)  # while the bytes are on their way, or just after
                plugged.unplug()
            time.sleep(max(0.0, due - time.perf_counter()))
        if n - 2 in pulled:
            plugged.plug()
            if lights:
                returns.append(_right_after(plugged, lights))
    return returns


def _preemptions() -> int:
    """How often another program has interrupted this thread."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw


def _right_after(plugged: Plugged, lights: Lights) -> float:
    back = time.monotonic()
    wanted = [expected(lights.meaning, phase) for phase in range(100)]
    while plugged.now() not in wanted:
        assert time.monotonic() - back < 60
        time.sleep(0.005)
    return time.monotonic() - back
