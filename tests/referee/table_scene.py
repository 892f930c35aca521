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
from focus_companion.simulator.scene_style import SceneStyle, pleasant_look
from focus_companion.simulator.stage import Hand, Stage, square_centre
from focus_companion.vision.capture.frames import Frame, Image
from focus_companion.vision.geometry.stack_masks import Outlines

FPS = 10.0
TOLD = ("move", "alert", "prompt", "resolved", "taken_back", "unclear", "set_up", "lost", "found", "result")

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
class Told:
    """The emitted events, in short: "move d5-d6", "alert distance", "prompt d5"."""

    events: tuple[Event, ...]

    @property
    def words(self) -> list[str]:
        said = []
        for event in self.events:
            told = event.to_json()
            parts = [told["type"], *(str(told[k]) for k in ("move", "reason", "square", "ply") if k in told)]
            if told["type"] == "move":
                parts = parts[:2]
            said.append(" ".join(parts))
        return said


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

    def show(self, stacks: Stacks | None = None, seconds: float = 1.0) -> Told:
        """Show these stacks for some seconds without a hand, after a moment with a hand that changes them."""
        told: list[Event] = []
        if stacks is not None and stacks != self.stacks:
            changed = next(s for s, stack in enumerate(stacks) if stack != self.stacks[s])
            x, y = square_centre(self.director.look, changed)
            told += self.shoot(replace(self.stage(), hand=Hand("E", x, y, 20.0)), 0.1).events
            self.stacks = stacks
        return Told((*told, *self.shoot(self.stage(), seconds).events))

    def shoot(self, stage: Stage, seconds: float, spoil: Callable[[Image], Image] | None = None) -> Told:
        """Show a still stage for some seconds; ``spoil`` alters every picture."""
        told: list[Event] = []
        for _ in range(round(seconds * FPS)):
            image = self.view.shoot(stage, self._rng, detail=0.5)
            image = spoil(image) if spoil is not None else image
            told += self.session.push(Frame(self._frames, self.time, image))
            self._frames += 1
        return Told(tuple(event for event in told if event.type in TOLD))

    def push_board(self, dx: float, dy: float, turn: float) -> None:
        """Move the board (mm, mm, degrees)."""
        self.director.pose = (dx, dy, turn)


P = ParamSpec("P")

_KEPT: Final = 8
"""Number of tables that are kept, the latest used; each takes some 15 MB."""

_LOCKS: Final = {type(threading.Lock()): threading.Lock, type(threading.RLock()): threading.RLock}


class _Kept:
    """A table as it is now, from which equal ones can be made.

    They share its view and the outlines of its stacks, which never change and are the keys of caches.
    """

    def __init__(self, table: Table) -> None:
        self._shared: list[object] = []
        whole = io.BytesIO()
        keeping = _Keeping(whole, pickle.HIGHEST_PROTOCOL)
        keeping.shared = self._shared
        keeping.dump(table)
        self._whole = whole.getvalue()

    def copy(self) -> Table:
        copying = _Copying(io.BytesIO(self._whole))
        copying.shared = self._shared
        table = copying.load()
        assert isinstance(table, Table)
        return table


class _Keeping(pickle.Pickler):
    shared: list[object]

    def persistent_id(self, thing: object) -> int | None:
        if not isinstance(thing, BoardView | Outlines):
            return None
        if thing not in self.shared:
            self.shared.append(thing)
        return self.shared.index(thing)

    def reducer_override(self, thing: object) -> Any:
        """The locks of a copy are new ones."""
        lock = _LOCKS.get(type(thing))
        return NotImplemented if lock is None else (lock, ())


class _Copying(pickle.Unpickler):
    shared: list[object]

    def persistent_load(self, number: Any) -> object:
        return self.shared[number]


_MADE: Final[dict[str, _Kept]] = {}


def made_once(make: Callable[P, Table]) -> Callable[P, Table]:
    """What ``make`` returns for these arguments: played once in a process, and everyone gets a copy of it.

    It shows each of them the same: the random numbers to come are the same, too.
    """

    @wraps(make)
    def copied(*args: P.args, **named: P.kwargs) -> Table:
        key = repr((make.__module__, make.__qualname__, args, named))
        _MADE[key] = kept = _MADE.pop(key, None) or _Kept(make(*args, **named))
        while len(_MADE) > _KEPT:
            del _MADE[next(iter(_MADE))]
        return kept.copy()

    return copied


@made_once
def begun(rules: Rules, played_by: Mapping[str, str] | None = None, look: SceneStyle | None = None) -> Table:
    """A table whose start the camera has seen."""
    table = Table(rules, look, played_by=played_by)
    assert table.show().words == []
    assert table.session.camera == "ok"
    return table
