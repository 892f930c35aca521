"""Programs at the table: their answers, and what happens if they fail."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted import Unseeing
from waiting import until

from focus_companion import low_priority
from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.rules import Rules
from focus_companion.referee.verdict import StartSeen, TurnSeen
from focus_companion.seats.program import Program, Said
from focus_companion.seats.protocol import parse_answer
from focus_companion.seats.seats import Seats
from focus_companion.session import requests as ask
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal

PLAYER = Path(__file__).with_name("random_player.py")


def program(*faults: str) -> str:
    return " ".join(["engine:", sys.executable, str(PLAYER), *faults])


class Obedient(Unseeing):
    """A table that makes every requested turn."""

    def __init__(self) -> None:
        self.pushed = 0
        self.obeys = True

    def push(self, frame: Any, history: Any, asked: Any = None) -> Any:
        self.pushed += 1
        if self.pushed == 1:
            return [StartSeen()]
        return [TurnSeen(asked.turn, 0.9)] if self.obeys and asked.turn is not None else []


class Shot:
    def __init__(self, index: int) -> None:
        self.index, self.time, self.image = index, index / 10, None


class Table:
    """A session with its game thread, and programs on its seats."""

    def __init__(
        self,
        rules: Rules,
        played_by: dict[str, str],
        journal: Journal | None = None,
        patience: float = 60.0,
        after: int = 0,
    ) -> None:
        """``patience``: seconds that a program may take longer than it is told to, ``after`` that many plies;
        until then it has long, because a busy machine may take seconds to start it.
        """
        self.sight = Obedient()
        self.lines: list[str] = []
        self.session = Session(rules, {}, journal, self.sight, played_by=played_by)
        self.seats = Seats(
            self.session,
            self.lines.append,
            think=(sys.executable, str(PLAYER)),
            answer_timeout=lambda seconds: (
                seconds + (patience if self.session.history.ply >= after else 60.0)
            ),
        )
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self.seats.start()

    def _run(self) -> None:
        index = 0
        while not self._stop.wait(0.01):
            index += 1
            if told := self.session.push(Shot(index)):  # type: ignore[arg-type]
                assert told
                self.seats.notify()

    def until(self, what: Callable[[dict[str, Any]], Any], seconds: float = 60.0) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            state = self.session.state()
            if what(state):
                return state
            time.sleep(0.01)
        pytest.fail(f"timed out waiting; the state is {self.session.state()}, told was {self.lines}")

    def submit(self, request: ask.Request) -> None:
        self.session.submit(request).result(60)

    @property
    def processes(self) -> list[Any]:
        return [known[1]._process for known in self.seats._programs.values()]

    def close(self) -> None:
        processes = self.processes
        self.seats.close(5)
        self._stop.set()
        self._thread.join()
        self.session.close()
        assert all(process.poll() is not None for process in processes), "a program was left behind"


@pytest.fixture
def table() -> Iterator[Callable[..., Table]]:
    made: list[Table] = []

    def make(played_by: dict[str, str], rules: Rules | None = None, **more: Any) -> Table:
        made.append(Table(rules or Rules.make(2), played_by, **more))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize(
    "rules",
    [
        Rules.make(2), Rules.make(3), Rules.make(4), Rules.make(4, partners=True),
        Rules.make(2, set_up="drop"), Rules.make(2, set_up="checkerboard"), Rules.make(2, fast=True),
        Rules.make(2, order="rg"),
    ],
    ids=["2", "3", "4", "partners", "drop", "checkerboard", "fast", "red first"],
)  # fmt: skip
def test_programs_alone_play_a_game_of_every_kind(table: Callable[..., Table], rules: Rules) -> None:
    played_by = dict.fromkeys(rules.order, program())
    played_by[rules.order[0]] = "companion:3"
    session = table(played_by, rules).session
    assert session.rules == rules
    end = time.monotonic() + 60
    while session.history.ply < 30 and not session.history.over and time.monotonic() < end:
        time.sleep(0.05)
    assert session.history.ply >= 30 or session.history.over, session.state()


def test_a_program_has_less_than_the_camera(
    table: Callable[..., Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(low_priority, "NICE", shutil.which("nice"))
    made = table({"g": program()})
    made.sight.obeys = False
    made.until(lambda state: state["reply"])
    (process,) = made.processes
    assert os.getpriority(os.PRIO_PROCESS, process.pid) >= min(19, os.getpriority(os.PRIO_PROCESS, 0) + 10)


@pytest.mark.parametrize(
    ("fault", "why"),
    [("hang", "late"), ("die", "ended"), ("nonsense", "nonsense"), ("illegal", "nonsense")],
)
def test_a_failing_seat_is_reported_once_and_the_game_waits(
    table: Callable[..., Table], fault: str, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    # Only a program that hangs uses up the patience.
    patience = 1.0 if fault == "hang" else 60.0
    made = table({"g": program(fault, "2"), "r": "companion"}, patience=patience, after=2)
    state = made.until(lambda state: state["seat_failed"])
    assert state["ply"] == 2 and state["to_move"] == "green"
    failed = state["seat_failed"]
    assert (failed["player"], failed["by"], failed["why"]) == ("green", "engine", why)
    time.sleep(0.4)
    assert len(made.lines) == 1 and "Green" in made.lines[0]
    # Warnings are shown on the terminal, too, where the line is already.
    assert [record for record in caplog.records if record.levelname == "WARNING"] == []
    if fault == "die":
        assert "status 3: a fault of mine" in made.lines[0]
    # Somebody else goes on.
    made.submit(ask.SetSeat("g", "companion:2"))
    made.until(lambda state: state["ply"] >= 6)
    assert made.session.state()["seat_failed"] is None


def test_the_table_may_go_on_for_a_program(table: Callable[..., Table]) -> None:
    made = table({"g": program("nonsense")})
    made.until(lambda state: state["seat_failed"])
    made.submit(ask.ChooseMove(Move.parse("c4-c5")))
    state = made.until(lambda state: state["ply"] == 1)
    assert state["seat_failed"] is None
    made.submit(ask.SetSeat("g", "board"))
    assert made.session.state()["seats"] == {"green": "board", "red": "board"}
    assert made.processes == [] or made.until(lambda _: made.processes == [])


def test_a_late_answer_is_still_one(table: Callable[..., Table]) -> None:
    made = table({"g": program("late")}, patience=2.0)
    made.sight.obeys = False
    assert made.until(lambda state: state["seat_failed"])["seat_failed"]["why"] == "late"
    state = made.until(lambda state: state["reply"])
    assert state["seat_failed"] is None and state["reply"]["player"] == "green"


def test_a_program_retries_on_request(table: Callable[..., Table]) -> None:
    made = table({"g": program("hang")}, patience=-0.8)
    made.until(lambda state: state["seat_failed"])
    (before,) = made.processes
    made.submit(ask.SetSeat("g", program("hang").replace("engine: ", "engine:")))
    made.until(lambda state: state["seat_failed"] is None)
    made.until(lambda state: state["seat_failed"])
    assert before.poll() is not None, "the one that hung is gone"
    assert len(made.lines) == 2


def test_a_program_that_is_not_there(table: Callable[..., Table]) -> None:
    made = table({"g": "engine:/nowhere/a-program"})
    state = made.until(lambda state: state["seat_failed"])
    assert state["seat_failed"]["why"] == "missing" and "/nowhere/a-program" in state["seat_failed"]["detail"]


def test_what_is_said_unasked_is_no_answer(table: Callable[..., Table]) -> None:
    made = table({"g": program("chatty"), "r": program("chatty")})
    made.until(lambda state: state["ply"] >= 8 or state["seat_failed"])
    assert made.session.history.ply >= 8, made.lines


@pytest.mark.parametrize("parts", [["answer\nchatter\n"], ["answer\nchat", "ter\n"]])
def test_what_comes_together_with_an_answer_does_not_answer_the_next_question(parts: list[str]) -> None:
    """Even if the next question is sent before it is read to its end."""
    heard: list[tuple[str | None, int]] = []

    def on_output(said: Said) -> None:
        if said.line == "answer":
            said.program.ask("next\n")
        heard.append((said.line, said.questions))

    writes = "; ".join(f"os.write(1, {part.encode()}); time.sleep(0.2)" for part in parts)
    talks = (
        f"import os, sys, time; sys.stdin.readline(); {writes}; sys.stdin.readline(); print('next answer')"
    )
    started = Program([sys.executable, "-c", talks], on_output)
    started.ask("first\n")
    until(lambda: len(heard) == 4)
    assert heard == [("answer", 1), ("chatter", 1), ("next answer", 2), (None, 2)]
    started.close()


def test_a_byte_order_mark_before_the_first_answer_does_not_count() -> None:
    said: list[Said] = []
    mark = 'import sys; sys.stdout.buffer.write(b\'\\xef\\xbb\\xbf{"move": "d5-d6"}\\r\\n\')'
    made = Program([sys.executable, "-c", mark], said.append)
    until(lambda: len(said) == 2)
    made.close()
    assert said[0].line is not None and parse_answer(said[0].line) == Move.parse("d5-d6")


def test_a_turn_taken_back_makes_what_was_thought_stale(table: Callable[..., Table]) -> None:
    made = table({"r": program("hang", "3")})
    made.submit(ask.ChooseMove(Move.parse("c4-c5")))
    made.until(lambda state: state["ply"] == 2)
    # The program's turn is drawn at random, and may be onto any stack.
    made.submit(ask.ChooseMove(legal_moves(made.session.position, made.session.rules)[0]))
    made.until(lambda state: state["ply"] == 3)
    time.sleep(0.2)
    (thinking,) = made.processes
    made.submit(ask.TakeBack())
    made.until(lambda _: thinking.poll() is not None)
    made.submit(ask.TakeBack())
    state = made.until(lambda state: state["ply"] == 2)
    assert state["seat_failed"] is None and made.lines == [], "a new turn was asked for and made"


def test_a_reply_that_was_not_made_yet_survives(table: Callable[..., Table], tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        made = table({"g": program(), "r": "companion:2"}, journal=journal)
        made.sight.obeys = False
        before = made.until(lambda state: state["reply"])
        again = Session(Rules.make(3), {}, journal, Obedient())
        state = again.state()
        assert state["reply"] == before["reply"] and state["seats"] == before["seats"]
        assert state["seats"]["red"] == "companion:2"
        again.close()


def test_a_game_paused_is_not_thought_about(table: Callable[..., Table]) -> None:
    made = table({"g": program("hang")}, patience=-0.8)
    made.submit(ask.Pause())
    time.sleep(1.0)
    assert made.session.state()["seat_failed"] is None
    made.submit(ask.Resume())
    made.until(lambda state: state["seat_failed"])


def test_the_program_learns_who_left_a_game_of_three(table: Callable[..., Table]) -> None:
    rules = Rules.make(3)
    made = table(dict.fromkeys(rules.order, program()), rules)
    made.until(lambda state: state["ply"] >= 7)
    made.submit(ask.Leave("b"))
    ply = made.session.history.ply
    made.until(lambda state: state["ply"] >= ply + 8)
    assert made.lines == [] and made.session.state()["out"] == ["blue"]
