"""Turns that the table makes for somebody else: chosen, stored, emitted, and withdrawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scripted import Script, Still

from focus_companion.game.moves import Move
from focus_companion.game.position import parse_position
from focus_companion.game.rules import Rules
from focus_companion.referee.asked import Asked
from focus_companion.referee.verdict import OutOfView, PutRight, StartSeen, TurnSeen, Wrong
from focus_companion.session import requests as ask
from focus_companion.session.seat_kinds import SeatError
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal

RULES = Rules.make(2)
FAR = {"g": "far"}


class Told(Script):
    """A script that records what it was asked to expect."""

    def __init__(self, says: dict[int, Sequence[Any]] | None = None) -> None:
        super().__init__(says or {})
        self.asked: list[Asked] = []

    def push(self, frame: Any, history: Any, asked: Any = None) -> Any:
        self.asked.append(asked)
        return super().push(frame, history, asked)


def session(
    says: dict[int, Sequence[Any]] | None = None,
    played_by: Any = FAR,
    journal: Any = None,
    rules: Rules = RULES,
) -> tuple[Session, Told]:
    sight = Told(says)
    return Session(rules, {}, journal, sight, played_by=played_by), sight


def submit(made: Session, request: ask.Request) -> list[str]:
    done = made.submit(request)
    told = made.attend()
    if done.exception(0) is not None:
        return [f"refused: {done.exception(0)}"]
    return [event.type for event in told]


def turn(made: Session, move: str, **other: Any) -> ask.SubmitTurn:
    h = made.history
    place: dict[str, Any] = {
        "player": h.position.to_move, "game": h.game, "ply": h.ply, "position": h.position.text,
    }  # fmt: skip
    return ask.SubmitTurn(move=Move.parse(move), **(place | other))


def test_a_chosen_turn_is_expected_from_the_next_picture_on() -> None:
    made, sight = session({2: [TurnSeen(Move.parse("c4-c5"), 0.9)]})
    made.push(Still(0))
    assert submit(made, turn(made, "c4-c5")) == ["reply"]
    made.push(Still(1))
    made.push(Still(2))
    made.push(Still(3))
    assert sight.asked == [
        Asked("g", None), Asked("g", Move.parse("c4-c5")), Asked("g", Move.parse("c4-c5")), Asked("g", None),
    ]  # fmt: skip
    assert made.state()["reply"] is None and made.state()["to_move"] == "red"


def test_a_turn_sent_again_after_it_was_made_changes_nothing() -> None:
    """As from a page that got no answer; another turn for that point of the game is too late."""
    made, _ = session({0: [StartSeen()], 1: [TurnSeen(Move.parse("c4-c5"), 0.9)]})
    made.push(Still(0))
    sent, other = turn(made, "c4-c5"), turn(made, "b4-b5")
    assert submit(made, sent) == ["reply"]
    made.push(Still(1))
    assert made.history.ply == 1
    assert submit(made, sent) == []
    assert submit(made, other)[0].startswith("refused")
    assert submit(made, replace(sent, game=2))[0].startswith("refused"), "that is another game"


def test_a_turn_for_another_point_of_the_game_is_refused() -> None:
    made, _ = session()
    for other in ({"ply": 1}, {"game": 7}, {"position": "another"}, {"player": "r"}):
        (said,) = submit(made, turn(made, "c4-c5", **other))
        assert said.startswith("refused"), other
    assert made.state()["reply"] is None
    (said,) = submit(made, turn(made, "c4-d5"))
    assert "straight" in said
    assert submit(made, turn(made, "c4-c5")) == ["reply"]
    assert submit(made, turn(made, "c4-c5")) == [], "the same again changes nothing"
    assert "chosen already" in submit(made, turn(made, "b4-b5"))[0]


@pytest.mark.parametrize(
    "request_",
    [
        ask.SetSeat("g", "board"),
        ask.SetSeat("g", "companion"),
        ask.ChooseMove(Move.parse("b4-b5")),
        ask.Resign("g"),
        ask.AgreeDraw(),
        ask.SetPosition(
            parse_position(
                "-,-,-,-/r,r,g,g,r,r/-,g,g,r,r,g,g,-/-,r,r,g,g,r,r,-/-,g,g,r,r,g,g,-/-,r,r,g,g,r,r,-/"
                "g,g,r,r,g,g/-,-,-,-"
            )
        ),
        ask.NewGame(),
    ],
    ids=lambda request: type(request).__name__,
)
def test_requests_after_which_a_reply_is_no_longer_due(request_: ask.Request) -> None:
    made, _ = session()
    submit(made, turn(made, "c4-c5"))
    assert not submit(made, request_)[0].startswith("refused")
    assert made.state()["reply"] is None


def test_a_reply_stays_due_if_another_player_leaves() -> None:
    made, _ = session(rules=Rules.make(4))
    assert submit(made, turn(made, "e4-e5")) == ["reply"]
    assert submit(made, ask.Leave("y")) == ["act"]
    assert made.state()["out"] == ["yellow"] and made.state()["reply"]["move"] == "e4-e5"
    assert submit(made, ask.TakeBack()) == ["taken_back"]
    assert made.state()["reply"]["move"] == "e4-e5"
    assert submit(made, ask.Leave("g")) == ["act"]
    assert made.state()["to_move"] == "blue" and made.state()["reply"] is None


def test_events_and_requests_that_leave_a_reply_due() -> None:
    wrong = Wrong("distance", "g", (3, 4), "Wrong.")
    made, _ = session({1: [wrong], 2: [PutRight()], 3: [OutOfView()]})
    made.push(Still(0))
    submit(made, turn(made, "c4-c5"))
    for index in range(1, 5):
        made.push(Still(index))
        assert made.state()["reply"]["move"] == "c4-c5"
    for request in (ask.Pause(), ask.Resume(), ask.SetSeat("r", "companion"), ask.SetSeat("g", "far", 20.0)):
        submit(made, request)
        assert made.state()["reply"]["move"] == "c4-c5"
    assert made.state()["pace"] == 20.0


def test_after_a_take_back_another_turn_is_asked_for() -> None:
    made, _ = session({0: [StartSeen()], 1: [TurnSeen(Move.parse("c4-c5"), 0.9)]}, {"r": "far"})
    made.push(Still(0))
    made.push(Still(1))
    stale = turn(made, "f5-f6")
    assert submit(made, stale) == ["reply"]
    assert submit(made, ask.TakeBack()) == ["taken_back"]
    assert made.state()["reply"] is None
    assert submit(made, stale)[0].startswith("refused"), "it was chosen for what is gone"


def test_a_failing_seat_is_reported_once_and_not_too_late() -> None:
    made, _ = session(played_by={"g": "engine:x"})
    h = made.history
    give_up = ask.GiveUp("g", h.game, h.ply, h.position.text, "late", "no answer")
    assert submit(made, give_up) == ["seat_failed"]
    assert submit(made, give_up) == []
    assert made.state()["seat_failed"]["why"] == "late"
    assert submit(made, turn(made, "c4-c5")) == ["reply"], "late, but in time"
    assert made.state()["seat_failed"] is None
    assert submit(made, give_up) == []


def test_all_of_it_is_in_the_journal(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        made, _ = session(played_by={"g": "far", "r": "companion:3"}, journal=journal)
        submit(made, ask.SetSeat("r", "engine:mine --fast", 5.0))
        submit(made, turn(made, "c4-c5"))
        before = made.state()
        made.close()
    with Journal(tmp_path) as journal:
        again, sight = session(played_by={"r": "companion:1"}, journal=journal)
        again.push(Still(0))
        after = again.state()
        assert again.resumed and after["reply"] == before["reply"]
        assert before["seats"] == {"green": "far", "red": "engine:mine --fast"}
        assert after["seats"] == {"green": "far", "red": "companion:1"}, "what is said now holds"
        assert after["pace"] == before["pace"] == 5.0
        assert sight.asked == [Asked("gr", Move.parse("c4-c5"))]


def test_seats_go_on_in_the_next_game_and_turn_with_the_sides() -> None:
    made, _ = session(played_by={"g": "companion:2"})
    submit(made, ask.NewGame())
    assert made.state()["seats"] == {"green": "companion:2", "red": "board"}
    submit(made, ask.Rematch())
    assert made.state()["seats"] == {"green": "board", "red": "companion:2"}
    submit(made, ask.NewGame(Rules.make(3), played_by={"b": "far"}, pace=20.0))
    assert made.state()["seats"] == {"green": "board", "blue": "far", "red": "board"}
    assert made.state()["pace"] == 20.0


def test_a_seat_of_nobody() -> None:
    with pytest.raises(SeatError):
        session(played_by={"b": "far"})
    made, _ = session()
    assert submit(made, ask.SetSeat("b", "far"))[0].startswith("refused")
    assert submit(made, ask.SetSeat("r", "robot"))[0].startswith("refused")
    assert submit(made, ask.NewGame(played_by={"y": "far"}))[0].startswith("refused")
