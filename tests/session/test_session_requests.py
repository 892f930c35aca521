"""Requests from the page, and their outcome."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from scripted import Player, Script, Still, play_on

from focus_companion.game.moves import Move
from focus_companion.game.position import parse_position
from focus_companion.game.rules import Rules
from focus_companion.referee import verdict as said
from focus_companion.session import requests as ask
from focus_companion.session.session import Session
from focus_companion.storage.journal import Journal

RULES = Rules.make(2)
THREE = Rules.make(3)


def playing(plies: int, rules: Rules = RULES) -> Session:
    session = Session(rules, {}, None, Player(rules))
    play_on(session.push, plies + 1)
    assert session.history.ply == plies
    return session


def told(session: Session, request: ask.Request) -> list[str]:
    done = session.submit(request)
    events = session.attend()
    assert done.exception(timeout=0) is None
    return [event.type for event in events]


def refused(session: Session, request: ask.Request) -> str:
    done = session.submit(request)
    (event,) = session.attend()
    assert event.type == "refused" and str(done.exception(timeout=0)) == event.text
    assert isinstance(done.exception(), ask.RequestRefused)
    return event.text


def test_take_back_undoes_turn_by_turn_to_the_start() -> None:
    session = playing(5)
    earlier = session.history.positions
    for ply in (4, 3, 2, 1, 0):
        assert told(session, ask.TakeBack()) == ["taken_back"]
        assert session.history.positions == earlier[: ply + 1]
    assert "no turn" in refused(session, ask.TakeBack()).lower()


def test_take_back_undoes_an_act_first() -> None:
    session = playing(3)
    before = session.position
    assert told(session, ask.Resign("g")) == ["act", "result"]
    assert session.state()["result"] == {"winners": ["red"], "reason": "resigned"}
    assert told(session, ask.TakeBack()) == ["taken_back"]
    assert session.position == before and session.state()["result"] is None


def test_with_three_who_leaves_is_out_and_the_others_play_on() -> None:
    session = playing(4, THREE)
    assert told(session, ask.Leave("b")) == ["act"]
    assert session.state()["out"] == ["blue"]
    assert "out" in refused(session, ask.Resign("b"))
    play_on(session.push, 2, 10)
    assert session.history.ply == 6
    assert told(session, ask.Resign("g")) == ["act", "result"]
    assert [entry.get("act") for entry in session.state()["moves"]].count("leave") == 1


def test_agreed_draw() -> None:
    session = playing(2)
    assert told(session, ask.AgreeDraw()) == ["act", "result"]
    assert session.state()["result"] == {"winners": [], "reason": "agreed draw"}
    for request in (ask.AgreeDraw(), ask.Resign("g"), ask.ChooseMove(Move.parse("c4-c5"))):
        assert "over" in refused(session, request)


@pytest.mark.parametrize(
    ("open_matter", "key"),
    [
        (said.Wrong("distance", "g", (3,), "Put it back."), "alert"),
        (said.Undecided((Move.parse("c4-c5"), Move.parse("c4-b4"))), "unclear"),
        (said.TrimAwaited(Move.parse("c4-c5"), 3, ()), "prompt"),
        (said.StartDiffers((3,)), "set_up"),
        (said.BoardRead(("r",) * 52, (3,), 0.5), "reading"),
    ],
)
@pytest.mark.parametrize("act", [ask.Resign("g"), ask.AgreeDraw()])
def test_nothing_is_left_to_be_put_right_in_a_game_ended_by_an_act(
    open_matter: said.Verdict, key: str, act: ask.Request
) -> None:
    session = Session(RULES, {}, None, Script({0: [open_matter]}))
    session.push(Still(0))
    assert session.state()[key]
    assert told(session, act) == ["act", "result"]
    assert not session.state()[key]


@pytest.mark.parametrize(
    ("open_matter", "key"),
    [
        (said.Undecided((Move.parse("e4-e5"), Move.parse("e4-f4"))), "unclear"),
        (said.TrimAwaited(Move.parse("e4-e5"), 3, ()), "prompt"),
    ],
)
def test_an_open_turn_is_dropped_only_if_its_player_leaves(open_matter: said.Verdict, key: str) -> None:
    session = Session(Rules.make(4), {}, None, Script({0: [open_matter]}))
    session.push(Still(0))
    assert told(session, ask.Leave("y")) == ["act"]
    assert session.state()[key], "it is still Green's turn"
    assert told(session, ask.Leave("g")) == ["act"]
    assert session.state()["to_move"] == "blue" and not session.state()[key]


def test_an_alert_stays_until_it_is_put_right_if_its_player_leaves() -> None:
    wrong = said.Wrong("distance", "g", (3,), "Put it back.")
    session = Session(Rules.make(4), {}, None, Script({0: [wrong], 1: [said.StartSeen()]}))
    session.push(Still(0))
    assert told(session, ask.Leave("g")) == ["act"]
    assert session.state()["alert"]
    session.push(Still(1))
    assert not session.state()["alert"]


def test_a_correction_may_end_the_game(tmp_path: Path) -> None:
    fast = Rules.make(2, fast=True)
    with Journal(tmp_path) as journal:
        session = Session(fast, {}, journal, Script({}))
        enough = ask.SetPosition(session.position.stacks, captured={"g": {"r": 6}})
        assert told(session, enough) == ["corrected", "result"]
        assert session.state()["result"] == {"winners": ["green"], "reason": "fast"}
        (game,) = journal.games()
        assert game.result == session.state()["result"] and journal.last_unfinished() is None
        assert journal.history(game.id).over


def test_a_stranger_cannot_resign() -> None:
    session = playing(1)
    assert refused(session, ask.Resign("b")) == "Blue does not play in this game."
    (_, event) = next(iter(session.subscribe(session.state()["event"] - 1))) or (0, None)
    assert event is not None and event.to_json() | {"time": 0} == {
        "type": "refused", "time": 0, "text": "Blue does not play in this game.",
        "template": "{player} does not play in this game.", "values": {"player": "Blue"},
    }  # fmt: skip


def test_choose_settles_what_was_unclear() -> None:
    moves = (Move.parse("c4-c5"), Move.parse("c4-b4"))
    session = Session(RULES, {}, None, Script({0: [said.Undecided(moves)]}))
    session.push(Still(0))
    assert session.state()["unclear"] == ["c4-c5", "c4-b4"]
    assert told(session, ask.ChooseMove(moves[1])) == ["move"]
    assert session.state()["unclear"] is None and session.state()["last_move"] == "c4-b4"


def test_an_illegal_choice_is_refused_with_the_reason() -> None:
    session = Session(RULES, {}, None, Script({}))
    assert "straight" in refused(session, ask.ChooseMove(Move.parse("c4-d5")))
    assert session.history.ply == 0


def test_dismiss() -> None:
    wrong = said.Wrong("distance", "g", (3,), "Put it back.")
    session = Session(RULES, {}, None, Script({0: [wrong], 2: [said.PutRight()]}))
    assert "nothing" in refused(session, ask.DismissAlert())
    session.push(Still(0))
    assert told(session, ask.DismissAlert()) == ["resolved"]
    assert session.state()["alert"] is None
    assert play_on(session.push, 2, 1) == []


def test_a_paused_game_does_not_look() -> None:
    session = playing(2)
    assert told(session, ask.Pause()) == ["pause"] and session.state()["paused"]
    assert play_on(session.push, 5, 10) == [] and session.history.ply == 2
    assert told(session, ask.Resume()) == ["pause"] and not session.state()["paused"]
    play_on(session.push, 1, 20)
    assert session.history.ply == 3


def test_a_corrected_position_is_the_new_start() -> None:
    session = playing(4)
    stacks = list(session.position.stacks)
    square = next(i for i, stack in enumerate(stacks) if len(stack) > 1)
    stacks[square] = stacks[square][:-1]
    assert told(session, ask.SetPosition(tuple(stacks), to_move="r", reserves={"g": 1})) == ["corrected"]
    state = session.state()
    assert parse_position(state["position"]) == tuple(stacks)
    assert state["ply"] == 0 and state["to_move"] == "red" and state["reserves"]["green"] == 1
    assert state["rules"]["set_up"] == "position"
    record = session.history.record()
    assert len(record.incidents[-1]["moves"]) == 4
    play_on(session.push, 2, 20)
    assert session.history.ply == 2


@pytest.mark.parametrize(
    ("request_", "word"),
    [
        (ask.SetPosition(("",) * 52), "nobody"),
        (ask.SetPosition(("gggggg", *("",) * 51)), "five"),
        (ask.SetPosition(("b", *("r",) * 51)), "blue"),
    ],
)
def test_an_impossible_correction_is_refused(request_: ask.SetPosition, word: str) -> None:
    session = playing(1)
    assert word in refused(session, request_)
    assert session.history.ply == 1


def test_a_new_game_by_other_rules() -> None:
    made: list[Rules] = []

    def make(rules: Rules) -> Player:
        made.append(rules)
        return Player(rules)

    session = Session(RULES, {"g": "Ann"}, None, make)
    play_on(session.push, 3)
    assert told(session, ask.NewGame()) == ["game"] and made == [RULES]
    assert session.history.ply == 0 and session.state()["players"]["green"]["name"] == "Ann"
    assert told(session, ask.NewGame(THREE, {"b": "Cy"})) == ["game"]
    assert made == [RULES, THREE]
    assert session.state()["players"]["blue"] == {"name": "Cy", "seat": "left"}
    play_on(session.push, 4, 10)
    assert session.history.ply == 3


def test_requests_from_many_threads_are_each_done_once() -> None:
    session = playing(40)
    done = []
    threads = [
        threading.Thread(target=lambda: done.append(session.submit(ask.TakeBack()))) for _ in range(30)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    session.attend()
    assert [future.exception(timeout=60) for future in done] == [None] * 30
    assert session.history.ply == 10


def test_too_many_requests_are_turned_away() -> None:
    session = playing(1)
    with pytest.raises(ask.RequestRefused, match="Try again"):
        for _ in range(1000):
            session.submit(ask.Pause())


WRONG = said.Wrong("distance", "g", (0, 1), "Put it back.")


@pytest.mark.parametrize(
    ("frames", "events"),
    [(0, []), (10, []), (15, ["resolved"]), (40, ["resolved"])],
    ids=["at once", "crossing it", "seen", "much later"],
)
def test_the_button_dismisses_what_has_been_seen(frames: int, events: list[str]) -> None:
    """At ten frames per second, a press at the moment of the alert was meant for the turn."""
    sight = Script({0: [said.StartSeen()], 1: [WRONG]})
    session = Session(RULES, {}, None, sight)
    play_on(session.push, 2 + frames)
    assert told(session, ask.TurnDone()) == events
    assert (session.state()["alert"] is None) == bool(events)
    assert sight.hurried == [pytest.approx((1 + frames) / 10 + 2)]


def test_the_button_with_nothing_to_dismiss_emits_nothing() -> None:
    session = playing(3)
    assert told(session, ask.TurnDone()) == []
    told(session, ask.Resign("r"))
    assert told(session, ask.TurnDone()) == []
    assert session.history.over


def test_the_button_ends_a_pause() -> None:
    session = playing(1)
    told(session, ask.Pause())
    assert told(session, ask.TurnDone()) == ["pause"]
    assert not session.history.paused


def test_partners_are_not_seated_side_by_side() -> None:
    session = playing(0)
    pairs = Rules.make(4, partners=True)
    beside = {"g": "bottom", "y": "left", "b": "top", "r": "right"}
    assert "partners sit opposite" in refused(session, ask.NewGame(pairs, seats=beside))
    turned = {"g": "left", "b": "top", "y": "right", "r": "bottom"}
    assert told(session, ask.NewGame(pairs, seats=turned))[0] == "game"
    assert told(session, ask.NewGame(Rules.make(4), seats=beside))[0] == "game"


def test_no_game_follows_one_in_which_partners_sat_side_by_side() -> None:
    """A journal may hold such a game; it continues, but no new game may begin like it."""
    old = Rules.make(4, partners=True, order="gybr", played=True)
    session = playing(2, old)
    assert "partners sit opposite" in refused(session, ask.Rematch())
    assert session.history.ply == 2
