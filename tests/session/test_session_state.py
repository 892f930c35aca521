"""The state sent with an event equals the state requested right after the event."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scripted import Player, Script, Still, play_on

from focus_companion.game.rules import Rules
from focus_companion.session import requests as ask
from focus_companion.session.clock import TimeControl
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal

RULES = Rules.make(2)


def carried_on(state: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """The state of a subscriber after ``told``, computed like ``after`` in ``state.js``."""
    keep, add = told["moves"]["keep"], told["moves"]["add"]
    return state | told | {"moves": [*state["moves"][:keep], *add]}


def requests() -> list[ask.Request]:
    return [
        ask.TakeBack(), ask.TakeBack(), ask.Pause(), ask.Resume(), ask.PlaceBoard(None), ask.Resign("g"),
        ask.TakeBack(), ask.AgreeDraw(), ask.NewGame(RULES, clock=TimeControl("up")),
    ]  # fmt: skip


def test_a_listener_has_the_state_without_asking_for_it() -> None:
    """Through turns, take-backs, acts, another game and its first turns."""
    session = Session(RULES, {"g": "Ann"}, None, Player(RULES))
    listened = session.state()

    def check() -> None:
        nonlocal listened
        for event in range(listened["event"] + 1, session.state()["event"] + 1):
            told = session.state_after(event)
            assert told is not None and told["event"] == event
            listened = carried_on(listened, told)
        # Between two events only the clocks run on.
        assert listened | {"clock": None} == session.state() | {"clock": None}

    for index in range(8):
        session.push(Still(index))
        check()
    for request in requests():
        session.submit(request)
        assert session.attend(), request
        check()
    assert listened["game"] == 1 and listened["moves"] == [] and listened["clock"]["kind"] == "up"
    play_on(session.push, 3, 8)
    check()
    assert len(listened["moves"]) == 3


def test_the_clocks_of_an_event_stand_at_its_time() -> None:
    session = Session(RULES, {}, None, Player(RULES))
    session.submit(ask.NewGame(RULES, clock=TimeControl("down", 60.0)))
    for index in range(40):
        session.push(Still(index))
    last = session.state()["event"]
    told = session.state_after(last)
    assert told is not None and told["clock"]["time"] == session.history.time


@pytest.mark.parametrize("killed", [False, True])
def test_a_restart_gives_back_no_time_of_the_turn_in_progress(tmp_path: Path, killed: bool) -> None:
    """Only the time while the program is off is not charged; if it is killed, also its last seconds."""

    def used(session: Session) -> float:
        return float(session.state()["clock"]["used"]["red"])

    with Journal(tmp_path) as journal:
        session = Session(RULES, {}, journal, Player(RULES, every=7))
        session.submit(ask.NewGame(RULES, clock=TimeControl("down", 600.0)))
        play_on(session.push, 7)
        assert session.history.ply == 1 and session.position.to_move == "r"
        # The session emits nothing from here on.
        session._sight = Script({})
        for index in range(7, 900):
            session.push(Still(index))
        told = used(session)
        if not killed:
            session.close()
    assert told > 80
    with Journal(tmp_path) as journal:
        resumed = Session(RULES, {}, journal, Script({}))
        assert used(resumed) == pytest.approx(told, abs=5.1 if killed else 0.01)
        resumed.push(Still(0, time=12.0))
        resumed.push(Still(1, time=14.0))
        assert used(resumed) == pytest.approx(told + 14.0, abs=5.1 if killed else 0.01)
        resumed.close()
        # A journal that goes on elsewhere, or was restored, has no such turn.
        resumed.submit(ask.Pause())
        resumed.attend()
        assert journal.kept_time() == 0.0


@pytest.mark.parametrize("content", ["", "nan", "7", "x y", "1 2 3", "1 nan", "1 1e999", "1 -5"])
def test_a_damaged_note_of_the_time_costs_only_that_time(tmp_path: Path, content: str) -> None:
    with Journal(tmp_path) as journal:
        play_on(Session(RULES, {}, journal, Script({})).push, 1)
        (tmp_path / "journal.time").write_text(content)
        assert Session(RULES, {}, journal, Script({})).time == 0.0


def test_the_state_with_an_event_does_not_grow_with_the_game() -> None:
    session = Session(RULES, {}, None, Player(RULES))
    play_on(session.push, 60)
    told = session.state_after(session.state()["event"])
    assert told is not None and len(told["moves"]["add"]) <= 1 < told["moves"]["keep"]


def test_an_old_event_brings_no_state() -> None:
    session = Session(RULES, {}, None, Player(RULES))
    play_on(session.push, 80)
    assert session.state_after(1) is None and session.state_after(10**6) is None


@pytest.mark.parametrize("kept_at_once", [True, False], ids=["kept", "refused by the journal at first"])
def test_after_a_take_back_the_board_is_to_be_set_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept_at_once: bool
) -> None:
    """Also if the disk was full at the request."""
    now = [0.0]
    with Journal(tmp_path) as journal:
        session = Session(RULES, {}, journal, Player(RULES), clock=lambda: now[0])
        play_on(session.push, 4)
        assert session.state()["ready"] and session.history.ply == 3
        keep = journal.append_all
        if not kept_at_once:

            def full(*_: Any) -> list[int]:
                raise OSError("the disk is full")

            monkeypatch.setattr(journal, "append_all", full)
        session.submit(ask.TakeBack())
        assert len(session.attend()) == int(kept_at_once)
        monkeypatch.setattr(journal, "append_all", keep)
        now[0] += 5.0
        session.attend()
        state = session.state()
        assert (state["ply"], state["ready"], state["fault"]) == (2, False, None)
        told = session.state_after(state["event"])
        assert told is not None and not told["ready"]
