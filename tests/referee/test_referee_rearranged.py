"""Turns made wrongly: a turn is not told where its squares plainly show something else than it leaves."""

from __future__ import annotations

import pytest
from table_scene import begun, rules, seen_from

from focus_companion.game.rules import Rules

PAIRS = {"f5": "rg", "g7": "rrgg", "f7": "", "h5": ""}
"""Green may move both pieces from f5 to h5, and one to four from g7."""


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ({"f5": "", "h5": "gr"}, {"f5": "", "h5": "rg"}),
        ({"g7": "gg", "f7": "rr"}, {"g7": "rrg", "f7": "g"}),
    ],
    ids=["a stack arrives upside down", "pieces were taken from the bottom of a stack"],
)
def test_pieces_moved_in_another_order_are_alerted(wrong: dict[str, str], right: dict[str, str]) -> None:
    table = begun(rules(PAIRS, {"g": 1}))
    start = table.stacks
    assert table.show(table.put(wrong), 1.2).summary == ["alert reordered"]
    assert table.show(start).summary == ["resolved"]
    (told,) = table.show(table.put(right)).summary
    assert told.startswith("move ")


def test_a_piece_that_is_jumped_and_taken_as_in_draughts_is_alerted() -> None:
    table = begun(Rules.make(2))
    start = table.stacks
    assert table.show(table.put({"d5": "", "d6": "", "d7": "gg"}), 1.2).summary == ["alert distance"]
    assert table.show(start).summary == ["resolved"]


def test_a_piece_that_is_taken_as_in_chess_is_no_turn() -> None:
    """At most it is asked about: the piece may stand in front of the board."""
    table = begun(Rules.make(2))
    assert set(table.show(table.put({"d5": "", "d6": "g"}), 2.0).summary) <= {
        "unclear",
        "alert wrong_removal",
    }
    assert not table.session.history.moves
    assert table.show(table.put({"d6": "rg"})).summary == ["move d5-d6"]


@pytest.mark.parametrize("tilt", [13.0, 20.0])
def test_a_piece_exchanged_for_one_in_hand_is_not_taken_for_that_placed_on_it(tilt: float) -> None:
    """From nearly above, one piece looks much like two."""
    table = seen_from(tilt, 7.0, rules({"d6": "r"}, {"g": 1}))
    assert table.show(table.put({"d6": "g"}), 2.0).summary == ["unclear"]
    assert table.show(table.put({"d6": "rg"})).summary == ["move *d6"]


def test_what_no_act_explains_is_alerted_at_once_if_only_stacks_have_changed() -> None:
    table = begun(Rules.make(2))
    changed = table.put({"d5": "", "d6": "rg", "c7": "", "e8": "r", "f3": "", "g4": "r"})
    assert table.show(changed, 1.2).summary == ["alert unexplained"]


@pytest.mark.parametrize(
    ("set_up", "turn", "illegal", "reason"),
    [
        (Rules.make(2), {"d5": "", "d6": "rg"}, {"c7": "", "e8": "r"}, "not_straight"),
        (Rules.make(4, partners=True), {"c4": "", "c5": "yg"}, {"f5": "", "f4": "gy"}, "out_of_turn"),
    ],
    ids=["a reply across a corner", "a partner who is not to move yet"],
)
def test_an_illegal_act_made_together_with_a_turn_is_alerted_as_what_it_is(
    set_up: Rules, turn: dict[str, str], illegal: dict[str, str], reason: str
) -> None:
    table = begun(set_up)
    legal = table.put(turn)
    assert table.show(table.put(turn | illegal), 1.2).summary == [f"alert {reason}"]
    (resolved, told) = table.show(legal).summary
    assert resolved == "resolved" and told.startswith("move ")


def test_two_pieces_placed_at_once_by_one_player_are_two_turns_of_that_player() -> None:
    """And not one of each player, as would be legal: both pieces are green."""
    table = begun(rules({"a4": "", "h4": ""}, {"g": 2, "r": 2}))
    start = table.stacks
    assert table.show(table.put({"a4": "g", "h4": "g"}), 1.2).summary == ["alert two_moves"]
    assert table.show(start).summary == ["resolved"]
