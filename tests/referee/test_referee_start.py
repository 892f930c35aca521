"""Acts at the start position in the real pipeline: each illegal act gets its reason, after the settle time;
hands, pushes and lamps cause no events."""

from __future__ import annotations

from dataclasses import replace

import pytest
from table_scene import FPS, Stacks, Table, begun, rules, small_look

from focus_companion.game.moves import Move
from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX
from focus_companion.session.requests import NewGame, Request, TakeBack
from focus_companion.simulator.scene_style import Lamp, Lighting, aimed_camera
from focus_companion.simulator.stage import Hand
from focus_companion.vision.capture.frames import Image
from focus_companion.vision.geometry.pose import pushed
from focus_companion.vision.geometry.scene import BoardProfile, Camera
from focus_companion.vision.tracking import push_fit

RULES = Rules.make(2)
"""Green begins."""


@pytest.fixture
def table() -> Table:
    return begun(RULES)


ILLEGAL: dict[str, tuple[dict[str, str], set[str], set[str]]] = {
    # the stacks after the act, the correct reasons, the squares of the alert
    "diagonal": ({"d5": "", "e6": "rg"}, {"not_straight"}, {"d5", "e6"}),
    "bent": ({"d5": "", "e7": "gg"}, {"not_straight"}, {"d5", "e7"}),
    "too far": ({"d5": "", "d7": "gg"}, {"distance"}, {"d5", "d7"}),
    "across the board": ({"c6": "", "h6": "g"}, {"distance"}, {"c6", "h6"}),
    "another's piece": ({"d6": "", "d7": "gr"}, {"out_of_turn", "not_your_stack"}, {"d6", "d7"}),
    "two pieces moved": (
        {"d5": "", "d6": "rg", "g4": "", "g5": "rg"},
        {"two_moves"},
        {"d5", "d6", "g4", "g5"},
    ),
    "from no reserve": ({"a4": "g"}, {"no_reserve"}, {"a4"}),
    "from nobody's reserve": ({"h5": "r"}, {"no_reserve"}, {"h5"}),
}


@pytest.mark.parametrize("act", ILLEGAL)
def test_an_illegal_act_is_alerted_once_and_then_resolved(table: Table, act: str) -> None:
    changes, reasons, squares = ILLEGAL[act]
    start = table.stacks
    emitted = table.show(table.put(changes), seconds=2.5)
    assert [event.type for event in emitted.events] == ["alert"]
    alert = emitted.events[0].to_json()
    assert alert["reason"] in reasons
    assert set(alert["squares"]) == squares
    assert table.show(start).summary == ["resolved"]


def test_an_alert_waits_until_the_picture_has_lasted(table: Table) -> None:
    start = table.stacks
    assert table.show(table.put({"d5": "", "d7": "gg"}), seconds=0.4).summary == []
    assert table.show(start).summary == []


def test_a_piece_in_the_hand_is_no_removal(table: Table) -> None:
    """A stack lifted for two seconds while somebody thinks."""
    start = table.stacks
    assert table.show(table.put({"d5": ""}), seconds=2.0).summary == []
    assert table.show(start).summary == []


def test_the_session_knows_which_pieces_are_in_the_hand(table: Table) -> None:
    start = table.stacks
    table.show(start)
    assert table.session.lifted is None
    table.show(table.put({"d5": ""}))
    assert table.session.lifted == (INDEX["d5"], 1)
    table.show(start)
    assert table.session.lifted is None
    table.show(table.put({"d5": "", "d7": "gg"}), seconds=0.4)
    assert table.session.lifted is None, "the piece lies elsewhere"
    table.show(start)
    table.show(table.after("d5-d6"))
    assert table.session.lifted is None
    table.show(table.put({"d6": "r"}), seconds=2.0)
    assert table.session.lifted == (INDEX["d6"], 1), "the upper piece of two"
    table.show(table.put({"d6": ""}), seconds=2.0)
    assert table.session.lifted == (INDEX["d6"], 2)
    table.show(start)


def test_a_piece_that_stays_away_is_missed(table: Table) -> None:
    start = table.stacks
    emitted = table.show(table.put({"d5": ""}), seconds=4.5)
    assert emitted.summary == ["alert wrong_removal"]
    assert table.show(start).summary == ["resolved"]


@pytest.mark.parametrize("seat", "SWNE")
def test_a_hand_that_rests_over_the_board_gives_nothing(table: Table, seat: str) -> None:
    stage = replace(table.stage(), hand=Hand(seat, 20.0, -15.0, 30.0))
    assert table.shoot(stage, 2.0).summary == []
    assert table.show().summary == []


def test_a_turn_is_emitted_and_taken_back(table: Table) -> None:
    start = table.stacks
    assert table.show(table.after("d5-d6")).summary == ["move d5-d6"]
    assert table.show(start).summary == ["taken_back 0"]


@pytest.mark.parametrize("other", ["e5-f5", "b6-a6"])
def test_a_changed_mind_requires_no_settle_time_in_between(table: Table, other: str) -> None:
    """The turn is undone and another one made, all under one hand."""
    start, instead = table.stacks, table.after(other)
    assert table.show(table.after("d5-d6")).summary == ["move d5-d6"]
    assert table.show(instead, 1.5).summary == ["taken_back 0", f"move {other}"]
    assert table.show(start).summary == ["taken_back 0"]


def test_a_piece_moved_on_from_where_it_was_set_is_one_act(table: Table) -> None:
    """And not a turn taken back and another one made."""
    start, instead = table.stacks, table.after("d5-d4")
    assert table.show(table.after("d5-d6")).summary == ["move d5-d6"]
    assert table.show(instead, 1.5).summary == ["alert distance"]
    assert table.show(start, 1.5).summary == ["resolved", "taken_back 0"]


def test_a_turn_may_be_replaced_by_another_of_another_piece_under_the_next_players_turn(table: Table) -> None:
    assert table.show(table.after("d5-d6")).summary == ["move d5-d6"]
    assert table.show(table.after("c7-c8")).summary == ["move c7-c8"]
    changed = table.put({"d6": "r", "d5": "g", "g4": "", "g5": "rg"})
    assert table.show(changed, 1.5).summary == ["taken_back 0", "move g4-g5", "move c7-c8"]


def test_unless_play_has_gone_on_from_there(table: Table) -> None:
    """Both players have accepted it as the other turn of that piece."""
    start, instead = table.stacks, table.after("d5-d4")
    assert table.show(table.after("d5-d6")).summary == ["move d5-d6"]
    table.stacks = instead
    emitted = table.show(table.put({"c7": "", "c6": "gr"}), 1.5)
    assert emitted.summary == ["taken_back 0", "move d5-d4", "move c7-c6"]
    assert table.show(start).summary == ["taken_back 0"]


def test_two_turns_before_the_board_came_to_rest_are_two_turns(table: Table) -> None:
    start = table.stacks
    both = {"d5": "", "d6": "rg", "c7": "", "c6": "gr"}
    assert table.show(table.put(both)).summary == ["move d5-d6", "move c7-c6"]
    assert table.show(start).summary == ["taken_back 0"]


def test_a_legal_turn_puts_an_illegal_act_right(table: Table) -> None:
    start = table.stacks
    assert table.show(table.put({"d5": "", "d7": "gg"})).summary == ["alert distance"]
    assert table.show(_from(table, start, "d5-d6")).summary == ["resolved", "move d5-d6"]
    assert table.show(start).summary == ["taken_back 0"]


def test_an_alert_follows_an_alert(table: Table) -> None:
    start = table.stacks
    assert table.show(table.put({"d5": "", "d7": "gg"})).summary == ["alert distance"]
    table.stacks = start
    assert table.show(table.put({"e5": "", "f6": "gg"}), 2.5).summary == ["alert not_straight"]
    assert table.show(start).summary == ["resolved"]


@pytest.mark.parametrize("pose", [(9.0, -6.0, 2.0), (-14.0, 11.0, -5.0), (45.0, 4.0, 1.0)])
@pytest.mark.slow
def test_a_pushed_board_gives_nothing_and_is_read_on(pose: tuple[float, float, float]) -> None:
    table = begun(RULES)
    table.push_board(*pose)
    assert table.show(seconds=2.5).summary == []
    assert table.show(table.after("d5-d6")).summary == ["move d5-d6"]


def test_a_push_is_followed_where_outlines_mislead(monkeypatch: pytest.MonkeyPatch) -> None:
    """In noise, seen from above, the fit to outlines may converge beside the board; its colours are right."""

    def misled(
        image: Image, held: Camera, start: Camera, profile: BoardProfile, *_: object
    ) -> list[tuple[Camera, float]]:
        return [(pushed(start, 0.6 * profile.pitch, 0.0, 0.0), 0.4)]

    table = begun(RULES)
    monkeypatch.setattr(push_fit, "fits", misled)
    table.push_board(45.0, 4.0, 1.0)
    assert table.show(seconds=2.5).summary == []
    assert table.show(table.after("d5-d6")).summary == ["move d5-d6"]


LIGHTINGS = {
    "a warm lamp": Lighting(
        (Lamp((300.0, 500.0, 800.0), 1.0, (1.0, 0.78, 0.52), 60.0),), 0.2, (1.0, 0.85, 0.68)
    ),
    "dimmed": Lighting((Lamp((-700.0, 500.0, 1100.0), 0.7, (1.0, 0.95, 0.9), 300.0),), 0.3, exposure=-0.7),
}


@pytest.mark.slow
@pytest.mark.parametrize("lighting", LIGHTINGS)
def test_another_light_gives_nothing_and_the_game_is_read_on(lighting: str) -> None:
    look = small_look()
    assert len(look.lightings) == 1
    table = begun(RULES, look=replace(look, lightings=(*look.lightings, *LIGHTINGS.values())))
    table.director.light = 1 + list(LIGHTINGS).index(lighting)
    assert table.show(seconds=2.5).summary == []
    assert table.show(table.after("d5-d6")).summary == ["move d5-d6"]


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(NewGame(), id="a new game", marks=pytest.mark.slow),
        pytest.param(TakeBack(), id="a turn taken back"),
    ],
)
def test_what_is_asked_right_after_a_turn_is_not_taken_for_it(request_: Request) -> None:
    """Requested before the next picture: the board still shows the turn, and must be restored first."""
    table = begun(RULES)
    start = table.stacks
    moved = table.after("d5-d6")
    # Until the turn is emitted, and not a picture longer.
    table.show(moved, 0.1)
    while not (emitted := table.show(seconds=1 / FPS).summary):
        assert table.time < 20
    assert emitted == ["move d5-d6"]
    table.session.submit(request_)
    afterwards = table.show(seconds=2.0).summary
    assert afterwards[-1] == "set_up" and not table.session.history.ready
    assert table.show(start, 3.0).summary == []
    assert table.session.history.ready
    assert table.show(table.after("d7-d6"), 2.0).summary == ["move d7-d6"]


def _from(table: Table, start: Stacks, move: str) -> Stacks:
    """The stacks after a turn from the start, whatever is on the board now."""
    assert start == table.session.position.stacks
    assert Move.parse(move).origin is not None
    return table.after(move)


def test_a_game_begins_although_a_tall_stack_hides_a_square() -> None:
    look = small_look()
    camera = aimed_camera(look.camera.lens, look.profile, tilt=35.0, azimuth=7.0, fill=0.83)
    towering = rules({"d7": "rgrgr"}, {})
    table = begun(towering, look=replace(look, camera=camera))
    assert table.show(table.after("d5-d6")).summary == ["move d5-d6"]
