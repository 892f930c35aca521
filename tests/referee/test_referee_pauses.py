"""Turns played while there were no pictures, such as when a phone's network was down."""

from __future__ import annotations

import pytest
from table_scene import FPS, Table

from focus_companion.game.moves import Move
from focus_companion.game.play import apply
from focus_companion.game.rules import Rules
from focus_companion.vision.tracking.pauses import Pauses

RULES = Rules.make(2)
UNSEEN = ("d7-c7", "e6-d6", "c2-d2", "f7-e7", "f2-g2")
"""Turns of both players."""


def table_after(seconds: float, turns: int) -> tuple[Table, list[str]]:
    """A table at which so many turns were played during a pause of the camera, and what is told of them."""
    table = Table(RULES)
    assert table.show(seconds=1.0).summary == []
    position = table.session.position
    for text in UNSEEN[:turns]:
        position = apply(position, Move.parse(text), RULES)
    table.stacks = position.stacks
    table.wait(seconds)
    return table, table.show(seconds=4.0).summary


def test_turns_played_during_a_pause_are_no_alert_but_the_position_is_asked_for() -> None:
    table, told = table_after(20.0, turns=5)
    assert [line.split()[0] for line in told] == ["set_up"]
    # As soon as the last known position stands again, or the players say which one does, the game goes on.
    table.stacks = table.session.position.stacks
    assert table.show(seconds=2.0).summary == []
    assert table.show(table.after("d7-c7")).summary == ["move d7-c7"]


def test_one_or_two_turns_played_during_a_pause_are_told() -> None:
    _, told = table_after(20.0, turns=2)
    assert told == ["move d7-c7", "move e6-d6"]


def test_what_no_turn_explains_is_alerted_if_the_board_was_watched_all_the_time() -> None:
    _, told = table_after(1 / FPS, turns=5)
    assert [line.split()[:2] for line in told] == [["alert", "unexplained"]]


@pytest.mark.parametrize(
    ("times", "longest"),
    [
        ([0.0, 0.1, 0.2, 0.3, 5.3, 5.4], 5.0),
        ([0.0, 5.0, 10.0, 15.0], 0.0),
        ([0.0, 0.1, 0.2, 0.4, 0.5], 0.0),
        ([7.0, 7.1, 0.0, 0.1], 0.0),
        ([], 0.0),
    ],
    ids=["a pause", "a picture every five seconds", "a missing frame", "a new stream", "no picture"],
)
def test_a_pause_is_long_compared_with_the_usual_interval(times: list[float], longest: float) -> None:
    pauses = Pauses()
    for time in times:
        pauses.see(time)
    assert pauses.longest == pytest.approx(longest)
    pauses.forget()
    assert pauses.longest == 0.0
