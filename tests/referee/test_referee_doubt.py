"""Acts that no camera can distinguish: the players are asked, there is no alert, and later turns decide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from table_scene import Table, begun, made_once, rules, small_look

from focus_companion.game.moves import Move
from focus_companion.game.play import apply
from focus_companion.game.rules import Rules
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.session.requests import ChooseMove
from focus_companion.simulator.scene_style import aimed_camera
from focus_companion.vision.capture.frames import Image

STACK_OF_FIVE = {"c6": "ggggg", "d6": "r", "d5": "", "e5": "", "f4": "", "g4": ""}
"""Green has a stack of five of its own; one more piece on it changes nothing visible."""

SIMILAR_TOPS = {
    "c4": "ggg",
    "e4": "ggg",
    "d4": "g",
    "b7": "",
    "c7": "",
    "f7": "",
    "g7": "",
    "b3": "",
    "h3": "",
}
"""Green's stacks side by side: from straight above, a piece moved from one to the other is barely visible."""

KNOCKED = {"d5": "rg", "d6": "g", "e4": "g", "c5": "r", "e5": "r", "d4": "r", "c4": "r", "e6": ""}
"""Green's piece from d5 may go to its own colour on d6, and not to e4."""

HIGH_STACK = {"d5": "rgrrg", "d7": "rg", "b2": "", "b7": "", "g7": "", "b5": "", "g5": ""}
"""Green can make a stack of seven, which looks much like five from above."""


def steep(tilt: float, played: Rules, fill: float = 0.9) -> Table:
    look = small_look()
    camera = aimed_camera(look.camera.lens, look.profile, tilt=tilt, azimuth=200.0, roll=0.0, fill=fill)
    return begun(played, look=replace(look, camera=camera))


@pytest.mark.slow
def test_an_invisible_reserve_piece_is_asked_about() -> None:
    table = begun(rules(STACK_OF_FIVE, {"g": 2}))
    red = next(s for s, stack in enumerate(table.stacks) if stack == "r" and table.stacks[s + 1] == "r")
    stacks = list(table.stacks)
    stacks[red], stacks[red + 1] = "", "rr"
    emitted = table.show(tuple(stacks), 2.5)
    assert emitted.summary == ["unclear"]
    assert emitted.events[0].to_json()["candidates"] == ["*c6"]
    # Green goes on, so it had been a turn, followed by red's.
    stacks[INDEX["c6"]], stacks[INDEX["c5"]] = "gggg", stacks[INDEX["c5"]] + "g"
    emitted = table.show(tuple(stacks), 2.5)
    assert [word.split()[0] for word in emitted.summary] == ["move", "move", "move"]
    assert emitted.summary[0] == "move *c6" and emitted.summary[2] == "move c6-c5"


@pytest.mark.slow
def test_an_invisible_turn_is_asked_about() -> None:
    table = steep(1.0, rules(SIMILAR_TOPS, {}))
    emitted = table.show(table.put({"c4": "gg", "d4": "gg"}), 1.5)
    # However little of it is visible from above, only a turn of green may be emitted.
    assert all(word in ("move c4-d4", "unclear") for word in emitted.summary), emitted.summary
    seen = "move c4-d4" in emitted.summary
    red = next(s for s, stack in enumerate(table.stacks) if stack == "r" and table.stacks[s + 1] == "r")
    stacks = list(table.stacks)
    stacks[red], stacks[red + 1] = "", "rr"
    emitted = table.show(tuple(stacks), 2.5)
    played = f"move {SQUARES[red]}-{SQUARES[red + 1]}"
    if emitted.summary == ["unclear"]:
        assert "c4-d4" in emitted.events[0].to_json()["candidates"] and not seen
    else:
        # Red's next turn shows that it had been a turn.
        assert emitted.summary == ([played] if seen else ["move c4-d4", played])


TWO_TARGETS = {"c5": "g", "b5": "g", "d5": "g", "c4": "r", "c6": "r", "b7": "", "f2": "r", "f3": "r"}
"""Green's piece between two of its own: from straight above, it is barely visible on which of them it was
set.
"""


def table_with_two_targets() -> Table:
    look = small_look()
    camera = aimed_camera(look.camera.lens, look.profile, tilt=1.0, azimuth=200.0, roll=0.0, fill=0.9)
    return begun(rules(TWO_TARGETS, {}), look=replace(look, camera=camera, seed=1))


@made_once
def doubted_turn() -> Table:
    table = table_with_two_targets()
    emitted = table.show(table.put({"c5": "", "b5": "gg"}), 1.5)
    assert emitted.summary == ["unclear"]
    assert set(emitted.events[0].to_json()["candidates"]) >= {"c5-b5", "c5-d5"}
    # The game goes on before anybody answers; the position is still ambiguous, and there is no alert.
    assert table.show(table.put({"f2": "", "f3": "rr"}), 1.5).summary == []
    return table


@pytest.mark.slow
@pytest.mark.parametrize("quickly", [False, True])
def test_a_doubt_that_ended_before_its_settle_time_is_remembered(quickly: bool) -> None:
    """An illegal act right after an ambiguous turn is alerted relative to the position after that turn."""
    table = table_with_two_targets()
    emitted = table.show(table.put({"c5": "", "b5": "gg"}), 0.5 if quickly else 1.5)
    assert emitted.summary == ([] if quickly else ["unclear"])
    emitted = table.show(
        table.put({"e2": "", "d3": table.stacks[INDEX["d3"]] + table.stacks[INDEX["e2"]]}), 2.5
    )
    assert [word.split()[0] for word in emitted.summary] == ["alert"]
    alert = emitted.events[0].to_json()
    assert (alert["reason"], alert["player"]) == ("not_straight", "red")


def test_in_which_order_turns_were_made_is_asked_until_play_goes_on() -> None:
    """Three turns were made while nobody could see them: nothing that follows depends on their order."""
    stands = {"d5": "g", "d6": "", "b4": "g", "b5": "", "f2": "r", "f3": "", "g4": "r", "g5": ""}
    table = begun(rules(stands, {}))
    changed = {"d5": "", "d6": "g", "b4": "", "b5": "g", "f2": "", "f3": "r"}
    emitted = table.show(table.put(changed), 2.5)
    assert emitted.summary == ["unclear"]
    assert set(emitted.events[0].to_json()["candidates"]) == {"d5-d6", "b4-b5"}
    emitted = table.show(table.put({"g4": "", "g5": "r"}), 2.5)
    first, second, third, last = emitted.summary
    assert {first, third} == {"move d5-d6", "move b4-b5"} and (second, last) == ("move f2-f3", "move g4-g5")
    assert table.session.position.stacks == table.stacks


def test_a_doubt_lasts_until_a_turn_decides() -> None:
    table = doubted_turn()
    emitted = table.show(table.put({"b5": "", "b7": "gg"}), 1.5)
    assert emitted.summary == ["move c5-b5", "move f2-f3", "move b5-b7"]
    assert table.session.position.stacks == table.stacks


def test_after_a_late_answer_the_turns_since_are_emitted() -> None:
    table = doubted_turn()
    table.session.submit(ChooseMove(Move.parse("c5-b5")))
    emitted = table.show(seconds=1.5)
    assert emitted.summary == ["move c5-b5", "move f2-f3"]
    assert table.session.position.stacks == table.stacks


def test_what_was_in_doubt_can_be_put_back() -> None:
    table = doubted_turn()
    emitted = table.show(table.put({"f2": "r", "f3": "r"}), 1.5)
    assert emitted.summary == []
    emitted = table.show(table.put({"c5": "g", "b5": "g"}), 1.5)
    assert emitted.summary == ["resolved"]
    emitted = table.show(table.put({"c5": "", "c4": "rg"}), 1.5)
    assert emitted.summary == ["move c5-c4"]


def test_an_illegal_act_in_doubt_is_alerted() -> None:
    table = doubted_turn()
    before = table.stacks
    emitted = table.show(
        table.put({"e2": "", "d3": table.stacks[INDEX["d3"]] + table.stacks[INDEX["e2"]]}), 2.5
    )
    assert [word.split()[0] for word in emitted.summary] == ["alert"]
    # The piece is put back, and the previous question remains.
    assert table.show(before, 2.5).summary == ["resolved", "unclear"]
    assert table.session.state()["unclear"]


SWAPPED = {"d5": "gr", "d6": "rg", "b2": "", "c5": "", "e5": ""}
"""Red's piece from d5 to d6 leaves the same tops there as green's from d6 to d5."""


@pytest.mark.parametrize(
    ("tilt", "fill", "start", "wrongly", "rightly", "turn"),
    [
        (1.0, 0.9, KNOCKED, {"d5": "r", "e4": "gg"}, {"d5": "r", "d6": "gg"}, "d5-d6"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                (5.0, 0.9, KNOCKED, {"d5": "r", "e4": "gg"}, {"d5": "r", "d6": "gg"}, "d5-d6"),
                (5.0, 0.9, SWAPPED, {"d5": "g", "d6": "rgr"}, {"d6": "r", "d5": "grg"}, "d6-d5"),
                (11.0, 0.9, SWAPPED, {"d5": "g", "d6": "rgr"}, {"d6": "r", "d5": "grg"}, "d6-d5"),
                (11.0, 0.6, SWAPPED, {"d5": "g", "d6": "rgr"}, {"d6": "r", "d5": "grg"}, "d6-d5"),
            )
        ),
    ],
    ids=["knocked, 1", "knocked, 5", "swapped, 5", "swapped, 11", "swapped, 11 and far"],
)
def test_a_turn_is_not_emitted_only_because_it_is_legal(
    tilt: float,
    fill: float,
    start: dict[str, str],
    wrongly: dict[str, str],
    rightly: dict[str, str],
    turn: str,
) -> None:
    """The target of a piece and the height of its stack are barely visible from above, so it is asked about.
    If they are visible, the turn is emitted.
    """
    table = steep(tilt, rules(start, {}), fill)
    before = table.stacks
    assert table.show(table.put(wrongly), 2.5).summary == ["unclear"]
    assert table.show(before, 2.0).summary == ["resolved"]
    assert table.show(table.put(rightly)).summary == [f"move {turn}"]


def test_what_is_in_doubt_stays_so_under_another_lamp() -> None:
    """The reference picture in the new light shows it already."""
    table = steep(1.0, rules(KNOCKED, {}))
    start = table.stacks

    def dimmed(image: Image) -> Image:
        return np.asarray(image * 0.6, np.uint8)

    assert table.show(table.put({"d5": "r", "e4": "gg"}), 2.5).summary == ["unclear"]
    assert table.shoot(table.stage(), 3.0, dimmed).summary == []
    table.stacks = start
    assert not [word for word in table.shoot(table.stage(), 2.0, dimmed).summary if word != "resolved"]
    table.stacks = table.put({"d6": "", "e6": "g"})
    assert table.shoot(table.stage(), 2.0, dimmed).summary == ["move d6-e6"]


OWN_COLOUR_ON_FIVE = {"d5": "rgrrg", "d6": "r", "c6": "r", "b2": "", "b7": "", "g7": ""}
"""Green may set a piece of its reserve on a stack of five with its own colour on top."""


@pytest.mark.slow
@pytest.mark.parametrize("tilt", [pytest.param(10.0, marks=pytest.mark.slow), 35.0])
def test_a_turn_made_instead_on_a_tall_stack_is_not_two_turns_taken_back(tilt: float) -> None:
    """The stack has the same top as before both turns, but nobody puts a trimmed piece back under it."""
    table = steep(tilt, rules({"e5": "grgrr"}, {"g": 2, "r": 2}))
    assert table.show(table.put({"e5": "grgrrg"})).summary == ["prompt e5"]
    trimmed = table.put({"e5": "rgrrg"})
    assert table.show(trimmed, 1.5).summary == ["move *e5"]
    assert table.show(table.after("b3-b2")).summary == ["move b3-b2"]
    table.stacks = trimmed
    assert table.show(table.put({"e5": "rgrrgr"}), 1.5).summary == ["taken_back 1", "prompt e5"]


@pytest.mark.parametrize(
    ("tilt", "at_once", "later"), [(25.0, "prompt d5", ["move *d5"]), (35.0, "move *d5", [])]
)
def test_a_stack_trimmed_at_once_raises_no_alert_although_its_piece_is_out_of_view(
    tilt: float, at_once: str, later: list[str]
) -> None:
    """Afterwards the board looks as if two pieces had only been exchanged."""
    table = steep(tilt, rules(OWN_COLOUR_ON_FIVE, {"g": 1}))
    assert table.show(table.put({"d5": "grrgg"}), 2.0).summary == [at_once]
    emitted = table.show(table.put({"d6": "", "c6": "rr"}), 1.5)
    assert emitted.summary == [*later, "move d6-c6"]


def test_a_stack_that_was_trimmed_only_in_part_before_play_went_on_is_alerted() -> None:
    table = steep(35.0, rules(HIGH_STACK, {}))
    assert table.show(table.after("d7-d5")).summary == ["prompt d5"]
    assert table.show(table.put({"d5": "grrgrg"})).summary == []
    (alert,) = table.show(table.put({"f7": "", "f6": "gr"}), 1.8).events
    assert alert.to_json()["reason"] == "too_high"
    assert "takes 1 piece from" in alert.to_json()["text"], "one has been taken"


@pytest.mark.parametrize("tilt", [pytest.param(18.0, marks=pytest.mark.slow), 35.0])
def test_an_additional_piece_on_its_own_colour_is_prompted_for(tilt: float) -> None:
    table = steep(tilt, rules(OWN_COLOUR_ON_FIVE, {"g": 1}))
    assert table.show(table.put({"d5": "rgrrgg"}), 1.5).summary == ["prompt d5"]
    assert table.show(table.put({"d5": "grrgg"}), 1.5).summary == ["move *d5"]


THIRD_OF_ITS_COLOUR = {"d5": "rgg", "d6": "r", "c6": "r"}
"""A third green piece on top changes only a rim."""


@pytest.mark.slow
def test_a_barely_visible_extra_piece_is_asked_about_without_an_alert() -> None:
    table = steep(18.0, rules(THIRD_OF_ITS_COLOUR, {"g": 1}))
    emitted = table.show(table.put({"d5": "rggg"}), 1.5)
    assert emitted.summary == ["unclear"]
    assert emitted.events[0].to_json()["candidates"] == ["*d5"]
    assert table.show(table.put({"d6": "", "c6": "rr"}), 1.5).summary == ["move *d5", "move d6-c6"]


def test_two_turns_of_which_the_second_awaits_its_trimming() -> None:
    table = begun(rules(STACK_OF_FIVE, {"g": 2}))
    emitted = table.show(table.put({"b2": "", "c2": "gg", "d6": "", "c6": "gggggr"}), 1.5)
    assert emitted.summary == ["move b2-c2", "prompt c6"]


@pytest.mark.slow
def test_players_may_play_on_before_answering() -> None:
    """The board shows the answer and more, so nobody is asked to put it back."""
    table = steep(6.0, rules(HIGH_STACK, {"g": 1}))
    assert table.show(table.put({"d7": "", "d5": "rgrrgrg"})).summary == ["prompt d5"]
    assert table.show(table.put({"d5": "rgrg"}), 1.5).summary == ["unclear"]
    table.session.submit(ChooseMove(Move.parse("d7-d5")))
    assert table.show(table.put({"c5": "", "c4": "gr"}), 1.5).summary == ["move d7-d5", "move c5-c4"]


def test_whether_a_stack_was_trimmed_before_play_went_on_is_asked_from_above() -> None:
    """Five pieces look like seven there, and the next turn must not settle the question silently."""
    table = steep(6.0, rules(HIGH_STACK, {"g": 1}))
    assert table.show(table.put({"d7": "", "d5": "rgrrgrg"})).summary == ["prompt d5"]
    assert table.show(table.put({"c5": "", "c4": "gr"}), 1.5).summary == ["unclear"]
    assert table.session.history.ply == 0


@made_once
def perhaps_trimmed() -> Table:
    """A piece was taken from a stack of seven: seen from here, five may be left as well as six."""
    table = steep(21.0, rules(HIGH_STACK, {"g": 1}))
    # Nobody has touched the stack, however long the players think.
    assert table.show(table.put({"d7": "", "d5": "rgrrgrg"}), 3.0).summary == ["prompt d5"]
    # The players may still be trimming; after the settle time they are asked, once.
    assert table.show(table.put({"d5": "grrgrg"}), 1.0).summary == []
    emitted = table.show(seconds=2.0)
    assert emitted.summary == ["unclear"]
    assert emitted.events[0].to_json()["candidates"] == ["d7-d5"]
    return table


@pytest.mark.slow
def test_a_prompt_does_not_last_forever_if_the_stack_may_be_trimmed() -> None:
    """Players who followed the prompt have nothing more to take; they say so, and the game continues."""
    table = perhaps_trimmed()
    table.session.submit(ChooseMove(Move.parse("d7-d5")))
    assert table.show(seconds=1.5).summary == ["move d7-d5"]
    assert table.session.state()["prompt"] is table.session.state()["unclear"] is None
    assert table.show(table.put({"c5": "", "c4": "gr"}), 1.5).summary == ["move c5-c4"]


def test_whether_a_stack_was_trimmed_is_no_longer_asked_once_it_is_visible() -> None:
    table = perhaps_trimmed()
    table.stacks = table.put({"d5": "rrgrg"})
    after = apply(table.session.position, Move.parse("d7-d5"), table.rules)
    emitted = table.shoot(table.director.stage(after, after.stacks), 1.0)
    assert emitted.summary == ["move d7-d5"]
    assert table.session.state()["prompt"] is table.session.state()["unclear"] is None


def test_continued_play_is_no_evidence_that_a_stack_was_trimmed() -> None:
    """It may have been left too high, so the question remains."""
    table = perhaps_trimmed()
    assert table.show(table.put({"c5": "", "c4": "gr"}), 3.0).summary == []
    assert table.session.history.ply == 0


def test_of_two_turns_with_the_same_position_neither_is_emitted_as_likelier() -> None:
    """Green's piece goes back from whichever square it was on: no later picture can tell which."""
    table = doubted_turn()
    assert table.show(table.put({"c5": "g", "b5": "g"}), 2.5).summary == []
    red = table.put({"f3": "r", "f4": table.stacks[INDEX["f4"]] + "r"})
    assert table.show(red, 1.5).summary == []
    assert table.session.history.ply == 0
    table.session.submit(ChooseMove(Move.parse("c5-b5")))
    emitted = table.show(seconds=1.5)
    assert emitted.summary == ["move c5-b5", "move f2-f3", "move b5-c5", "move f3-f4"]
    assert table.session.position.stacks == table.stacks


def test_a_turn_taken_back_and_another_made_while_an_older_one_is_in_doubt() -> None:
    """A turn shown too briefly to be emitted is remembered: otherwise red seems to have moved diagonally."""
    table = doubted_turn()
    assert table.show(table.put({"f2": "r", "f3": "r"}), 0.5).summary == []
    assert table.show(table.put({"f2": "", "g2": table.stacks[INDEX["g2"]] + "r"}), 2.5).summary == []
    table.session.submit(ChooseMove(Move.parse("c5-b5")))
    assert table.show(seconds=1.5).summary == ["move c5-b5", "move f2-g2"]
    assert table.session.position.stacks == table.stacks


def test_turns_in_doubt_that_are_put_back_together_withdraw_the_question() -> None:
    """Turns back and forth by both players would restore the position, too; the next turns had been lost."""
    table = begun(Rules.make(2))
    start = table.stacks
    three = {"d5": "", "d6": "rg", "c7": "", "c6": "gr", "b4": "", "b5": "rg"}
    assert table.show(table.put(three), 2.5).summary == ["unclear"]
    assert table.show(start, 1.5).summary == ["resolved"]
    assert table.show(table.after("e5-f5")).summary == ["move e5-f5"]
