"""Whether an act accounts for what a look shows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from focus_companion.game.moves import Move
from focus_companion.game.squares import INDEX, SQUARES
from focus_companion.referee.acts import Act, Kind
from focus_companion.referee.explaining import MAX_ILLEGAL_ADVANTAGE, explains, follows_prompt, is_unbeatable
from focus_companion.referee.margin import LEGAL_BONUS
from focus_companion.referee.trimming import Pending
from focus_companion.referee.weighing import Judgement


@pytest.mark.parametrize(("awaited", "due"), [("*f7", True), ("*c8", False), ("", False)])
@pytest.mark.parametrize("lead", [9.3, 5.0], ids=["certain", "to be asked about"])
def test_a_prompted_trimming_need_not_be_visible(awaited: str, lead: float, due: bool) -> None:
    turn = Act(Kind.TURN, {INDEX["f7"]: "rgrgg"}, (Move.parse("*f7"),), trimmed="r")
    pending = Pending(Move.parse(awaited), sure=True) if awaited else None
    assert follows_prompt(Judgement(turn, -13.8, lead), pending) is due


@pytest.mark.parametrize(
    ("another", "more", "unbeatable"),
    [
        ({"b3": "rrgr", "c3": ""}, MAX_ILLEGAL_ADVANTAGE + 1.0, False),
        ({"b3": "rrgr", "c3": ""}, MAX_ILLEGAL_ADVANTAGE - 1.0, True),
        ({"b3": "r", "c3": "rrg"}, 1.0 - LEGAL_BONUS, False),
        ({"b3": "r", "c3": "rrg"}, -1.0 - LEGAL_BONUS, True),
    ],
    ids=["opposite and better", "opposite, hardly better", "one more piece", "one more, clearly worse"],
)
def test_a_turn_is_unbeatable_only_if_no_other_transfer_between_its_squares_fits(
    another: dict[str, str], more: float, unbeatable: bool
) -> None:
    """Red's piece set on green's, out of turn, on a board whose bare domes look as green as the pieces."""
    b3, c3 = INDEX["b3"], INDEX["c3"]
    stood = [""] * len(SQUARES)
    stood[b3], stood[c3] = "rrg", "r"
    turn = Act(Kind.TURN, {b3: "rr", c3: "rg"}, (Move.parse("b3-c3"),))
    nats = {(b3, "rr"): 230.0, (c3, "rg"): 230.0}
    nats |= {(INDEX[square], stack): 230.0 + more / 2 for square, stack in another.items()}
    evidence = SimpleNamespace(
        standing=tuple(stood),
        stack_gain=lambda *which: SimpleNamespace(nats=nats.get(which, 100.0), per_pixel=3.6, pixels=64),
        outlines=SimpleNamespace(touching=lambda squares: squares),
    )
    look: Any = SimpleNamespace(evidence=evidence, touched=np.zeros(len(SQUARES)), faintly_changed={})
    assert is_unbeatable(look, turn) is unbeatable


@pytest.mark.parametrize(
    ("alone", "with_the_rest", "explained"),
    [(-26.0, 32.0, True), (-26.0, -20.0, False), (-24.0, -20.0, True)],
    ids=["hidden by the stack in front", "contradicted", "hardly contradicted"],
)
def test_a_dome_behind_a_stack_that_grew_need_not_look_bare(
    alone: float, with_the_rest: float, explained: bool
) -> None:
    f6, f7 = INDEX["f6"], INDEX["f7"]
    act = Act(Kind.PENDING, {f7: "", f6: "ggrgrr"}, (Move.parse("f7-f6"),))
    nats = {frozenset({f6}): 7.0, frozenset({f7}): alone, frozenset({f6, f7}): with_the_rest}

    def gained(*squares: int) -> SimpleNamespace:
        shown = nats[frozenset(squares)]
        return SimpleNamespace(nats=shown, per_pixel=shown / 40)

    evidence = SimpleNamespace(
        standing=("",) * len(SQUARES),
        gain=lambda changes: gained(*changes),
        stack_gain=lambda square, _: gained(square),
    )
    faintly_changed = {f6: 125.0, f7: 434.0}
    look: Any = SimpleNamespace(
        evidence=evidence, touched=np.zeros(len(SQUARES)), faintly_changed=faintly_changed
    )
    assert explains(look, Judgement(act, 27.3, 42.3), []) is explained


def test_the_first_piece_of_all_may_hide_a_part_of_the_empty_square_behind_it() -> None:
    """No piece stands on the board that could have been moved there or taken away."""
    c3, c4 = INDEX["c3"], INDEX["c4"]
    placed = Act(Kind.TURN, {c3: "g"}, (Move.parse("*c3"),))
    evidence = SimpleNamespace(
        standing=("",) * len(SQUARES),
        stack_gain=lambda square, stack: SimpleNamespace(
            nats=200.0 if (square, stack) == (c3, "g") else -50.0, per_pixel=3.6, pixels=64
        ),
        outlines=SimpleNamespace(touching=lambda squares: [c4, *squares]),
    )
    touched = np.zeros(len(SQUARES))
    touched[c4] = 0.49
    look: Any = SimpleNamespace(evidence=evidence, touched=touched, faintly_changed={})
    assert is_unbeatable(look, placed)
