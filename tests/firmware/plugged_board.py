"""The simulated board on a pty, as seen by the driver, and a random game to show on it."""

from __future__ import annotations

import random
import subprocess
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from chip_harness import Chip, Picture, Trace

from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import apply, removed, untrimmed
from focus_companion.game.position import Position
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.lights import Lights, LightSettings, SerialSettings, open_lights
from focus_companion.lights.protocol import ANSWER, Command, Notice
from focus_companion.lights.wire import Decoder
from focus_companion.session import events

NAMES = {"r": "red", "g": "green", "b": "blue", "y": "yellow"}


class Plugged:
    """The simulated board on a pty, behind a symbolic link with a fixed name, like udev's."""

    def __init__(self, chip: Chip, link: Path) -> None:
        self.link = link
        self._trace = Trace()
        self._decoder = Decoder()
        self._answers: list[float] = []
        self._unread: deque[str] = deque()
        self.notices: Counter[int] = Counter()
        self._process = subprocess.Popen(
            [str(chip.harness), "--pty", str(chip.elf)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        assert self._process.stdin and self._process.stdout
        self._words: IO[str] = self._process.stdin
        self._lines: IO[str] = self._process.stdout
        self._there = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._there.wait(30)

    def _read(self) -> None:
        for line in self._lines:
            if " pty " in line:
                self.link.symlink_to(line.split()[2])
                self._there.set()
                continue
            self._unread.append(line)

    def _take(self) -> Trace:
        """The trace so far, parsed on demand, so that the reading thread does not slow the game."""
        while self._unread:
            line = self._unread.popleft()
            self._trace.take(line)
            if " tx " in line:
                moment, byte = self._trace.sent[-1]
                for frame in self._decoder.feed(bytes((byte,))):
                    if frame.command == Command.STATE | ANSWER:
                        self._answers.append(moment)
                    self.notices[frame.command] += 1
        return self._trace

    def say(self, word: str) -> None:
        self._words.write(f"{word}\n")
        self._words.flush()

    def unplug(self) -> None:
        self.link.unlink()
        self.say("unplug")

    def plug(self) -> None:
        self._there.clear()
        self.say("plug")
        assert self._there.wait(30)

    def answered(self) -> int:
        """How many states have been answered."""
        self._take()
        return len(self._answers)

    def shown(self, count: int) -> Picture:
        """The picture of the newest acknowledged state, once ``count`` states have been acknowledged."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            trace = self._take()
            # an answer ends before its picture's latch is reported, so wait for the next picture
            if len(self._answers) >= count and trace.pictures[-1].begin > self._answers[-1]:
                return trace.last_before(self._answers[-1] - 7 * 87)  # when the answer began
            time.sleep(0.002)
        raise AssertionError("no state was answered")

    def settled(self, count: int, wanted: list[tuple[int, int, int]]) -> bool:
        """Whether the picture of the newest acknowledged state is the expected one.

        On a busy machine an older state may have been sent twice, and its second answer been counted; then
        wait for the next answer.
        """
        end = time.monotonic() + 60
        while self.shown(count).pixels != wanted:
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        return True

    def now(self) -> list[tuple[int, int, int]]:
        """The newest picture."""
        pictures = self._take().pictures
        return pictures[-1].pixels if pictures else []

    def drawn(self) -> int:
        """How many pictures have been latched."""
        return len(self._take().pictures)

    def noticed(self, notice: Notice) -> int:
        """How often the board has sent this notice."""
        self._take()
        return self.notices[notice]

    def forget(self) -> None:
        """Drop old entries, so that searching stays fast."""
        del self._trace.pictures[:-5]
        self._trace.sent.clear()

    def __enter__(self) -> Plugged:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._words.close()
        try:
            self._process.wait(10)
        finally:
            self._process.kill()
            self._process.wait()
            self._reader.join()
            self._lines.close()


def open_driver(board: Plugged, on_button: Any = None) -> Lights:
    # A busy machine may simulate slowly: ten times the timeout.
    serial = SerialSettings(str(board.link), ack_timeout=2.5, greeting_timeout=20)
    return open_lights(LightSettings(backends=("serial",), serial=serial), on_button)


def named(position: Position, counts: tuple[int, ...]) -> dict[str, int]:
    return {NAMES[letter]: n for letter, n in zip(position.players, counts, strict=True)}


def state_of(position: Position, rules: Rules, last: Move | None) -> dict[str, Any]:
    winners = [NAMES[letter] for letter in position.result.winners] if position.result else []
    return {
        "to_move": NAMES[position.to_move] if position.to_move else None,
        "reserves": named(position, position.reserves),
        "last_move": str(last) if last else None,
        "result": {"winners": winners, "reason": position.result.reason} if position.result else None,
        "camera": "ok",
    }


def game(players: int, turns: int, seed: int) -> Iterator[tuple[events.Event, Mapping[str, Any]]]:
    """A random game as emitted by the session, with occasional illegal acts, trimmings and lost pictures."""
    source = random.Random(seed)
    rules = Rules.make(players)
    position = start_position(rules)
    state = state_of(position, rules, None)
    yield events.GameBegan(0.0, game=1, rules=rules.to_json()), state
    yield events.SetUp(0.5, squares=["d4", "g7"]), state
    yield events.Ready(1.0, position=position.text), state
    for ply in range(1, turns + 1):
        legal = legal_moves(position, rules)
        if not legal:
            break
        # stacks only get too high if somebody builds them
        few = source.sample(legal, min(6, len(legal)))
        move = max(few, key=lambda move: len(untrimmed(position, move)[move.target]))
        mover = NAMES[position.to_move]
        if source.random() < 0.1:
            yield events.Alert(ply, reason="distance", player=mover, squares=["c3", "f8"], text="…"), state
            yield events.Resolved(ply), state
        if source.random() < 0.05:
            yield events.Lost(ply, "camera"), state | {"camera": "lost"}
            yield events.Found(ply, "camera"), state
        if gone := removed(position, move, rules):
            pieces = [{"piece": piece.piece, "to": piece.to, "owner": NAMES[piece.owner]} for piece in gone]
            yield events.Prompt(ply, square=str(move)[-2:], remove=pieces), state
        position = apply(position, move, rules)
        state = state_of(position, rules, move)
        yield (
            events.Moved(
                ply,
                ply=ply,
                player=mover,
                move=str(move),
                position=position.text,
                reserves=state["reserves"],
                captured={},
                to_move=state["to_move"],
                confidence=1.0,
            ),
            state,
        )
        if position.result:
            yield events.Result(ply, winners=state["result"]["winners"], reason=position.result.reason), state
            break
