"""Somebody lifts a piece while the turn before is still being told: what is in a hand is no turn."""

from __future__ import annotations

import pytest
from table_scene import begun, rules, seen_from

from focus_companion.game.rules import Rules
from focus_companion.session.history import History

TALL = {"d5": "rgrrg", "d7": "rg", **dict.fromkeys(("b2", "c2", "b7", "g7", "b5", "g5", "g3"), "")}
"""Green can make a stack of seven."""


def played(history: History) -> list[str]:
    return [str(move.what) for move in history.moves]


@pytest.mark.parametrize(
    ("origin", "target", "left"),
    [("c7", "c6", {"c7": "", "c6": "gr"}), pytest.param("f3", "f4", {"f4": "gr"}, marks=pytest.mark.slow)],
)
def test_a_piece_lifted_before_the_turn_before_is_told_is_played_later(
    origin: str, target: str, left: dict[str, str]
) -> None:
    """A neighbour of its own colour, on which it would hardly show, is not its target."""
    table = begun(Rules.make(2))
    assert table.show(table.put({origin: ""}), 0.6).summary == []
    assert table.show(table.put({"d5": "", "d6": "rg"}), 1.2).summary == ["move d5-d6"]
    assert table.show(table.put(left), 1.5).summary == [f"move {origin}-{target}"]
    assert played(table.session.history) == ["d5-d6", f"{origin}-{target}"]


def test_two_players_may_hold_a_piece_each() -> None:
    table = begun(Rules.make(2))
    assert table.show(table.put({"d5": ""}), 0.8).summary == []
    assert table.show(table.put({"c7": ""}), 0.6).summary == []
    assert table.show(table.put({"d6": "rg"}), 1.0).summary == ["move d5-d6"]
    assert table.show(table.put({"c6": "gr"}), 1.5).summary == ["move c7-c6"]


def test_a_piece_lifted_while_a_stack_awaits_its_trimming_is_no_turn() -> None:
    table = begun(rules(TALL, {"g": 1, "r": 1}))
    assert table.show(table.put({"d7": "", "d5": "rgrrgrg"})).summary == ["prompt d5"]
    assert table.show(table.put({"f7": ""}), 0.8).summary == []
    assert table.show(table.put({"d5": "rrgrg"})).summary == ["move d7-d5"]
    assert table.show(table.put({"f6": "gr"}), 1.5).summary == ["move f7-f6"]


def test_a_piece_that_vanishes_together_with_a_turn_is_alerted_once_nobody_can_still_hold_it() -> None:
    table = begun(Rules.make(2))
    assert table.show(table.put({"d5": "", "d6": "rg", "e4": ""}), 2.0).summary == ["move d5-d6"]
    assert table.show(seconds=3.0).summary == ["alert wrong_removal"]
    assert table.show(table.put({"e4": "r"})).summary == ["resolved"]


def test_a_stack_may_be_taken_apart_piece_by_piece_and_rebuilt() -> None:
    table = begun(rules(TALL, {"g": 1, "r": 1}))
    for number in (4, 3, 2, 3, 4):
        assert table.show(table.put({"d5": "rgrrg"[:number]}), 0.8).summary == []
    assert table.show(table.put({"d5": "rgrrg"})).summary == []
    assert table.show(table.put({"d5": "rgr"}), 1.5).summary == []
    assert table.show(table.put({"d5": "rgrr"}), 3.5).summary == ["alert wrong_removal"]


def test_a_stack_that_is_lifted_to_get_at_its_lowest_pieces_is_not_missing() -> None:
    table = begun(rules(TALL, {"g": 1, "r": 1}))
    assert table.show(table.put({"d7": "", "d5": "rgrrgrg"})).summary == ["prompt d5"]
    lifted = table.put({"d5": ""})
    assert table.show(lifted, 2.0).summary == []
    assert table.show(table.put({"d5": "rrgrg"})).summary == ["move d7-d5"]


def test_a_stack_that_stays_away_from_the_board_is_missing() -> None:
    table = begun(rules(TALL, {"g": 1, "r": 1}))
    assert table.show(table.put({"d7": "", "d5": "rgrrgrg"})).summary == ["prompt d5"]
    assert table.show(table.put({"d5": ""}), 4.0).summary == ["alert wrong_removal"]


def test_where_a_lifted_piece_went_is_not_asked_at_once() -> None:
    """Seen from 13°, it may also be on a neighbour of its own colour, though it is likelier in a hand."""
    table = seen_from(13.0, 7.0, Rules.make(2))
    start = table.stacks
    assert table.show(table.put({"d5": ""}), 2.0).summary == []
    assert table.show(start).summary == []
    assert table.show(table.put({"d5": ""}), 5.0).summary == ["unclear"]
    assert table.show(table.put({"d6": "rg"})).summary == ["move d5-d6"]
