"""The players' rulings, rematches, seats and clocks: each recorded as what it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scripted import Player, Script, Still, play_on

from focus_companion.game.moves import Move, legal_moves
from focus_companion.game.play import Removed
from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX
from focus_companion.referee import verdict as said
from focus_companion.session import requests as ask
from focus_companion.session.clock import Clock, TimeControl
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal

RULES = Rules.make(2)
WRONG = said.Wrong("distance", "g", (INDEX["c4"], INDEX["c6"]), "Green went too far.")


def do(session: Session, request: ask.Request) -> list[str]:
    done = session.submit(request)
    told = [event.type for event in session.attend()]
    assert done.exception(timeout=0) is None
    return told


def why_not(session: Session, request: ask.Request) -> str:
    done = session.submit(request)
    session.attend()
    assert isinstance(done.exception(timeout=0), ask.RequestRefused)
    return str(done.exception())


def alerted(journal: Journal | None = None) -> Session:
    session = Session(RULES, {"g": "Ann", "r": "Bo"}, journal, Script({0: [said.StartSeen()], 1: [WRONG]}))
    play_on(session.push, 2)
    assert session.state()["alert"]
    return session


def test_an_alert_ruled_legal_becomes_the_named_turn() -> None:
    session = alerted()
    assert do(session, ask.RuleLegal(Move.parse("c4-c5"))) == ["ruling", "resolved", "move"]
    state = session.state()
    assert (state["alert"], state["last_move"]) == (None, "c4-c5")
    ruling = session.history.record().incidents[-1]
    assert (ruling["type"], ruling["legal"], ruling["move"]) == ("ruling", True, "c4-c5")
    assert (ruling["reason"], ruling["player"], ruling["ply"]) == ("distance", "green", 1)


def test_no_ruling_makes_an_impossible_turn_legal() -> None:
    session = alerted()
    assert "straight" in why_not(session, ask.RuleLegal(Move.parse("c4-d5")))
    assert session.state()["alert"]


def test_the_turns_nearest_to_the_alert_come_first() -> None:
    session = alerted()
    turns = session.legal()
    assert sorted(turns) == [str(move) for move in legal_moves(session.position, RULES)]
    near = [turn for turn in turns if "c4" in turn or "c6" in turn]
    assert near and turns[: len(near)] == near


@pytest.mark.parametrize("ply", [None, 5, 2])
def test_a_recorded_turn_ruled_out_is_taken_back(ply: int | None) -> None:
    session = Session(RULES, {}, None, Player(RULES))
    play_on(session.push, 6)
    moves = [entry["move"] for entry in session.state()["moves"]]
    earlier = session.history.positions
    assert do(session, ask.RuleNotLegal(ply)) == ["ruling", "taken_back"]
    wanted = (ply or 5) - 1
    assert session.history.positions == earlier[: wanted + 1]
    ruling, back = session.history.record().incidents
    assert (ruling["legal"], ruling["ply"], ruling["move"]) == (False, wanted + 1, moves[wanted])
    assert back["moves"] == moves[wanted:]


def test_a_turn_that_was_not_played_cannot_be_ruled_out() -> None:
    session = Session(RULES, {}, None, Player(RULES))
    assert "No turn" in why_not(session, ask.RuleNotLegal())
    play_on(session.push, 3)
    assert "no turn 3" in why_not(session, ask.RuleNotLegal(3))
    assert "no turn 0" in why_not(session, ask.RuleNotLegal(0))


def test_rematch_turns_the_sides_and_forgets_corrections() -> None:
    session = Session(RULES, {"g": "Ann", "r": "Bo"}, None, Player)
    play_on(session.push, 3)
    do(session, ask.SetPosition(session.position.stacks))
    assert session.state()["rules"]["set_up"] == "position"
    assert do(session, ask.Rematch()) == ["game"]
    state = session.state()
    assert {c: p["name"] for c, p in state["players"].items()} == {"green": "Bo", "red": "Ann"}
    assert (state["ply"], state["rules"]["set_up"]) == (0, "pairs")


def test_with_four_every_name_moves_on_by_one() -> None:
    session = Session(Rules.make(4), dict(zip("gbyr", "ABCD", strict=True)), None, Player)
    do(session, ask.Rematch())
    assert session.history.players == dict(zip("gbyr", "DABC", strict=True))


def test_seats_and_clock_are_kept_with_the_game(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        session = Session(RULES, {}, journal, Player)
        clock = TimeControl("down", 300, 5)
        do(session, ask.NewGame(RULES, {"g": "Ann"}, {"g": "top", "r": "bottom"}, clock))
        play_on(session.push, 4)
        seen = session.state()
        session.close()
    with Journal(tmp_path) as journal:
        again = Session(RULES, {}, journal, Player(RULES)).state()
    for state in (seen, again):
        assert {c: p["seat"] for c, p in state["players"].items()} == {"green": "top", "red": "bottom"}
        assert (state["clock"]["kind"], state["clock"]["seconds"]) == ("down", 300)
    assert again["clock"]["used"] == seen["clock"]["used"]
    assert again["players"]["green"]["name"] == "Ann"


def test_a_prompt_has_its_turn_in_the_state_but_not_in_the_event() -> None:
    removed = (Removed("g", "reserve", "g"),)
    trim = said.TrimAwaited(Move.parse("c4-c5"), INDEX["c5"], removed)
    session = Session(RULES, {}, None, Script({0: [said.StartSeen()], 1: [trim]}))
    (*_, prompt) = play_on(session.push, 2)
    assert set(prompt.to_json()) == {"type", "time", "square", "remove"}
    assert session.state()["prompt"] == prompt.to_json() | {"move": "c4-c5"}


def timed(control: TimeControl, script: dict[int, list[Any]]) -> Session:
    session = Session(RULES, {}, None, lambda _: Script(script))
    do(session, ask.NewGame(RULES, {}, {}, control))
    return session


def test_clocks_count_the_players_own_seconds_and_stand_in_a_pause() -> None:
    moves = {3: [said.StartSeen()], 5: [said.TurnSeen(Move.parse("b6-b7"), 1.0)]}
    session = timed(TimeControl("up"), moves)
    for second in range(4):
        session.push(Still(second, float(second)))
    assert session.state()["clock"]["used"] == {"green": 0, "red": 0}, "nobody waits for the set-up"
    assert session.state()["clock"]["running"] == "green"
    session.push(Still(4, 10.0))
    assert session.state()["clock"]["used"] == {"green": 7, "red": 0}
    session.push(Still(5, 12.5))
    session.push(Still(6, 14.0))
    assert session.state()["clock"]["used"] == {"green": 9.5, "red": 1.5}
    do(session, ask.Pause())
    session.push(Still(7, 60.0))
    assert session.state()["clock"] | {"time": 0} == {
        "kind": "up", "seconds": 0, "increment": 0, "time": 0, "running": None,
        "used": {"green": 9.5, "red": 1.5},
    }  # fmt: skip
    do(session, ask.Resume())
    session.push(Still(8, 61.0))
    do(session, ask.Resign("r"))
    session.push(Still(9, 90.0))
    assert session.state()["clock"]["used"] == {"green": 9.5, "red": 2.5}


def test_a_clock_that_runs_out_is_reported_once_and_kept_in_the_record(tmp_path: Path) -> None:
    moves = {
        0: [said.StartSeen()],
        3: [said.TurnSeen(Move.parse("b6-b7"), 1.0)],
        5: [said.TurnSeen(Move.parse("d5-d6"), 1.0)],
    }
    with Journal(tmp_path) as journal:
        session = Session(RULES, {}, journal, lambda _: Script(moves))
        do(session, ask.NewGame(RULES, {}, {}, TimeControl("down", 10, 4)))
        frames = [Still(n, float(at)) for n, at in enumerate((0, 9, 10.5, 12, 13, 14))]
        told = [(event.type, event.time) for frame in frames for event in session.push(frame)]
        assert told == [("ready", 0), ("time_up", 10.5), ("move", 12), ("move", 14)], "the game goes on"
    with Journal(tmp_path) as journal:
        # Green's time is up; after the increment it runs out again, which is not reported.
        session = Session(RULES, {}, journal, lambda _: Script({}))
        told = [event for n, at in enumerate((0, 9, 30)) for event in session.push(Still(n, float(at)))]
        assert told == []
        assert session.state()["clock"]["used"]["green"] > 10
        (noted,) = [item for item in session.history.record().incidents if item["type"] == "time_up"]
        assert noted["player"] == "green"


def test_a_clock_that_counts_up_or_stands_does_not_run_out() -> None:
    session = timed(TimeControl("up"), {0: [said.StartSeen()]})
    assert [event.type for n in range(9) for event in session.push(Still(n, n * 1000.0))] == ["ready"]
    session = timed(TimeControl("down", 10), {1: [said.StartSeen()]})
    told = [event.type for n, at in enumerate((0, 60, 61)) for event in session.push(Still(n, float(at)))]
    assert told == ["ready"], "nobody's time runs during the set-up"
    do(session, ask.Pause())
    assert session.push(Still(3, 99.0)) == []
    do(session, ask.Resume())
    assert [event.type for event in session.push(Still(4, 107.9))] == []
    assert [(event.type, event.player) for event in session.push(Still(5, 108.0))] == [("time_up", "green")]


def test_increment_comes_after_the_turn() -> None:
    clock = Clock(TimeControl("down", 60, 2)).at(0, "g").at(10, "r", mover="g").at(11, "g", mover="r")
    assert clock.to_json(15, "gr")["used"] == {"green": 12, "red": -1}


@pytest.mark.parametrize(
    "data",
    [
        None,
        7,
        {},
        {"kind": "x"},
        {"kind": "down"},
        {"kind": "down", "seconds": -1},
        {"kind": "up", "seconds": 5},
        {"kind": "down", "seconds": True},
        {"kind": "down", "seconds": "9"},
        {"kind": "up", "speed": 1},
        {"kind": "down", "seconds": float("nan")},
        {"kind": "down", "seconds": 60, "increment": 1e9},
    ],
)
def test_an_invalid_clock_is_refused(data: Any) -> None:
    with pytest.raises(ValueError, match="clock"):
        TimeControl.from_json(data)


@pytest.mark.parametrize("control", [TimeControl("up"), TimeControl("down", 600, 3.5)])
def test_a_clock_survives_its_text(control: TimeControl) -> None:
    assert TimeControl.from_json(control.to_json()) == control


CORNERS = {"a1": (0.2, 0.9), "h1": (0.8, 0.9), "h8": (0.7, 0.2), "a8": (0.3, 0.2)}


class Placing(Script):
    """A script that records where the board was placed."""

    def __init__(self) -> None:
        super().__init__({0: [said.StartSeen()]})
        self.told: list[Any] = []

    def place(self, corners: Any, *, believed: bool = True) -> None:
        self.told.append((corners and dict(corners), believed))


def test_a_board_placed_by_hand_is_recorded_and_known_after_a_restart(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        session = Session(RULES, {}, journal, Placing())
        play_on(session.push, 1)
        assert do(session, ask.PlaceBoard(CORNERS)) == ["placed"]
        assert session.history.record().incidents[-1]["corners"] == CORNERS
    with Journal(tmp_path) as journal:
        again = Placing()
        resumed = Session(RULES, {}, journal, again)
        assert resumed.resumed
        # The camera may have been moved meanwhile, so the picture must confirm it.
        ((corners, believed),) = again.told
        assert corners == {name: list(at) for name, at in CORNERS.items()} and not believed


def test_the_place_holds_for_the_next_game(tmp_path: Path) -> None:
    made: list[Placing] = []

    def make(rules: Rules) -> Placing:
        made.append(Placing())
        return made[-1]

    session = Session(RULES, {}, None, make)
    play_on(session.push, 1)
    do(session, ask.PlaceBoard(CORNERS))
    do(session, ask.NewGame(Rules.make(3)))
    assert [sight.told for sight in made] == [[(CORNERS, True)], [(CORNERS, True)]]
