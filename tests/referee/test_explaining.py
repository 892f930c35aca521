"""Whether an act accounts for what a look shows."""

from __future__ import annotations

import pytest
from fake_look import fake_look

from focus_companion.game.moves import Move
from focus_companion.game.squares import INDEX
from focus_companion.referee.act import Act, Kind
from focus_companion.referee.explaining import explains, follows_prompt
from focus_companion.referee.trimming import Pending
from focus_companion.referee.weighing import Judgement


@pytest.mark.parametrize(("awaited", "due"), [("*f7", True), ("*c8", False), ("", False)])
@pytest.mark.parametrize("lead", [9.3, 5.0], ids=["certain", "to be asked about"])
def test_a_prompted_trimming_need_not_be_visible(awaited: str, lead: float, due: bool) -> None:
    turn = Act(Kind.TURN, {INDEX["f7"]: "rgrgg"}, (Move.parse("*f7"),), trimmed="r")
    pending = Pending(Move.parse(awaited), sure=True) if awaited else None
    assert follows_prompt(Judgement(turn, -13.8, lead), pending) is due


@pytest.mark.parametrize(
    ("alone", "with_the_rest", "explained"),
    [(-40.0, 32.0, True), (-40.0, -40.0, False), (-20.0, -30.0, True)],
    ids=["hidden by the stack in front", "contradicted", "hardly contradicted"],
)
def test_a_dome_behind_a_stack_that_grew_need_not_look_bare(
    alone: float, with_the_rest: float, explained: bool
) -> None:
    act = Act(Kind.PENDING, {INDEX["f7"]: "", INDEX["f6"]: "ggrgrr"}, (Move.parse("f7-f6"),))
    look = fake_look(
        {"f7": "r", "f6": "ggrgr"},
        nats={"f6": {"ggrgrr": 7.0}, "f7": {"": alone}},
        jointly={("f6", "f7"): with_the_rest},
        faintly_changed={"f6": 125.0, "f7": 434.0},
    )
    assert explains(look, Judgement(act, 27.3, 42.3), []) is explained


@pytest.mark.parametrize(
    ("kind", "gained", "faint", "explained"),
    [
        (Kind.TURN, 3.0, {}, False),
        (Kind.TURN, 5.0, {}, True),
        (Kind.TURN, 3.0, {"d5": 9.0, "d6": 9.0}, True),
        (Kind.TURN, 3.0, {"d5": 9.0, "d6": 7.0}, False),
        (Kind.BACK, 3.0, {}, True),
    ],
    ids=["hardly visible", "visible", "both squares faintly changed", "only one is certain", "taken back"],
)
def test_an_act_that_the_picture_hardly_shows_explains_nothing(
    kind: Kind, gained: float, faint: dict[str, float], explained: bool
) -> None:
    """Unless it is expected to be faint: from above, a piece moved back changes little."""
    act = Act(kind, {INDEX["d5"]: "g", INDEX["d6"]: "gg"}, (Move.parse("d5-d6"),))
    nats = {"d5": {"g": gained}, "d6": {"gg": 0.0}}
    look = fake_look({"d5": "gg", "d6": "g"}, nats=nats, faintly_changed=faint, pixels=1)
    assert explains(look, Judgement(act, gained, 20.0), []) is explained


def test_the_first_piece_of_all_may_hide_a_part_of_the_empty_square_behind_it() -> None:
    """No piece stands on the board that could have been moved there or taken away."""
    placed = Act(Kind.TURN, {INDEX["c3"]: "g"}, (Move.parse("*c3"),))
    look = fake_look(
        nats={"c3": {"g": 200.0}},
        unlisted=-50.0,
        pixels=64,
        touched={"c4": 0.49},
        reach=(INDEX["c4"], INDEX["c3"]),
    )
    assert explains(look, Judgement(placed, 196.0, 100.0), [INDEX["c4"], INDEX["c3"]])
