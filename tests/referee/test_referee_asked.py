"""Turns that the table makes for somebody else: only the chosen turn may be made."""

from __future__ import annotations

import pytest
from fake_look import fake_look
from table_scene import Table, begun, rules

from focus_companion.game.moves import Move
from focus_companion.game.play import apply
from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.referee.asked import Asked
from focus_companion.referee.referee import Referee
from focus_companion.referee.verdict import TrimAwaited, TurnSeen, Undecided
from focus_companion.session.events import Alert, Event
from focus_companion.session.requests import RuleLegal, SetSeat, SubmitTurn, TakeBack


@pytest.fixture
def table() -> Table:
    """Green, who begins, is played by a program."""
    return begun(Rules.make(2), {"g": "engine:x"})


def ask(table: Table, move: str) -> list[Event]:
    """The seat of the player to move chooses this turn."""
    history = table.session.history
    done = table.session.submit(
        SubmitTurn(
            history.position.to_move, Move.parse(move), history.game, history.ply, history.position.text
        )
    )
    emitted = table.session.attend()
    assert done.exception(timeout=0) is None
    return emitted


def types(events: list[Event]) -> list[str]:
    return [event.type for event in events]


def alerts(events: tuple[Event, ...]) -> list[Alert]:
    return [event for event in events if isinstance(event, Alert)]


def test_a_chosen_turn_is_a_turn_like_any_other(table: Table) -> None:
    assert types(ask(table, "c4-c5")) == ["reply"]
    state = table.session.state()
    assert state["reply"]["move"] == "c4-c5" and state["seats"] == {"green": "engine:x", "red": "board"}
    assert table.show(table.after("c4-c5"), 1.5).summary == ["move c4-c5"]
    assert table.session.state()["reply"] is None


def test_another_turn_in_its_place_is_put_right(table: Table) -> None:
    ask(table, "c4-c5")
    start = table.stacks
    emitted = table.show(table.after("b4-b5"), 1.5)
    (alert,) = alerts(emitted.events)
    assert (alert.reason, alert.player, alert.squares) == ("not_the_reply", "green", ["b4", "b5"])
    assert "asked for 1 piece c4 to c5" in alert.text and "not for 1 piece b4 to b5" in alert.text
    assert "put the pieces back" in alert.text
    assert table.show(seconds=2.0).summary == [], "an alert is emitted once"
    assert table.session.state()["reply"]["move"] == "c4-c5", "it is still due"
    assert table.show(start, 1.5).summary == ["resolved"]
    assert table.show(table.after("c4-c5"), 1.5).summary == ["move c4-c5"]


def test_from_a_wrong_turn_straight_to_the_right_one(table: Table) -> None:
    ask(table, "c4-c5")
    right = table.after("c4-c5")
    table.show(table.after("b4-b5"), 1.5)
    assert table.show(right, 1.5).summary == ["resolved", "move c4-c5"]


def test_a_wrong_turn_may_be_accepted_by_hand(table: Table) -> None:
    ask(table, "c4-c5")
    table.show(table.after("b4-b5"), 1.5)
    table.session.submit(RuleLegal(Move.parse("b4-b5")))
    assert types(table.session.attend()) == ["ruling", "resolved", "move"]
    assert table.session.state()["reply"] is None and table.session.state()["to_move"] == "red"
    assert table.show(seconds=1.5).summary == []
    assert table.show(table.after("f5-f6"), 1.5).summary == ["move f5-f6"], "red is played at the board"


def test_a_turn_made_before_one_was_chosen_is_alerted(table: Table) -> None:
    emitted = table.show(table.after("c4-c5"), 1.5)
    (alert,) = alerts(emitted.events)
    assert alert.reason == "not_the_reply" and "has not chosen a turn yet" in alert.text
    assert types(ask(table, "c4-c5")) == ["reply"]
    # It is on the board already and need not be taken back and made again.
    assert table.show(seconds=1.0).summary == ["resolved", "move c4-c5"]


def test_a_turn_made_too_early_after_one_of_the_table() -> None:
    table = begun(Rules.make(2), {"r": "engine:x"})
    first = apply(table.session.position, Move.parse("c4-c5"), table.rules)
    second = apply(first, Move.parse("f5-f6"), table.rules)
    emitted = table.show(second.stacks, 2.0)
    assert emitted.summary == ["move c4-c5", "alert not_the_reply"]
    assert table.show(first.stacks, 2.0).summary == ["resolved"]


def test_an_illegal_act_keeps_its_own_reason(table: Table) -> None:
    ask(table, "c4-c5")
    wrong = table.put({"c4": "", "d5": table.stacks[INDEX["d5"]] + "g"})
    assert table.show(wrong, 1.5).summary == ["alert not_straight"]


def test_a_reply_that_is_trimmed() -> None:
    played = rules({"d4": "rg", "d6": "rrggr", "b4": "rgrgg", "b5": "r"}, {})
    table = begun(played, {"g": "engine:x"})
    (reply,) = ask(table, "b4-b5")
    assert reply.to_json()["remove"] == [], "one piece on one piece"
    table = begun(played, {"g": "engine:x"})
    (reply,) = ask(table, "d4-d6")
    assert [gone["piece"] for gone in reply.to_json()["remove"]] == ["r", "r"]
    after = table.put({"d4": "", "d6": "ggrrg"})
    assert table.show(table.after("d4-d6"), 1.5).summary == ["prompt d6"]
    assert table.session.state()["reply"]["move"] == "d4-d6"
    assert table.show(after, 2.0).summary == ["move d4-d6"]


def test_who_takes_back_before_a_reply_is_made(table: Table) -> None:
    ask(table, "c4-c5")
    table.show(table.after("c4-c5"), 1.5)
    table.session.submit(TakeBack())
    assert types(table.session.attend()) == ["taken_back"]
    assert table.session.state()["reply"] is None, "it is asked for anew"
    assert types(ask(table, "b4-b5")) == ["reply"]


def test_a_seat_is_given_to_the_board_during_a_game(table: Table) -> None:
    ask(table, "c4-c5")
    table.show(table.after("b4-b5"), 1.5)
    table.session.submit(SetSeat("g", "board"))
    assert types(table.session.attend()) == ["seat"]
    assert table.session.state()["reply"] is None
    assert table.show(seconds=1.0).summary == ["resolved", "move b4-b5"]


@pytest.mark.parametrize(
    ("trimmed", "emitted"),
    [(0.0, [TurnSeen]), (-50.0, [Undecided]), (-90.0, [TrimAwaited])],
    ids=["trimmed", "perhaps trimmed", "too high"],
)
def test_that_a_turn_was_chosen_does_not_settle_whether_it_was_trimmed(
    trimmed: float, emitted: list[type]
) -> None:
    """``trimmed``: nats by which the picture favours the trimmed stack; its lowest piece lies beside the
    board.
    """
    played, chosen = rules({"f7": "rrgrg", "d5": "g"}, {"g": 1}), Move.parse("*f7")
    start = start_position(played)
    fits = {"f7": {"rrgrgg": 90.0, "rgrgg": 90.0 + trimmed}}
    look = fake_look(start.stacks, {"f7": 0.5}, fits, beside="r", age=1.1)
    verdicts = Referee(played).judge(look, [start], Asked("g", chosen)).verdicts
    assert [type(verdict) for verdict in verdicts] == emitted
