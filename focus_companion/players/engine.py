"""Runs the compiled search by wasmtime: the same instructions, and so the same answers, on every machine.

Its source is in ``search/``. With WebAssembly, a plain ``pip install`` brings compiled code to any machine
without a compiler.
"""

from __future__ import annotations

import atexit
import signal
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from focus_companion.game.moves import Move
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.players.encoding import POSITION_BYTES, decoded, encoded, position_bytes, rules_bytes
from focus_companion.players.weights import Weights, weights_for

if TYPE_CHECKING:
    from wasmtime import Engine as Runtime
    from wasmtime import Module

MAX_NODES: Final = 2_000_000_000
"""Maximum positions of a search."""

MAX_DEPTH: Final = 60
"""Maximum number of turns that a search looks ahead."""

DECIDED_SCORE: Final = 28_000
"""Absolute value of the score above which the game is decided."""

_MAX_EARLIER: Final = 200
"""Maximum number of earlier positions of a game that the search avoids, so as not to go in circles."""

_WANTED: Final = struct.Struct("<5iI")
_FOUND: Final = struct.Struct("<5i2H80H")


def never_stop() -> bool:
    """Never stop: for searches that are bounded otherwise."""
    return False


@dataclass(frozen=True, slots=True)
class Searched:
    """The result of a search."""

    move: Move
    score: int
    """Log odds of the root's side, in thousandths of a nat; see :data:`DECIDED_SCORE`."""
    line: tuple[Move, ...]
    """The turns expected from here, ``move`` first."""
    nodes: int
    depth: int
    """Number of turns ahead that were searched in full breadth."""


def compiled(code: bytes) -> tuple[Runtime, Module]:
    """Return WebAssembly compiled for this machine, which takes a twentieth of a second."""
    # Imported here, as elsewhere in this module, so that a game without a search starts fast.
    from wasmtime import Config, Module
    from wasmtime import Engine as Runtime

    config = Config()
    config.cranelift_opt_level = "speed"
    runtime = Runtime(config)
    return runtime, Module(runtime, code)


@lru_cache(maxsize=1)
def engine_code() -> tuple[Runtime, Module]:
    """Return the engine's code, compiled once in a process."""
    return compiled(files("focus_companion.players").joinpath("engine.wasm").read_bytes())


# The library cannot release its objects once the interpreter has begun to unload modules.
atexit.register(engine_code.cache_clear)


@contextmanager
def _interrupt_deferred() -> Iterator[Callable[[], bool]]:
    """Call the handler of Ctrl-C only at the end; yields whether it was pressed.

    Meanwhile compiled code calls Python. An exception raised there is printed and lost: the search goes on,
    or the process crashes.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield never_stop
        return
    pressed = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: pressed.set())
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, handler)
        if pressed.is_set():
            handler(signal.SIGINT, None)


class Machine:
    """An instance of WebAssembly code with a board (``search/board.h``); for one thread at a time."""

    def __init__(self, code: tuple[Runtime, Module]) -> None:
        from wasmtime import Func, FuncType, Instance, Memory, Store, ValType

        runtime, module = code
        self._store = Store(runtime)
        self._stop: Callable[[], bool] = never_stop
        asked = Func(self._store, FuncType([], [ValType.i32()]), lambda: int(self._stop()))
        exports = Instance(self._store, module, [asked]).exports(self._store)
        memory = exports["memory"]
        assert isinstance(memory, Memory)
        self._memory = memory
        self._calls = {name: call for name, call in exports.items() if isinstance(call, Func)}
        self._at = {name: self.call(name) for name in ("board", "rules", "wanted", "found", "listed")}

    def call(self, name: str, *arguments: int) -> int:
        """Call an exported function; returns 0 for one that returns nothing."""
        return self._calls[name](self._store, *arguments) or 0

    def read(self, name: str, size: int) -> bytes:
        """Return the first ``size`` bytes of an exported struct."""
        at = self._at[name]
        return bytes(self._memory.read(self._store, at, at + size))

    def write(self, name: str, content: bytes) -> None:
        """Overwrite the beginning of an exported struct."""
        self._memory.write(self._store, content, self._at[name])

    def place(self, position: Position) -> None:
        """Put a position on the board; the rules must have been written."""
        self.write("board", position_bytes(position))
        self.call("settle")

    def think(self, should_stop: Callable[[], bool]) -> None:
        """Search the position on the board; Ctrl-C stops the search and takes effect after it."""
        with _interrupt_deferred() as interrupted:
            self._stop = lambda: interrupted() or should_stop()
            try:
                self.call("think")
            finally:
                self._stop = never_stop


class Engine(Machine):
    """The search with its evaluation. It takes about 25 MB."""

    def __init__(self) -> None:
        super().__init__(engine_code())
        self._at["weights"] = self.call("weights")
        self._rules: Rules | None = None
        self._weights: Weights | None = None

    def set_up(
        self,
        position: Position,
        rules: Rules,
        weights: Weights | None = None,
        earlier: Sequence[Position] = (),
    ) -> None:
        """Put a position on the board, under its rules; ``weights`` are those for the rules if omitted.

        ``earlier``: the previous positions of the game, in order; the search is penalized for repeating one.
        """
        weights = weights or weights_for(rules)
        if rules != self._rules or weights is not self._weights:
            self.write("rules", rules_bytes(rules))
            self.write("weights", weights.packed)
            self.call("prepare")
            self._rules, self._weights = rules, weights
        self.call("forget")
        for before in _repeatable(position, earlier):
            self.place(before)
            self.call("keep")
        self.place(position)

    def legal(self) -> tuple[Move, ...]:
        """Return the legal turns of the position on the board, in the engine's order."""
        count = self.call("list")
        return tuple(
            decoded(number) for number in struct.unpack(f"<{count}H", self.read("listed", 2 * count))
        )

    def apply(self, move: Move) -> None:
        """Make a legal turn on the board."""
        self.call("make", encoded(move))

    def board(self) -> bytes:
        """Return the position on the board as the engine holds it."""
        return self.read("board", POSITION_BYTES)

    def estimate(self, player: int) -> int:
        """Return the score of a player's side (by turn order) without any search."""
        return self.call("estimate", player)

    def search(
        self,
        *,
        nodes: int = MAX_NODES,
        depth: int = MAX_DEPTH,
        noise: int = 0,
        seed: int = 0,
        best_reply: bool = False,
        root: int = -1,
        should_stop: Callable[[], bool] = never_stop,
    ) -> Searched:
        """Search the position on the board, which must not be over.

        ``nodes`` and ``depth`` bound the work; ``should_stop`` is asked every few thousand nodes (one to
        three milliseconds). ``noise`` is the standard deviation of the error added to every evaluation, the
        same for the same position and ``seed``. ``best_reply`` searches games of several sides as BRS+, not
        as Paranoid. ``root``: the player (by turn order) whose score is wanted and against whom the others
        are assumed to play, if not the one to move.
        """
        bounds = min(nodes, MAX_NODES), min(depth, MAX_DEPTH)
        self.write("wanted", _WANTED.pack(*bounds, noise, best_reply, root, seed & 0xFFFFFFFF))
        self.think(should_stop)
        score, reached, looked_at, length, _, move, _, *line = _FOUND.unpack(self.read("found", _FOUND.size))
        return Searched(decoded(move), score, _moves(line[:length]), looked_at, reached)


def _repeatable(position: Position, earlier: Sequence[Position]) -> list[Position]:
    """The latest of the earlier positions that can occur again: captured pieces do not return."""
    found: list[Position] = []
    for before in reversed(earlier):
        if before.captured != position.captured or len(found) == _MAX_EARLIER:
            break
        if before.reserves == position.reserves and not before.over:
            found.append(before)
    return found


def _moves(numbers: Sequence[int]) -> tuple[Move, ...]:
    return tuple(decoded(number) for number in numbers)
