"""Players who go on although an alert stands: no turn is invented that would explain both."""

from __future__ import annotations

import pytest
from table_scene import begun, seen_from

from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX

PLAYED_ON = {
    "a piece placed without a reserve": ({"a4": "g"}, "alert no_reserve", {"c5": "", "b5": "rr"}),
    "a move of the wrong distance": ({"d5": "", "d7": "gg"}, "alert distance", {"e6": "", "f7": "rr"}),
    "a diagonal move": ({"d5": "", "c6": "gg"}, "alert not_straight", {"b5": "", "c5": "rr"}),
}


@pytest.mark.parametrize(
    ("tilt", "azimuth"), [(35.0, 200.0), pytest.param(13.0, 7.0, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", PLAYED_ON)
def test_the_alert_stands_while_others_play_on(name: str, tilt: float, azimuth: float) -> None:
    wrong, alert, reply = PLAYED_ON[name]
    table = seen_from(tilt, azimuth, Rules.make(2))
    start = table.stacks
    assert table.show(table.put(wrong), 1.5).summary == [alert]
    assert table.show(table.put(reply), 2.5).summary == []
    assert table.show(table.put({"f2": "", "f3": "rg"}), 2.5).summary == []
    assert table.show(start).summary == ["resolved"]
    assert table.session.history.moves == ()


def test_a_piece_lifted_while_an_alert_stands_is_no_other_act() -> None:
    table = begun(Rules.make(2))
    assert table.show(table.put({"d5": "", "d7": "gg"}), 1.5).summary == ["alert distance"]
    assert table.show(table.put({"b5": ""}), 4.0).summary == []
    assert table.show(table.put({"b5": "r", "d7": "g", "d6": "rg"})).summary == ["resolved", "move d5-d6"]


def test_what_was_played_on_is_judged_once_the_alerted_act_is_corrected() -> None:
    table = begun(Rules.make(2))
    assert table.show(table.put({"d5": "", "d7": "gg"}), 1.5).summary == ["alert distance"]
    assert table.show(table.put({"b5": "", "c5": "rr"}), 2.0).summary == []
    corrected = table.show(table.put({"d7": "g", "d6": "rg"}))
    assert corrected.summary == ["resolved", "move d5-d6", "move b5-c5"]


def test_an_alert_about_the_piece_just_moved_ends_with_another_legal_turn() -> None:
    table = begun(Rules.make(2))
    assert table.show(table.after("d5-d6")).summary == ["move d5-d6"]
    further = {"d6": "r", "c6": table.stacks[INDEX["c6"]] + "g"}
    assert table.show(table.put(further), 1.5).summary == ["alert out_of_turn"]
    put_right = {"c6": table.stacks[INDEX["c6"]][:-1], "c5": table.stacks[INDEX["c5"]] + "g"}
    emitted = table.show(table.put(put_right), 2.5).summary
    assert emitted == ["resolved", "taken_back 0", "move d5-c5"]
