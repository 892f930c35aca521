"""A player other than the one named begins: alerted as out of turn, and accepted as the first turn if the
players say so or the next player plays on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from table_scene import Stacks, Table, begun, seen_from

from focus_companion.formats.json_record import record_from_json, record_to_json
from focus_companion.game.moves import Move
from focus_companion.game.record import positions
from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX
from focus_companion.session import requests as ask
from focus_companion.simulator.stage import Hand, square_centre

PARTNERS = Rules.make(4, partners=True)


def done(table: Table, move: str, colour: str = "") -> Stacks:
    """The board with a single piece moved, or one of ``colour`` placed, whoever's turn it is."""
    stacks, one = list(table.stacks), Move.parse(move)
    if one.origin is not None:
        stacks[one.origin], colour = stacks[one.origin][:-1], stacks[one.origin][-1]
    stacks[one.target] += colour
    return tuple(stacks)


def played(table: Table) -> list[tuple[str, str]]:
    return [(entry["player"], entry["move"]) for entry in table.session.state()["moves"]]


def check_record(table: Table) -> None:
    """The exported record starts with the player who began, and leads to the current position."""
    state = table.session.state()
    record = record_to_json(table.session.history.record())
    assert record["rules"]["order"] == state["order"] == state["rules"]["order"]
    assert list(positions(record_from_json(record)))[-1].stacks == table.stacks


@pytest.mark.parametrize(
    ("rules", "turns", "order"),
    [
        (Rules.make(2), ["red d6-d7", "green c4-c5", "red f5-f4"], ["red", "green"]),
        (Rules.make(2, order="rg"), ["green d5-d4", "red c7-c8", "green f4-f3"], ["green", "red"]),
        pytest.param(
            Rules.make(3),
            ["blue *a4", "red *h4", "green *e1"],
            ["blue", "red", "green"],
            marks=pytest.mark.slow,
        ),
        (Rules.make(3), ["red *h4", "green *a4", "blue *e1"], ["red", "green", "blue"]),
        pytest.param(
            PARTNERS,
            ["yellow f6-f5", "red e7-e6", "green f2-f1"],
            ["yellow", "red", "green", "blue"],
            marks=pytest.mark.slow,
        ),
    ],
    ids=["two", "two, red named", "three, blue", "three, red", "partners"],
)
def test_playing_on_answers_who_begins(rules: Rules, turns: list[str], order: list[str]) -> None:
    table = begun(rules)
    (first, one), (second, two), (third, three) = (turn.split() for turn in turns)
    emitted = table.show(done(table, one, first[0]), seconds=2.0)
    assert emitted.summary == ["alert out_of_turn"]
    assert table.session.state()["begins"] == first
    emitted = table.show(done(table, two, second[0]), seconds=2.0)
    assert emitted.summary == ["resolved", f"move {one}", f"move {two}"]
    assert table.show(done(table, three, third[0]), seconds=2.0).summary == [f"move {three}"]
    assert played(table) == [(first, one), (second, two), (third, three)]
    assert table.session.state()["order"] == order
    check_record(table)


def test_the_players_say_who_begins() -> None:
    table = begun(Rules.make(2))
    start = table.stacks
    assert table.show(done(table, "d6-d7"), seconds=2.0).summary == ["alert out_of_turn"]
    table.session.submit(ask.Begin("r"))
    # The board already shows the position: nothing needs to be found or set up, and play goes on.
    assert table.show(seconds=1.0).summary == ["resolved", "move d6-d7"]
    assert table.session.camera == "ok" and table.session.state()["begins"] is None
    assert table.show(done(table, "c4-c5"), seconds=2.0).summary == ["move c4-c5"]
    assert played(table) == [("red", "d6-d7"), ("green", "c4-c5")]
    check_record(table)
    # Taken back to its start, the game is begun by red; now it is in question whether green begins.
    assert table.show(start, seconds=2.0).summary == ["taken_back 0"]
    assert table.session.state()["to_move"] == "red"
    assert table.show(done(table, "c4-c5"), seconds=2.0).summary == ["alert out_of_turn"]
    assert table.show(done(table, "d6-d7"), seconds=2.0).summary == ["resolved", "move c4-c5", "move d6-d7"]
    assert played(table) == [("green", "c4-c5"), ("red", "d6-d7")]
    check_record(table)


def test_players_may_play_on_before_answering_late() -> None:
    table = begun(Rules.make(2))
    table.show(done(table, "d6-d7"), seconds=2.0)
    table.session.submit(ask.Begin("r"))
    assert table.show(done(table, "c4-c5"), seconds=2.0).summary == ["resolved", "move d6-d7", "move c4-c5"]
    assert played(table) == [("red", "d6-d7"), ("green", "c4-c5")]


def test_put_back_it_is_like_any_other_alert() -> None:
    table = begun(Rules.make(2))
    start = table.stacks
    assert table.show(done(table, "d6-d7"), seconds=2.0).summary == ["alert out_of_turn"]
    assert table.show(start, seconds=1.0).summary == ["resolved"]
    assert table.session.state()["begins"] is None
    assert table.show(done(table, "c4-c5"), seconds=1.0).summary == ["move c4-c5"]
    assert table.show(done(table, "d6-d7"), seconds=1.0).summary == ["move d6-d7"]
    assert played(table) == [("green", "c4-c5"), ("red", "d6-d7")]
    assert table.session.state()["order"] == ["green", "red"]


def test_put_back_and_the_named_player_begins() -> None:
    table = begun(Rules.make(2))
    start = table.stacks
    table.show(done(table, "d6-d7"), seconds=2.0)
    table.stacks, wrong = start, table.stacks
    right = done(table, "c4-c5")
    table.stacks = wrong
    assert table.show(right, seconds=2.0).summary == ["resolved", "move c4-c5"]
    assert played(table) == [("green", "c4-c5")]


def test_only_the_first_turn_is_in_question() -> None:
    table = begun(Rules.make(2))
    assert table.show(done(table, "c4-c5"), seconds=1.0).summary == ["move c4-c5"]
    emitted = table.show(done(table, "f4-f3"), seconds=2.0)
    assert emitted.summary == ["alert out_of_turn"]
    assert "begin" not in emitted.events[0].to_json()["text"]
    assert table.session.state()["begins"] is None


def test_what_would_be_illegal_for_anybody_begins_nothing() -> None:
    """Three players: the thirteenth piece comes first, whoever begins."""
    table = begun(Rules.make(3))
    assert table.show(done(table, "b4-b5"), seconds=2.0).summary[0].startswith("alert")
    assert table.session.state()["begins"] is None


def test_from_a_corrected_position() -> None:
    """The player to move was entered wrongly: the order stays, the other player is to move."""
    table = begun(Rules.make(2))
    table.show(done(table, "c4-c5"), seconds=1.0)
    table.session.submit(ask.SetPosition(table.stacks, "g"))
    assert table.show(seconds=2.0).summary == []
    assert table.show(done(table, "d6-d7"), seconds=2.0).summary == ["alert out_of_turn"]
    assert table.show(done(table, "f4-f3"), seconds=2.0).summary == ["resolved", "move d6-d7", "move f4-f3"]
    assert table.session.state()["order"] == ["green", "red"]
    check_record(table)


def test_the_first_turn_may_have_been_made_under_a_hand_before_the_second_was_seen() -> None:
    table = seen_from(20.0, 7.0, Rules.make(2))
    e4 = square_centre(table.director.look, INDEX["e4"])
    for move, seconds in (("d5-d6", 1.0), ("c7-c8", 2.0)):
        table.stacks = done(table, move)
        hand = Hand("E", *e4, 60.0, closed=0.4)
        emitted = table.shoot(replace(table.stage(), hand=hand), seconds)
    assert emitted.summary == ["alert out_of_turn"]
    assert table.show(seconds=2.0).summary == ["resolved", "move d5-d6", "move c7-c8"]
    assert played(table) == [("green", "d5-d6"), ("red", "c7-c8")]
