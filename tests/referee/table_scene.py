"""A simulated table before the real pipeline and session: stacks are set up and shown for a while, and the
emitted events are returned."""

from __future__ import annotations

import io
import pickle
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Final, ParamSpec

import numpy as np
from simulated import view_of

from focus_companion.game.moves import Move
from focus_companion.game.play import untrimmed
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.game.start import Start
from focus_companion.session.decisions import DecisionListener
from focus_companion.session.events import Event
from focus_companion.session.pipeline import Pipeline
from focus_companion.session.session import Session
from focus_companion.simulator.beats import Pace
from focus_companion.simulator.board_view import BoardView
from focus_companion.simulator.director import Director
from focus_companion.simulator.scene_style import SceneStyle, aimed_camera, pleasant_look
from focus_companion.simulator.stage import Hand, Stage, square_centre
from focus_companion.vision.capture.frames import Frame, Image
from focus_companion.vision.geometry.stack_masks import Outlines

FPS = 10.0
EMITTED_TYPES = (
    "move",
    "alert",
    "prompt",
    "resolved",
    "taken_back",
    "unclear",
    "set_up",
    "lost",
    "found",
    "result",
)
"""The types of events that are returned."""

Stacks = tuple[str, ...]


def small_look() -> SceneStyle:
    """The table of the demo in a small picture, which is fast to render."""
    return pleasant_look(640, 480)


def rules(changes: dict[str, str], reserves: dict[str, int]) -> Rules:
    """Rules for two players with these stacks at the start, green to move; on other squares pieces are added
    or removed, so that both have eighteen.
    """
    stacks = list(start_position(Rules.make(2)).stacks)
    for square, stack in changes.items():
        stacks[INDEX[square]] = stack
    short = {c: 18 - reserves.get(c, 0) - sum(stack.count(c) for stack in stacks) for c in "gr"}
    for colour, missing in short.items():
        for square, stack in enumerate(stacks):
            if missing < 0 and stack == colour:
                stacks[square], missing = "", missing + 1
            elif missing > 0 and not stack:
                stacks[square], missing = colour, missing - 1
    return Rules.make(
        2,
        set_up="position",
        start=Start.make("gr", tuple(stacks), reserves=reserves, to_move="g"),
    )


@dataclass(frozen=True)
class Emitted:
    """Emitted events."""

    events: tuple[Event, ...]

    @property
    def summary(self) -> list[str]:
        """The events in short: "move d5-d6", "alert distance", "prompt d5"."""
        lines = []
        for event in self.events:
            fields = event.to_json()
            parts = [
                fields["type"],
                *(str(fields[k]) for k in ("move", "reason", "square", "ply") if k in fields),
            ]
            lines.append(" ".join(parts[:2] if fields["type"] == "move" else parts))
        return lines


class Table:
    """One game. ``stacks`` is what is on the board now, legal or not."""

    def __init__(
        self,
        rules: Rules,
        look: SceneStyle | None = None,
        seed: int = 5,
        played_by: Mapping[str, str] | None = None,
        on_decision: DecisionListener | None = None,
    ) -> None:
        self.rules = rules
        self.pipeline = Pipeline(rules, on_decision=on_decision)
        self.session = Session(rules, {}, None, self.pipeline, played_by=played_by)
        look = look or small_look()
        self.director = Director(look, rules, Pace())
        self.view = view_of(look)
        self._rng = np.random.default_rng(seed)
        self._frames = 0
        self.stacks: Stacks = self.session.position.stacks

    @property
    def time(self) -> float:
        return self._frames / FPS

    def put(self, changes: Mapping[str, str]) -> Stacks:
        """The stacks on the board with some squares changed, by their names."""
        stacks = list(self.stacks)
        for square, stack in changes.items():
            stacks[INDEX[square]] = stack
        return tuple(stacks)

    def after(self, move: str) -> Stacks:
        """The stacks right after a turn of the player to move, not trimmed."""
        return untrimmed(self.session.position, Move.parse(move))

    def stage(self, stacks: Stacks | None = None) -> Stage:
        """The table with these stacks (by default the current ones), and other pieces as in the session."""
        return self.director.stage(self.session.position, stacks or self.stacks)

    def show(self, stacks: Stacks | None = None, seconds: float = 1.0) -> Emitted:
        """Show these stacks for some seconds without a hand, after a moment with a hand that changes them."""
        emitted: list[Event] = []
        if stacks is not None and stacks != self.stacks:
            changed = next(s for s, stack in enumerate(stacks) if stack != self.stacks[s])
            x, y = square_centre(self.director.look, changed)
            emitted += self.shoot(replace(self.stage(), hand=Hand("E", x, y, 20.0)), 0.1).events
            self.stacks = stacks
        return Emitted((*emitted, *self.shoot(self.stage(), seconds).events))

    def shoot(self, stage: Stage, seconds: float, spoil: Callable[[Image], Image] | None = None) -> Emitted:
        """Show a still stage for some seconds; ``spoil`` alters every picture."""
        emitted: list[Event] = []
        for _ in range(round(seconds * FPS)):
            image = self.view.shoot(stage, self._rng, detail=0.5)
            image = spoil(image) if spoil is not None else image
            emitted += self.session.push(Frame(self._frames, self.time, image))
            self._frames += 1
        return Emitted(tuple(event for event in emitted if event.type in EMITTED_TYPES))

    def wait(self, seconds: float) -> None:
        """Let time pass without pictures."""
        self._frames += round(seconds * FPS)

    def push_board(self, dx: float, dy: float, turn: float) -> None:
        """Move the board (mm, mm, degrees)."""
        self.director.pose = (dx, dy, turn)


P = ParamSpec("P")

_MAX_SNAPSHOTS: Final = 8
"""Maximum number of snapshots, the most recently used; each takes about 15 MB."""

_LOCKS: Final = {type(threading.Lock()): threading.Lock, type(threading.RLock()): threading.RLock}


class _Snapshot:
    """A pickled table, from which equal ones can be made.

    They share its view and the outlines of its stacks, which never change and are keys of caches.
    """

    def __init__(self, table: Table) -> None:
        self._shared: list[object] = []
        pickled = io.BytesIO()
        pickler = _SnapshotPickler(pickled, pickle.HIGHEST_PROTOCOL)
        pickler.shared = self._shared
        pickler.dump(table)
        self._pickled = pickled.getvalue()

    def copy(self) -> Table:
        unpickler = _SnapshotUnpickler(io.BytesIO(self._pickled))
        unpickler.shared = self._shared
        table = unpickler.load()
        assert isinstance(table, Table)
        return table


class _SnapshotPickler(pickle.Pickler):
    shared: list[object]

    def persistent_id(self, thing: object) -> int | None:
        if not isinstance(thing, BoardView | Outlines):
            return None
        if thing not in self.shared:
            self.shared.append(thing)
        return self.shared.index(thing)

    def reducer_override(self, thing: object) -> Any:
        """A copy gets new locks."""
        lock = _LOCKS.get(type(thing))
        return NotImplemented if lock is None else (lock, ())


class _SnapshotUnpickler(pickle.Unpickler):
    shared: list[object]

    def persistent_load(self, number: Any) -> object:
        return self.shared[number]


_SNAPSHOTS: Final[dict[str, _Snapshot]] = {}


def made_once(make: Callable[P, Table]) -> Callable[P, Table]:
    """Decorates a function that plays on a table: it runs once per process for the same arguments, and every
    caller gets a copy of the result, also with the same state of its random numbers.
    """

    @wraps(make)
    def copied(*args: P.args, **named: P.kwargs) -> Table:
        key = repr((make.__module__, make.__qualname__, args, named))
        _SNAPSHOTS[key] = snapshot = _SNAPSHOTS.pop(key, None) or _Snapshot(make(*args, **named))
        while len(_SNAPSHOTS) > _MAX_SNAPSHOTS:
            del _SNAPSHOTS[next(iter(_SNAPSHOTS))]
        return snapshot.copy()

    return copied


@made_once
def begun(rules: Rules, played_by: Mapping[str, str] | None = None, look: SceneStyle | None = None) -> Table:
    """A table whose start the camera has seen."""
    table = Table(rules, look, played_by=played_by)
    assert table.show().summary == []
    assert table.session.camera == "ok"
    return table


def seen_from(tilt: float, azimuth: float, rules: Rules) -> Table:
    """A table at its start, with the camera ``tilt`` degrees off the vertical."""
    look = small_look()
    camera = aimed_camera(look.camera.lens, look.profile, tilt=tilt, azimuth=azimuth, fill=0.83)
    return begun(rules, look=replace(look, camera=camera))
