"""A player other than the one named begins: the question, its answer, and the record of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scripted import Script, Still, play_on

from focus_companion.formats.match import Match
from focus_companion.formats.reading import read_record
from focus_companion.formats.writing import write
from focus_companion.game.colours import names
from focus_companion.game.moves import Move
from focus_companion.game.record import positions
from focus_companion.game.rules import Rules, RulesError
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.referee import verdict as said
from focus_companion.session import requests as ask
from focus_companion.session.clock import TimeControl
from focus_companion.session.events import Alert, event_from_json
from focus_companion.session.history import History, HistoryError
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal

RULES = Rules.make(2)
OUT_OF_TURN = said.Wrong("out_of_turn", "r", (INDEX["d6"], INDEX["d7"]), "Red moved, but green was to begin.")


def session(journal: Journal | None = None, rules: Rules = RULES, *then: said.Verdict) -> Session:
    script = {0: [said.StartSeen()], 1: [OUT_OF_TURN], 2: list(then)}
    return Session(rules, {"g": "Ann", "r": "Bo"}, journal, Script(script))


def do(at: Session, request: ask.Request) -> list[str]:
    done = at.submit(request)
    told = [event.type for event in at.attend()]
    assert done.exception(timeout=0) is None
    return told


def begun(rules: Rules = RULES, player: str = "r") -> said.OtherBegins:
    return said.OtherBegins(player, start_position(rules.begun_by(player)))


TURNS = [begun(), said.TurnSeen(Move.parse("d6-d7"), 0.9), said.TurnSeen(Move.parse("c4-c5"), 0.9)]


@pytest.mark.parametrize("by_word", [True, False], ids=["said", "played on"])
def test_its_record_survives_a_restart(tmp_path: Path, by_word: bool) -> None:
    with Journal(tmp_path) as journal:
        at = session(journal, RULES, *([] if by_word else TURNS))
        play_on(at.push, 2)
        assert at.state()["begins"] == "red"
        if by_word:
            assert do(at, ask.Begin("r")) == ["resolved", "begins", "move"]
            assert do(at, ask.ChooseMove(Move.parse("c4-c5"))) == ["move"]
        else:
            at.push(Still(2))
        before = at.state()
    with Journal(tmp_path) as journal:
        after = Session(RULES, {}, journal, Script({}))
        assert after.resumed
        state = after.state()
        for key in ("order", "rules", "moves", "position", "to_move", "alert", "begins", "captured"):
            assert state[key] == before[key], key
        assert state["order"] == state["rules"]["order"] == ["red", "green"]
        assert [turn["player"] for turn in state["moves"]] == ["red", "green"]
        # Taken back completely, the game is still begun by red.
        for _ in range(2):
            do(after, ask.TakeBack())
        assert (after.state()["ply"], after.state()["to_move"]) == (0, "red")


@pytest.mark.parametrize("kind", ["json", "sgf", "text"])
def test_every_export_begins_with_who_began(kind: str) -> None:
    at = session(None, RULES, *TURNS)
    play_on(at.push, 3)
    (record,) = read_record(write(Match((at.history.record(),), single=True), kind)).games
    assert record.rules.order == "rg"
    assert [position.to_move for position in positions(record)] == ["r", "g", "r"]


def test_a_restart_in_the_middle_of_the_question_leaves_it_open(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        play_on(session(journal).push, 2)
    with Journal(tmp_path) as journal:
        after = Session(RULES, {}, journal, Script({}))
        assert after.state()["begins"] == "red"
        assert do(after, ask.Begin("r")) == ["resolved", "begins", "move"]


def test_a_beginning_that_is_not_in_question_is_refused() -> None:
    at = session()
    at.push(Still(0))
    for player in ("r", "g", "b"):
        done = at.submit(ask.Begin(player))
        at.attend()
        assert isinstance(done.exception(timeout=0), ask.RequestRefused)
    at.push(Still(1))
    done = at.submit(ask.Begin("g"))
    at.attend()
    assert isinstance(done.exception(timeout=0), ask.RequestRefused)
    assert at.state()["order"] == ["green", "red"] and not at.state()["moves"]
    do(at, ask.DismissAlert())
    assert at.state()["begins"] is None


@pytest.mark.parametrize(
    ("player", "squares", "beginner"),
    [
        ("red", ["d6", "d7"], "red"),
        ("pink", ["d6", "d7"], None),
        ("red", ["d6", "z9"], None),
    ],
    ids=["as emitted", "no colour", "no square"],
)
def test_a_resumed_game_asks_only_about_an_alert_that_names_a_player_and_squares(
    tmp_path: Path, player: str, squares: list[str], beginner: str | None
) -> None:
    with Journal(tmp_path) as journal:
        session(journal).push(Still(0))
        journal.append(1, Alert(0.2, "out_of_turn", player, squares, "Red moved."))
    with Journal(tmp_path) as journal:
        assert Session(RULES, {}, journal, Script({})).state()["begins"] == beginner


def test_the_next_game_is_begun_as_agreed() -> None:
    at = session(None, RULES, *TURNS)
    play_on(at.push, 3)
    do(at, ask.NewGame())
    assert at.state()["order"] == ["green", "red"]


def test_the_time_before_the_first_turn_is_charged_to_who_begins() -> None:
    at = Session(RULES, {}, None, Script({0: [said.StartSeen()], 20: [OUT_OF_TURN], 30: TURNS}))
    do(at, ask.NewGame(RULES, clock=TimeControl("up")))
    play_on(at.push, 31)
    assert at.state()["clock"]["used"] == {"red": 3.0, "green": 0.0}
    assert at.state()["clock"]["running"] == "red"


@pytest.mark.parametrize(
    ("rules", "player", "order"),
    [
        (Rules.make(3), "b", "brg"),
        (Rules.make(3, order="grb"), "b", "bgr"),
        (Rules.make(4), "r", "rgby"),
        (Rules.make(4, partners=True), "b", "byrg"),
    ],
)
def test_the_order_stays_clockwise(rules: Rules, player: str, order: str) -> None:
    other = rules.begun_by(player)
    assert other.order == order
    assert set(other.sides) == {"".join(p for p in order if p in side) for side in rules.sides}
    assert start_position(other).stacks == start_position(rules).stacks


def test_only_a_player_of_the_game_can_begin() -> None:
    with pytest.raises(RulesError, match="yellow does not play"):
        Rules.make(3).begun_by("y")


def test_the_event_fits_no_other_game() -> None:
    start = History.begin(RULES, {})
    told = {"type": "begins", "time": 1.0, "player": "red", "order": names("rg")}
    after = start.take(event_from_json(json.loads(json.dumps(told))))
    assert after.position.to_move == "r" and after.incidents == (told,)
    for wrong in ({"player": "blue"}, {"order": names("gr")}, {"player": "purple"}):
        with pytest.raises(HistoryError):
            start.take(event_from_json(told | wrong))
    at = session(None, RULES, *TURNS)
    play_on(at.push, 3)
    with pytest.raises(HistoryError):
        at.history.take(event_from_json(told))
