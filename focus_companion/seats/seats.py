"""Requests the turns that are due from the programs that play, and submits their answers to the session."""

from __future__ import annotations

import logging
import queue
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol

from ..game.colours import NAMES
from ..session.history import History
from ..session.requests import GiveUp, Request, RequestRefused, SubmitTurn
from ..session.seat_kinds import COMPANION, parse_kind
from .program import CannotStart, Program, Said
from .protocol import BadAnswer, answer_timeout, parse_answer, question

log = logging.getLogger(__name__)

THINK_COMMAND: Final = (sys.executable, "-m", "focus_companion.cli", "think", "-")
"""The command of the companion's own player."""

_MAX_STARTS: Final = 2
"""How often a program that exits while it thinks is started for the same turn."""

_RETRY_SECONDS: Final = 0.5
"""Seconds to wait if the session has too many pending requests."""


class Game(Protocol):
    """The part of the session that is needed here; thread-safe."""

    @property
    def history(self) -> History: ...

    def submit(self, request: Request) -> Future[None]: ...


@dataclass(frozen=True)
class Place:
    """The point of the game at which a turn is due: an answer for any other is stale."""

    player: str
    game: int
    ply: int
    position: str
    kind: str


@dataclass
class _Asked:
    """A pending question. ``late``: it has already been reported that the answer is overdue."""

    place: Place
    program: Program
    until: float
    late: bool = False


@dataclass(frozen=True)
class _Sent:
    """A request that the session has not processed yet."""

    place: Place
    request: SubmitTurn | GiveUp
    done: Future[None]


def due(history: History) -> Place | None:
    """The point of the game at which a program has to choose a turn now; ``None`` if no program has to."""
    letter = history.position.to_move
    kind = history.played_by.get(letter, "")
    if history.over or history.paused or history.reply is not None:
        return None
    if not kind or not parse_kind(kind).thinks:
        return None
    return Place(letter, history.game, history.ply, history.position.text, kind)


class Seats:
    """Plays the seats of ``game`` that are programs, on a separate thread.

    Call ``notify`` after every event; it returns at once. ``tell`` prints a line on the terminal. ``think``
    is the command of the companion's own player; ``answer_timeout`` maps the time for an answer to a timeout.
    """

    def __init__(
        self,
        game: Game,
        tell: Callable[[str], None],
        *,
        think: Sequence[str] = THINK_COMMAND,
        answer_timeout: Callable[[float], float] = answer_timeout,
    ) -> None:
        self._game, self._tell, self._think, self._answer_timeout = game, tell, think, answer_timeout
        self._news: queue.SimpleQueue[Said | None] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._programs: dict[str, tuple[str, Program]] = {}
        """By letter, with the kind of seat for which each was started."""
        self._asked: _Asked | None = None
        self._sent: _Sent | None = None
        self._ended_at: tuple[Place, int] | None = None
        """Where a program exited while a question was pending, and how often."""
        self._broken: dict[str, str] = {}
        """Kinds of seat by letter whose program exited without a pending question, and which is therefore not
        restarted before its turn."""
        self._thread = threading.Thread(target=self._run, name="seats", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def notify(self) -> None:
        """Notify the thread that something has changed."""
        self._news.put(None)

    def close(self, timeout: float = 1.5) -> None:
        """End all programs; may be called twice."""
        self._stop.set()
        self._news.put(None)
        if self._thread.is_alive():
            self._thread.join(timeout)

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                self._turn()
        except Exception:
            # A fault here must not end the game of the people at the table.
            log.exception("The programs' seats stopped because of a fault")
            self._tell("   !  The computer has stopped playing because of a fault; see the log")
        finally:
            for letter in tuple(self._programs):
                self._leave(letter)

    def _turn(self) -> None:
        """Update the pending question for the state of the game, then wait for news."""
        history = self._game.history
        self._take_seats(history)
        place = due(history)
        if self._asked is not None and self._asked.place != place:
            # The question is stale: end the program, and ignore its further output.
            self._leave(self._asked.place.player)
        if self._sent is not None and self._sent.done.done():
            self._on_processed(self._sent, place)
        elif self._sent is None:
            if self._asked is not None and self._asked.late and history.seat_failed is None:
                # The players have asked for another try.
                self._leave(self._asked.place.player)
            if place is not None and self._asked is None and history.seat_failed is None:
                self._ask(place, history)
        self._wait()

    def _take_seats(self, history: History) -> None:
        """End programs whose seats were taken by others; start those that will be needed."""
        playing = {} if history.over else dict(history.played_by)
        for letter, (kind, _) in tuple(self._programs.items()):
            if playing.get(letter) != kind:
                self._leave(letter)
        for letter, kind in playing.items():
            failed = history.seat_failed is not None and letter == history.position.to_move
            ready = letter in self._programs or self._broken.get(letter) == kind
            if parse_kind(kind).thinks and not ready and not failed:
                # Reported when its turn comes, because it may be corrected until then.
                with suppress(CannotStart):
                    self._start(letter, kind)

    def _start(self, letter: str, text: str) -> Program:
        kind = parse_kind(text)
        program = Program(self._think if kind.by == COMPANION else kind.command, self._news.put)
        self._programs[letter] = text, program
        return program

    def _leave(self, letter: str) -> None:
        _, program = self._programs.pop(letter)
        program.close()
        if self._asked is not None and self._asked.place.player == letter:
            self._asked = None

    def _ask(self, place: Place, history: History) -> None:
        try:
            known = self._programs.get(place.player)
            program = known[1] if known is not None else self._start(place.player, place.kind)
        except CannotStart as error:
            self._give_up(place, "missing", str(error))
            return
        # A program that accepts no line has exited, which the end of its output reports.
        program.ask(question(history, parse_kind(place.kind)))
        self._asked = _Asked(place, program, time.monotonic() + self._answer_timeout(history.pace))

    def _wait(self) -> None:
        """Wait for changes of the game, output of a program, or a timeout."""
        asked = self._asked
        waits = asked is not None and not asked.late and self._sent is None
        wait = max(0.0, asked.until - time.monotonic()) if asked is not None and waits else None
        try:
            said = self._news.get(timeout=wait)
        except queue.Empty:
            assert asked is not None
            asked.late = True
            pace = self._game.history.pace
            self._give_up(asked.place, "late", f"no answer in {self._answer_timeout(pace):.0f} s")
            return
        if said is not None:
            self._hear(said)

    def _hear(self, said: Said) -> None:
        if said.line is None:
            self._ended(said.program)
        elif self._asked is not None and said.program is self._asked.program and said.in_time:
            place, self._asked = self._asked.place, None
            try:
                move = parse_answer(said.line)
            except BadAnswer as error:
                self._give_up(place, "nonsense", str(error))
                return
            self._send(place, SubmitTurn(place.player, move, place.game, place.ply, place.position))
        # Output without a question, or from before it was asked, is ignored.

    def _ended(self, program: Program) -> None:
        letter = next((letter for letter, known in self._programs.items() if known[1] is program), None)
        if letter is None:
            return
        asked, words = self._asked, program.last_words
        kind = self._programs[letter][0]
        self._leave(letter)
        if asked is None or asked.program is not program:
            self._broken[letter] = kind
            return
        if asked.late:
            # The players have been asked already.
            return
        before = self._ended_at[1] if self._ended_at is not None and self._ended_at[0] == asked.place else 0
        self._ended_at = asked.place, before + 1
        if self._ended_at[1] >= _MAX_STARTS:
            self._ended_at = None
            status = f"it ended with status {program.status}"
            self._give_up(asked.place, "ended", f"{status}: {words}" if words else status)

    def _give_up(self, place: Place, why: str, detail: str) -> None:
        kind = parse_kind(place.kind)
        who = "the computer" if kind.by == COMPANION else kind.target
        line = f"{NAMES[place.player].capitalize()} ({who}) has not played: {detail}"
        log.info("%s", line)
        self._tell(f"   !  {line}; the page asks who takes over")
        request = GiveUp(place.player, place.game, place.ply, place.position, why, detail)
        self._send(place, request)

    def _send(self, place: Place, request: SubmitTurn | GiveUp) -> None:
        try:
            done = self._game.submit(request)
        except RequestRefused:
            # Too many requests are pending; the program is asked again.
            self._stop.wait(_RETRY_SECONDS)
            self._news.put(None)
            return
        self._sent = _Sent(place, request, done)
        done.add_done_callback(lambda _: self._news.put(None))

    def _on_processed(self, sent: _Sent, place: Place | None) -> None:
        """Called when the session has accepted or refused a request."""
        self._sent = None
        # Handle whatever is due next at once.
        self._news.put(None)
        problem = sent.done.exception()
        if problem is not None and place == sent.place and isinstance(sent.request, SubmitTurn):
            self._give_up(sent.place, "nonsense", f"{sent.request.move}: {problem}")
