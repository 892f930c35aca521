"""Acts at a tall stack in the real pipeline: trimming awaited, done correctly, wrongly, or not at all;
heights distinguished; turns with reserve pieces."""

from __future__ import annotations

from dataclasses import replace

import pytest
from table_scene import Table, begun, rules, small_look

from focus_companion.game.rules import Rules
from focus_companion.game.setups import start_position
from focus_companion.game.squares import INDEX
from focus_companion.game.start import Start
from focus_companion.session.requests import TurnDone
from focus_companion.simulator.scene_style import aimed_camera
from focus_companion.vision.geometry.board_profiles import board_profile

TALL = {"d5": "rgrrg", "d7": "rg", "b2": "", "b7": "", "g7": "", "b5": "", "g5": ""}
"""The usual start, except for some pieces gathered into stacks."""

PENDING = {"d7": "", "d5": "rgrrgrg"}
"""After d7-d5, not yet trimmed: a red and a green piece are to be removed."""


def tall_rules(reserves: dict[str, int]) -> Rules:
    stacks = list(start_position(Rules.make(2)).stacks)
    for square, stack in TALL.items():
        stacks[INDEX[square]] = stack
    # A piece in reserve has left the board.
    for colour, count in reserves.items():
        singles = [square for square, stack in enumerate(stacks) if stack == colour]
        for square in singles[:count]:
            stacks[square] = ""
    start = Start.make("gr", tuple(stacks), reserves=reserves, to_move="g")
    return Rules.make(2, set_up="position", start=start)


@pytest.fixture
def table() -> Table:
    return begun(tall_rules({"g": 1}))


def test_a_prompt_for_trimming_then_the_turn(table: Table) -> None:
    start = table.stacks
    emitted = table.show(table.put(PENDING))
    assert emitted.summary == ["prompt d5"]
    removed = emitted.events[0].to_json()["remove"]
    assert [(piece["piece"], piece["to"]) for piece in removed] == [("r", "captured"), ("g", "reserve")]
    emitted = table.show(table.put({"d5": "rrgrg"}))
    assert emitted.summary == ["move d7-d5"]
    turn = emitted.events[0].to_json()
    assert turn["reserves"] == {"green": 2, "red": 0}
    assert turn["captured"] == {"green": {"red": 1}, "red": {"green": 0}}
    assert table.show(start).summary == ["taken_back 0"]


def test_a_part_of_the_excess_taken_is_still_awaited(table: Table) -> None:
    start = table.stacks
    assert table.show(table.put(PENDING)).summary == ["prompt d5"]
    assert table.show(table.put({"d5": "grrgrg"})).summary == []
    assert table.show(table.put({"d5": "rrgrg"})).summary == ["move d7-d5"]
    assert table.show(start).summary == ["taken_back 0"]


def slanted(rules: Rules, tilt: float) -> Table:
    """A table whose game has begun, seen at this angle off the vertical."""
    flat = small_look()
    camera = aimed_camera(flat.camera.lens, board_profile(), tilt=tilt, azimuth=7, roll=-1.5, fill=0.83)
    return begun(rules, look=replace(flat, camera=camera))


NEAR, FAR = (12, 8, 2.0), (38, 22, 6.0)
"""Pushes: one that is measured as a motion, and one after which the board is found anew."""


@pytest.mark.slow
def test_a_board_pushed_while_a_stack_awaits_its_trimming_raises_no_question() -> None:
    """The stack too high stands in the first picture of the board at its new place."""
    table = slanted(tall_rules({"g": 1}), 40)
    assert table.show(table.put(PENDING)).summary == ["prompt d5"]
    table.push_board(*NEAR)
    assert table.show(seconds=4.0).summary == []
    assert table.show(table.put({"d5": "rrgrg"}), 2.0).summary == ["move d7-d5"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("push", "stack", "tilt", "trimmed_at_once"),
    [
        (NEAR, "rgrrg", 30, True),
        (NEAR, "grgrg", 20, False),
        (NEAR, "grgrg", 12, True),
        (FAR, "rgrrg", 20, True),
        (FAR, "rrggr", 12, False),
        (FAR, "grgrg", 30, False),
    ],
)
def test_a_board_may_be_pushed_just_as_a_stack_is_trimmed(
    push: tuple[float, float, float], stack: str, tilt: float, trimmed_at_once: bool
) -> None:
    """After a near push, differences on other squares had explained one more turn. After a far one, it is
    unknown what was put down beside the board since the prompt, and the right colour on top of a stack does
    not prove that it is the stack of the position.
    """
    table = slanted(rules({"d5": stack}, {"g": 2, "r": 2}), tilt)
    assert table.show(table.put({"d5": stack + "g"})).summary == ["prompt d5"]
    table.push_board(*push)
    trimmed = table.put({"d5": stack[1:] + "g"})
    emitted = [*table.show(trimmed if trimmed_at_once else None, 4.0).summary]
    assert emitted == (["move *d5"] if trimmed_at_once else [])
    assert emitted + table.show(trimmed, 3.0).summary == ["move *d5"]


@pytest.mark.slow
@pytest.mark.parametrize(("stack", "wrong"), [("rgrg", "grg"), ("rrgg", "grrg")])
def test_a_pushed_board_does_not_put_right_what_was_alerted(stack: str, wrong: str) -> None:
    """On top, the colour is that of the position."""
    table = slanted(rules({"d5": stack}, {"g": 1, "r": 1}), 35)
    right = table.stacks
    (alert,) = table.show(table.put({"d5": wrong}), 2.5).summary
    assert alert.startswith("alert")
    table.push_board(*FAR)
    assert table.show(None, 4.0).summary == []
    assert table.show(right, 3.0).summary == ["resolved"]


def test_a_trimmed_turn_can_be_taken_back_although_reserve_pieces_may_be_placed_there() -> None:
    """A piece of each player on the two stacks would leave the same colours on top."""
    flat = small_look()
    camera = aimed_camera(flat.camera.lens, board_profile(), tilt=35, azimuth=7, roll=0, fill=0.83)
    stacks = {"e5": "rgg", "e3": "rrgrr", "e4": "", "e2": ""}
    table = begun(rules(stacks, {"g": 2, "r": 2}), look=replace(flat, camera=camera))
    start = table.stacks
    table.show(table.put({"e5": "r", "e3": "rrgrrgg"}))
    assert table.show(table.put({"e5": "r", "e3": "grrgg"})).summary == ["move e5-e3"]
    assert table.show(start, 3.0).summary == ["taken_back 0"]


def test_an_act_right_after_a_trimming_is_classified_correctly() -> None:
    """The stack was trimmed and the next player moved wrongly before the board came to rest."""
    table = begun(tall_rules({"g": 1}))
    assert table.show(table.put(PENDING)).summary == ["prompt d5"]
    wrong = table.put({"d5": "rrgrg", "c5": "", "b4": "gr"})
    assert table.show(wrong, 1.5).summary == ["alert not_straight"]
    assert table.show(table.put({"c5": "r", "b4": "g"}), 1.5).summary == ["resolved", "move d7-d5"]


WRONG_TRIMS = {
    "from the top": ("rgrrg", {"wrong_removal", "reordered"}),
    "one too many": ("rgrg", {"wrong_removal"}),
    "two too many": ("grg", {"wrong_removal"}),
}


@pytest.mark.parametrize("how", ["from the top", "one too many", "two too many"])
def test_a_wrong_trimming_is_alerted_and_can_be_put_right(table: Table, how: str) -> None:
    left, reasons = WRONG_TRIMS[how]
    start = table.stacks
    assert table.show(table.put(PENDING)).summary == ["prompt d5"]
    emitted = table.show(table.put({"d5": left}), 1.5)
    assert [event.type for event in emitted.events] == ["alert"]
    assert emitted.events[0].to_json()["reason"] in reasons
    # Two pieces taken from the top look as if they had vanished during a move.
    assert set(emitted.events[0].to_json()["squares"]) <= {"d5", "d7"}
    assert table.show(table.put({"d5": "rrgrg"})).summary == ["resolved", "move d7-d5"]
    assert table.show(start).summary == ["taken_back 0"]


def test_a_stack_left_too_high_is_alerted_only_when_another_piece_moves(table: Table) -> None:
    start = table.stacks
    assert table.show(table.put(PENDING), 2.5).summary == ["prompt d5"]
    assert table.show(table.put({"e7": "", "e6": "rg"}), 1.5).summary == ["alert too_high"]
    table.stacks = start
    emitted = table.show(table.put({"d7": "", "d5": "rrgrg"})).summary
    assert emitted == ["resolved", "move d7-d5"]
    assert table.show(start).summary == ["taken_back 0"]


def test_turns_made_while_a_stack_was_left_too_high_count_once_it_is_trimmed(table: Table) -> None:
    assert table.show(table.put(PENDING), 1.5).summary == ["prompt d5"]
    assert table.show(table.put({"e6": "", "e7": "r"}), 2.0).summary == ["alert too_high"]
    assert table.show(table.put({"c4": "", "b4": "gg"}), 2.0).summary == []
    assert table.show(table.put({"f3": "", "g3": "rr"}), 2.0).summary == []
    trimmed = table.show(table.put({"d5": "rrgrg"}), 3.0)
    turns = ["move d7-d5", "move e6-e7", "move c4-b4", "move f3-g3"]
    assert trimmed.summary == ["resolved", *turns]


TURNS = {
    # a move and the squares after it: equal tops, other heights
    "one piece": ("d5-d4", {"d5": "rgrr", "d4": "rg"}),
    "two pieces": ("d5-d3", {"d5": "rgr", "d3": "grg"}),
    "three pieces": ("d5-d2", {"d5": "rg", "d2": "rrrg"}),
    "four pieces": ("d5-d1", {"d5": "r", "d1": "grrg"}),
    "from the reserve": ("*h4", {"h4": "g"}),
    "from the reserve onto another": ("*f4", {"f4": "gg"}),
}


@pytest.mark.parametrize("turn", TURNS)
def test_turns_are_distinguished_by_height(table: Table, turn: str) -> None:
    move, changes = TURNS[turn]
    start = table.stacks
    stacks = table.after(move)
    assert stacks == table.put(changes)
    assert table.show(stacks).summary == [f"move {move}"]
    assert table.show(start).summary == ["taken_back 0"]


WRONG_COUNTS = {
    "two pieces one square": {"d5": "rgr", "d4": "rrg"},
    "one piece two squares": {"d5": "rgrr", "d3": "gg"},
    "three pieces two squares": {"d5": "rg", "d3": "grrg"},
}


@pytest.mark.parametrize("act", WRONG_COUNTS)
def test_a_wrong_number_of_pieces_is_a_wrong_distance(table: Table, act: str) -> None:
    start = table.stacks
    assert table.show(table.put(WRONG_COUNTS[act]), 1.5).summary == ["alert distance"]
    assert table.show(start).summary == ["resolved"]


TOPS = {"d5": "rgrrg", "d6": "g", "b2": "", "c2": "", "f2": ""}
"""Green's piece from d6 may go to a stack of five with its own colour on top."""
TWO = {"c4": "rgrgg", "d4": "", "b4": "", "c5": ""}
"""Two green pieces on top of each other."""


def test_a_stack_trimmed_from_its_top_looks_as_before_its_turn() -> None:
    """None of its pixels has changed since before the turn, but the turn is visible elsewhere."""
    table = begun(rules(TOPS | TWO, {}))
    assert table.show(table.put({"d6": "", "d5": "rgrrgg"})).summary == ["prompt d5"]
    emitted = table.show(table.put({"d5": "rgrrg"}), 1.5)
    assert emitted.summary == ["alert wrong_removal"]
    assert emitted.events[0].to_json()["squares"] == ["d5"]
    assert table.show(table.put({"d5": "grrgg"}), 1.5).summary == ["resolved", "move d6-d5"]


def test_two_pieces_of_one_colour_are_not_taken_for_one() -> None:
    """Everything that one piece changes has changed, and more."""
    table = begun(rules(TOPS | TWO, {}))
    assert table.show(table.put({"c4": "rgr", "d4": "gg"}), 1.5).summary == ["alert distance"]
    assert table.show(table.put({"c4": "rgrg", "d4": "g"}), 1.5).summary == ["resolved", "move c4-d4"]


@pytest.mark.parametrize("tilt", [37.0, pytest.param(41.0, marks=pytest.mark.slow)])
def test_a_piece_from_behind_a_tall_stack_is_not_one_from_the_reserve(tilt: float) -> None:
    """Too little of its square is visible to have changed by half, but the visible part has changed."""
    hidden = {"g6": "ggrrg", "g7": "g", "f6": "", "b2": "", "c2": "", "f2": "", "g2": ""}
    look = small_look()
    camera = aimed_camera(look.camera.lens, look.profile, tilt=tilt, azimuth=7, roll=-1.5, fill=0.93)
    table = begun(rules(hidden, {"g": 1}), look=replace(look, camera=camera))
    start = table.stacks
    assert table.show(table.put({"g7": "", "f6": "g"})).summary == ["alert not_straight"]
    assert table.show(start).summary == ["resolved"]
    assert table.show(table.put({"f6": "g"})).summary == ["move *f6"]


@pytest.mark.parametrize("order", ["rggrr", "grrrg"])
def test_pieces_in_another_order_are_alerted(table: Table, order: str) -> None:
    start = table.stacks
    assert table.show(table.put({"d5": order}), 2.0).summary == ["alert reordered"]
    assert table.show(start).summary == ["resolved"]


def test_the_button_skips_the_settle_time(table: Table) -> None:
    """The settle time waits for a piece in a hand, unless the button says that the turn is done."""
    start = table.stacks
    lifted = table.put({"c4": ""})
    assert table.show(lifted, 1.2).summary == []
    table.session.submit(TurnDone())
    emitted = table.show(seconds=0.3)
    assert [event.type for event in emitted.events] == ["alert"]
    assert table.show(start).summary == ["resolved"]
    # Only once; for the next piece in a hand the settle time applies again.
    assert table.show(lifted, 1.2).summary == []
    assert table.show(start).summary == []


@pytest.mark.slow
def test_a_stack_too_high_in_front_of_the_dome_that_its_piece_left_is_prompted_for() -> None:
    """From there the sixth piece hides half of the dome, which then looks as if a piece were on it."""
    look = small_look()
    camera = aimed_camera(look.camera.lens, look.profile, tilt=42.0, azimuth=0.0, roll=0.0, fill=0.9)
    high = {"d5": "rrgrg", "d6": "g", "c6": "r", "e6": "r", "b2": "", "b7": "", "g7": ""}
    table = begun(rules(high, {}), look=replace(look, camera=camera))
    assert table.show(table.put({"d6": "", "d5": "rrgrgg"})).summary == ["prompt d5"]
    assert table.show(table.put({"d5": "rgrgg"})).summary == ["move d6-d5"]
